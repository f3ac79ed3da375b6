"""Models that find in one text the part which says what another text says.

Belongs here: a span head on a sentence encoder. Not here: the training loop (ops/models/training), which
texts are compared (the systems).

| module | what | loads torch |
|---|---|---|
| config | `SpanConfig` | no |
| spans | `FoundSpan`, `SpanExample`, the best span of two rows of scores | no |
| network | the head, and the layers of the encoder that are trained with it | yes |
| model | `SpanModel`: texts in, spans out; `make`, `save`, `load` | yes |
| task | `SpanTask`: what `ops.models.training.train` takes | yes |
| served | `KIND`: how one is called where the project is not | when it loads |
"""
