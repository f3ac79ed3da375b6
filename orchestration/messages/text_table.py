"""Rows as a table in a terminal. Not here: what they say, and tables of Markdown (markdown.py)."""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[object]]) -> str:
    """Return rows, the header first, as lines in which columns are aligned: those of numbers to the right."""
    columns = []
    for column in zip(*rows, strict=True):
        align = str.rjust if isinstance(column[-1], int) else str.ljust
        cells = [str(cell) for cell in column]
        columns.append([align(cell, max(map(len, cells))) for cell in cells])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))
