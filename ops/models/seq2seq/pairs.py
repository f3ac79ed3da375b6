"""Training and validation pairs of models: on disk, except for the few validation pairs.

Belongs here: the rows of a dataset as pairs with their lengths, the training and validation pairs of a set,
outputs for any number of sources. Not here: which texts are source and target, and which sets exist (the
systems), the task (model.py), examples on disk (ops/models/training/examples.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.joins import stored
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import Outcome, Row, drop, in_blocks
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import sample_rows
from silverloom.ops.core.stored_rows import StoredRows
from silverloom.ops.models.seq2seq.config import BATCH, Pairs
from silverloom.ops.models.training.examples import ExampleStore

if TYPE_CHECKING:
    import duckdb

    from silverloom.ops.models.seq2seq.model import Seq2Seq

_PAIR = pa.schema(
    [
        ("number", pa.int64()),  # index of the row in its dataset
        ("source", pa.string()),
        ("target", pa.string()),
        ("source_pieces", pa.int32()),
        ("target_pieces", pa.int32()),
        ("short", pa.bool_()),  # whether both texts are short enough for the model
    ]
)

#: What a model may be validated on, indexed by whether there are validation pairs.
JUDGED_ON = ("training set", "validation split")

_SOURCES = pa.schema([("number", pa.int64()), ("source", pa.string()), ("pieces", pa.int32())])
_ORDERED = pa.schema([("pieces", pa.int32()), ("source", pa.string())])
_ANSWERS = pa.schema([("source", pa.string()), ("answer", pa.string())])

#: Batches per task, and rows that are read together.
BATCHES_OF_TASK = 4
_BLOCK = 1024

TextsOf = Callable[[Row], tuple[str, str]]


@dataclass(frozen=True)
class PairSet:
    """The training examples and the validation pairs of a model."""

    name: str
    learnt: ExampleStore
    judges: Pairs
    judged_on: str


def stored_pairs(
    rows: Parts,
    columns: Collection[str],
    texts_of: TextsOf,
    length: Callable[[str], int],
    longest: int,
    folder: Path,
    having: Mapping[str, object] | None = None,
) -> Parts:
    """Store the rows `having` values in columns as pairs in `folder`, which is created, part by part.

    The pairs keep `columns` of the rows. `length` counts the pieces of a text; a model reads at most
    `longest`.
    """
    schema = pa.schema([*(rows.schema.field(name) for name in columns), *_PAIR])
    numbers = count()

    def pair(row: Row) -> Row:
        source, target = texts_of(row)
        pieces = length(source), length(target)
        copied_columns = {name: row[name] for name in columns}
        values = (next(numbers), source, target, *pieces, max(pieces) <= longest)
        return copied_columns | dict(zip(_PAIR.names, values, strict=True))

    tables = (
        pa.Table.from_pylist([pair(row) for row in table.to_pylist()], schema)
        for table in rows.tables(having=having)
    )
    return stored(tables, schema, rows, folder)


def too_long(units: pa.Table, pairs: pa.Table) -> list[Row]:
    """Return the units whose pairs are too long for the model, dropped as `long` with their pieces."""
    return [
        drop(unit, "long", float(max(pair["source_pieces"], pair["target_pieces"])))
        for unit, pair in zip(units.to_pylist(), pairs.to_pylist(), strict=True)
        if not pair["short"]
    ]


def training_texts(
    rows: Parts, texts_of: TextsOf, having: Mapping[str, object] | None = None
) -> Iterator[str]:
    """Yield the source and target of every row of the train split `having` values in columns."""
    for row in rows.rows(having={**(having or {}), "split": "train"}):
        yield from texts_of(row)


def pair_set(
    name: str,
    pairs: Parts,
    model: Seq2Seq,
    most_judges: int,
    seed: int,
    folder: Path,
    in_order: bool = False,
    having: Mapping[str, object] | None = None,
) -> PairSet:
    """Return the training and validation pairs of a model: the short stored pairs `having` values in columns.

    At most `most_judges` pairs are drawn to validate the model, from the validation split, or from the train
    split if that is empty; `in_order` sorts them as in their dataset. Stores the training examples in
    `folder`.
    """

    def of_split(split: str) -> Iterator[Row]:
        values = {**(having or {}), "short": True, "split": split}
        return pairs.rows(["id", "number", "source", "target"], values)

    learnt = ((row["id"], row["source"], row["target"]) for row in of_split("train"))
    validating = sample_rows(of_split("validation"), most_judges, seed)
    judges = validating or sample_rows(of_split("train"), most_judges, seed)
    if in_order:
        judges.sort(key=lambda row: row["number"])
    return PairSet(
        name,
        model.stored(learnt, folder),
        Pairs(*([row[column] for row in judges] for column in ("id", "source", "target"))),
        JUDGED_ON[bool(validating)],
    )


def answers(model: Seq2Seq, sources: Iterable[str], folder: Path) -> Iterator[str]:
    """Yield the outputs of `model.generate` in the order of the sources; creates `folder` for its files."""

    def answered(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        ordered = StoredRows(_ORDERED, chain.from_iterable(table.to_pylist() for table in tables), folder)
        given = model.answers(ordered.column("source"))
        for block in in_blocks(given):
            yield pa.table(list(zip(*block, strict=True)), schema=_ANSWERS)

    return _in_order(sources, model, _BLOCK, answered, folder)


def answers_by_task(
    model: Loaded[Seq2Seq], sources: Iterable[str], like: Parts, folder: Path
) -> Iterator[str]:
    """Yield the same as `answers`, computed by tasks of the engine of `like`, a few batches per task."""

    def answered(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        ordered = stored(tables, _ORDERED, like, folder / "ordered")
        return (outcome.kept for outcome in ordered.map(answers_of, model))

    rows = BATCHES_OF_TASK * model.model.at_once(BATCH)
    return _in_order(sources, model.model, rows, answered, folder)


def answers_of(sources: pa.Table, model: Loaded[Seq2Seq]) -> Outcome:
    """Return, as kept rows, the outputs for whole batches of sources, sorted by number of pieces."""
    given = model.model.answers(sources["source"].to_pylist())
    kept = pa.Table.from_pylist([{"source": source, "answer": answer} for source, answer in given], _ANSWERS)
    nothing = pa.table({"id": pa.array([], pa.string())})
    return Outcome(pa.array([], pa.string()), kept, nothing, nothing)


def _in_order(
    sources: Iterable[str],
    model: Seq2Seq,
    rows: int,
    answered: Callable[[Iterator[pa.Table]], Iterator[pa.Table]],
    folder: Path,
) -> Iterator[str]:
    """Yield the outputs in the order of the sources; `answered` gets each source once, `rows` at a time."""
    with database(folder) as tables:
        insert(tables, "sources", _SOURCES.empty_table())
        insert(tables, "answers", _ANSWERS.empty_table())
        for block in in_blocks(enumerate(sources)):
            counted = [(number, text, model.pieces.length(text)) for number, text in block]
            insert(tables, "sources", pa.table(list(zip(*counted, strict=True)), schema=_SOURCES))
        query = "SELECT DISTINCT pieces, source FROM sources ORDER BY pieces, source"
        ordered = (pa.Table.from_pylist(block, _ORDERED) for block in in_blocks(_read(tables, query), rows))
        for answer_table in answered(ordered):
            insert(tables, "answers", answer_table)
        query = "SELECT answer FROM sources JOIN answers USING (source) ORDER BY number"
        yield from (row["answer"] for row in _read(tables, query))


def _read(tables: duckdb.DuckDBPyConnection, query: str) -> Iterator[Row]:
    for batch in tables.sql(query).to_arrow_reader(_BLOCK):
        yield from batch.to_pylist()
