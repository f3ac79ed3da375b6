"""An evaluation: systems by metrics, with intervals over items, tests, and breakdowns by kind of item.

Belongs here: scores and tests of systems, computed from columns of all rows; the typed table of an
evaluation, its JSON form, and the verdict of a test. Not here: the bootstrap itself (ops/metrics), the scores
of a row and which systems are compared (ops/<system>/evaluation/scores.py), pages.

In JSON, `systems` holds objects with `system` and, where present, `model`, `chosen` and the fields of `test`;
`tests` holds objects with `first` and `second`; each breakdown has `model` and the kind of item. All have the
number of items under the name of the items ("papers", "examples"), and `scores`: an Interval or a Comparison
by metric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike
from pydantic import Field

from silverloom.ops.core.outcome import Outcome, Outcomes, Shape
from silverloom.ops.core.params import Params
from silverloom.ops.metrics.bootstrap import Comparison, Floats, Interval, OfSums, interval, paired_bootstrap

#: The file with an evaluation's means, intervals and tests.
TABLE = "table.json"

#: The name of a system, and the name of its trained model or "".
EvaluatedSystem: TypeAlias = tuple[str, str]

#: The fields of an Interval or of a Comparison, by metric.
SystemScores: TypeAlias = dict[str, dict[str, float]]

#: The level of a two-sided test.
SIGNIFICANT = 0.05
#: Below this, even a system that wins on every item may do so by chance: at 5 items the sign test has
#: p = 2 / 2^5 = 0.06. A bootstrap resamples only these few items, so its p is too small.
LEAST_ITEMS = 6
#: Below this, a test finds only large differences.
FEW_ITEMS = 30

#: Decimals of the values of a Welch test.
WELCH_DIGITS = 6

#: Separates a system from its model while they are one string.
_BETWEEN = "\0"

ABOVE, BELOW, NO_DIFFERENCE = "above", "below", "no significant difference"
TOO_FEW, MIXED = "too few to tell", "mixed"


@dataclass(frozen=True)
class ScoredSystem:
    """The scores of a system on one set of test items."""

    system: str
    model: str | None
    chosen: bool
    test: tuple[str, ...]
    """Which set of items, if an evaluation has several: domain and test set."""
    items: int
    scores: Mapping[str, Interval]

    @property
    def name(self) -> str:
        """The system with its model, as in tests."""
        return named(self.system, self.model)


@dataclass(frozen=True)
class PairedTest:
    """How far the first of two systems is ahead of the second, over the items that both have."""

    first: str
    second: str
    test: tuple[str, ...]
    items: int
    scores: Mapping[str, Comparison]

    def seen_from(self, name: str) -> PairedTest | None:
        """Return the test with this system as the first, None if the test does not involve it."""
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
        """Return the verdict about the first system by some metrics, MIXED if they disagree."""
        verdicts = {_verdict(self.scores[metric], self.items) for metric in metrics}
        return verdicts.pop() if len(verdicts) == 1 else MIXED


@dataclass(frozen=True)
class Breakdown:
    """A model on the items of one kind: its scores, and how often it predicts each output."""

    model: str
    kind: str
    items: int
    scores: Mapping[str, Interval]
    predicted: Mapping[str, int]
    """Counts by output, the most frequent first."""


@dataclass(frozen=True)
class EvaluationTable:
    """An evaluation."""

    metrics: tuple[str, ...] = ()
    systems: tuple[ScoredSystem, ...] = ()
    tests: tuple[PairedTest, ...] = ()
    breakdowns: Mapping[str, Sequence[Breakdown]] = field(default_factory=dict)


class Bootstrap(Params):
    """The resampling of items behind 95 % intervals and paired tests."""

    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval and each test")
    seed: int = Field(0, ge=0)
    """Of these draws."""

    def interval(self, items: ArrayLike, of_sums: OfSums | None = None) -> Interval:
        """Return the mean of scores with its interval, as `silverloom.ops.metrics.interval` does."""
        return interval(items, self.resamples, self.seed, of_sums=of_sums)

    def paired(self, first: ArrayLike, second: ArrayLike, of_sums: OfSums | None = None) -> Comparison:
        """Return the paired test of two systems, given their scores on the same items."""
        return paired_bootstrap(first, second, self.resamples, self.seed, of_sums=of_sums)

    def around(self, items: Sequence[Any], of_sums: OfSums | None = None) -> dict[str, float | None]:
        """Return the mean and interval as JSON fields, null without items."""
        return dict(self.interval(items, of_sums)._asdict() if items else dict.fromkeys(Interval._fields))


class WelchTest(NamedTuple):
    """Welch's two-sided t-test of two means; fields are null where it is undefined."""

    t: float | None
    degrees: float | None
    p: float | None


class CorpusMetric(NamedTuple):
    """A corpus score that is not a mean: counts per row (N x K), and the score computed from their sums."""

    items: Callable[[pa.Table], ArrayLike]
    of_sums: OfSums


#: Either columns whose mean is the score, or names mapped to corpus metrics (None: the mean of the column).
Metrics: TypeAlias = Iterable[str] | Mapping[str, CorpusMetric | None]


