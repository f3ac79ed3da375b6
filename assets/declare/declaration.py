"""The declared datasets and reports: `Dataset`, and the list of all of them.

Belongs here: what a declaration contains (thresholds that pages vary, nested runs in MLflow), and what
follows from it: partitions, params, code version. Not here: how it is read from a function, and the Dagster
asset made from it (dagster_asset.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pydantic import ValidationError

from silverloom.assets.declare import code
from silverloom.assets.declare.expectations import Expectation, check, checks_version
from silverloom.assets.declare.own_suites import SUITES, own_suite, plugins_version
from silverloom.assets.declare.params_file import (
    common_values,
    document,
    folder_of_params,
    raw_section,
    section,
    settings,
    validated,
)
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Shape
from silverloom.ops.core.params import Params
from silverloom.ops.core.thresholds import RULES, ThresholdRule
from silverloom.ops.models.trained import ModelKind
from silverloom.ops.parse.source import AnyFormat, DatasetSource, RowFormat, configured, row_formats

if TYPE_CHECKING:
    import dagster as dg


class Key(NamedTuple):
    """The name of a dataset. dagster_asset.py makes Dagster's key from it."""

    group: str
    asset: str

    @property
    def path(self) -> tuple[str, str]:
        """Group and asset, as in Dagster's key."""
        return self.group, self.asset

    def to_user_string(self) -> str:
        """Return `group/asset`, the readable form."""
        return f"{self.group}/{self.asset}"


@dataclass(frozen=True)
class Input:
    """An argument of an asset function that names another dataset."""

    argument: str
    key: Key
    all_partitions: bool
    whole: bool = False
    """Whether the files next to its rows are read, too."""


