"""Parse every document once, so that a change to a rule needs no new parse.

Belongs here: cutting documents into pieces, parsing these in batches, joining the results. Not here: the
pipeline (pipeline.py), storing a parse (annotation.py), the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import pyarrow as pa

from silverloom.ops.core.identity import made_from, row_id
from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.coreference.links import Link, TokenSpan
from silverloom.ops.coreference.titles import with_title
from silverloom.ops.discofuse.annotation import Annotation, AnnotationParams, columns_of, pipeline_of
from silverloom.ops.discofuse.running_text import PARAGRAPH_END
from silverloom.ops.discofuse.schemas import ANNOTATED
from silverloom.ops.text.holes import holes_within
from silverloom.ops.text.sentences import sentence_spans

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: Limit of tokens held as Python objects before they are converted to Arrow.
_TOKENS_AT_ONCE = 100_000


def annotate(prose: pa.Table, params: AnnotationParams) -> Outcome:
    """Return the parse of each document of a `PROSE.kept` table; shape ANNOTATED.

    The rows do not depend on the rest of the table or on batch sizes: with the pinned kernels, a row of a
    matrix product does not depend on the other rows.
    """
    units = prose.to_pylist()
    if not units:
        return Outcome.of(ANNOTATED, [], [])  # do not load a pipeline for nothing
    pipeline = pipeline_of(params)
    tables = [ANNOTATED.kept.empty_table()]
    rows: list[Row] = []
    tokens = 0
    for unit, annotation in zip(
        units, parsed(((unit["text"], unit["title"]) for unit in units), params), strict=True
    ):
        rows.append(_row(unit, annotation, pipeline))
        tokens += len(annotation.words)
        if tokens >= _TOKENS_AT_ONCE:
            tables.append(pa.Table.from_pylist(rows, schema=ANNOTATED.kept))
            rows, tokens = [], 0
    tables.append(pa.Table.from_pylist(rows, schema=ANNOTATED.kept))
    nothing = Outcome.of(ANNOTATED, [unit["id"] for unit in units], [])
    return Outcome(nothing.units, pa.concat_tables(tables), nothing.dropped, nothing.rejected)


def parsed(texts: Iterable[tuple[str, str | None]], params: AnnotationParams) -> Iterator[Annotation]:
    """Yield the annotation of each text, given with its title, in order; texts may have any length.

    Memory grows only with the longest text; `params.batch_tokens` bounds what the parse needs in addition.
    """
    from silverloom.ops.discofuse.dataset.pipeline import annotator

    yield from parsed_by(annotator(params.pipeline, params.coreference, whole=False), texts, params)


def parsed_by(
    nlp: Language, texts: Iterable[tuple[str, str | None]], params: AnnotationParams
) -> Iterator[Annotation]:
    """Yield what `parsed` does, by a pipeline of the caller's."""
    cut = (
        (with_title(nlp.make_doc(text[start:end]), title), last)
        for text, title in texts
        for start, end, last in _marked(text, params)
    )
    pieces: list[Annotation] = []
    for batch in _batches(cut, params):
        for document, last in nlp.pipe(batch, as_tuples=True, batch_size=len(batch)):
            pieces.append(Annotation.of(document))
            if last:
                yield joined(pieces)
                pieces = []


def pieces(text: str, longest: int) -> Iterator[TokenSpan]:
    """Yield spans of at most `longest` characters that cover a text in order.

    A piece ends after the last paragraph that fits. If no paragraph fits, it ends after the last sentence,
    else after the last white space, else anywhere. Only an empty text yields an empty piece.
    """
    start = 0
    while len(text) - start > longest:
        window = text[start : start + longest]
        paragraph = window.rfind(PARAGRAPH_END)
        if paragraph > 0:
            length = paragraph + len(PARAGRAPH_END)
        else:
            length = sentence_spans(window)[-1][0] if window.strip() else longest
            length = length or window.rfind(" ") + 1 or longest
        yield start, start + length
        start += length
    yield start, len(text)


def joined(parts: Sequence[Annotation]) -> Annotation:
    """Return the annotations of consecutive texts as one. `parts` must not be empty."""
    if len(parts) == 1:
        return parts[0]
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part.words))

    def moved(span: TokenSpan, start: int) -> TokenSpan:
        return span[0] + start, span[1] + start

    return Annotation(
        words=list(chain.from_iterable(part.words for part in parts)),
        spaces=list(chain.from_iterable(part.spaces for part in parts)),
        tags=list(chain.from_iterable(part.tags for part in parts)),
        dependencies=list(chain.from_iterable(part.dependencies for part in parts)),
        heads=[head + start for part, start in zip(parts, starts, strict=False) for head in part.heads],
        lemmas=list(chain.from_iterable(part.lemmas for part in parts)),
        entities=list(chain.from_iterable(part.entities for part in parts)),
        sentences=[
            moved(span, start) for part, start in zip(parts, starts, strict=False) for span in part.sentences
        ],
        links=tuple(
            Link(link.kind, moved(link.mention, start), moved(link.antecedent, start), link.score)
            for part, start in zip(parts, starts, strict=False)
            for link in part.links
        ),
    )


def _marked(text: str, params: AnnotationParams) -> Iterator[tuple[int, int, bool]]:
    """Yield the pieces of a text, each with a flag for the last one."""
    for start, end in pieces(text, params.piece_characters):
        yield start, end, end == len(text)


def _batches(cut: Iterable[tuple[Doc, bool]], params: AnnotationParams) -> Iterator[list[tuple[Doc, bool]]]:
    """Yield batches of pieces, within the limits of pieces and tokens that are parsed at once."""
    batch: list[tuple[Doc, bool]] = []
    tokens = 0
    for piece in cut:
        size = len(piece[0])
        if batch and (len(batch) == params.batch_size or tokens + size > params.batch_tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(piece)
        tokens += size
    if batch:
        yield batch


def _holes(annotation: Annotation, holes: Sequence[int] | None) -> list[int]:
    """Return how many of a text's holes are in each sentence."""
    if not holes:
        return [0] * len(annotation.sentences)
    written = [word + " " * space for word, space in zip(annotation.words, annotation.spaces, strict=True)]
    starts = [0, *accumulate(map(len, written))]
    ends = [starts[end] - _blanks(written[start:end]) for start, end in annotation.sentences]
    return [
        holes_within(holes, starts[start], end)
        for (start, _), end in zip(annotation.sentences, ends, strict=True)
    ]


def _blanks(written: Sequence[str]) -> int:
    """Return the length of the white space at the end of a sentence."""
    text = "".join(written)
    return len(text) - len(text.rstrip())


def _row(unit: Row, annotation: Annotation, pipeline: str) -> Row:
    columns = columns_of(annotation)
    seen: Counter[str] = Counter()
    sentences = []
    for span, text, holes in zip(
        columns["sentences"], annotation.sentence_texts(), _holes(annotation, unit["holes"]), strict=True
    ):
        identity = row_id("sentence", unit["id"], text, str(seen[text]))
        sentences.append({"id": identity, **span, "holes": holes})
        seen[text] += 1
    return {
        **made_from(unit, "annotation"),
        "document_id": unit["id"],
        **{name: unit[name] for name in ("document", "title", "month", "domain")},
        "pipeline": pipeline,
        **columns,
        "sentences": sentences,
    }
