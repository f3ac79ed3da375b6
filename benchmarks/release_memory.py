"""Time and peak memory of releasing a dataset of very many rows.

    python benchmarks/release_memory.py [--rows 2000000] [--words 40] [--megabytes 500] [--folder DIRECTORY]

Rows are synthetic: a text of the given number of words, in two configurations of three splits each. Files are
written, hashed and checked for conservation as in a run. Memory is that of this process, reported with its
value before. Not here: the card.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Shape, columns
from silverloom.ops.core.parts import FILES, FilesFolder, Part, Parts
from silverloom.ops.core.release import ReleaseParams, release_files, shape
from silverloom.ops.core.sampling import SPLITS
from silverloom.orchestration.checks.conservation import conservation, unit_ids
from silverloom.orchestration.checks.ids import StoredIds
from silverloom.orchestration.executors.parts import LocalEngine
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes

_PART = 20_000
_ROWS = columns(("split", pa.string()), ("set", pa.string()), ("text", pa.string()))


def main() -> None:
    """Write parts, release them, and print the cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--words", type=int, default=40, help="words per row")
    parser.add_argument("--megabytes", type=float, default=500, help="most megabytes per file")
    parser.add_argument("--folder", help="where to write, on disk; removed afterwards")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        rows = _written(Path(folder, "rows"), options.rows, options.words)
        target = Path(folder, "release")
        target.mkdir()
        before, wall, processor = _peak(), time.monotonic(), time.process_time()
        params = ReleaseParams(megabytes=options.megabytes)
        kind = shape(Shape(_ROWS, _ROWS))
        outcomes = release_files(rows, FilesFolder(target / FILES), params, "set")
        units = StoredIds(Path(folder, "units"))
        write_outcomes(target, units.taken_from(outcomes), kind)
        written = _peak()
        found = conservation(target, units, unit_ids(rows))
        size = sum(path.stat().st_size for path in (target / FILES).rglob("*.parquet"))
        hashes = folder_hashes(target)
        print(f"{found.summary}; {len(hashes)} files, {size / 1e6:,.0f} MB; passed: {found.passed}")
        print(
            f"{time.process_time() - processor:.1f} s of processor time, "
            f"{time.monotonic() - wall:.1f} s wall time"
        )
        print(f"peak in MB: {before:,.0f} before, {written:,.0f} to write, {_peak():,.0f} with the check")


def _written(folder: Path, count: int, words: int) -> Parts:
    """Write the rows, part by part."""
    folder.mkdir()
    drawn, parts = random.Random(0), []  # noqa: S311  not for security
    known = [f"{drawn.getrandbits(40):x}" for _ in range(50_000)]
    for first in range(0, count, _PART):
        numbers = range(first, min(first + _PART, count))
        path = folder / f"kept-{len(parts):05d}.parquet"
        made = [
            {
                "id": row_id("row", str(number)),
                "source_ids": [f"source-{number}"],
                "licence": "CC0-1.0",
                "split": SPLITS[min(number % 10 // 8 + number % 10 // 9, 2)],
                "set": f"set {number % 2}",
                "text": " ".join(drawn.choices(known, k=words)),
            }
            for number in numbers
        ]
        pq.write_table(pa.Table.from_pylist(made, schema=_ROWS), path)
        parts.append(Part(str(path)))
    return Parts(_ROWS, tuple(parts), LocalEngine())


def _peak() -> float:
    """Return this process's peak memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
