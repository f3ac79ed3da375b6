"""Models from text to text: a Transformer encoder-decoder and CopyNet, trained from scratch.

Belongs here: both behind one interface, their vocabularies, decoding, and what they are trained on. Not here:
the training loop (ops/models/training), what the texts are and how answers are scored (the systems).

| module | what | loads torch |
|---|---|---|
| config | `TransformerConfig`, `CopyNetConfig` | no |
| pairs | `Pairs`: sources with their targets | no |
| pieces | `Pieces`: the vocabulary, learnt from texts | no |
| model | `Seq2Seq`: what both models can do; answers, by Hugging Face's `generate` | yes |
| transformer, copynet, copynet_model | the networks, and the models around them | yes |
| pretrained, pretrained_files | a model that was trained before; its files are Hugging Face's | yes |
| task | `Seq2SeqTask`: what `ops.models.training.train` takes | yes |
| files | `make`, `save`, `load` | yes |
| served | `KIND`: how one is called where the project is not | when it loads |
"""
