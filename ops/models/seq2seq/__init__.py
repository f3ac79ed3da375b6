"""Text-to-text models: a Transformer encoder-decoder and CopyNet trained from scratch, and pretrained models.

Belongs here: all of them behind one interface, their vocabularies, decoding, training examples, training. Not
here: the training loop (ops/models/training), what the texts are and how outputs are scored (the systems).

| module | what | loads torch |
|---|---|---|
| config | `Seq2SeqTransformerConfig`, `CopyNetConfig`; `Pairs`: sources with their targets | no |
| pairs | pairs of a dataset on disk, training and validation pairs; outputs for any number of sources | no |
| training | the vocabulary, the untrained model and one training of a set of pairs | when a model is made |
| pieces | `Pieces`: the vocabulary, learnt from texts | no |
| files | `make`, `load`; `KIND`: how a model is called outside the project | when a model is made |
| model | `Seq2Seq`: the interface of all models; decoding by Hugging Face's `generate` | yes |
| task | `Seq2SeqTask`: loss, and validation by loss and by outputs | yes |
| transformer, copynet | the networks, and the models around them | yes |
| pretrained | a pretrained model; its files are Hugging Face's | yes |
"""
