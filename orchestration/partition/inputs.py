"""A partition's inputs, opened only after every byte was compared with their manifests.

Belongs here: reading other partitions, and waiting for one that is being published. Not here: noticing that
one was replaced while it was read (state/freshness.py), what is made from them (materialise.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Everything
from silverloom.ops.core.parts import FILES, Artifact, Part, Parts, part_files
from silverloom.orchestration.executors.parts import engine
from silverloom.orchestration.files.identity import file_md5, folder_files
from silverloom.orchestration.files.publish import making
from silverloom.orchestration.state.dvc_files import stage_name
from silverloom.orchestration.state.freshness import NotReadyError, load_manifest
from silverloom.orchestration.workspace.workspace import Workspace


class ChangedBytesError(RuntimeError):
    """A file differs from what was published; the text names it and both hashes."""


def open_inputs(
    workspace: Workspace, dataset: Dataset, partitions: Mapping[str, Sequence[str]]
) -> Everything | dict[str, Parts | Artifact]:
    """Return the inputs of a partition: the given partitions, by dataset.

    Raises NotReadyError if an input is missing, ChangedBytesError if a file was changed, lost or added.
    """
    upstream = workspace.graph.upstream(dataset)
    if dataset.shape is None:
        folders = {
            name: {
                partition: _verified_folder(workspace, source, partition) for partition in partitions[name]
            }
            for name, source in workspace.datasets.items()
            if name in partitions
        }
        scratch = workspace.state_file("parts", dataset, "")
        scratch.mkdir(parents=True, exist_ok=True)
        return Everything(folders, workspace.graph, scratch)
    return {
        declared.argument: artifact(workspace, source)
        if declared.whole and not source.partitioned
        else parts(workspace, source, partitions[source.name], "" if declared.whole else "kept-")
        for declared, source in zip(dataset.inputs, upstream, strict=True)
    }


def parts(workspace: Workspace, dataset: Dataset, partitions: Iterable[str], prefix: str = "kept-") -> Parts:
    """Return the kept rows of partitions, checking files that start with `prefix`; see `open_inputs`."""
    assert dataset.shape is not None, f"{dataset.name} has no rows"
    folders = [_verified_folder(workspace, dataset, partition, prefix) for partition in partitions]
    files = [str(path) for folder in folders for path in part_files(folder, "kept")]
    return Parts(dataset.shape.kept, tuple(map(Part, files)), engine())


def artifact(workspace: Workspace, dataset: Dataset) -> Artifact:
    """Return an unpartitioned dataset with its files; raises like `open_inputs`."""
    return Artifact(parts(workspace, dataset, [""]), _verified_folder(workspace, dataset, "") / FILES)


def _verified_folder(workspace: Workspace, dataset: Dataset, partition: str, prefix: str = "") -> Path:
    """Return a partition's folder, after checking its files that start with `prefix` against the manifest.

    The manifest is written after the folder. If they differ, another process may be publishing the partition
    right now, so this waits for its lock and compares again.
    """
    try:
        _verify(workspace, dataset, partition, prefix)
    except (NotReadyError, ChangedBytesError):
        with making(workspace, dataset, partition):
            _verify(workspace, dataset, partition, prefix)
    return workspace.folder(dataset, partition)


def _verify(workspace: Workspace, dataset: Dataset, partition: str, prefix: str) -> None:
    place = workspace.folder(dataset, partition)
    recorded = load_manifest(workspace, dataset, partition).files
    expected = {name: md5 for name, md5 in recorded.items() if name.startswith(prefix)}
    paths = {name: path for name, path in folder_files(place).items() if name.startswith(prefix)}
    actual = {name: file_md5(path, former=False) for name, path in paths.items()}
    for name in sorted({*expected, *actual}):
        if actual.get(name) != expected.get(name):
            raise ChangedBytesError(
                f"{place / name} was changed after it was made: its MD5 is {actual.get(name)}, "
                f"but its manifest has {expected.get(name)}; remove it, and "
                f"`dvc checkout --force {stage_name(dataset)}` restores it"
            )
