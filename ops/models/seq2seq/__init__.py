"""Models from text to text: a Transformer encoder-decoder and CopyNet, trained from scratch.

Belongs here: both behind one interface, their vocabularies, decoding, and what they are trained on. Not here:
the training loop (ops/models/training), what the texts are and how answers are scored (the systems).

| module | what | loads torch |
|---|---|---|
| config | `Seq2SeqTransformerConfig`, `CopyNetConfig`; `Pairs`: sources with their targets | no |
| pairs | pairs of a dataset on disk, what is learnt from of them, and answers to any number of sources | no |
| pieces | `Pieces`: the vocabulary, learnt from texts | no |
| files | `make`, `save`, `load`; `KIND`: how one is called where the project is not | when one is made |
| model | `Seq2Seq`: what all models can do; answers, by Hugging Face's `generate`; `Seq2SeqTask` | yes |
| transformer, copynet | the networks, and the models around them | yes |
| pretrained | a model that was trained before; its files are Hugging Face's | yes |
"""