@dataclass(frozen=True)
class Dataset:
    """Everything that the project knows about a dataset, read from its asset function."""

    key: Key
    function: Callable[..., Any]
    """Returns the outcomes of a dataset's parts, or the files of a report."""
    shape: Shape | None
    """The tables of a dataset; None for a report."""
    consumes: str | None
    partitioned: bool
    argument_inputs: tuple[Input, ...]
    """The datasets that the function's arguments name."""
    records: str | None
    params: Mapping[str, type[Params]]
    checkpoints: str | None = None
    """The argument that takes the folder of training checkpoints."""
    strict: str | None = None
    """The argument that takes whether numerics are strict."""
    crawl: str | None = None
    """The argument that takes where a crawl works: a crawl finds units itself, in addition to its records."""
    files: str | None = None
    """The argument that takes the folder of its files: the dataset writes large files itself."""
    derived: str | None = None
    """The argument that takes the folder for data derived from its inputs, shared by all partitions."""
    one_task: bool = False
    """Whether a single task makes it on a cluster, because it is not a map over parts."""
    replaces: Key | None = None
    """The dataset that it replaces for datasets declared later."""
    measures: tuple[str, ...] = ()
    """The numbers of its kept rows to plot, as named in silverloom.ops.core.measures."""
    formats: Mapping[str, AnyFormat] = dataclasses.field(default_factory=dict)
    """The readers of its raw records by kind: records of folders, and rows of datasets."""
    expectations: tuple[Expectation, ...] = ()
    """What its declaration expects of its rows."""
    text_pair: tuple[str, str] | None = None
    """Two texts of a kept row to compare, the new one first: see `dataset`."""
    scores: Mapping[str, DatasetScore] = dataclasses.field(default_factory=dict)
    """Scores of its quality, which `dvc metrics` compares."""
    thresholds: tuple[Threshold, ...] = ()
    """Params for which stored scores show the effect of other values."""
    trials: Trials | None = None
    """Set if the dataset's rows are trials."""
    trains: Trainings | None = None
    """Set if the dataset contains trained models."""

    @property
    def name(self) -> str:
        """`group/asset`, the readable form."""
        return self.key.to_user_string()

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The datasets that it reads: those of its arguments, and those that params.yaml names as sources."""
        named = [
            Input(source.dataset, Key(*source.dataset.split("/")), False, self._reads_beside(source))
            for source in settings().named_datasets(self.records).values()
            if source.dataset.count("/") == 1 and source.dataset != self.name  # the graph refuses the others
        ]
        return (*self.argument_inputs, *named)

    def _reads_beside(self, source: DatasetSource) -> bool:
        """Return whether the files next to the rows are read; false for an unknown format."""
        forms = row_formats(self.formats)
        form = forms.get(source.kind or next(iter(forms), ""))
        return form is not None and form.beside

    def row_format(self, source: DatasetSource) -> tuple[str, RowFormat[Any]]:
        """Return the kind and the format that read the rows of a dataset named in params.yaml."""
        forms = row_formats(self.formats)
        kind = source.kind or next(iter(forms))
        return kind, configured(forms[kind], source)

    @property
    def partitions(self) -> list[str]:
        """The partitions that may be made; one empty name for a dataset without partitions."""
        return settings().partitions.names if self.partitioned else [""]

    def excluded(self, partition: str) -> str | None:
        """Return why a partition is not made: params.yaml excludes it, or the same partition of an input."""
        for exclusion in settings().exclude:
            if (exclusion.asset, exclusion.partition) == (self.name, partition):
                return exclusion.reason
        for source in self.inputs:
            upstream = DECLARED[source.key]
            if (
                not source.all_partitions
                and upstream.partitioned
                and (reason := upstream.excluded(partition))
            ):
                return f"{upstream.name} {partition} is excluded: {reason}"
        return None

    @property
    def made_partitions(self) -> list[str]:
        """The partitions to make: those of the range that are not excluded."""
        if not settings().exclude:
            return self.partitions
        return [partition for partition in self.partitions if self.excluded(partition) is None]

    @property
    def sections(self) -> list[str]:
        """The sections of params.yaml that the dataset depends on, without those that all datasets share."""
        if self.shape is None:
            return sorted({name for source in self.inputs for name in DECLARED[source.key].sections})
        sections = [str(kind.section) for kind in self.params.values()]
        if self.records and self.records in settings().sources:
            sections.append(f"sources.{self.records}")
        return sorted(sections)

    @cached_property
    def arguments(self) -> dict[str, Params]:
        """The typed params, by argument name. Raises ParamsError."""
        return {name: section(kind) for name, kind in self.params.items()}

    @cached_property
    def values(self) -> dict[str, Any]:
        """The params that the dataset depends on, by section, with defaults filled in."""
        return self.values_in(document())

    def values_in(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the params in `content` (params.yaml of some version).

        A report has the params of all datasets that it reads.
        """
        if self.shape is None:
            read = [DECLARED[source.key].values_in(content) for source in self.inputs]
            return {path: value for values in read for path, value in values.items()}
        kinds = {str(kind.section): kind for kind in self.params.values()}
        values = {
            path: validated(kind, raw_section(content, path), path).model_dump(mode="json")
            for path, kind in kinds.items()
        }
        if self.records:
            path = f"sources.{self.records}"
            given = self.records in content.get("sources", {})
            values[path] = raw_section(content, path) if given else {}
        return {**values, **common_values(content)}

    @cached_property
    def code(self) -> dict[str, Any]:
        """The code entry: hash of the code, versions of packages, digests of models, hash of the checks."""
        if self.shape is None:
            shown = [repr(DECLARED[source.key].about) for source in self.inputs]
            scored = [threshold for source in self.inputs for threshold in DECLARED[source.key].thresholds]
            counting = [
                function for threshold in scored for function in (threshold.scores, threshold.counted)
            ]
            return code.entry(self.function, [], code.REPORT, "\n".join(shown), counting)
        models = [name for kind in self.arguments.values() for name in kind.models()]
        models += self._models_of_options()
        opening: list[Callable[..., Any]] = [row_formats, configured] if self.records else []
        made = code.entry(self.function, models, also=opening)
        plugins = plugins_version(folder_of_params()) if self.suite != self.expectations else ""
        return {**made, "expectations": checks_version(self.suite, bool(self.records), plugins)}

    @cached_property
    def suite(self) -> tuple[Expectation, ...]:
        """What is expected of its rows, by its declaration and the user's suite in `gx/` (own_suites.py)."""
        own = own_suite(folder_of_params(), *self.key, self.shape) if self.shape else ()
        if own and self.shape:
            check((*self.expectations, *own), self.shape, f"{self.name} with its suite in {SUITES}")
        return (*self.expectations, *own)

    def _models_of_options(self) -> Iterator[str]:
        """Yield the models that the options of its sources name."""
        for source in settings().sources.get(self.records or "", {}).values():
            options: type[Params] | None = getattr(self.formats.get(source.kind), "options", None)
            with contextlib.suppress(ValidationError):  # the check of the options reports what is wrong
                yield from options.model_validate(dict(source.options)).models() if options else ()

    @property
    def code_version(self) -> str:
        """Dagster's code version: code and params, because Dagster does not know params."""
        return code_version(self.code, self.values)

    @property
    def about(self) -> tuple[Any, ...]:
        """What reports may show about the dataset apart from its rows and params."""
        columns = self.shape and [(field.name, str(field.type), field.metadata) for field in self.shape.kept]
        inputs = [(source.key.path, source.all_partitions) for source in self.inputs]
        thresholds = [threshold.about for threshold in self.thresholds]
        drawn = (self.measures, self.text_pair, thresholds)
        return self.name, self.function.__doc__, columns, inputs, self.consumes, *drawn


