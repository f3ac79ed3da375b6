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
from assets.declare.settings import ParamsError, Partitions
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
    in this checkout after they were, and where they were made under params of another shape.
    """
    folder = workspace.folder(item, month)
    if not folder.is_dir():  # where DVC's cache lists no files, all months are read below to find one
        return None
    stage = locked_stages(workspace).get(stage_name(item), {})
    hashes = committed_hashes(workspace, item, month)
    if hashes is None or hashes != folder_hashes(folder):
        return None
    seen = history.latest(workspace, item, month, version(hashes))
    if seen is not None and not seen["accepted"] and seen["suite"] == suite_version(item.expectations):
        return None
    inputs, params = inputs_at(workspace, item, month, stage), stage.get("params", {})
    code = params.get("code.json", {}).get(".".join(item.key.path))
    if inputs is None or code is None:
        return None
    try:
        values = item.values_in(nested(params.get("params.yaml", {})))
    except ParamsError:
        return None
    return PartitionRecord({"inputs": inputs, "params": values, "code": code}, hashes, counts(folder))


def committed_hashes(workspace: Workspace, item: Declaration, month: str) -> dict[str, str] | None:
    """Return the MD5 of each file of a partition as dvc.lock and DVC's cache tell them, or None."""
    stage = locked_stages(workspace).get(stage_name(item), {})
    return _month_of(_files(workspace, item, stage, "outs"), month)


def inputs_at(
    workspace: Workspace, item: Declaration, month: str, stage: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the inputs of a partition, as a key has them, that a stage of a dvc.lock was committed with.

    These are of the stage's own months, whatever today's are. None where they are unknown: a list of files is
    not in the cache, a source is not as it was.
    """
    inputs: dict[str, dict[str, str]] = {}
    if item.records:
        if (records := _record_inputs(workspace, item.records, month, stage)) is None:
            return None
        inputs |= records
    for source, parent in zip(item.inputs, workspace.graph.upstream(item), strict=True):
        if (files := _files(workspace, parent, stage, "deps")) is None:
            return None
        months = sorted({name.split("/")[0] for name in files}) if parent.partitioned else [""]
        read = months if source.all_months or not parent.partitioned else [month]
        parts = {part: _month_of(files, part) for part in read}
        inputs[parent.name] = {part: version(found) for part, found in parts.items() if found is not None}
    return inputs


def _record_inputs(
    workspace: Workspace, records: str, month: str, stage: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The lock holds the hashes of whole source folders: where they are today's, so are their records."""
    former, today = _partitions(stage), workspace.settings.partitions
    if former is None or (former.every, former.months[0]) != (today.every, today.months[0]):
        return None  # records without a month belong to the first partition
    paths = [source.path for source in workspace.settings.folders(records).values()]
    known = {path: recorded(stage, "deps", path) for path in paths}
    if not _has_versions(workspace, records) or any(
        md5 is None or md5 != _folder_version(workspace, path) for path, md5 in known.items()
    ):
        return None
    return {"records": {month: corpus(workspace, records).version(month)}}


def _partitions(stage: Mapping[str, Any]) -> Partitions | None:
    try:
        return Partitions.model_validate(stage["params"]["params.yaml"]["partitions"])
    except (KeyError, ValueError):
        return None


@cache
def _has_versions(workspace: Workspace, records: str) -> bool:
    """Say whether the hashes of folders tell all that is in them: a pipe has none, and is a record."""
    try:
        corpus(workspace, records).check_versions()
    except SourceError:
        return False
    return True


@cache
def _folder_version(workspace: Workspace, path: str) -> str:
    """Return the version of a source's folder: looked at once in a process, as the corpus itself is."""
    return version(folder_hashes(workspace.root / path))


def _files(
    workspace: Workspace, item: Declaration, stage: Mapping[str, Any], kind: str
) -> Mapping[str, str] | None:
    """Return the files of a dataset as a stage has it: as listed in DVC's cache, else as they lie on disk."""
    folder = workspace.folder(item)
    md5 = recorded(stage, kind, workspace.shown(folder))
    listed = manifest(workspace, md5) if md5 else None
    if md5 is None or listed is not None:
        return listed
    found = folder_hashes(folder)
    return found if version(found) == md5 else None


def _month_of(files: Mapping[str, str] | None, month: str) -> dict[str, str] | None:
    prefix = f"{month}/" if month else ""
    found = {name.removeprefix(prefix): md5 for name, md5 in (files or {}).items() if name.startswith(prefix)}
    return found or None


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
