"""One declaration an asset: `@dataset` and `@report`, Dagster's `asset` with our conventions filled in.

Belongs here: what can be read off an asset function: inputs, params, models, partitions, columns, code
version. Not here: the Dagster asset made of it (dagster_asset.py).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import dagster as dg

from assets import code
from assets.dagster_asset import dagster_asset
from assets.expectations import Expectation, Suite, check, suite_version
from assets.settings import document, raw_section, section, settings, validated
from assets.thresholds import Threshold
from ops.models.training.checkpoints import CheckpointFolder
from ops.outcome import Outcomes, Shape
from ops.params import ModelName, Params, Strict
from ops.parse.scan import Records
from ops.parts import Artifact, Parts
from ops.scores import Score

#: An input of which a step reads every month, not only its own.
AllParts = Annotated[Parts, "all months"]

#: What a report makes: files by relative path.
Files: TypeAlias = Iterator[tuple[str, bytes]]


class Everything(dict[str, dict[str, Path]]):
    """The folders of every dataset declared before, by name and month: what a report reads."""


@dataclass(frozen=True)
class Input:
    """An argument of an asset function that names another dataset."""

    argument: str
    key: dg.AssetKey
    all_months: bool
    whole: bool = False
    """Whether the files beside its rows are read, too."""


@dataclass(frozen=True)
class Declaration:
    """All that the project knows of a dataset, read off its asset function."""

    key: dg.AssetKey
    function: Callable[..., Any]
    """Gives the outcomes of a dataset's parts, or the files of a report."""
    shape: Shape | None
    """The tables of a dataset; None for a report."""
    consumes: str | None
    partitioned: bool
    inputs: tuple[Input, ...]
    records: str | None
    params: Mapping[str, type[Params]]
    checkpoints: str | None = None
    """The argument that takes the checkpoints of its trainings."""
    strict: str | None = None
    """The argument that takes whether numerics are strict."""
    measures: tuple[str, ...] = ()
    """What is worth drawing of its kept rows, as ops.measures names it."""
    optional: bool = False
    """Whether params.yaml may leave its sources out: then it has no rows."""
    expectations: tuple[Expectation, ...] = ()
    """What its checks `expectations` and `warnings` look at."""
    contrast: tuple[str, str] | None = None
    """Two texts of a kept row that are read against each other, the newer one first: see `dataset`."""
    scores: Mapping[str, Score] = dataclasses.field(default_factory=dict)
    """The numbers that say how good it is, which `dvc metrics` compares."""
    thresholds: tuple[Threshold, ...] = ()
    """Of which params other values can be judged from stored scores."""

    @property
    def name(self) -> str:
        """`group/asset`, as people write it."""
        return self.key.to_user_string()

    @property
    def months(self) -> list[str]:
        """The months that may be made; one empty name for a dataset without partitions."""
        return settings().partitions.months if self.partitioned else [""]

    def excluded(self, month: str) -> str | None:
        """Return why a month is not made: params.yaml excludes it, or the same month of an input."""
        for item in settings().exclude:
            if (item.asset, item.partition) == (self.name, month):
                return item.reason
        for source in self.inputs:
            upstream = _declared[source.key]
            if not source.all_months and upstream.partitioned and (reason := upstream.excluded(month)):
                return f"{upstream.name} {month} is excluded: {reason}"
        return None

    @property
    def made_months(self) -> list[str]:
        """The months that are to be made: those of the range that are not excluded."""
        return [month for month in self.months if self.excluded(month) is None]

    @property
    def sections(self) -> list[str]:
        """The sections of params.yaml that the dataset depends on, besides those that all do."""
        if self.shape is None:
            return sorted({name for source in self.inputs for name in _declared[source.key].sections})
        own = [str(kind.section) for kind in self.params.values()]
        absent = self.optional and self.records not in settings().sources
        return sorted([*own, *([f"sources.{self.records}"] if self.records and not absent else [])])

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
            read = [_declared[source.key].values_in(content) for source in self.inputs]
            return {path: value for values in read for path, value in values.items()}
        kinds = {str(kind.section): kind for kind in self.params.values()}
        own = {
            path: validated(kind, raw_section(content, path), path).model_dump(mode="json")
            for path, kind in kinds.items()
        }
        if self.records:
            path = f"sources.{self.records}"
            left_out = self.optional and self.records not in content.get("sources", {})
            own[path] = {} if left_out else raw_section(content, path)
        return {**own, "numerics": content.get("numerics"), "store": content.get("store")}

    @cached_property
    def code(self) -> dict[str, Any]:
        """The code entry: hash of the code, versions of packages, digests of models, hash of the suite."""
        if self.shape is None:
            shown = [repr(_declared[source.key].about) for source in self.inputs]
            scored = [one for source in self.inputs for one in _declared[source.key].thresholds]
            modules = [function.__module__ for one in scored for function in (one.scores, one.counted)]
            return code.entry(self.function, [], code.REPORT, "\n".join(shown), modules)
        models = [name for kind in self.arguments.values() for name in kind.models()]
        return {**code.entry(self.function, models), "expectations": suite_version(self.expectations)}

    @property
    def code_version(self) -> str:
        """Dagster's code version: code and params, since Dagster knows nothing of params."""
        return code_version(self.code, self.values)

    @property
    def about(self) -> tuple[Any, ...]:
        """What reports may say of the dataset that is neither in its rows nor in its params."""
        columns = self.shape and [(item.name, str(item.type), item.metadata) for item in self.shape.kept]
        inputs = [(source.key.path, source.all_months) for source in self.inputs]
        thresholds = [one.about for one in self.thresholds]
        drawn = (self.measures, self.contrast, thresholds)
        return self.name, self.function.__doc__, columns, inputs, self.consumes, *drawn

    def model_params(self) -> list[str]:
        """Return the dotted paths of params that name models."""
        return sorted(
            f"{self.params[argument].section}.{name}"
            for argument, value in self.arguments.items()
            for name, content in value.__dict__.items()
            if isinstance(content, ModelName)
        )


