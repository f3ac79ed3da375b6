"""The rows of a CSV file that counts only as a whole: what is wrong with one row refuses all.

Belongs here: telling line numbers, header and rows apart. Not here: which columns there must be, and files of
which the sound rows are used (talks/metadata.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

from ops.parse.source import ParseError


def csv_rows(
    text: str, header: Callable[[Sequence[str], int], Sequence[str]], delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the cells, by column, of every row below the header; blank lines are none.

    `header` gives the names of the columns from the cells of the header and its line. Raises ParseError,
    naming the line, for what is no CSV and for a row of another length than the header.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: Sequence[str] = []
    end = 0
    try:
        for cells in reader:
            line, end = end + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = header(cells, line)
            elif len(cells) != len(names):
                raise ParseError(f"line {line}: {len(cells)} columns where the header has {len(names)}")
            else:
                yield line, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise ParseError(f"line {end + 1}: not CSV: {error}") from None
