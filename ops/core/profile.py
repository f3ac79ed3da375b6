"""How the kept rows of a partition are distributed, in bins that do not depend on the data.

Belongs here: histograms of a dataset's declared measures, which add up over partitions and between versions.
Not here: the measures themselves (ops/core/measures.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from silverloom.ops.core.measures import edges, histogram, measure
from silverloom.ops.core.parts import part_files

Profile = Mapping[str, Sequence[int]]


def profile(folder: Path, measures: Iterable[str]) -> dict[str, list[int]]:
    """Return counts per bin for every measure of a partition's kept rows, reading one part at a time."""
    names = list(measures)
    columns = sorted({name.partition(".")[0] for name in names})
    parts: list[Profile] = [{name: [0] * (len(edges(name)) - 1) for name in names}]
    for path in part_files(folder, "kept") if names else []:
        table = pq.read_table(path, columns=columns)
        parts.append({name: histogram(measure(table, name), name) for name in names})
    return total(parts)


def total(profiles: Iterable[Profile]) -> dict[str, list[int]]:
    """Add up the profiles of several partitions."""
    sums: dict[str, list[int]] = {}
    for profile in profiles:
        for name, counts in profile.items():
            sums[name] = [sum(pair) for pair in zip(sums.get(name, [0] * len(counts)), counts, strict=True)]
    return sums
