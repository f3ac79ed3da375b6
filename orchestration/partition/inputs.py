"""The inputs of a partition, opened only after every byte was compared with its manifest.

Belongs here: reading what other partitions hold, and noticing that it is replaced meanwhile: no lock is held.
Not here: what is made of it (materialise.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assets.declare.declaration import Declaration
from assets.declare.graph import Everything
from ops.core.parts import FILES, Artifact, Part, Parts, part_files
from orchestration.executors.parts import engine
from orchestration.files.identity import file_md5, folder_files, folder_hashes
from orchestration.files.publish import making
from orchestration.state.freshness import NotReadyError, load_manifest, read_manifest
from orchestration.workspace.workspace import Workspace


class ChangedBytesError(RuntimeError):
    """A file is not what was published; the text names it and both hashes."""


def open_inputs(
    workspace: Workspace, declaration: Declaration, partitions: Mapping[str, Sequence[str]]
) -> Everything | dict[str, Parts | Artifact]:
    """Return what a partition is made of: these partitions, by dataset.

    Raises NotReadyError where an input is missing, ChangedBytesError where a file was changed, lost or added.
    """
    upstream = workspace.graph.upstream(declaration)
    if declaration.shape is None:
        folders = {
            name: {
                partition: _verified_folder(workspace, dataset, partition) for partition in partitions[name]
            }
            for name, dataset in workspace.datasets.items()
            if name in partitions
        }
        return Everything(folders, workspace.graph, former_files(workspace, declaration))
    return {
        source.argument: artifact(workspace, dataset)
        if source.whole and not dataset.partitioned
        else parts(workspace, dataset, partitions[dataset.name], "" if source.whole else "kept-")
        for source, dataset in zip(declaration.inputs, upstream, strict=True)
    }


def former_files(workspace: Workspace, report: Declaration) -> Path | None:
    """Return the folder of a report if every file is as its manifest has it; one that is forced has none."""
    manifest, folder = read_manifest(workspace, report, ""), workspace.folder(report)
    return folder if manifest is not None and manifest.files == folder_hashes(folder) else None


def parts(
    workspace: Workspace, dataset: Declaration, partitions: Iterable[str], prefix: str = "kept-"
) -> Parts:
    """Return the kept rows of partitions, whose files of that prefix are compared; see `open_inputs`."""
    assert dataset.shape is not None, f"{dataset.name} has no rows"
    folders = [_verified_folder(workspace, dataset, partition, prefix) for partition in partitions]
    files = [str(path) for folder in folders for path in part_files(folder, "kept")]
    return Parts(dataset.shape.kept, tuple(map(Part, files)), engine())


def artifact(workspace: Workspace, dataset: Declaration) -> Artifact:
    """Return a dataset without partitions, with its files; raises as `open_inputs` does."""
    return Artifact(parts(workspace, dataset, [""]), _verified_folder(workspace, dataset, "") / FILES)


def _verified_folder(workspace: Workspace, dataset: Declaration, partition: str, prefix: str = "") -> Path:
    """Return the folder of a partition, after comparing its files of that prefix with their manifest.

    The manifest is written after the folder. So where they differ, another process may be publishing the
    partition at this moment: it is waited for.
    """
    try:
        _verify(workspace, dataset, partition, prefix)
    except (NotReadyError, ChangedBytesError):
        with making(workspace, dataset, partition):
            _verify(workspace, dataset, partition, prefix)
    return workspace.folder(dataset, partition)


def _verify(workspace: Workspace, dataset: Declaration, partition: str, prefix: str) -> None:
    place = workspace.folder(dataset, partition)
    recorded = load_manifest(workspace, dataset, partition).files
    expected = {name: md5 for name, md5 in recorded.items() if name.startswith(prefix)}
    paths = {name: path for name, path in folder_files(place).items() if name.startswith(prefix)}
    found = {name: file_md5(path, former=False) for name, path in paths.items()}
    for name in sorted({*expected, *found}):
        if found.get(name) != expected.get(name):
            raise ChangedBytesError(
                f"{place / name} was changed after it was made: its MD5 is {found.get(name)}, "
                f"in its manifest is {expected.get(name)}; `dvc checkout --force` brings it back"
            )
