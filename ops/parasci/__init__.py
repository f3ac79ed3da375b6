"""ParaSCI (Dong et al., EACL 2021): paraphrase pairs of scientific sentences, within and across papers.

Belongs here: the steps of this system. Not here: BERTScore and Self-BLEU (ops/metrics), encoders
(ops/models).

`definition` is public.
"""

from silverloom.ops.parasci.definitions import Definition, definition

__all__ = ["Definition", "definition"]
