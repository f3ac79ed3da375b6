"""Embedding parts slice by slice: a part may take many minutes, a slice takes less than one.

Belongs here: splitting parts into slices, and joining the slices of a part. Not here: which sentences are
embedded (sentences.py), resuming from finished slices (the engine).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape
from silverloom.ops.core.parts import Parts
from silverloom.ops.models.embedded import SLICE
from silverloom.ops.models.encoder import embedder, embedding_size, encoder


@dataclass(frozen=True)
class Statements:
    """The outcome of the sentences of a part, before the kept ones are embedded."""

    shape: Shape
    units: Sequence[str]
    dropped: Sequence[Row]
    groups: Mapping[tuple[str, str, str, str], Sequence[tuple[Row, str | None, Row]]]
    """By record, paper, area and text: the unit, month and mention of every sentence with that text."""
    combinations: Mapping[str, int]
    well_formed: Mapping[str, float]
    """By text: the estimated probability that it is whole."""

    @property
    def texts(self) -> list[str]:
        """Return the distinct texts, which are to be embedded."""
        return list(self.well_formed)

    def outcome(self, slices: Sequence[Outcome], name: str) -> Outcome:
        """Return the rows with the embeddings of their texts, given slice by slice."""
        rows = (row for outcome in slices for row in _rows_of(outcome.kept))
        embedded = dict(zip(self.texts, rows, strict=True))
        kept = [
            _row(area, text, members, self.well_formed[text], *embedded[text])
            for (*_, area, text), members in self.groups.items()
        ]
        shape = self.shape.sized(embedding_size(name))
        return Outcome.of(shape, self.units, kept, self.dropped, combinations=self.combinations)


def embed(texts: Sequence[str], name: str, strict: bool) -> Outcome:
    """Return, as kept rows, the embedding of every text, and whether the encoder truncates it."""
    nothing = pa.table({"id": pa.array([], pa.string())})
    vector = pa.list_(pa.float32(), embedding_size(name))
    columns = pa.schema([("truncated", pa.bool_()), ("embedding", vector)])
    if not texts:  # do not load the encoder
        return Outcome(pa.array([], pa.string()), columns.empty_table(), nothing, nothing)
    embeddings = embedder(name, strict)(texts)
    model = encoder(name, strict)
    tokens = model.tokenizer(list(texts), verbose=False)["input_ids"]
    truncated = pa.array([len(row) > model.max_seq_length for row in tokens])
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(embeddings.ravel()), type=vector)
    kept = pa.Table.from_arrays([truncated, vectors], schema=columns)
    return Outcome(pa.array([], pa.string()), kept, nothing, nothing)


def embedded_parts(
    parts: Parts, state: Callable[..., Statements], name: str, strict: bool, beside: Sequence[Parts] = ()
) -> Outcomes:
    """Yield the outcome of every part; the engine embeds the texts in slices.

    `state(table, *tables)` returns the `Statements` of a part; the further tables are the parts of `beside`.
    """
    slices = _Slices(parts, beside, state, SLICE)
    outcomes = parts.engine.map(embed, slices, name, strict)
    for number, count in enumerate(slices.counts):
        embedded = list(islice(outcomes, count))
        yield slices.last_of(number).outcome(embedded, name)


class _Slices(Sequence[list[str]]):
    """The texts of parts in slices; their number follows from a part's rows, so it is known in advance."""

    def __init__(
        self, parts: Parts, beside: Sequence[Parts], state: Callable[..., Statements], size: int
    ) -> None:
        self._parts = list(zip(parts.parts, *(other.parts for other in beside), strict=True))
        self._state, self._size = state, size
        self.counts = [-(-part.rows // size) for part in parts.parts]
        self._places = [(number, place) for number, count in enumerate(self.counts) for place in range(count)]
        self._stated: dict[int, Statements] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> list[str]:  # type: ignore[override]
        number, place = self._places[index]
        return self._of(number).texts[place * self._size : (place + 1) * self._size]

    def last_of(self, number: int) -> Statements:
        """Return the statements of a part whose slices are all embedded, and forget them."""
        statements = self._of(number)
        del self._stated[number]
        return statements

    def _of(self, number: int) -> Statements:
        if number not in self._stated:
            self._stated[number] = self._state(*(part.read() for part in self._parts[number]))
        return self._stated[number]


def _rows_of(table: pa.Table) -> Iterator[tuple[bool, NDArray[np.float32]]]:
    vectors = pc.list_flatten(table["embedding"]).to_numpy().reshape(table.num_rows, -1) if len(table) else []
    return zip(table["truncated"].to_pylist(), vectors, strict=True)


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
