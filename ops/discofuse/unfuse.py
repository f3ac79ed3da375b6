"""Fusion examples of one text, from its words to its examples.

Belongs here: one text at a time, for use from a program or a prompt. Not here: datasets (annotated.py, candidates.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ops.discofuse.annotation import Annotation
from ops.discofuse.example import FusionExample
from ops.discofuse.pipeline import annotated
from ops.discofuse.rules import RuleParams, candidates

if TYPE_CHECKING:
    from spacy.language import Language


def fusion_examples(text: str, nlp: Language, params: RuleParams | None = None) -> list[FusionExample]:
    """Return the fusion examples of a text of one or more sentences, in the order of the text.

    `nlp` is that of `annotator()`. The text may be natural or already space-tokenised; in the second case its tokens
    are kept, and its sentences end at the newlines, or where final marks stand if it has none.
    """
    annotation = Annotation.of(annotated(text, nlp))
    return [candidate.example for candidate in candidates(annotation, params or RuleParams())]