def code_version(code: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the hash of a code entry and of the params that go with it."""
    text = json.dumps([code, values], sort_keys=True)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


_declared: dict[dg.AssetKey, Declaration] = {}


def declarations() -> dict[dg.AssetKey, Declaration]:
    """Return every declared dataset by its key, in the order of declaration."""
    return dict(_declared)


def dataset(
    *,
    group: str,
    shape: Shape,
    consumes: str | None = None,
    partitioned: bool = True,
    measures: Sequence[str] = (),
    optional: bool = False,
    expectations: Suite = (),
    contrast: tuple[str, str] | None = None,
    scores: Mapping[str, Score] | None = None,
    thresholds: Sequence[Threshold] = (),
) -> Callable[[Callable[..., Outcomes]], dg.AssetsDefinition]:
    """Declare a dataset: the decorated function is its asset.

    Its arguments say what it depends on, by their names and annotations: `pairs: Parts` is the dataset
    `pairs` of its own group, else of `sources`, in the same month; `papers: AllParts` every month of it;
    `extractor: Artifact` a dataset without partitions, with the files that lie beside its rows;
    `hmm: HmmParams` the section of params.yaml that this class declares; `strict: Strict` whether numerics
    are; `checkpoints: CheckpointFolder` where a training that is cut short goes on from; `records: Records`
    the raw records of `sources.<asset>`. `consumes` names the input whose units must be conserved ("pairs",
    or "papers.sentences" for a nested column). A dataset that is not `partitioned` reads all months.
    `measures` are the numbers worth drawing of its kept rows (ops/measures.py). Raw records that are
    `optional` may be left out of params.yaml. `expectations` say what its rows should be like
    (assets/expectations.py): to change them validates its partitions again, and makes none. `scores` are
    numbers over all kept rows, for `dvc metrics` (ops/scores.py). `thresholds` are the params of which pages
    tell what other values would keep (assets/thresholds.py).

    `contrast` names two columns whose texts pages show against each other, ("fused", "split"): word by word,
    or, where the second is a list of sentences, those that stand in the first. The second may be a column of
    an input, "pairs.sentences": then a row names its pair in a column whose name ends with `_id`.

    Raises TypeError for an argument that is none of these and LookupError for an unknown dataset, a column in
    the expectations or the contrast, or a param or an argument in the thresholds, that there is not.
    """

    def declare(function: Callable[..., Outcomes]) -> dg.AssetsDefinition:
        declaration = dataclasses.replace(
            _declaration(function, group, shape, consumes, partitioned),
            measures=tuple(measures),
            optional=optional,
            expectations=tuple(expectations),
            contrast=contrast,
            scores=dict(scores or {}),
            thresholds=tuple(thresholds),
        )
        check(declaration.expectations, shape, declaration.name)
        _check_contrast(declaration)
        for threshold in declaration.thresholds:
            known = [source.argument for source in declaration.inputs]
            threshold.check(declaration.name, [*known, *declaration.params], declaration.params.values())
        _declared[declaration.key] = declaration
        return dagster_asset(declaration, _declared)

    return declare


def report(*, group: str) -> Callable[[Callable[[Everything], Files]], dg.AssetsDefinition]:
    """Declare a report: the decorated function makes files of all tables of every dataset declared before.

    It depends on all params that those depend on.
    """

    def declare(function: Callable[[Everything], Files]) -> dg.AssetsDefinition:
        inputs = tuple(Input(item.name, key, True) for key, item in _declared.items())
        key = dg.AssetKey([group, function.__name__])
        _declared[key] = Declaration(key, function, None, None, False, inputs, None, {})
        return dagster_asset(_declared[key], _declared)

    return declare


def _declaration(
    function: Callable[..., Outcomes],
    group: str,
    shape: Shape,
    consumes: str | None,
    partitioned: bool,
) -> Declaration:
    hints = typing.get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    name = function.__name__
    inputs, params, records, checkpoints, strict = [], {}, None, None, None
    for argument, hint in hints.items():
        if hint in (Parts, AllParts, Artifact):
            all_months = hint == AllParts or not partitioned
            upstream = _input_key(group, argument)
            if hint is Artifact and _declared[upstream].partitioned:
                raise TypeError(f"{group}/{name}: {upstream.to_user_string()} has partitions: no Artifact")
            inputs.append(Input(argument, upstream, all_months, hint is Artifact))
        elif hint is CheckpointFolder:
            checkpoints = argument
        elif hint == Strict:
            strict = argument
        elif isinstance(hint, type) and issubclass(hint, Params):
            params[argument] = hint
        elif hint is Records:
            records = name
        else:
            raise TypeError(f"{group}/{name}: the argument {argument!r} is no dataset, params or records")
    key = dg.AssetKey([group, name])
    read = tuple(inputs)
    return Declaration(
        key, function, shape, consumes, partitioned, read, records, params, checkpoints, strict
    )


def _check_contrast(declaration: Declaration) -> None:
    assert declaration.shape is not None
    inputs = {source.argument: _declared[source.key].shape for source in declaration.inputs}
    for text in declaration.contrast or ():
        argument, dot, column = text.rpartition(".")
        shape = inputs.get(argument) if dot else declaration.shape
        if shape is None or column not in shape.kept.names:
            raise LookupError(f"{declaration.name}: the contrast names {text!r}, which is no column")


def _input_key(group: str, name: str) -> dg.AssetKey:
    for candidate in (dg.AssetKey([group, name]), dg.AssetKey(["sources", name])):
        if candidate in _declared:
            return candidate
    raise LookupError(f"no dataset {group}/{name} or sources/{name} is declared before its use")
