"""Comparing two versions of 100,000 rows, against a plain pandas merge of the same files.

Run: python benchmarks/compare.py [ROWS]. It needs no data: rows are generated with seed 0. A tenth of them
differ, spread over all part files, so that none can be skipped. Both sides must give the same counts.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import silverloom.orchestration.definitions  # noqa: F401, I001  declares every asset; before numpy, whose kernels it pins

import numpy as np
import pandas as pd
import pyarrow as pa

from silverloom.ops.core.outcome import Outcome, Shape, columns
from silverloom.orchestration.files.identity import folder_hashes, version
from silverloom.orchestration.files.parquet import write_part
from silverloom.ops.versions.difference import difference
from silverloom.orchestration.versions.revisions import Version
from silverloom.orchestration.workspace.workspace import Workspace

PART = 4096
SHAPE = Shape(
    unit=columns(("text", pa.string())),
    kept=columns(
        ("text", pa.string()),
        ("score", pa.float64()),
        ("words", pa.list_(pa.string())),
        ("spans", pa.list_(pa.struct([("first", pa.int32()), ("last", pa.int32())]))),
    ),
)


class Folder(Version):
    """A version in its own folder."""

    def path(self, file: str) -> Path:
        """Return the path of one of its files."""
        return Path(self.revision, file)


def make(folder: Path, rows: int, changed: bool) -> Folder:
    """Write a version. If `changed`, a twentieth of the rows has another score, and a twentieth is new."""
    random = np.random.default_rng(0)
    folder.mkdir()
    for index, start in enumerate(range(0, rows, PART)):
        kept = []
        for number in range(start, min(start + PART, rows)):
            picks = random.integers(0, 5000, 20).tolist()
            moved = changed and number % 20 == 0
            name = f"row-{number + rows if changed and number % 20 == 1 else number:024x}"
            words = [f"word{pick}" for pick in picks]
            spans = [{"first": pick, "last": pick + 3} for pick in picks[:5]]
            content = {
                "text": " ".join(words),
                "score": picks[0] + float(moved),
                "words": words,
                "spans": spans,
            }
            kept.append({"id": name, "source_ids": [f"unit-{number:024x}"], "licence": "CC0-1.0", **content})
        write_part(folder, index, Outcome.of(SHAPE, [], kept), SHAPE)
    files = folder_hashes(folder)
    return Folder(Workspace(folder), "made/rows", str(folder), None, version(files), files)


def merged(old: Folder, new: Folder) -> tuple[int, int, int]:
    """Count added, removed and changed rows by merging on the id and comparing each column."""
    one, other = (
        pd.concat([pd.read_parquet(path) for path in sorted(Path(side.revision).glob("kept-*"))])
        for side in (old, new)
    )
    both = one.merge(other, on="id", how="outer", suffixes=("_old", "_new"), indicator=True)
    common = both[both["_merge"] == "both"]
    differs = np.zeros(len(common), bool)
    for name in [name for name in one.columns if name != "id"]:
        before, after = common[f"{name}_old"], common[f"{name}_new"]
        if isinstance(before.iloc[0], np.ndarray):
            before, after = before.map(np.ndarray.tolist), after.map(np.ndarray.tolist)
        differs |= (before != after).to_numpy()
    counts = both["_merge"].value_counts()
    return int(counts["right_only"]), int(counts["left_only"]), int(differs.sum())


def compared(old: Folder, new: Folder) -> tuple[int, int, int]:
    """Count the same with silverloom.ops.versions.difference."""
    totals = difference(old, new)["totals"]
    return totals["added"], totals["removed"], totals["changed"]


def timed(
    side: Callable[[Folder, Folder], tuple[int, int, int]], old: Folder, new: Folder
) -> tuple[float, tuple[int, int, int]]:
    """Return the best time of three in seconds, and the counts."""
    best, counts = float("inf"), (0, 0, 0)
    for _ in range(3):
        started = time.perf_counter()
        counts = side(old, new)
        best = min(best, time.perf_counter() - started)
    return best, counts


if __name__ == "__main__":
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as place:
        old, new = make(Path(place, "old"), rows, False), make(Path(place, "new"), rows, True)
        ours, counts = timed(compared, old, new)
        theirs, expected = timed(merged, old, new)
    assert counts == expected, f"{counts} here, {expected} with pandas"
    print(f"{rows} rows per version; added, removed, changed: {counts}")
    print(f"difference: {ours:.2f} s   pandas merge: {theirs:.2f} s   ratio: {theirs / ours:.1f}x faster")
