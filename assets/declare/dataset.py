"""`@dataset` and `@report`: Dagster's `asset` with our conventions filled in.

Belongs here: what an asset function declares by its signature: inputs, params, records, checkpoints. Not
here: what Dagster gets from it (dagster_asset.py), what follows from a declaration (declaration.py).
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NewType

import dagster as dg

from silverloom.assets.declare.dagster_asset import dagster_asset
from silverloom.assets.declare.declaration import (
    DECLARED,
    Dataset,
    Input,
    Key,
    Threshold,
    Trainings,
    Trials,
    register,
)
from silverloom.assets.declare.expectations import Suite, check, of_shape
from silverloom.assets.declare.graph import Everything, Files
from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes, Shape
from silverloom.ops.core.params import Params, Strict
from silverloom.ops.core.parts import Artifact, FilesFolder, Parts
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.models.training.checkpoints import CheckpointFolder
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.source import AnyFormat

#: An input of which every partition is read, not only the step's own.
AllParts = NewType("AllParts", Parts)
#: The same, with the files next to the rows.
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
    inputs: Mapping[str, str] = {},
    replaces: str | None = None,
) -> Callable[[Callable[..., Outcomes]], dg.AssetsDefinition]:
    """Declare a dataset: the decorated function becomes its Dagster asset.

    The names and annotations of the function's arguments declare its dependencies:

    - `pairs: Parts`: the dataset `pairs` of the same group, else of `sources`, in the same partition;
    - `papers: AllParts`: every partition of it;
    - `crawls: AllPartsAndFiles`: every partition, with the files next to its rows;
    - `extractor: Artifact`: a dataset without partitions, with the files next to its rows;
    - `hmm: HmmParams`: the section of params.yaml that this class declares;
    - `strict: Strict`: whether numerics are strict;
    - `checkpoints: CheckpointFolder`: where an interrupted training resumes;
    - `records: Records`: the raw records of `sources.<asset>`, or of `sources.<records>` if the decorator is
      given `records`;
    - `place: CrawlPlace`: where a crawl of these records works;
    - `files: FilesFolder`: where large files are written;
    - `derived: DerivedFolder`: where data derived from inputs is kept for other partitions.

    `consumes` names the input whose units must be conserved ("pairs", or "papers.sentences" for a nested
    column). A dataset that is not `partitioned` reads all partitions. `formats` read the raw records, by the
    `kind` that params.yaml gives a source: a folder, or a dataset, which then becomes an input. `measures`
    are numbers of its kept rows that pages plot (ops/core/measures.py). `expectations` describe valid rows
    beyond what their shape says (expectations.py); changing them validates the partitions again, but does not
    make them again. `scores` are numbers over all kept rows, for `dvc metrics` (ops/core/measures.py): the
    first, which is the most telling, is shown with its counts, and all are shown where their file is named.
    `thresholds` are the
    params for which pages show what other values would keep (declaration.py). `trials` and `trains` declare
    that rows are trials, or that models are trained: each becomes a separate run in MLflow (declaration.py).
    `one_task` declares that the function is not a map over parts: on a cluster, one task calls it on a
    machine with the dataset's resources, and all its outcomes come back together. `inputs` maps an argument
    to a dataset of another name. A dataset that `replaces` another dataset of its group has the same columns,
    and datasets that are declared later read it under the other's name. Only `inputs` can still name the
    replaced one.

    `text_pair` names two columns whose texts pages compare, ("fused", "split"): word by word, or, if the
    second is a list of sentences, by marking those that occur in the first. The second may be a column of an
    input, "pairs.sentences"; then a row identifies its pair in a column whose name ends with `_id`.

    Raises TypeError for an argument of another kind, for raw records without formats, and for `one_task` with
    folders of this machine. Raises LookupError for a dataset, a column in the expectations, the text pair or
    the trials, or a param or an argument in the thresholds, that does not exist.
    """

    def declare(function: Callable[..., Outcomes]) -> dg.AssetsDefinition:
        declared = Dataset(
            Key(group, function.__name__),
            function,
            shape,
            consumes,
            partitioned,
            **_arguments(function, group, partitioned, records, inputs),
            measures=tuple(measures),
            formats=dict(formats or {}),
            expectations=(*of_shape(shape, partitioned), *expectations),
            text_pair=text_pair,
            scores=dict(scores or {}),
            thresholds=tuple(thresholds),
            trials=trials,
            trains=trains,
            one_task=one_task,
            replaces=Key(group, replaces) if replaces else None,
        )
        if one_task and any((declared.records, declared.files, declared.derived)):
            raise TypeError(f"{declared.name}: one task has neither records nor folders of this machine")
        if bool(declared.records) != bool(declared.formats):
            raise TypeError(f"{declared.name}: raw records and the formats that read them go together")
        check(declared.expectations, shape, declared.name)
        _check_text_pair(declared)
        if trials:
            trials.check(declared.name, shape)
        for threshold in declared.thresholds:
            known = [source.argument for source in declared.argument_inputs]
            threshold.check(declared.name, [*known, *declared.params], declared.params.values())
        return dagster_asset(register(declared))

    return declare


#: Other argument types, with the field of a declaration that holds the argument's name.
_PLACES: dict[Any, str] = {
    CheckpointFolder: "checkpoints",
    CrawlPlace: "crawl",
    FilesFolder: "files",
    DerivedFolder: "derived",
    Strict: "strict",
}


def _arguments(
    function: Callable[..., Outcomes],
    group: str,
    partitioned: bool,
    records: str | None,
    named: Mapping[str, str],
) -> dict[str, Any]:
    """Return the fields of a declaration that follow from the arguments of its function."""
    hints = typing.get_type_hints(function)
    hints.pop("return", None)
    name = f"{group}/{function.__name__}"
    inputs: list[Input] = []
    params: dict[str, type[Params]] = {}
    places: dict[str, str] = {}
    for argument, hint in hints.items():
        if hint in (Parts, AllParts, AllPartsAndFiles, Artifact):
            upstream = _input_key(name, group, named.get(argument, argument))
            if argument not in named:
                upstream = next(
                    (key for key, item in DECLARED.items() if item.replaces == upstream), upstream
                )
            if hint is Artifact and DECLARED[upstream].partitioned:
                raise TypeError(f"{name}: {upstream.to_user_string()} has partitions: no Artifact")
            all_partitions = hint in (AllParts, AllPartsAndFiles) or not partitioned
            inputs.append(Input(argument, upstream, all_partitions, hint in (Artifact, AllPartsAndFiles)))
        elif hint in _PLACES:
            places[_PLACES[hint]] = argument
        elif isinstance(hint, type) and issubclass(hint, Params):
            params[argument] = hint
        elif hint is Records:
            places["records"] = records or function.__name__
        else:
            raise TypeError(f"{name}: the argument {argument!r} is no dataset, params or records")
    return {"records": None, **places, "argument_inputs": tuple(inputs), "params": params}


def _check_text_pair(declared: Dataset) -> None:
    assert declared.shape is not None
    inputs = {source.argument: DECLARED[source.key].shape for source in declared.argument_inputs}
    for text in declared.text_pair or ():
        argument, dot, column = text.rpartition(".")
        shape = inputs.get(argument) if dot else declared.shape
        if shape is None or column not in shape.kept.names:
            raise LookupError(f"{declared.name}: the text pair names {text!r}, which is no column")


def _input_key(reader: str, group: str, name: str) -> Key:
    for candidate in (Key(group, name), Key("sources", name)):
        if candidate in DECLARED:
            return candidate
    known = ", ".join(key.asset for key in DECLARED if key.group in (group, "sources"))
    raise LookupError(
        f"{reader}: the argument {name!r} names no dataset of {group} or sources that is declared before; "
        f"there are {known}"
    )


def report(*, group: str) -> Callable[[Callable[[Everything], Files]], dg.AssetsDefinition]:
    """Declare a report: the decorated function makes files from all tables of every dataset declared before.

    It depends on all params that those datasets depend on.
    """

    def declare(function: Callable[[Everything], Files]) -> dg.AssetsDefinition:
        inputs = tuple(Input(dataset.name, key, True) for key, dataset in DECLARED.items())
        key = Key(group, function.__name__)
        return dagster_asset(register(Dataset(key, function, None, None, False, inputs, None, {})))

    return declare
