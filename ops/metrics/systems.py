"""Systems beside each other: the means of each over its rows, and the paired test of two.

Belongs here: the bootstrap applied to columns of rows, as tables tell it. Not here: the bootstrap itself
(bootstrap.py), the scores of a row, which systems are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ops.metrics.bootstrap import interval, paired_bootstrap
from ops.outcome import Row

#: The name of a system, and that of its trained model or "".
System: TypeAlias = tuple[str, str]

#: By metric: the fields of an Interval or of a Comparison.
Scores: TypeAlias = dict[str, dict[str, float]]


def by_system(rows: Iterable[Row]) -> dict[System, list[Row]]:
    """Return the rows of every system, by their columns `system` and `model`, in the order of the rows."""
    found: dict[System, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["system"], row["model"] or ""].append(row)
    return dict(found)


def mean_scores(rows: Sequence[Row], metrics: Iterable[str], resamples: int, seed: int) -> Scores:
    """Return by metric the mean of that column, with its 95 % interval over rows."""
    return {name: interval(_column(rows, name), resamples, seed)._asdict() for name in metrics}


def in_common(first: Iterable[Row], second: Iterable[Row], item: str) -> tuple[list[Row], list[Row]]:
    """Return the rows of two systems for the items that both have, in the order of the column `item`."""
    ours, theirs = ({row[item]: row for row in rows} for rows in (first, second))
    both = sorted(ours.keys() & theirs.keys())
    return [ours[unit] for unit in both], [theirs[unit] for unit in both]


def paired_tests(
    first: Sequence[Row], second: Sequence[Row], metrics: Iterable[str], resamples: int, seed: int
) -> Scores:
    """Return by metric the paired test of two systems, whose rows are of the same items in one order."""
    return {
        name: paired_bootstrap(_column(first, name), _column(second, name), resamples, seed)._asdict()
        for name in metrics
    }


def _column(rows: Iterable[Row], name: str) -> list[float]:
    return [row[name] for row in rows]
