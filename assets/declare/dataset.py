"""A dataset or a report declared: `@dataset` and `@report`, Dagster's `asset` with our conventions filled in.

Belongs here: what can be read off an asset function: inputs, params, records, checkpoints. Not here: what
follows from that (declaration.py), the Dagster asset made of it (dagster_asset.py).
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NewType, TypeAlias

import dagster as dg

from assets.declare.dagster_asset import dagster_asset
from assets.declare.declaration import (
    Declaration,
    Input,
    Key,
    Threshold,
    Trainings,
    Trials,
    declarations,
    register,
)
from assets.declare.expectations import Suite, check
from assets.declare.graph import AssetGraph
from ops.core.derived import DerivedFolder
from ops.core.measures import DatasetScore
from ops.core.outcome import Outcomes, Shape
from ops.core.params import Params, Strict
from ops.core.parts import Artifact, FilesFolder, Parts
from ops.crawl.options import CrawlPlace
from ops.models.training.checkpoints import CheckpointFolder
from ops.parse.scan import Records
from ops.parse.source import AnyFormat

#: An input of which a step reads every month, not only its own.
AllParts = NewType("AllParts", Parts)
#: The same, with the files that lie beside the rows.
AllPartsAndFiles = NewType("AllPartsAndFiles", Parts)


def dataset(
    *,
    group: str,
    shape: Shape,
    consumes: str | None = None,
    partitioned: bool = True,
    measures: Sequence[str] = (),
    records: str | None = None,
    formats: Mapping[str, AnyFormat] | None = None,
    expectations: Suite = (),
    text_pair: tuple[str, str] | None = None,
    scores: Mapping[str, DatasetScore] | None = None,
    thresholds: Sequence[Threshold] = (),
    trials: Trials | None = None,
    trains: Trainings | None = None,
    one_task: bool = False,
) -> Callable[[Callable[..., Outcomes]], dg.AssetsDefinition]:
    """Declare a dataset: the decorated function becomes its Dagster asset.

    Its arguments say what it depends on, by their names and annotations: `pairs: Parts` is the dataset
    `pairs` of its own group, else of `sources`, in the same month; `papers: AllParts` every month of it;
    `crawls: AllPartsAndFiles` with the files that lie beside its rows, too;
    `extractor: Artifact` a dataset without partitions, with the files that lie beside its rows;
    `hmm: HmmParams` the section of params.yaml that this class declares; `strict: Strict` whether numerics
    are; `checkpoints: CheckpointFolder` where a training that is cut short goes on from; `records: Records`
    the raw records of `sources.<asset>`, or of `sources.<records>` where `records` is given to the decorator;
    `place: CrawlPlace` where a crawl of these works; `files: FilesFolder` where large files are written;
    `derived: DerivedFolder` where what is derived from inputs is kept for other partitions.
    `consumes` names the input whose units must be conserved ("pairs", or "papers.sentences" for a nested
    column). A dataset that is not `partitioned` reads all months.
    `formats` read the raw records, by the `kind` that params.yaml gives a source: a folder, or a dataset,
    which is one more input then. `measures` are numbers of its kept rows to draw (ops/core/measures.py).
    `expectations` say what its rows should be like (expectations.py): to change them validates its partitions
    again, and makes none. `scores` are numbers over all kept rows, for `dvc metrics` (ops/core/measures.py):
    the first, which says most, beside its counts, all where their file is named.
    `thresholds` are the params of which pages tell what other values would keep (declaration.py).
    `trials` and `trains` say that rows are trials, or that models are trained: each is a run of its own in
    MLflow (declaration.py). `one_task` says that the function is no map over parts: on a cluster it is called
    by one task, on a machine that has what the dataset needs, and its outcomes come back together.

    `text_pair` names two columns whose texts pages show against each other, ("fused", "split"): word by word,
    or, where the second is a list of sentences, those that stand in the first. The second may be a column of
    an input, "pairs.sentences": then a row names its pair in a column whose name ends with `_id`.

    Raises TypeError for an argument that is none of these, for raw records without formats, and for folders
    of this machine with `one_task`, LookupError for a dataset, a column in the expectations, the text pair or
    the trials, or a param or an argument in the thresholds, that there is not.
    """

    def declare(function: Callable[..., Outcomes]) -> dg.AssetsDefinition:
        declaration = Declaration(
            Key(group, function.__name__),
            function,
            shape,
            consumes,
            partitioned,
            **_arguments(function, group, partitioned, records),
            measures=tuple(measures),
            formats=dict(formats or {}),
            expectations=tuple(expectations),
            text_pair=text_pair,
            scores=dict(scores or {}),
            thresholds=tuple(thresholds),
            trials=trials,
            trains=trains,
            one_task=one_task,
        )
        if one_task and any((declaration.records, declaration.files, declaration.derived)):
            raise TypeError(f"{declaration.name}: one task has neither records nor folders of this machine")
        if bool(declaration.records) != bool(declaration.formats):
            raise TypeError(f"{declaration.name}: raw records and the formats that read them go together")
        check(declaration.expectations, shape, declaration.name)
        _check_text_pair(declaration)
        if trials:
            trials.check(declaration.name, shape)
        for threshold in declaration.thresholds:
            known = [source.argument for source in declaration.argument_inputs]
            threshold.check(declaration.name, [*known, *declaration.params], declaration.params.values())
        return dagster_asset(register(declaration))

    return declare


def _arguments(
    function: Callable[..., Outcomes], group: str, partitioned: bool, records: str | None
) -> dict[str, Any]:
    """Return the fields of a declaration that the arguments of its function tell."""
    hints = typing.get_type_hints(function)
    hints.pop("return", None)
    name = f"{group}/{function.__name__}"
    inputs: list[Input] = []
    params: dict[str, type[Params]] = {}
    found: dict[str, str] = {}
    for argument, hint in hints.items():
        if hint in (Parts, AllParts, AllPartsAndFiles, Artifact):
            upstream = _input_key(name, group, argument)
            if hint is Artifact and declarations()[upstream].partitioned:
                raise TypeError(f"{name}: {upstream.to_user_string()} has partitions: no Artifact")
            all_partitions = hint in (AllParts, AllPartsAndFiles) or not partitioned
            inputs.append(Input(argument, upstream, all_partitions, hint in (Artifact, AllPartsAndFiles)))
        elif hint is CheckpointFolder:
            found["checkpoints"] = argument
        elif hint is CrawlPlace:
            found["crawl"] = argument
        elif hint is FilesFolder:
            found["files"] = argument
        elif hint is DerivedFolder:
            found["derived"] = argument
        elif hint is Strict:
            found["strict"] = argument
        elif isinstance(hint, type) and issubclass(hint, Params):
            params[argument] = hint
        elif hint is Records:
            found["records"] = records or function.__name__
        else:
            raise TypeError(f"{name}: the argument {argument!r} is no dataset, params or records")
    return {"records": None, **found, "argument_inputs": tuple(inputs), "params": params}


def _check_text_pair(declaration: Declaration) -> None:
    assert declaration.shape is not None
    inputs = {source.argument: declarations()[source.key].shape for source in declaration.argument_inputs}
    for text in declaration.text_pair or ():
        argument, dot, column = text.rpartition(".")
        shape = inputs.get(argument) if dot else declaration.shape
        if shape is None or column not in shape.kept.names:
            raise LookupError(f"{declaration.name}: the text pair names {text!r}, which is no column")


def _input_key(reader: str, group: str, name: str) -> Key:
    for candidate in (Key(group, name), Key("sources", name)):
        if candidate in declarations():
            return candidate
    known = ", ".join(key.asset for key in declarations() if key.group in (group, "sources"))
    raise LookupError(
        f"{reader}: the argument {name!r} names no dataset of {group} or sources that is declared before; "
        f"there are {known}"
    )


#: What a report makes: files by relative path.
Files: TypeAlias = Iterator[tuple[str, bytes]]


class Everything(dict[str, Mapping[str, Path]]):
    """The folders of every dataset declared before, by name and month: what a report reads."""

    def __init__(
        self,
        folders: Mapping[str, Mapping[str, Path]] | None = None,
        graph: AssetGraph | None = None,
        former: Path | None = None,
    ):
        super().__init__(folders or {})
        self.graph = graph or AssetGraph(declarations().values())
        #: What the report made last, if it is as it was made: a report may take over what would be the same.
        self.former = former

    def only(self, names: Collection[str]) -> Everything:
        """Return some of the datasets, in the same order."""
        return Everything(
            {name: partitions for name, partitions in self.items() if name in names}, self.graph
        )


def report(*, group: str) -> Callable[[Callable[[Everything], Files]], dg.AssetsDefinition]:
    """Declare a report: the decorated function makes files of all tables of every dataset declared before.

    It depends on all params that those depend on.
    """

    def declare(function: Callable[[Everything], Files]) -> dg.AssetsDefinition:
        inputs = tuple(Input(dataset.name, key, True) for key, dataset in declarations().items())
        key = Key(group, function.__name__)
        return dagster_asset(register(Declaration(key, function, None, None, False, inputs, None, {})))

    return declare
