"""Models from long sequences to text, as Hugging Face models: LSTM, T-ED, T-D, T-DMCA (Liu et al. 2018).

Belongs here: the networks, one interface to train and call them, their files. Not here: the training loop
(ops/models/training), which texts they read and how answers are scored (ops/wikisum/models).

| module | what |
|---|---|
| sizes | what params.yaml says of a model: `LstmParams`, `EncoderDecoderParams`, ... |
| config | what a saved model's config.json holds, as Hugging Face finds it |
| decoder | T-D and T-DMCA, of the parts in attention and layers |
| recurrent | the LSTM encoder-decoder |
| model | `SequenceModel`: what all can do: losses by part, answers, files |
| pretrained | `PretrainedSequence`: the same of a model of Hugging Face that was trained before |
| task | `SequenceTask`: what `ops.models.training.train` takes |
| texts | `TextModel`: one with its tokenizer; `KIND`: how it is called where the project is not; its card |
"""
