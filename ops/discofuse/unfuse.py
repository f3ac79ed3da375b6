"""Fusion examples of one text, from its words to its examples.

Belongs here: one text at a time, for use from a program or a prompt. Not here: datasets (annotated.py,
candidates.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ops.discofuse.annotated import joined, pieces
from ops.discofuse.annotation import Annotation
from ops.discofuse.example import FusionExample
from ops.discofuse.pipeline import annotated, is_tokenised
from ops.discofuse.rules import RuleParams, candidates

if TYPE_CHECKING:
    from spacy.language import Language

#: Characters of a natural text that are parsed at once; a longer one is cut at the ends of paragraphs.
_AT_ONCE = 100_000


def fusion_examples(
    text: str, nlp: Language, params: RuleParams | None = None, title: str | None = None
) -> list[FusionExample]:
    """Return the fusion examples of a text of one or more sentences, in the order of the text.

    `nlp` is that of `annotator()`. The text may be natural or already space-tokenised; in the second case
    its tokens are kept, and its sentences end at the newlines, or where final marks stand if it has none.
    A `title` that names whom the text is about helps to tell whom its pronouns mean.
    """
    parts = [text] if is_tokenised(text) else [text[start:end] for start, end in pieces(text, _AT_ONCE)]
    annotation = joined([Annotation.of(annotated(part, nlp, title)) for part in parts])
    return [candidate.example for candidate in candidates(annotation, params or RuleParams())]
