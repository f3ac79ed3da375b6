"""What the project knows of a dataset or a report, and which of them there are.

Belongs here: a declaration, what can be declared with it (thresholds that pages vary, runs of MLflow below
its own), and what follows: partitions, params, code version. Not here: how it is read off a function, and the
Dagster asset made of it (dataset.py).
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

from assets.declare import code
from assets.declare.expectations import Expectation, suite_version
from assets.declare.settings import common_values, document, raw_section, section, settings, validated
from ops.core.measures import DatasetScore
from ops.core.outcome import Shape
from ops.core.params import Params
from ops.core.thresholds import RULES, ThresholdRule
from ops.models.trained import ModelKind
from ops.parse.source import AnyFormat, DatasetSource, RowFormat, row_formats, with_options

if TYPE_CHECKING:
    import dagster as dg


class Key(NamedTuple):
    """What a dataset is called. Dagster's key is made of it (dataset.py)."""

    group: str
    asset: str

    @property
    def path(self) -> tuple[str, str]:
        """Group and asset, as Dagster's key has them."""
        return self.group, self.asset

    def to_user_string(self) -> str:
        """Return `group/asset`, as people write it."""
        return f"{self.group}/{self.asset}"


@dataclass(frozen=True)
class Input:
    """An argument of an asset function that names another dataset."""

    argument: str
    key: Key
    all_partitions: bool
    whole: bool = False
    """Whether the files beside its rows are read, too."""


@dataclass(frozen=True)
class Declaration:
    """All that the project knows of a dataset, read off its asset function."""

    key: Key
    function: Callable[..., Any]
    """Gives the outcomes of a dataset's parts, or the files of a report."""
    shape: Shape | None
    """The tables of a dataset; None for a report."""
    consumes: str | None
    partitioned: bool
    argument_inputs: tuple[Input, ...]
    """The datasets that its arguments name."""
    records: str | None
    params: Mapping[str, type[Params]]
    checkpoints: str | None = None
    """The argument that takes the checkpoints of its trainings."""
    strict: str | None = None
    """The argument that takes whether numerics are strict."""
    crawl: str | None = None
    """The argument that takes where a crawl works: it finds units itself, beside those of its records."""
    files: str | None = None
    """The argument that takes the folder of its files: it writes large ones itself."""
    derived: str | None = None
    """The argument that takes the folder of what it derives from its inputs for all partitions."""
    one_task: bool = False
    """Whether a cluster makes it by one task: it is no map over parts."""
    replaces: Key | None = None
    """The dataset in whose place it is read, by what is declared later."""
    measures: tuple[str, ...] = ()
    """What is worth drawing of its kept rows, as ops.core.measures names it."""
    formats: Mapping[str, AnyFormat] = dataclasses.field(default_factory=dict)
    """What reads its raw records, by their kind: those of folders, and rows of datasets."""
    expectations: tuple[Expectation, ...] = ()
    """What its checks `expectations` and `warnings` look at."""
    text_pair: tuple[str, str] | None = None
    """Two texts of a kept row that are read against each other, the newer one first: see `dataset`."""
    scores: Mapping[str, DatasetScore] = dataclasses.field(default_factory=dict)
    """The numbers that say how good it is, which `dvc metrics` compares."""
    thresholds: tuple[Threshold, ...] = ()
    """Of which params other values can be judged from stored scores."""
    trials: Trials | None = None
    """Of a dataset whose rows are trials."""
    trains: Trainings | None = None
    """Of a dataset of trained models."""

    @property
    def name(self) -> str:
        """`group/asset`, as people write it."""
        return self.key.to_user_string()

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The datasets that it reads: those of its arguments, and those that params.yaml names as sources."""
        named = [
            Input(source.dataset, Key(*source.dataset.split("/")), False, self._reads_beside(source))
            for source in settings().named_datasets(self.records).values()
        ]
        return (*self.argument_inputs, *named)

    def _reads_beside(self, source: DatasetSource) -> bool:
        """Say whether the files beside the rows are read; no where no format reads these: a check says so."""
        forms = row_formats(self.formats)
        form = forms.get(source.kind or next(iter(forms), ""))
        return form is not None and form.beside

    def row_format(self, source: DatasetSource) -> tuple[str, RowFormat[Any]]:
        """Return the kind and the format that reads the rows of a dataset which params.yaml names."""
        forms = row_formats(self.formats)
        kind = source.kind or next(iter(forms))
        return kind, with_options(forms[kind], source)

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
        """The partitions that are to be made: those of the range that are not excluded."""
        if not settings().exclude:
            return self.partitions
        return [partition for partition in self.partitions if self.excluded(partition) is None]

    @property
    def sections(self) -> list[str]:
        """The sections of params.yaml that the dataset depends on, besides those that all do."""
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
        """Return the params as they stand in `content` (params.yaml of some version).

        Those of a report are those of all that it reads.
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
        """The code entry: hash of the code, versions of packages, digests of models, hash of the suite."""
        if self.shape is None:
            shown = [repr(DECLARED[source.key].about) for source in self.inputs]
            scored = [threshold for source in self.inputs for threshold in DECLARED[source.key].thresholds]
            counting = [
                function for threshold in scored for function in (threshold.scores, threshold.counted)
            ]
            return code.entry(self.function, [], code.REPORT, "\n".join(shown), counting)
        models = [name for kind in self.arguments.values() for name in kind.models()]
        models += self._models_of_options()
        opening: list[Callable[..., Any]] = [row_formats, with_options] if self.records else []
        made = code.entry(self.function, models, also=opening)
        return {**made, "expectations": suite_version(self.expectations)}

    def _models_of_options(self) -> Iterator[str]:
        """Yield the models that the options of its sources name."""
        for source in settings().sources.get(self.records or "", {}).values():
            options: type[Params] | None = getattr(self.formats.get(source.kind), "options", None)
            with contextlib.suppress(ValidationError):  # what is wrong with them, their check says
                yield from options.model_validate(dict(source.options)).models() if options else ()

    @property
    def code_version(self) -> str:
        """Dagster's code version: code and params, since Dagster knows nothing of params."""
        return code_version(self.code, self.values)

    @property
    def about(self) -> tuple[Any, ...]:
        """What reports may say of the dataset that is neither in its rows nor in its params."""
        columns = self.shape and [(field.name, str(field.type), field.metadata) for field in self.shape.kept]
        inputs = [(source.key.path, source.all_partitions) for source in self.inputs]
        thresholds = [threshold.about for threshold in self.thresholds]
        drawn = (self.measures, self.text_pair, thresholds)
        return self.name, self.function.__doc__, columns, inputs, self.consumes, *drawn


