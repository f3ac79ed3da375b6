"""Alignments made by hand: which words of a talk describe which sentence of its paper.

Belongs here: the format, and the op that makes a table of labelled runs. Not here: finding the sentence that
a label means, and scoring alignments against labels (ops/talksumm/align/tuning.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse import files
from ops.parse.bounded import BoundedFormat
from ops.parse.csv_rows import csv_rows
from ops.parse.decoding import decoded
from ops.parse.records import Record, read_each
from ops.parse.source import Format, Only, ParseError, Raw, Source
from ops.talksumm.sources.schemas import GOLD_ALIGNMENTS
from ops.text.space import fold

COLUMNS = ("first_word", "last_word", "sentence")

_INDEX = re.compile(r"\d{1,9}", re.ASCII)


class Label(NamedTuple):
    """One labelled run: words of the talk, both ends included, and the beginning of their sentence."""

    first_word: int
    last_word: int
    sentence: str | None
    """None where the words describe no sentence."""


class _WordRuns:
    """A folder of CSV files, one a talk, named like its transcript.

    Columns `first_word`, `last_word` (indices of the transcript's words, from 0, both included) and
    `sentence` (the beginning of the sentence that the words describe; empty: they describe none); more
    columns are welcome. The rows cover the words from the first on, in order and without a gap.
    """

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return files.whole_files(folder, source, (".csv",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the name alone: transcripts may be called by their month (`2018-06-agreement`)."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Sequence[Label]:
        if raw.error is not None:
            raise ParseError(raw.error)
        labels: list[Label] = []
        for line, cells in csv_rows(decoded(raw.content), _header):
            label = _label(line, cells)
            due = labels[-1].last_word + 1 if labels else 0
            if label.first_word != due:
                raise ParseError(f"line {line}: begins with word {label.first_word}, due is word {due}")
            labels.append(label)
        if not labels:
            raise ParseError("no row below the header")
        return labels


FORMATS: dict[str, Format[Sequence[Label]]] = {"word_runs": BoundedFormat(_WordRuns(), quick=True)}


def parse_gold_alignments(records: Sequence[Record]) -> Outcome:
    """Return every labelled run of every record; a malformed file is rejected whole, with line and cause.

    One wrong boundary makes all that follow doubtful, so that no part of such a file is used.
    """

    def rows(record: Record) -> list[Row]:
        return [_row(record, label) for label in FORMATS[record.kind].parse(record.raw)]

    return read_each(records, GOLD_ALIGNMENTS, rows, formats=FORMATS)


def _header(cells: Sequence[str], line: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    if missing := [name for name in COLUMNS if names.count(name) != 1]:
        raise ParseError(f"line {line}: the header needs one column {', '.join(missing)}")
    return names


def _label(line: int, cells: Mapping[str, str]) -> Label:
    ends = []
    for name in ("first_word", "last_word"):
        if not _INDEX.fullmatch(cells[name].strip()):
            raise ParseError(f"line {line}: {name} must be the index of a word, found {cells[name][:40]!r}")
        ends.append(int(cells[name]))
    if ends[1] < ends[0]:
        raise ParseError(f"line {line}: last_word ({ends[1]}) is before first_word ({ends[0]})")
    return Label(ends[0], ends[1], fold(cells["sentence"]) or None)


def _row(record: Record, label: Label) -> Row:
    run = f"{label.first_word}-{label.last_word}"
    return {
        "id": row_id("label", record.source, record.raw.document, run, label.sentence or ""),
        "source_ids": [record.id],
        "licence": record.licence,
        "document": record.raw.document,
        "month": record.month,
        **label._asdict(),
    }
