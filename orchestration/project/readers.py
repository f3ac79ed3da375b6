"""Which datasets read raw records for a system.

Belongs here: asking the declared datasets. Not here: what the files of a source are (detect.py).
"""

from __future__ import annotations

from silverloom.assets.declare.declaration import DECLARED, Dataset
from silverloom.assets.declare.graph import system_named, with_ancestors
from silverloom.ops.parse.source import row_formats


def systems() -> list[str]:
    """Return the names of all systems: the groups of datasets with params of their own."""
    owners = {
        dataset.key.group
        for dataset in DECLARED.values()
        for kind in dataset.params.values()
        if str(kind.section).startswith(f"{dataset.key.group}.")
    }
    return sorted(owners)


def readers(system: str) -> dict[str, Dataset]:
    """Return the datasets that read raw records for a system, by the records' name in params.yaml."""
    declared = {dataset.name: dataset for dataset in DECLARED.values()}
    names = {
        ancestor
        for dataset in declared.values()
        if dataset.key.group == system
        for ancestor in with_ancestors(declared, dataset.name)
    }
    return {
        dataset.key.asset: dataset
        for name, dataset in declared.items()
        if name in names and dataset.records == dataset.key.asset
    }


def read_through(system: str) -> dict[str, tuple[str, Dataset]]:
    """Return the datasets of files whose rows a system can begin with, each after the records it is read as.

    They are by name of their records in params.yaml, which are not among those that the system itself reads.
    """
    known = readers(system)
    return {
        dataset.key.asset: (records, dataset)
        for dataset in DECLARED.values()
        for records in records_wanted(system)
        if dataset.key.asset not in known and _reads_rows_of(known[records], dataset)
    }


def records_wanted(system: str) -> list[str]:
    """Return the records that a system can begin with."""
    said = system_named(system)
    return [*said.needs, *said.begins_with]


def _reads_rows_of(reader: Dataset, dataset: Dataset) -> bool:
    """Say whether kept rows of a dataset of files can be the source of another dataset."""
    if reader is dataset or dataset.shape is None or dataset.records != dataset.key.asset:
        return False
    try:
        return any(form.columns(dataset.shape.kept) for form in row_formats(reader.formats).values())
    except ValueError:
        return False
