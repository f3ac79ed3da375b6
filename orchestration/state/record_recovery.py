"""Rebuild a lost record from dvc.lock, so that a clone with its data recomputes nothing.

Belongs here: reading a partition's key and hashes out of what DVC committed. A stage is committed only
when all of it, and all that it depends on, is fresh and checked: what the lock says was finished.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from assets.declare.declaration import Declaration
from assets.declare.expectations import suite_version
from assets.declare.settings import ParamsError
from ops.parse.scan import SourceError
from orchestration.files.identity import folder_hashes, version
from orchestration.state import validation_history as history
from orchestration.state.corpora import corpus
from orchestration.state.counts import counts
from orchestration.state.dvc_cache import manifest
from orchestration.state.dvc_lock import locked_stages, recorded, stage_name
from orchestration.state.records import PartitionRecord
from orchestration.workspace.workspace import Workspace


def recover_record(workspace: Workspace, item: Declaration, month: str) -> PartitionRecord | None:
    """Return the record of a partition as dvc.lock and DVC's cache tell it, or None.

    None as well where the files on disk are not those that were committed, or failed today's expectations
    in this checkout after they were.
    """
    stage = locked_stages(workspace).get(stage_name(item))
    output = recorded(stage, "outs", workspace.shown(workspace.folder(item))) if stage else None
    if stage is None or output is None:
        return None
    hashes = _month_of(_files(workspace, item, output), month)
    if hashes is None or hashes != folder_hashes(workspace.folder(item, month)):
        return None
    if _refused(workspace, item, month, version(hashes)):
        return None
    key = _key(workspace, item, month, stage)
    return (
        PartitionRecord(key=key, hashes=hashes, counts=counts(workspace.folder(item, month))) if key else None
    )


def _refused(workspace: Workspace, item: Declaration, month: str, version: str) -> bool:
    seen = history.latest(workspace, item, month, version)
    return seen is not None and not seen["accepted"] and seen["suite"] == suite_version(item.expectations)


def inputs_at(
    workspace: Workspace, item: Declaration, month: str, stage: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the inputs of a partition, as a key has them, that a stage of a dvc.lock was committed with.

    None where they are unknown: a list of files is not in the cache, a source is not as it was.
    """
    return (
        _source_inputs(workspace, item, month, stage)
        if item.records
        else _inputs(workspace, item, month, stage)
    )


def _key(
    workspace: Workspace, item: Declaration, month: str, stage: Mapping[str, Any]
) -> dict[str, Any] | None:
    inputs = inputs_at(workspace, item, month, stage)
    params = stage.get("params", {})
    code = params.get("code.json", {}).get(".".join(item.key.path))
    if inputs is None or code is None:
        return None
    try:
        values = item.values_in(nested(params.get("params.yaml", {})))
    except ParamsError:
        return None  # made under params of another shape: not today's key
    return {"inputs": inputs, "params": values, "code": code}


def _inputs(
    workspace: Workspace, item: Declaration, month: str, stage: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the versions that the stage was committed with: of its own months, whatever today's are."""
    inputs: dict[str, dict[str, str]] = {}
    for source, parent in zip(item.inputs, workspace.graph.upstream(item), strict=True):
        md5 = recorded(stage, "deps", workspace.shown(workspace.folder(parent)))
        files = _files(workspace, parent, md5) if md5 else None
        if files is None:
            return None
        every = sorted({name.split("/")[0] for name in files}) if parent.partitioned else [""]
        parts = {part: _month_of(files, part) for part in (every if source.all_months else [month])}
        inputs[parent.name] = {part: version(found) for part, found in parts.items() if found is not None}
    return inputs


def _source_inputs(
    workspace: Workspace, item: Declaration, month: str, stage: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The lock holds the hashes of whole source folders: where they are today's, so are their records."""
    former = stage.get("params", {}).get("params.yaml", {}).get("partitions", {})
    if former.get("start") != workspace.settings.partitions.start:
        return None  # records without a month belong to the first one
    if not _has_versions(workspace, str(item.records)):
        return None
    for source in workspace.settings.sources.get(str(item.records), {}).values():
        path = source.path
        md5 = recorded(stage, "deps", path)
        if md5 is None or md5 != _folder_version(workspace, path):
            return None
    return {"records": {month: corpus(workspace, str(item.records)).version(month)}}


@cache
def _has_versions(workspace: Workspace, kind: str) -> bool:
    """Say whether the hashes of folders tell all that is in them: a pipe has none, and is a record."""
    try:
        corpus(workspace, kind).check_versions()
    except SourceError:
        return False
    return True


@cache
def _folder_version(workspace: Workspace, path: str) -> str:
    """Return the version of a source's folder: looked at once in a process, as the corpus itself is."""
    return version(folder_hashes(workspace.root / path))


def _files(workspace: Workspace, item: Declaration, md5: str) -> Mapping[str, str] | None:
    """Return the files of a version of a dataset: as DVC's cache lists them, else as they lie on disk."""
    listed = manifest(workspace, md5)
    if listed is not None:
        return listed
    found = folder_hashes(workspace.folder(item))
    return found if version(found) == md5 else None


def _month_of(files: Mapping[str, str] | None, month: str) -> dict[str, str] | None:
    if files is None:
        return None
    prefix = f"{month}/" if month else ""
    return {name.removeprefix(prefix): md5 for name, md5 in files.items() if name.startswith(prefix)} or None


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping of dotted names as the mapping that it was made of."""
    content: dict[str, Any] = {}
    for path, value in flat.items():
        *parents, last = path.split(".")
        place = content
        for name in parents:
            place = place.setdefault(name, {})
        place[last] = value
    return content
