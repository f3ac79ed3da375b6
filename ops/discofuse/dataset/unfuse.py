"""Fusion examples of texts, for use in a program or a prompt.

Belongs here: one text, and a stream of them. Not here: datasets (annotated.py, candidates.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, overload

from silverloom.ops.coreference.titles import with_title
from silverloom.ops.discofuse.annotation import Annotation, AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import joined, parsed_by, pieces
from silverloom.ops.discofuse.dataset.pipeline import is_tokenised, sentences_of, tokenised
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.discofuse.rules.rule import DiscourseType

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: Characters of a natural text that are parsed at once; a longer text is cut at paragraph ends. Memory grows
#: with tokens, so a piece with more tokens than prose has is halved.
AT_ONCE, TOKENS_OF_PROSE = 100_000, 30_000
#: Tokens of a tokenised text that are parsed at once; a longer text is cut at sentence ends, and a longer
#: sentence anywhere.
TOKENS_AT_ONCE = 20_000


class Fusion(NamedTuple):
    """A text and the two independent sentences that it was split into, as columns of discofuse/examples."""

    source: str
    """The two sentences with the text's own spacing, which a model reads: `unfused_detokenised`."""
    target: str
    """The text that fuses them, on one line, which a model writes: `fused_detokenised`."""
    coherent_first_sentence: str
    """The columns from here on are those of the authors' release, space-tokenised."""
    coherent_second_sentence: str
    """Empty if the text is one sentence (SINGLE_*)."""
    incoherent_first_sentence: str
    incoherent_second_sentence: str
    discourse_type: DiscourseType
    connective_string: str
    has_coref_type_pronoun: float
    has_coref_type_nominal: float


@overload
def fusion_examples(  # type: ignore[overload-overlap]  # a str is an Iterable[str], too
    texts: str,
    nlp: Language,
    params: RuleParams | None = ...,
    *,
    title: str | None = ...,
    space_tokenised: bool | None = ...,
    batch_size: int = ...,
) -> list[Fusion]: ...
@overload
def fusion_examples(
    texts: Iterable[str | tuple[str, str | None]],
    nlp: Language,
    params: RuleParams | None = ...,
    *,
    title: str | None = ...,
    space_tokenised: bool | None = ...,
    batch_size: int = ...,
) -> Iterator[list[Fusion]]: ...
def fusion_examples(
    texts: str | Iterable[str | tuple[str, str | None]],
    nlp: Language,
    params: RuleParams | None = None,
    *,
    title: str | None = None,
    space_tokenised: bool | None = None,
    batch_size: int = 32,
) -> list[Fusion] | Iterator[list[Fusion]]:
    """Return the fusion examples of a text, in text order; of several texts, yield those of each.

    The filters of discofuse/examples are off: there are short and repeated examples, signs beyond ASCII, and
    all pairs without a phenomenon (PAIR_NONE). `silverloom convert` applies them.

    `nlp` is the pipeline of `annotator()`. A text may be natural or space-tokenised. If it is
    space-tokenised, its tokens are kept, and its sentences end at newlines, or at final marks if it has no
    newline. Without `space_tokenised`, its punctuation decides which it is. A `title` that names the person
    whom the text is about helps to resolve pronouns; of several texts, each may be (text, title). Several
    texts are read as they are needed, and `batch_size` of them are parsed at once. Memory grows with the
    longest text; what the parse needs in addition is bounded. Raises TypeError for a text that is no string,
    and for a pipeline that is a name.
    """
    if isinstance(nlp, str):
        raise TypeError(f"nlp is the pipeline itself, as annotator() returns it, not a name: {nlp!r}")
    if not isinstance(texts, str):
        if not isinstance(texts, Iterable):
            raise TypeError(f"the text is no string but {texts!r}")
        titled = (text if isinstance(text, tuple) else (text, title) for text in texts)
        return _of_several(titled, nlp, params or RuleParams(), space_tokenised, batch_size)
    annotation = annotated(texts, nlp, title=title, space_tokenised=space_tokenised)
    return _fusions(annotation, params or RuleParams())


def _of_several(
    titled: Iterable[tuple[str, str | None]],
    nlp: Language,
    params: RuleParams,
    space_tokenised: bool | None,
    batch_size: int,
) -> Iterator[list[Fusion]]:
    batches = AnnotationParams(batch_size=batch_size)
    for whole, run in groupby(titled, lambda text: _is_tokenised(text[0], space_tokenised)):
        annotations: Iterator[Annotation]
        if whole:
            annotations = (annotated(text, nlp, title=title, space_tokenised=True) for text, title in run)
        else:
            annotations = parsed_by(nlp, run, batches)
        for annotation in annotations:
            yield _fusions(annotation, params)


def _is_tokenised(text: str, known: bool | None) -> bool:
    if not isinstance(text, str):
        raise TypeError(f"the text is no string but {text!r}")
    return is_tokenised(text) if known is None else known


def _fusions(annotation: Annotation, params: RuleParams) -> list[Fusion]:
    return [
        Fusion(found.unfused_detokenised, found.fused_detokenised, *found.example)
        for found in candidates(annotation, params)
    ]


def annotated(
    text: str, nlp: Language, *, title: str | None = None, space_tokenised: bool | None = None
) -> Annotation:
    """Return the parse of a natural or space-tokenised text, as for `fusion_examples`."""
    whole = _is_tokenised(text, space_tokenised)
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
