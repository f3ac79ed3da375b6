"""Trainable extractive summarisers: the pointer network of Chen and Bansal (2018), and a Transformer.

Belongs here: both behind one interface, and their training data and losses. Not here: the training loop
(ops/models/training), the choice of training examples (ops/talksumm/learning_sets.py), rankers without
training (ops/rank).

| module | what | loads torch |
|---|---|---|
| paper | `ExtractorPaper`, `Extraction`, the protocol `Extractor`; `Labelled`: papers with labels | no |
| config | `PointerConfig`, `TransformerConfig` | no |
| features | the Transformer's features of a sentence, in addition to its embedding | no |
| files | `make`, `save`, `load`; `KIND`: how to call an extractor outside of the project | when one is made |
| pointer, transformer | the two extractors | yes |
| tasks | `PointerTask`, `TransformerTask`: the input of `silverloom.ops.models.training.train` | yes |
"""
