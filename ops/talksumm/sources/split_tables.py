"""Tables in a folder of human summaries that name the split of each paper, such as those of a shared task.

Belongs here: which CSV files are such tables, and their faults. Not here: the summaries (gold.py), which
table counts, and splits without a table (ops/talksumm/evaluation/gold_papers.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.parse.decoding import csv_rows, decoded, header_with
from silverloom.ops.parse.files import content_of, find
from silverloom.ops.parse.source import ParseError, Source

#: The columns that make a CSV file a table of splits.
COLUMNS = ("paper", "split")

_LONGEST_HEADER = 10_000


def split_tables(folder: Path, source: Source) -> tuple[Mapping[str, Mapping[str, str]], Mapping[str, str]]:
    """Return the split of each paper by the path of its table, and the fault of each broken table by path.

    A table is a CSV file with the columns `paper` (the name of a paper's document) and `split`; other columns
    are allowed, and other CSV files are passed over.
    """
    tables: dict[str, Mapping[str, str]] = {}
    faults: dict[str, str] = {}
    for file in find(folder, source, (".csv",), passing=True):
        if file.error is None and _is_split_table(file.file):
            try:
                tables[file.path] = _splits(decoded(content_of(file.file, source.max_bytes)))
            except ParseError as error:
                faults[file.path] = str(error)
    return tables, faults


def _is_split_table(file: Path) -> bool:
    with file.open("rb") as lines:
        header = lines.readline(_LONGEST_HEADER).decode(errors="replace")
    return set(COLUMNS) <= {cell.strip('\ufeff" \r\n') for cell in header.split(",")}


def _splits(text: str) -> Mapping[str, str]:
    """Return the split of each paper in a table. Raises ParseError with the line of a fault."""
    splits: dict[str, str] = {}
    for line, cells in csv_rows(text.removeprefix("\ufeff"), header_with(COLUMNS)):
        paper, split = cells["paper"].strip(), cells["split"].strip()
        if not paper:
            raise ParseError(f"line {line}: no paper")
        if split not in SPLITS:
            raise ParseError(f"line {line}: the split {split!r:.40} is not one of {', '.join(SPLITS)}")
        if splits.setdefault(paper, split) != split:
            raise ParseError(f"line {line}: {paper} is in {splits[paper]} already")
    return splits
