"""Models from long sequences to text, as Hugging Face models: LSTM, T-ED, T-D, T-DMCA (Liu et al. 2018).

Belongs here: the networks, one interface to train and call them, their files. Not here: the training loop
(ops/models/training), which texts they read and how their answers are scored (ops/wikisum/models).

| module | what |
|---|---|
| sizes | the settings of a model in params.yaml: `LstmParams`, `EncoderDecoderParams`, ... |
| config | the content of a saved model's config.json, in Hugging Face's format |
| decoder | T-D and T-DMCA, built from attention and layers |
| recurrent | the LSTM encoder-decoder |
| model | `SequenceModel`, the common interface: losses by part, answers, files |
| pretrained | `PretrainedSequence`, the same interface for a pretrained Hugging Face model |
| task | `SequenceTask`, which `silverloom.ops.models.training.train` takes |
| texts | `TextModel`, a model with its tokenizer; `KIND`, how to use it without this project; its card |
"""
