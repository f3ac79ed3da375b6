"""Call the function of a dataset with its arguments: here, or as one task of a cluster.

Belongs here: what each declared argument holds. Not here: where its parts run (executors/), which of them are
finished (resume.py), what becomes of its outcomes (materialise.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import FILES, Artifact, FilesFolder, Parts
from silverloom.ops.parse.records import RowRecords
from silverloom.orchestration.executors.parts import RayEngine
from silverloom.orchestration.partition.crawl import crawl_place
from silverloom.orchestration.partition.one_task import made_by_one_task
from silverloom.orchestration.partition.resume import ResumableEngine
from silverloom.orchestration.state.derived import StoredDerived
from silverloom.orchestration.state.sources import corpus
from silverloom.orchestration.workspace.workspace import Workspace

#: The opened inputs of a partition, by the argument or dataset that they are for.
OpenInputs: TypeAlias = Mapping[str, Parts | Artifact]


def outcomes(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    inputs: OpenInputs,
    key: Mapping[str, Any],
    engine: ResumableEngine,
    folder: Path,
) -> Outcomes:
    """Return what a dataset's function makes of a partition's inputs; large files are written to `folder`.

    The function's maps over parts run on `engine`. A dataset that is `one_task` is called on a node of the
    cluster, if there is one.
    """
    place = workspace, dataset, partition
    mapped = {
        source.argument: replace(value, engine=engine) if isinstance(value, Parts) else value
        for source in dataset.argument_inputs
        for value in [inputs[source.argument]]
    }
    arguments: dict[str, Any] = {**mapped, **dataset.arguments}
    if dataset.checkpoints:
        arguments[dataset.checkpoints] = engine.checkpoints
    if dataset.strict:
        arguments[dataset.strict] = workspace.settings.numerics == "strict"
    if dataset.crawl:
        arguments[dataset.crawl] = crawl_place(*place)
    if dataset.derived:
        arguments[dataset.derived] = StoredDerived(workspace, dataset, key)
    if dataset.files:
        arguments[dataset.files] = FilesFolder(folder / FILES)
    if dataset.records:
        records = corpus(workspace, dataset.records).records(partition, engine)
        arguments["records"] = replace(records, rows=_row_records(*place, inputs))
    if dataset.one_task and isinstance(engine.engine, RayEngine):
        return made_by_one_task(engine.engine, dataset, arguments)
    here: Outcomes = dataset.function(**arguments)
    return here


def _row_records(
    workspace: Workspace, dataset: Dataset, partition: str, inputs: OpenInputs
) -> tuple[RowRecords, ...]:
    """Return the rows of datasets that params.yaml lists as sources."""
    records = []
    for name, source in workspace.settings.named_datasets(dataset.records).items():
        rows = inputs[source.dataset]
        assert isinstance(rows, Parts), f"{source.dataset} has rows"
        records.append(RowRecords(name, source, *dataset.row_format(source), rows, partition))
    return tuple(records)
