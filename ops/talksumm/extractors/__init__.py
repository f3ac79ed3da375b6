"""Extractive summarisers that learn: the pointer network of Chen and Bansal (2018), and one of today.

Belongs here: both behind one interface, and what they are trained on. Not here: the training loop
(ops/models/training), what each learns from (ops/talksumm/learning_sets.py), rankers that do not learn
(ops/rank).

| module | what | loads torch |
|---|---|---|
| paper | `ExtractorPaper`, `Extraction`, the protocol `Extractor`; `Labelled`: papers with labels | no |
| config | `PointerConfig`, `TransformerConfig` | no |
| features | what the Transformer knows of a sentence beside its embedding | no |
| files | `make`, `save`, `load`; `KIND`: how one is called where the project is not | when one is made |
| pointer, transformer | the two | yes |
| tasks | `PointerTask`, `TransformerTask`: what `ops.models.training.train` takes | yes |
"""
