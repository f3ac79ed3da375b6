"""Split-and-rephrase corpora: a sentence, and two that say the same; a fusion example when read backwards.

Belongs here: the format of WikiSplit (Botha et al. 2018), and the op that makes a table of pairs. Not here:
models that learn from them (ops/discofuse/models/transfer.py).

A line is `sentence<TAB>first <::::> second`, space-tokenised. A row is told by its file and line:
nothing keeps a sentence from standing there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from ops.core.splits import SPLIT_NAMES
from ops.discofuse.sources.schemas import FUSION_PAIRS
from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse.characters import check_characters
from ops.parse.decoding import decoded
from ops.parse.lines import lines_of_files
from ops.parse.records import Record, read_each
from ops.parse.source import Format, Only, ParseError, Raw, Source
from ops.text.space import fold

_BETWEEN = "<::::>"
_FIRST_WORD = re.compile(r"[A-Za-z]*")


class _SplitAndRephrase:
    """A folder of *.tsv and *.tsv.gz files, one pair a line; their names begin with their split."""

    any_encoding = True
    of_lines = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return lines_of_files(folder, source, (".tsv", ".tsv.gz"), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: file and line."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> tuple[str, str, str, str]:
        """Return split, fused sentence, first and second sentence."""
        if raw.error is not None:
            raise ParseError(raw.error)
        split = _split(raw.path)
        text = decoded(raw.content)
        check_characters(text.replace("\t", " "), "the line")
        cells = text.split("\t")
        if len(cells) != 2:
            raise ParseError(f"{len(cells)} columns divided by tabs, due are 2: sentence and its split")
        parts = cells[1].split(_BETWEEN)
        if len(parts) != 2:
            raise ParseError(f"{len(parts)} sentences divided by {_BETWEEN}, due are 2")
        fused, first, second = fold(cells[0]), fold(parts[0]), fold(parts[1])
        if missing := [
            name for name, value in (("sentence", fused), ("first", first), ("second", second)) if not value
        ]:
            raise ParseError(f"nothing stands for {' and '.join(missing)}")
        return split, fused, first, second


FORMATS: dict[str, Format[tuple[str, str, str, str]]] = {"split_and_rephrase": _SplitAndRephrase()}


def parse_fusion_pairs(records: Sequence[Record]) -> Outcome:
    """Return every line as a pair, or rejected with file, line and cause; shape FUSION_PAIRS."""

    def rows(record: Record) -> list[Row]:
        split, fused, first, second = FORMATS[record.kind].parse(record.raw)
        return [
            {
                "id": row_id("fusion", record.source, record.raw.document),
                "source_ids": [record.id],
                "licence": record.licence,
                "document": record.raw.document,
                "month": record.month,
                "split": split,
                "fused": fused,
                "first": first,
                "second": second,
            }
        ]

    return read_each(records, FUSION_PAIRS, rows)


def _split(path: str) -> str:
    found = _FIRST_WORD.match(PurePosixPath(path).name)
    word = found.group().lower() if found else ""
    if word not in SPLIT_NAMES:
        known = ", ".join(SPLIT_NAMES)
        raise ParseError(f"the file's name does not begin with its split, which is one of {known}")
    return SPLIT_NAMES[word]