def code_version(code: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the hash of a code entry and its params, without the checks: they can run again alone."""
    making = {name: entry for name, entry in code.items() if name != "expectations"}
    text = json.dumps([making, values], sort_keys=True)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


#: Every declared dataset by its key, in the order of declaration.
DECLARED: dict[Key, Dataset] = {}


def declared(asset: dg.AssetsDefinition) -> Dataset:
    """Return the dataset of a Dagster asset. Raises KeyError."""
    return DECLARED[Key(*asset.key.path)]


def register(dataset: Dataset) -> Dataset:
    """Add a dataset to the declared ones, and return it."""
    DECLARED[dataset.key] = dataset
    return dataset


@dataclass(frozen=True)
class Trials:
    """A dataset whose kept rows are trials: the columns of the tried values, and of the results.

    Results are numbers, or null.
    """

    params: tuple[str, ...]
    metrics: tuple[str, ...]

    def check(self, owner: str, shape: Shape) -> None:
        """Raise LookupError for a column that the dataset does not have, or a metric that is not a number."""
        for name in (*self.params, *self.metrics):
            if name not in shape.kept.names:
                raise LookupError(f"{owner}: the trials name {name!r}, which is no column")
        for name in self.metrics:
            kind = shape.kept.field(name).type
            if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
                raise LookupError(f"{owner}: the trials name {name!r} as a metric, which is no number")


@dataclass(frozen=True)
class Trainings:
    """A dataset of trained models: their kind, and the file that describes each.

    The file lists them, with `model` (its folder), `chosen` (whether it is registered): training/report.py.
    """

    kind: ModelKind
    judge: str | None = None
    """The dataset of the group whose first score, the higher the better, tells the best model."""
    named_by: tuple[str, ...] = ("model",)  # the judge's columns that name a model, joined by hyphens
    file: str = "models.json"


#: The argument of a score function that takes the value of `*`.
NAME = "name"

#: The arguments of a score function that take rows of the dataset itself, as `Parts`.
OWN = ("kept", "dropped")


class Knob(NamedTuple):
    """A threshold in params.yaml: its dotted path, the value of `*` in it, and its number."""

    path: str
    name: str
    value: float


@dataclass(frozen=True)
class Threshold:
    """A param that decides by a score which units are kept.

    `scores` takes arguments of the asset function by name (inputs as `Parts`, params), or the dataset's own
    rows as `kept` and `dropped`, and yields tables of `SCORED`; `rule` is the one that the op itself applies
    to score and param.
    """

    params: type[Params]
    param: str
    """Its path within these params. `budgets.*.words` is one threshold for each budget that has words; then
    `scores` and `counted` also take that budget's name."""
    rule: ThresholdRule
    scores: Callable[..., Iterable[pa.Table]]
    values: tuple[float, ...]
    """Other values to try."""
    meaning: str
    """What the score is, in a few words: "similarity of the nearest title"."""
    units: str
    """What is counted: "talks"."""
    counted: Callable[..., int] = len
    """Returns the number of kept units, given the dataset's kept rows; by default each row is one unit."""

    def knobs(self, params: Params) -> Iterator[Knob]:
        """Yield the thresholds in some params."""
        content = params.model_dump(mode="json")
        yield from _find(content, self.param.split("."), str(self.params.section), "")

    @property
    def arguments(self) -> list[str]:
        """The arguments of `scores`, without the value of `*`."""
        return [name for name in inspect.signature(self.scores).parameters if name != NAME]

    @property
    def about(self) -> tuple[Any, ...]:
        """Its content, without anything that depends on the process."""
        functions = [
            f"{function.__module__}.{function.__qualname__}"
            for function in (self.rule, self.scores, self.counted)
        ]
        return str(self.params.section), self.param, functions, self.values, self.meaning, self.units

    def check(self, owner: str, arguments: Iterable[str], params: Iterable[type[Params]]) -> None:
        """Raise LookupError for a param or argument that the dataset lacks, TypeError for an unknown rule."""
        first = self.param.split(".")[0]
        fields = set(self.params.model_fields)
        fields |= {str(field.alias) for field in self.params.model_fields.values() if field.alias}
        if self.params not in set(params) or first not in fields:
            raise LookupError(f"{owner} has no param {self.params.section}.{self.param} to be a threshold")
        if unknown := sorted(set(self.arguments) - {*arguments, *OWN}):
            raise LookupError(
                f"{owner}: the scores of {self.param} ask for {unknown[0]!r}, which it does not read"
            )
        if self.rule not in RULES:
            raise TypeError(
                f"{owner}: the rule of {self.param} is not one of those in ops/core/thresholds.py"
            )


def _find(content: Any, steps: list[str], path: str, name: str) -> Iterator[Knob]:
    if not steps:
        if content is not None:
            yield Knob(path, name, content)
        return
    if not isinstance(content, Mapping):
        return
    step, *rest = steps
    for key in sorted(content) if step == "*" else [step]:
        yield from _find(content.get(key), rest, f"{path}.{key}", key if step == "*" else name)
