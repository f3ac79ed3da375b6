"""Systems beside each other: the means of each over its rows, and the paired test of two.

Belongs here: the bootstrap applied to columns of rows, as tables tell it. Not here: the bootstrap itself
(bootstrap.py), the scores of a row, which systems are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ops.metrics.bootstrap import interval, paired_bootstrap
from ops.outcome import Row

#: The name of a system, and that of its trained model or "".
EvaluatedSystem: TypeAlias = tuple[str, str]

#: By metric: the fields of an Interval or of a Comparison.
SystemScores: TypeAlias = dict[str, dict[str, float]]


def by_system(rows: Iterable[Row]) -> dict[EvaluatedSystem, list[Row]]:
    """Return the rows of every system, by their columns `system` and `model`, in the order of the rows."""
    found: dict[EvaluatedSystem, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["system"], row["model"] or ""].append(row)
    return dict(found)


def named(system: EvaluatedSystem) -> dict[str, str | None]:
    """Return a system as tables name it; one without a model has null."""
    return {"system": system[0], "model": system[1] or None}


def mean_scores(rows: Sequence[Row], metrics: Iterable[str], resamples: int, seed: int) -> SystemScores:
    """Return by metric the mean of that column, with its 95 % interval over rows."""
    return {name: interval(_column(rows, name), resamples, seed)._asdict() for name in metrics}


def in_common(first: Iterable[Row], second: Iterable[Row], item: str) -> tuple[list[Row], list[Row]]:
    """Return the rows of two systems for the items that both have, in the order of the column `item`."""
    ours, theirs = ({row[item]: row for row in rows} for rows in (first, second))
    both = sorted(ours.keys() & theirs.keys())
    return [ours[unit] for unit in both], [theirs[unit] for unit in both]


def paired_tests(
    first: Sequence[Row], second: Sequence[Row], metrics: Iterable[str], resamples: int, seed: int
) -> SystemScores:
    """Return by metric the paired test of two systems, whose rows are of the same items in one order."""
    return {
        name: paired_bootstrap(_column(first, name), _column(second, name), resamples, seed)._asdict()
        for name in metrics
    }


def system_tests(
    systems: Mapping[EvaluatedSystem, Sequence[Row]],
    pairs: Iterable[tuple[EvaluatedSystem, EvaluatedSystem]],
    item: str,
    items: str,
    compared: Callable[[Sequence[Row], Sequence[Row]], Mapping[str, Any]],
    name: Callable[[EvaluatedSystem], Any] = named,
) -> Iterator[dict[str, Any]]:
    """Yield the tests of pairs of systems over the items that both have; none of a pair without any.

    `item` is the column by which rows are of one item; the number of these is called `items` in a test.
    """
    for first, second in pairs:
        ours, theirs = in_common(systems[first], systems[second], item)
        if ours:
            sides = {"first": name(first), "second": name(second)}
            yield {**sides, items: len(ours), "scores": compared(ours, theirs)}


def _column(rows: Iterable[Row], name: str) -> list[float]:
    return [row[name] for row in rows]
