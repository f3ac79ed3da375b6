"""Pieces of work, for tests that map an op over them."""

import os
import time

import pyarrow as pa

from silverloom.ops.core.outcome import Outcome, Shape, columns
from silverloom.ops.core.parts import Parts
from tests.parts import parts

SHAPE = Shape(unit=columns(), kept=columns(("size", pa.int64())))


def numbered(piece, factor):
    time.sleep(0.02 * (piece % 3))  # later pieces may finish earlier
    row = {"id": f"row-{piece}", "source_ids": ["x"], "licence": "CC0", "size": piece * factor}
    return Outcome.of(SHAPE, ["x"], [row])


def noted(folder):
    """Return an outcome whose size is the process that made it, and leave a file of that name."""
    (folder / str(os.getpid())).touch()
    return numbered(1, os.getpid())


def sizes(outcomes):
    return [outcome.kept["size"][0].as_py() for outcome in outcomes]


def sleeps_after_two(piece, folder):
    if piece >= 2:
        (folder / str(piece)).touch()
        time.sleep(3600)  # longer than any test may take
    return numbered(piece, 1)


def takes_memory():
    held = bytearray(200 << 20)
    time.sleep(60)
    return len(held)


def fails_at_row_5(table):
    """An op on a part that fails where row 5 is."""
    if "row-5" in table["id"].to_pylist():
        raise ValueError("no such page")
    return numbered(0, 1)


def three_rows_each(folder, engine):
    """Return four parts: row-0 to row-2, row-3 to row-5, and so on."""
    rows = [[{"id": f"row-{number}"} for number in range(first, first + 3)] for first in range(0, 12, 3)]
    return Parts(SHAPE.kept, parts(folder, SHAPE.kept, *rows).parts, engine)