def code_version(code: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the hash of a code entry and of the params that go with it.

    Its suite of expectations is left out: where that changes, the checks run again, and the body does not.
    """
    making = {name: entry for name, entry in code.items() if name != "expectations"}
    text = json.dumps([making, values], sort_keys=True)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


#: Every declared dataset by its key, in the order of declaration.
DECLARED: dict[Key, Declaration] = {}


def declared(asset: dg.AssetsDefinition) -> Declaration:
    """Return the declaration of a dataset's Dagster asset. Raises KeyError for an asset that has none."""
    return DECLARED[Key(*asset.key.path)]


def register(declaration: Declaration) -> Declaration:
    """Add a dataset to those that are declared, and return it."""
    DECLARED[declaration.key] = declaration
    return declaration


@dataclass(frozen=True)
class Trials:
    """A dataset whose kept rows are trials: the columns of what was tried, and of what came out.

    What came out are numbers, null where there is none.
    """

    params: tuple[str, ...]
    metrics: tuple[str, ...]

    def check(self, owner: str, shape: Shape) -> None:
        """Raise LookupError for a column that its dataset does not have, or a metric that is no number."""
        for name in (*self.params, *self.metrics):
            if name not in shape.kept.names:
                raise LookupError(f"{owner}: the trials name {name!r}, which is no column")
        for name in self.metrics:
            kind = shape.kept.field(name).type
            if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
                raise LookupError(f"{owner}: the trials name {name!r} as a metric, which is no number")


@dataclass(frozen=True)
class Trainings:
    """A dataset of trained models: what they are, and the file that tells of each.

    The file has a list with `model` (its folder), `chosen` (whether it becomes an artifact), `curve`, and
    what else there is to tell: see ops/models/training/report.py.
    """

    kind: ModelKind
    file: str = "models.json"


#: The argument of a score function that takes what `*` stands for.
NAME = "name"


class Knob(NamedTuple):
    """A number of params.yaml that is a threshold: its dotted path, what `*` stood for in it, its value."""

    path: str
    name: str
    value: float


@dataclass(frozen=True)
class Threshold:
    """A param that keeps units by a score.

    `scores` is called with the arguments of the asset function that it names (inputs as `Parts`, params), and
    yields tables of `SCORED`; `rule` is the one that the op itself applies to score and param.
    """

    params: type[Params]
    param: str
    """Its path inside these params. `budgets.*.words` is one threshold a budget that has words: `scores` and
    `counted` are called with that budget's name, too."""
    rule: ThresholdRule
    scores: Callable[..., Iterable[pa.Table]]
    values: tuple[float, ...]
    """Other values to try."""
    meaning: str
    """What the score is, in a few words: "similarity of the nearest title"."""
    units: str
    """What is counted: "talks"."""
    counted: Callable[..., int] = len
    """Gives the number of kept units from the dataset's kept rows; by default each row is one."""

    def knobs(self, params: Params) -> Iterator[Knob]:
        """Yield the thresholds that some params have."""
        content = params.model_dump(mode="json")
        yield from _find(content, self.param.split("."), str(self.params.section), "")

    @property
    def arguments(self) -> list[str]:
        """The arguments of the asset function that the scores are made of."""
        return [name for name in inspect.signature(self.scores).parameters if name != NAME]

    @property
    def about(self) -> tuple[Any, ...]:
        """What it says, without what a process gives of its own."""
        functions = [
            f"{function.__module__}.{function.__qualname__}"
            for function in (self.rule, self.scores, self.counted)
        ]
        return str(self.params.section), self.param, functions, self.values, self.meaning, self.units

    def check(self, owner: str, arguments: Iterable[str], params: Iterable[type[Params]]) -> None:
        """Raise LookupError for what its dataset does not have, TypeError for a rule of its own."""
        first = self.param.split(".")[0]
        fields = set(self.params.model_fields)
        fields |= {str(field.alias) for field in self.params.model_fields.values() if field.alias}
        if self.params not in set(params) or first not in fields:
            raise LookupError(f"{owner} has no param {self.params.section}.{self.param} to be a threshold")
        if unknown := sorted(set(self.arguments) - set(arguments)):
            raise LookupError(
                f"{owner}: the scores of {self.param} ask for {unknown[0]!r}, which it does not read"
            )
        if self.rule not in RULES:
            raise TypeError(f"{owner}: the rule of {self.param} is none of those in ops/core/thresholds.py")


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
