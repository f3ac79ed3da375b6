"""Embedding parts slice by slice: a part of long papers takes many minutes, a slice of it less.

A slice ends with a paper, or with a record of passages, so that its rows do not depend on where it ends.

Belongs here: splitting parts into slices, and joining the slices of a part. Not here: which sentences are
embedded (sentences.py), resuming from finished slices (the engine).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.models.embedded import SLICE
from silverloom.ops.models.encoder import embedder, embedding_size, encoder, longest_of, token_counts


@dataclass(frozen=True)
class Slice:
    """Consecutive rows of the first of some parts, which belong together."""

    parts: tuple[Part, ...]
    start: int
    length: int


@dataclass(frozen=True)
class Statements:
    """The outcome of sentences, before the kept ones are embedded."""

    shape: Shape
    units: Sequence[str]
    dropped: Sequence[Row]
    groups: Mapping[tuple[str, str, str, str], Sequence[tuple[Row, str | None, Row]]]
    """By record, paper, area and text: the unit, month and mention of every sentence with that text."""
    combinations: Mapping[str, int]
    well_formed: Mapping[str, float]
    """By text: the estimated probability that it is whole."""

    def outcome(self, name: str, strict: bool) -> Outcome:
        """Return the rows with the embeddings of their texts."""
        texts = list(self.well_formed)
        embedded = dict(zip(texts, embedded_texts(texts, name, strict), strict=True))
        kept = [
            _row(area, text, members, self.well_formed[text], *embedded[text])
            for (*_, area, text), members in self.groups.items()
        ]
        shape = self.shape.sized(embedding_size(name))
        return Outcome.of(shape, self.units, kept, self.dropped, combinations=self.combinations)


def embed(piece: Slice, name: str, strict: bool, state: Callable[..., Statements], params: Params) -> Outcome:
    """Return the outcome of a slice, given the function that returns its `Statements`."""
    rows, *beside = (part.read() for part in piece.parts)
    return state(rows.slice(piece.start, piece.length), *beside, params).outcome(name, strict)


def embedded_parts(
    parts: Parts,
    state: Callable[..., Statements],
    params: Params,
    name: str,
    strict: bool,
    beside: Sequence[Parts] = (),
) -> Outcomes:
    """Yield the outcome of every part; the engine embeds it in slices, which end with a paper or record.

    `state(table, *tables, params)` returns the `Statements` of some rows, given the parts of `beside`.
    """
    together = zip(parts.parts, *(other.parts for other in beside), strict=True)
    slices = [list(_slices(of_part)) for of_part in together]
    outcomes = parts.engine.map(embed, list(chain.from_iterable(slices)), name, strict, state, params)
    for of_part in slices:
        yield Outcome.joined(list(islice(outcomes, len(of_part))))


def _slices(parts: tuple[Part, ...]) -> Iterator[Slice]:
    """Yield slices of the first part, each of at least SLICE rows but the last."""
    sources = parts[0].read(["source_ids"])["source_ids"].to_pylist()
    start = 0
    for row, (before, source) in enumerate(pairwise(sources), start=1):
        if row - start >= SLICE and before[0] != source[0]:
            yield Slice(parts, start, row - start)
            start = row
    yield Slice(parts, start, len(sources) - start)


def embedded_texts(
    texts: Sequence[str], name: str, strict: bool
) -> Iterator[tuple[bool, NDArray[np.float32]]]:
    """Yield for every text whether the encoder truncates it, and its embedding."""
    if not texts:  # do not load the encoder
        return
    embeddings = embedder(name, strict)(texts)
    model = encoder(name, strict)
    for count, embedding in zip(token_counts(model, texts), embeddings, strict=True):
        yield count > longest_of(model), embedding


def _row(
    area: str,
    text: str,
    members: Sequence[tuple[Row, str | None, Row]],
    well_formed: float,
    truncated: bool,
    embedding: NDArray[np.float32],
) -> Row:
    units = [unit for unit, _, _ in members]
    return {
        **made_from_several(units, "statement", *(unit["id"] for unit in units)),
        "month": members[0][1],
        "area": area,
        "text": text,
        "printed": members[0][0]["text"],
        "words": len(text.split()),
        "truncated": truncated,
        "well_formed": well_formed,
        "mentions": [mention for _, _, mention in members],
        "embedding": embedding,
    }
