"""Publish a small partition of Parquet files over a previous one, between two marks that strace sees.

Run as a program: python -m tests.faults.publish_tables STAGING TARGET SIZE exchange|renames
"""

import os
import sys
from pathlib import Path

import pyarrow as pa

from silverloom.ops.core.outcome import Outcome, Shape, columns
from silverloom.orchestration.files import publish
from silverloom.orchestration.files.parquet import write_outcomes

SHAPE = Shape(unit=columns(), kept=columns(("size", pa.int64())))


def publish_tables(workshop: Path, target: Path, size: int) -> None:
    row = {"id": "row", "source_ids": ["unit"], "licence": "CC0", "size": size}
    outcome = Outcome.of(SHAPE, ["unit"], [row], files={"model/weights": bytes(size)})
    with publish.building(workshop, target) as new:
        write_outcomes(new, [outcome], SHAPE)


if __name__ == "__main__":
    if sys.argv[4] == "renames":
        publish.exchange = lambda one, other: False
    os.access("begin", os.F_OK)
    publish_tables(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    os.access("end", os.F_OK)
