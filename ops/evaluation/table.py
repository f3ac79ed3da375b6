"""An evaluation: systems by metrics, with intervals over items, tests, and breakdowns by kind of item.

Belongs here: the scores and tests of systems, of the rows that they are scored by; the typed table of an
evaluation, its JSON form, and what a test allows to say. Not here: the bootstrap itself (ops/metrics), the
scores of a row and which systems are compared (ops/<system>/evaluation/scores.py), pages.

As JSON, `systems` holds objects with `system` and, where there are any, `model`, `chosen` and the fields of
`test`; `tests` with `first` and `second`; each breakdown with `model` and its kind. All have the number of
items under the name of these ("papers", "examples"), and `scores`: by metric an Interval or a Comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import ArrayLike
from pydantic import Field

from ops.core.outcome import Outcome, Outcomes, Row, Shape
from ops.core.params import Params
from ops.metrics.bootstrap import Comparison, Floats, Interval, OfSums, interval, paired_bootstrap

#: The file of an evaluation's means, intervals and tests.
TABLE = "table.json"

#: The name of a system, and that of its trained model or "".
EvaluatedSystem: TypeAlias = tuple[str, str]

#: By metric: the fields of an Interval or of a Comparison.
SystemScores: TypeAlias = dict[str, dict[str, float]]

#: Of a two-sided test.
SIGNIFICANT = 0.05
#: With fewer items even a system that is ahead on every one may be so by chance: the sign test has
#: p = 2 / 2^5 = 0.06 at 5 items. A bootstrap of so few knows only these few, and its p is too small.
LEAST_ITEMS = 6
#: With fewer, only large differences are found.
FEW_ITEMS = 30

#: Of what a Welch test gives.
WELCH_DIGITS = 6

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


class Bootstrap(Params):
    """The draws over items behind 95 % intervals and paired tests."""

    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval and each test")
    seed: int = Field(0, ge=0)
    """Of these draws."""

    def interval(self, items: ArrayLike, of_sums: OfSums | None = None) -> Interval:
        """Return the mean of scores with its interval, as `ops.metrics.interval` does."""
        return interval(items, self.resamples, self.seed, of_sums=of_sums)

    def paired(self, first: ArrayLike, second: ArrayLike, of_sums: OfSums | None = None) -> Comparison:
        """Return the paired test of two systems by scores of the same items."""
        return paired_bootstrap(first, second, self.resamples, self.seed, of_sums=of_sums)

    def around(self, items: Sequence[Any], of_sums: OfSums | None = None) -> dict[str, float | None]:
        """Return the same as fields of JSON, null without items."""
        return dict(self.interval(items, of_sums)._asdict() if items else dict.fromkeys(Interval._fields))


class WelchTest(NamedTuple):
    """Welch's two-sided t-test of two means; null where it has no value."""

    t: float | None
    degrees: float | None
    p: float | None


class CorpusMetric(NamedTuple):
    """A score of a corpus that is no mean: what it counts of rows (N x K), and its value of sums of these."""

    items: Callable[[Iterable[Row]], ArrayLike]
    of_sums: OfSums


#: Columns of a row whose means are scores; metrics of a corpus stand beside their names.
Metrics: TypeAlias = Iterable[str] | Mapping[str, CorpusMetric | None]


def by_system(rows: Iterable[Row]) -> dict[EvaluatedSystem, list[Row]]:
    """Return the rows of every system, by their columns `system` and `model`, in the order of the rows."""
    found: dict[EvaluatedSystem, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["system"], row["model"] or ""].append(row)
    return dict(found)


def fields_of(system: EvaluatedSystem) -> dict[str, str | None]:
    """Return a system as fields of JSON; one without a model has null."""
    return {"system": system[0], "model": system[1] or None}


def mean_scores(rows: Iterable[Row], metrics: Metrics, draws: Bootstrap) -> SystemScores:
    """Return each metric of a system's rows, with its interval over these."""
    found = {}
    for name in metrics:
        items, of_sums = _items(name, metrics)
        found[name] = draws.interval(items(rows), of_sums)._asdict()
    return found


def paired_tests(
    first: Iterable[Row], second: Iterable[Row], metrics: Metrics, draws: Bootstrap
) -> SystemScores:
    """Return by metric the paired test of two systems, whose rows are of the same items in one order."""
    found = {}
    for name in metrics:
        items, of_sums = _items(name, metrics)
        found[name] = draws.paired(items(first), items(second), of_sums)._asdict()
    return found


def system_tests(
    systems: Mapping[EvaluatedSystem, Sequence[Row]],
    pairs: Iterable[tuple[EvaluatedSystem, EvaluatedSystem]],
    item: str,
    items: str,
    metrics: Metrics,
    draws: Bootstrap,
    name: Callable[[EvaluatedSystem], Any] = fields_of,
) -> list[dict[str, Any]]:
    """Return the tests of pairs of systems over the items that both have; none of a pair without any.

    `item` is the column by which rows are of one item; the number of these is called `items` in a test.
    """
    found = []
    for first, second in pairs:
        ours, theirs = in_common(systems[first], systems[second], item)
        if ours:
            sides = {"first": name(first), "second": name(second)}
            scores = paired_tests(ours, theirs, metrics, draws)
            found.append({**sides, items: len(ours), "scores": scores})
    return found


def welch(first: Sequence[float], second: Sequence[float]) -> WelchTest:
    """Return the test of two samples whose variances may differ (Welch 1947).

    It has no value for a sample of fewer than two, nor where no sample varies.
    """
    from scipy.stats import ttest_ind

    if min(len(first), len(second)) < 2 or len({*first}) == len({*second}) == 1:
        return WelchTest(None, None, None)
    found = ttest_ind(first, second, equal_var=False)
    values = (found.statistic, found.df, found.pvalue)
    return WelchTest(*(round(float(value), WELCH_DIGITS) for value in values))


def ratio(sums: Floats) -> Floats:
    """Return the first of two sums by the second: a mean over what items hold, not over items."""
    return sums[:, 0] / sums[:, 1]


def in_common(first: Iterable[Row], second: Iterable[Row], item: str) -> tuple[list[Row], list[Row]]:
    """Return the rows of two systems for the items that both have, in the order of the column `item`."""
    ours, theirs = ({row[item]: row for row in rows} for rows in (first, second))
    both = sorted(ours.keys() & theirs.keys())
    return [ours[unit] for unit in both], [theirs[unit] for unit in both]


def with_files(
    outcomes: Iterable[Outcome], shape: Shape, files: Callable[[], Mapping[str, bytes]]
) -> Outcomes:
    """Yield the outcomes, the last of them with `files()`, which is called when all others are done.

    Without any, one that is empty but for the files.
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


def _items(name: str, metrics: Metrics) -> tuple[Callable[[Iterable[Row]], ArrayLike], OfSums | None]:
    """Return what a metric needs of rows, and what makes a score of sums of it; None for a mean."""
    if isinstance(metrics, Mapping) and (metric := metrics[name]):
        return metric
    return lambda rows: [row[name] for row in rows], None


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
