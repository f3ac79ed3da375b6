"""Extractive summarisers that learn: the pointer network of Chen and Bansal (2018), and one of today.

Belongs here: both behind one interface, and what they are trained on. Not here: the training loop
(ops/models/training), rankers that do not learn (ops/rank).

| module | what | loads torch |
|---|---|---|
| paper | `Paper`, `Extraction`, the protocol `Extractor` | no |
| labelled | `Labelled`: papers with labels | no |
| config | `PointerConfig`, `TransformerConfig`, and their sizes by name | no |
| files | `make`, `save`, `load` | yes |
| served | `KIND`: how one is called where the project is not | when it loads |
| tasks | `PointerTask`, `TransformerTask`: what `ops.models.training.train` takes | yes |
| pointer_extractor, transformer_extractor | the two | yes |
| embeddings | what the Transformer reads sentences by | when it embeds |
"""
