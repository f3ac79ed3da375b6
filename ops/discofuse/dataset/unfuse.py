"""Fusion examples of a single text.

Belongs here: processing one text at a time, for use in a program or a prompt. Not here: datasets
(annotated.py, candidates.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from silverloom.ops.coreference.titles import with_title
from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.dataset.annotated import joined, pieces
from silverloom.ops.discofuse.dataset.pipeline import is_tokenised, sentences_of, tokenised
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.discofuse.rules.rule import FusionExample

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: Characters of a natural text that are parsed at once; a longer text is cut at paragraph ends. Memory grows
#: with tokens, so a piece with more tokens than prose has is halved.
AT_ONCE, TOKENS_OF_PROSE = 100_000, 30_000
#: Tokens of a tokenised text that are parsed at once; a longer text is cut at sentence ends, and a longer
#: sentence anywhere.
TOKENS_AT_ONCE = 20_000


def fusion_examples(
    text: str,
    nlp: Language,
    params: RuleParams | None = None,
    *,
    title: str | None = None,
    space_tokenised: bool | None = None,
) -> list[FusionExample]:
    """Return the fusion examples of a text of one or more sentences, in text order.

    `nlp` is the pipeline of `annotator()`. The text may be natural or space-tokenised. If it is
    space-tokenised, its tokens are kept, and its sentences end at newlines, or at final marks if it has no
    newline. Without `space_tokenised`, its punctuation decides which it is. A `title` that names the person
    whom the text is about helps to resolve pronouns. Memory grows with the text; what the parse needs in
    addition is bounded. Raises TypeError for a text that is no string, and for a pipeline that is a name.
    """
    if not isinstance(text, str):
        raise TypeError(f"the text is no string but {text!r}")
    if isinstance(nlp, str):
        raise TypeError(f"nlp is the pipeline itself, as annotator() returns it, not a name: {nlp!r}")
    annotation = annotated(text, nlp, title=title, space_tokenised=space_tokenised)
    return [candidate.example for candidate in candidates(annotation, params or RuleParams())]


def annotated(
    text: str, nlp: Language, *, title: str | None = None, space_tokenised: bool | None = None
) -> Annotation:
    """Return the parse of a natural or space-tokenised text, as for `fusion_examples`."""
    whole = is_tokenised(text) if space_tokenised is None else space_tokenised
    documents = _tokenised(text, nlp, title) if whole else _natural(text, nlp, title, AT_ONCE)
    return joined([Annotation.of(document) for document in documents])


def _natural(text: str, nlp: Language, title: str | None, longest: int) -> Iterator[Doc]:
    for start, end in pieces(text, longest):
        document = nlp.make_doc(text[start:end])
        if len(document) <= TOKENS_OF_PROSE:
            yield nlp(with_title(document, title))
        else:
            yield from _natural(text[start:end], nlp, title, longest // 2)


def _tokenised(text: str, nlp: Language, title: str | None) -> Iterator[Doc]:
    """Yield parses of batches of sentences."""
    part: list[Sequence[str]] = []
    length = 0
    for sentence in _cut(sentences_of(text)):
        if part and length + len(sentence) > TOKENS_AT_ONCE:
            yield tokenised(nlp, part, title)
            part, length = [], 0
        part.append(sentence)
        length += len(sentence)
    yield tokenised(nlp, part, title)


def _cut(sentences: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    for sentence in sentences:
        for first in range(0, len(sentence), TOKENS_AT_ONCE):
            yield sentence[first : first + TOKENS_AT_ONCE]