def by_system(rows: pa.Table) -> dict[EvaluatedSystem, pa.Table]:
    """Return the rows of each system, by the columns `system` and `model`, in their order."""
    names = pc.binary_join_element_wise(rows["system"], pc.fill_null(rows["model"], ""), _BETWEEN)
    rows_by_system = {}
    for name in pc.unique(names).to_pylist():
        system, _, model = name.partition(_BETWEEN)
        rows_by_system[system, model] = rows.filter(pc.equal(names, name))
    return rows_by_system


def by_value(rows: pa.Table, column: str) -> dict[str, pa.Table]:
    """Return the rows with each value of a column, in their order."""
    values = pc.unique(rows[column]).to_pylist()
    return {value: rows.filter(pc.equal(rows[column], value)) for value in values}


def fields_of(system: EvaluatedSystem) -> dict[str, str | None]:
    """Return a system as JSON fields; `model` is null if it has no model."""
    return {"system": system[0], "model": system[1] or None}


def mean_scores(rows: pa.Table, metrics: Metrics, draws: Bootstrap) -> SystemScores:
    """Return each metric of a system with its interval over the system's rows."""
    scores = {}
    for name in metrics:
        items, of_sums = _items(name, metrics)
        scores[name] = draws.interval(items(rows), of_sums)._asdict()
    return scores


def paired_tests(first: pa.Table, second: pa.Table, metrics: Metrics, draws: Bootstrap) -> SystemScores:
    """Return the paired test of two systems by metric; their rows cover the same items in the same order."""
    tests = {}
    for name in metrics:
        items, of_sums = _items(name, metrics)
        tests[name] = draws.paired(items(first), items(second), of_sums)._asdict()
    return tests


def system_tests(
    systems: Mapping[EvaluatedSystem, pa.Table],
    pairs: Iterable[tuple[EvaluatedSystem, EvaluatedSystem]],
    item: str,
    items: str,
    metrics: Metrics,
    draws: Bootstrap,
    name: Callable[[EvaluatedSystem], Any] = fields_of,
) -> list[dict[str, Any]]:
    """Return the tests of pairs of systems over the items that both have; omit pairs without such items.

    `item` is the column that identifies an item; `items` is the field of a test that holds their number.
    """
    tests = []
    for first, second in pairs:
        ours, theirs = in_common(systems[first], systems[second], item)
        if len(ours):
            sides = {"first": name(first), "second": name(second)}
            scores = paired_tests(ours, theirs, metrics, draws)
            tests.append({**sides, items: len(ours), "scores": scores})
    return tests


def welch(first: Sequence[float], second: Sequence[float]) -> WelchTest:
    """Return the test of two samples whose variances may differ (Welch 1947).

    It is undefined if a sample has fewer than two values, or if neither sample varies.
    """
    from scipy.stats import ttest_ind

    if min(len(first), len(second)) < 2 or len({*first}) == len({*second}) == 1:
        return WelchTest(None, None, None)
    test = ttest_ind(first, second, equal_var=False)
    values = (test.statistic, test.df, test.pvalue)
    return WelchTest(*(round(float(value), WELCH_DIGITS) for value in values))


def ratio(sums: Floats) -> Floats:
    """Return the first sum divided by the second: a mean over what items contain rather than over items."""
    return sums[:, 0] / sums[:, 1]


def in_common(first: pa.Table, second: pa.Table, item: str) -> tuple[pa.Table, pa.Table]:
    """Return the rows of two systems for the items that both have, ordered by the column `item`."""
    ours = first.filter(pc.is_in(first[item], value_set=second[item]))
    theirs = second.filter(pc.is_in(second[item], value_set=first[item]))
    return ours.sort_by(item), theirs.sort_by(item)


def with_files(
    outcomes: Iterable[Outcome], shape: Shape, files: Callable[[], Mapping[str, bytes]]
) -> Outcomes:
    """Yield the outcomes; add `files()`, called after all others have been yielded, to the last one.

    Without outcomes, yield an empty one with the files.
    """
    last: Outcome | None = None
    for outcome in outcomes:
        if last is not None:
            yield last
        last = outcome
    yield replace(last or Outcome.of(shape, [], []), files=dict(files()))


def named(system: str, model: str | None = None) -> str:
    """Return the name of a system with its model, if it has one."""
    return f"{system} ({model})" if model else system


def read_table(
    content: Mapping[str, Any] | None,
    items: str,
    test: Sequence[str] = (),
    breakdowns: Mapping[str, str] | None = None,
) -> EvaluationTable:
    """Return the evaluation that a JSON table holds; an empty one for None.

    `items` is the field with the number of items, `test` lists the fields that name the test set, and
    `breakdowns` maps each list to the field of its kind. Raises KeyError for a missing field.
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
    """Return tests from their JSON form."""
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
    """Return scores by metric from their JSON form."""
    return {metric: Interval(**score) for metric, score in scores.items()}


def _items(name: str, metrics: Metrics) -> tuple[Callable[[pa.Table], ArrayLike], OfSums | None]:
    """Return how a metric takes items from rows, and how it scores sums of them; None for a mean."""
    if isinstance(metrics, Mapping) and (metric := metrics[name]):
        return metric
    return lambda rows: rows[name].to_numpy(), None


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
