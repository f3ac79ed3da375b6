"""The inputs of a partition, opened only after every byte was compared with its manifest.

Belongs here: reading what other partitions hold, and noticing that it is replaced meanwhile: no lock is held.
Not here: what is made of it (materialise.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assets.declare.declaration import Declaration
from assets.declare.report import Everything
from ops.parts import FILES, Artifact, Part, Parts
from orchestration.executors.parts import engine
from orchestration.files.identity import file_md5, folder_files, folder_hashes
from orchestration.files.parquet import part_files
from orchestration.state.freshness import NotReadyError, load_manifest
from orchestration.state.manifests import read_manifest
from orchestration.state.partition_locks import making
from orchestration.workspace.workspace import Workspace


class ChangedBytesError(RuntimeError):
    """A file is not what was published; the text names it and both hashes."""


def open_inputs(
    workspace: Workspace, declaration: Declaration, months: Mapping[str, Sequence[str]]
) -> Everything | dict[str, Parts | Artifact]:
    """Return what a partition is made of, of these months by dataset.

    Raises NotReadyError where an input is missing, ChangedBytesError where a file was changed, lost or added.
    """
    upstream = workspace.graph.upstream(declaration)
    if declaration.shape is None:
        folders = {
            name: {month: _verified_folder(workspace, item, month) for month in months[name]}
            for name, item in workspace.datasets.items()
            if name in months
        }
        return Everything(folders, workspace.graph, former_files(workspace, declaration))
    return {
        source.argument: artifact(workspace, item)
        if source.whole and not item.partitioned
        else parts(workspace, item, months[item.name], "" if source.whole else "kept-")
        for source, item in zip(declaration.inputs, upstream, strict=True)
    }


def former_files(workspace: Workspace, report: Declaration) -> Path | None:
    """Return the folder of a report if every file is as its manifest has it; one that is forced has none."""
    manifest, folder = read_manifest(workspace, report, ""), workspace.folder(report)
    return folder if manifest is not None and manifest.files == folder_hashes(folder) else None


def parts(workspace: Workspace, item: Declaration, months: Iterable[str], prefix: str = "kept-") -> Parts:
    """Return the kept rows of partitions, whose files of that prefix are compared; see `open_inputs`."""
    assert item.shape is not None, f"{item.name} has no rows"
    folders = [_verified_folder(workspace, item, month, prefix) for month in months]
    files = [str(path) for folder in folders for path in part_files(folder, "kept")]
    return Parts(item.shape.kept, tuple(map(Part, files)), engine())


def artifact(workspace: Workspace, item: Declaration) -> Artifact:
    """Return a dataset without partitions, with its files; raises as `open_inputs` does."""
    return Artifact(parts(workspace, item, [""]), _verified_folder(workspace, item, "") / FILES)


def _verified_folder(workspace: Workspace, item: Declaration, month: str, prefix: str = "") -> Path:
    """Return the folder of a partition, after comparing its files of that prefix with their manifest.

    The manifest is written after the folder. So where they differ, another process may be publishing the
    partition at this moment: it is waited for.
    """
    try:
        _verify(workspace, item, month, prefix)
    except (NotReadyError, ChangedBytesError):
        with making(workspace, item, month):
            _verify(workspace, item, month, prefix)
    return workspace.folder(item, month)


def _verify(workspace: Workspace, item: Declaration, month: str, prefix: str) -> None:
    place = workspace.folder(item, month)
    recorded = load_manifest(workspace, item, month).files
    expected = {name: md5 for name, md5 in recorded.items() if name.startswith(prefix)}
    found = {name: file_md5(path) for name, path in folder_files(place).items() if name.startswith(prefix)}
    for name in sorted({*expected, *found}):
        if found.get(name) != expected.get(name):
            raise ChangedBytesError(
                f"{place / name} was changed after it was made: its MD5 is {found.get(name)}, "
                f"in its manifest is {expected.get(name)}; `dvc checkout --force` brings it back"
            )
