"""An evaluation: systems by metrics, with intervals over items, paired tests, and breakdowns by kind of item.

Belongs here: the typed table, its JSON form, and what a test allows to say. Not here: computing means and
tests (ops/metrics), and how pages show them (orchestration/pages/evaluation.py).

As JSON, `systems` holds objects with `system` and, where there are any, `model`, `chosen` and the fields of
`test`; `tests` with `first` and `second`; each breakdown with `model` and its kind. All have the number of
items under the name of these ("papers", "examples"), and `scores`: by metric an Interval or a Comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ops.metrics.bootstrap import Comparison, Interval

#: Of a two-sided test.
SIGNIFICANT = 0.05
#: With fewer items even a system that is ahead on every one may be so by chance: the sign test has
#: p = 2 / 2^5 = 0.06 at 5 items. A bootstrap of so few knows only these few, and its p is too small.
LEAST_ITEMS = 6
#: With fewer, only large differences are found.
FEW_ITEMS = 30

ABOVE, BELOW, NO_DIFFERENCE = "above", "below", "no significant difference"
TOO_FEW, MIXED = "too few to tell", "mixed"


@dataclass(frozen=True)
class ScoredSystem:
    """The scores of a system on one set of test items."""

    system: str
    model: str | None
    chosen: bool
    test: tuple[str, ...]
    """Which items, where an evaluation has several sets: domain and test set."""
    items: int
    scores: Mapping[str, Interval]

    @property
    def name(self) -> str:
        """The system with its model, as tests name it."""
        return named(self.system, self.model)


@dataclass(frozen=True)
class PairedTest:
    """How far the first of two systems is above the second, over the items that both have."""

    first: str
    second: str
    test: tuple[str, ...]
    items: int
    scores: Mapping[str, Comparison]

    def seen_from(self, name: str) -> PairedTest | None:
        """Return the test with a system as the first, None where it is neither."""
        if name == self.first:
            return self
        if name != self.second:
            return None
        turned = {
            metric: Comparison(0 - score.difference, 0 - score.high, 0 - score.low, score.p)
            for metric, score in self.scores.items()
        }
        return PairedTest(self.second, self.first, self.test, self.items, turned)

    def verdict(self, *metrics: str) -> str:
        """Return what the test says of the first system by some metrics, MIXED where they do not agree."""
        found = {_verdict(self.scores[metric], self.items) for metric in metrics}
        return found.pop() if len(found) == 1 else MIXED


@dataclass(frozen=True)
class Breakdown:
    """A model on the items of one kind: its scores, and how often each output stands there."""

    model: str
    kind: str
    items: int
    scores: Mapping[str, Interval]
    predicted: Mapping[str, int]
    """The most frequent first."""


@dataclass(frozen=True)
class EvaluationTable:
    """An evaluation."""

    metrics: tuple[str, ...] = ()
    systems: tuple[ScoredSystem, ...] = ()
    tests: tuple[PairedTest, ...] = ()
    breakdowns: Mapping[str, Sequence[Breakdown]] = field(default_factory=dict)


def named(system: str, model: str | None = None) -> str:
    """Return the name of a system with its model, if it has one."""
    return f"{system} ({model})" if model else system


def read_table(
    content: Mapping[str, Any] | None,
    items: str,
    test: Sequence[str] = (),
    breakdowns: Mapping[str, str] | None = None,
) -> EvaluationTable:
    """Return an evaluation of its JSON form; an empty one of None.

    `items` is the field of their number, `test` the fields that say which items; `breakdowns` names lists by
    the field of their kind. Raises KeyError for a field that is not there.
    """
    if content is None:
        return EvaluationTable()
    return EvaluationTable(
        tuple(content.get("metrics", ())),
        tuple(
            ScoredSystem(
                row["system"], row.get("model"), row.get("chosen", True), _test(row, test), row[items],
                intervals(row["scores"]),
            )
            for row in content["systems"]
        ),
        read_tests(content["tests"], items, test),
        {
            name: tuple(_breakdown(row, kind, items) for row in content[name])
            for name, kind in (breakdowns or {}).items()
        },
    )  # fmt: skip


def read_tests(
    rows: Iterable[Mapping[str, Any]], items: str, test: Sequence[str] = ()
) -> tuple[PairedTest, ...]:
    """Return tests of their JSON form."""
    return tuple(
        PairedTest(
            _side(row["first"]),
            _side(row["second"]),
            _test(row, test),
            row[items],
            {metric: Comparison(**score) for metric, score in row["scores"].items()},
        )
        for row in rows
    )


def intervals(scores: Mapping[str, Mapping[str, float]]) -> dict[str, Interval]:
    """Return scores by metric."""
    return {metric: Interval(**score) for metric, score in scores.items()}


def _side(system: str | Mapping[str, Any]) -> str:
    return system if isinstance(system, str) else named(**system)


def _test(row: Mapping[str, Any], fields: Sequence[str]) -> tuple[str, ...]:
    return tuple(row[name] for name in fields)


def _breakdown(row: Mapping[str, Any], kind: str, items: str) -> Breakdown:
    scores = row.get("scores") or ({"accuracy": row["accuracy"]} if row.get("accuracy") else {})
    outputs = {output["output"]: output["count"] for output in row.get("predicted", ())}
    return Breakdown(row["model"], row[kind], row[items], intervals(scores), outputs)


def _verdict(score: Comparison, items: int) -> str:
    if items < LEAST_ITEMS:
        return TOO_FEW
    if score.p >= SIGNIFICANT:
        return NO_DIFFERENCE
    return ABOVE if score.difference > 0 else BELOW
