"""The units that a step must account for, read from its input, not its output.

Belongs here: their ids, for the check `conservation`. Not here: the check itself (conservation.py), opening
inputs (partition/inputs.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import pyarrow.compute as pc

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.parts import FILES, Artifact, Parts
from silverloom.ops.crawl.journal import asked_units
from silverloom.orchestration.state.sources import corpus
from silverloom.orchestration.workspace.workspace import Workspace


def expected_units(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    inputs: Mapping[str, Parts | Artifact],
    folder: Path,
) -> Iterator[str]:
    """Return the ids of the units that a partition in `folder` must account for.

    A crawl finds units itself; the journal in its folder lists those it requested.
    """
    listed = _listed(workspace, dataset, partition, inputs)
    if not dataset.crawl:
        return listed
    known = list(listed)
    return chain(known, asked_units(folder / FILES, besides=known))


def _listed(
    workspace: Workspace, dataset: Dataset, partition: str, inputs: Mapping[str, Parts | Artifact]
) -> Iterator[str]:
    """Yield the units in the inputs: raw records, and rows of the datasets that params.yaml lists as sources;
    else those of the input that the dataset consumes.
    """
    if dataset.records:
        yield from corpus(workspace, dataset.records).ids(partition)
        for source in workspace.settings.named_datasets(dataset.records).values():
            yield from unit_ids(_rows(inputs[source.dataset]))
    elif dataset.consumes:
        argument, _, nested = dataset.consumes.partition(".")
        yield from unit_ids(_rows(inputs[argument]), nested or None)


def _rows(read: Parts | Artifact) -> Parts:
    return read.rows if isinstance(read, Artifact) else read


def unit_ids(parts: Parts, path: str | None = None) -> Iterator[str]:
    """Yield the ids of the units in an input: its rows, or the entries of a nested column."""
    for part in parts.parts:
        if path is None:
            yield from part.read(["id"])["id"].to_pylist()
        else:
            yield from pc.struct_field(pc.list_flatten(part.read([path])[path]), "id").to_pylist()
