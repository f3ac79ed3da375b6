"""DVC's side of the DAG: rendering dvc.yaml and code.json, and committing finished stages.

Belongs here: what a stage is, which stages to commit through DVC's own commit, and protecting dvc.lock
against a kill while DVC writes it. Not here: what a stage runs (run/stage.py), reading the lock
(state/dvc_files.py).
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from assets.declare.declaration import Declaration
from assets.declare.settings import document, raw_section
from orchestration.compat import dvc_commit
from orchestration.dvc import metrics
from orchestration.files.damage import remove_file, set_aside
from orchestration.files.identity import check_unmoved, file_md5, folder_hashes, version
from orchestration.files.publish import lock_file, write_changed, write_file
from orchestration.state.dvc_files import (
    cached,
    check_lock,
    check_sizes,
    cut_off,
    locked_stages,
    stage_name,
)
from orchestration.state.freshness import View
from orchestration.state.sources import check_versions
from orchestration.workspace.workspace import Workspace

#: Params that every dataset depends on, in addition to its own sections.
COMMON = ("exclude", "numerics", "partitions", "store")
HEADER = "# Rendered from the asset graph by `make dvc.yaml`: change assets/, not this file.\n"


def render(workspace: Workspace) -> str:
    """Return dvc.yaml: a stage that hashes the code, then one stage per dataset.

    DVC can only compare files, and even a comment changes a file. So the first stage depends on nothing and
    always runs, and the others depend on the hashes that it writes.
    """
    code = {
        "cmd": "silverloom code",
        "always_changed": True,
        "outs": [{"code.json": {"cache": False, "persist": True}}],
    }
    stages = {stage_name(dataset): stage(workspace, dataset) for dataset in workspace.datasets.values()}
    stages = {"code": code, **stages}
    return HEADER + yaml.dump({"stages": stages}, Dumper=yaml.CSafeDumper, sort_keys=False, width=110)


def check_rendered(workspace: Workspace) -> None:
    """Raise ValueError if dvc.yaml differs from what the asset graph renders to."""
    path = workspace.root / "dvc.yaml"
    if not path.exists() or path.read_text() != render(workspace):
        raise ValueError("dvc.yaml is out of date (assets or sources changed): run `make dvc.yaml`")


def _given(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """Return, sorted, the paths in params.yaml that DVC should watch for some params.

    DVC knows no defaults, so what it watches must exist. A missing top-level section is not watched. A
    section that lacks anything datasets read is watched as a whole, so that dvc.yaml stays the same when a
    key is added.
    """
    datasets = workspace.datasets.values()
    read = {path for dataset in datasets for path in dataset.sections}
    partial = {path.partition(".")[0] for path in read if not _stands(path)}
    tops = {path: path.partition(".")[0] for path in paths}
    return sorted({top if top in partial else path for path, top in tops.items() if top in document()})


def _stands(path: str) -> bool:
    """Return whether params.yaml has a value at a dotted path."""
    value: Any = document()
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


def stage(workspace: Workspace, dataset: Declaration) -> dict[str, Any]:
    """Return the stage of a dataset."""
    names = sorted(workspace.settings.folders(dataset.records)) if dataset.records else []
    # Templates, so that users' own sources do not make dvc.yaml stale.
    sources = [f"${{sources.{dataset.records}.{name}.path}}" for name in names]
    upstream = [workspace.shown(workspace.folder(parent)) for parent in workspace.graph.upstream(dataset)]
    found: dict[str, Any] = {
        "cmd": f"silverloom stage {dataset.name}",
        "deps": [*sources, *upstream],
        "params": [
            *_given(workspace, [*COMMON, *dataset.sections]),
            {"code.json": [".".join(dataset.key.path)]},
        ],
        "outs": [
            {workspace.shown(place): {"persist": True}}
            for place in (workspace.folder(dataset), workspace.manifests(dataset))
        ],
    }
    if dataset.shape is not None:
        file = workspace.shown(workspace.metrics_file(dataset))
        if dataset.scores:
            scores = workspace.shown(metrics.scores_file(workspace, dataset))
            found["outs"].append({scores: {"cache": False, "persist": True}})
        found["metrics"] = [{file: {"cache": False, "persist": True}}]
        found["plots"] = [
            {workspace.shown(plot.file): {"cache": False, "persist": True, **plot.drawn}}
            for plot in metrics.plots(workspace, dataset)
        ]
    return found


def write(workspace: Workspace) -> None:
    """Write dvc.yaml."""
    write_file(workspace.root / "dvc.yaml", render(workspace).encode())
    print("rendered dvc.yaml from the asset graph", file=sys.stderr)


def write_code(workspace: Workspace) -> None:
    """Write code.json, unless it is already up to date."""
    content: dict[str, dict[str, Any]] = {}
    for dataset in workspace.datasets.values():
        group, name = dataset.key.path
        content.setdefault(group, {})[name] = dataset.code
    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
    write_changed(workspace.root / "code.json", text.encode())


#: From this many changed stages on, commit all stages: that is quicker than one commit for each.
_MANY = 5

#: Seconds to wait for another process that holds DVC's lock.
_PATIENCE = 60.0


def commit_finished(view: View, made: Declaration | None = None) -> list[str]:
    """Commit to dvc.lock every finished stage whose current state is not recorded; return the stages' names.

    A stage is only committed when all partitions of it and of its ancestors are fresh. Otherwise DVC would
    call stale partitions up to date, or record a dependency that differs from its ancestor's output. With
    `made`, nothing is checked until that dataset, which was just worked on, is finished.

    Raises DamagedLockError for a damaged dvc.lock, MovedError for edits made during the run, and RuntimeError
    if DVC fails; dvc.lock then stays as it was.
    """
    workspace = view.workspace
    if made is not None and not view.complete(made):
        return []
    check_versions(workspace)
    check_unmoved(workspace)
    write_code(workspace)
    due = [dataset for dataset in workspace.datasets.values() if view.complete(dataset)]
    for dataset in due:
        metrics.write(dataset, view)
        check_sizes(workspace, dataset)
    restore(workspace)
    check_lock(workspace)
    stages = locked_stages(workspace)
    moved = [dataset for dataset in due if not _is_recorded(workspace, dataset, stages)]
    names = [stage_name(dataset) for dataset in moved]
    if _recorded(stages.get("code", {}), "outs") != {"code.json": file_md5(workspace.root / "code.json")}:
        names.insert(0, "code")
    if names:
        with _restored_when_killed(workspace):
            whole = len(due) == len(workspace.datasets) and len(names) >= _MANY
            targets: dict[str | None, bool] = {None: False} if whole else grouped(workspace, moved)
            if names[0] == "code" and not whole:
                targets = {"code": False, **targets}
            _commit(workspace, targets)
            check_unmoved(workspace)
            if lost := next(filter(None, (_lost(workspace, dataset) for dataset in moved)), None):
                raise RuntimeError(f"dvc.lock was not written: DVC's cache lacks a part of {lost}")
    return names


def restore(workspace: Workspace) -> None:
    """Restore dvc.lock if a killed commit left it cut off."""
    with _restored_when_killed(workspace, keep=False):
        pass


@contextlib.contextmanager
def _restored_when_killed(workspace: Workspace, keep: bool = True) -> Iterator[None]:
    """Keep a copy of dvc.lock until the block succeeds; if it fails, put the copy back."""
    lock, copy = workspace.lock, workspace.state / "dvc.lock"
    with contextlib.closing(lock_file(workspace.state / "locks" / "commit.lock", wait=True)):
        if copy.is_file() and cut_off(workspace, copy.read_bytes()):
            _put_back(copy, lock)
        if keep:
            write_file(copy, lock.read_bytes() if lock.exists() else b"")
        try:
            yield
        except BaseException:
            _put_back(copy, lock)
            raise
        remove_file(copy)


def _put_back(copy: Path, lock: Path) -> None:
    """Replace a file with its copy. An empty copy means that there was no file."""
    if copy.stat().st_size:
        copy.replace(lock)
    else:
        lock.unlink(missing_ok=True)
        copy.unlink()


def grouped(workspace: Workspace, moved: Sequence[Declaration]) -> dict[str | None, bool]:
    """Return the fewest commits of DVC that cover these datasets, inputs first, as `dvc_commit` takes them.

    DVC reads and writes all of dvc.lock for each commit, which takes seconds. A stage whose ancestors have
    all moved is committed together with them, and so are the stage `code` and .dvc files of its sources.
    """
    names = {stage_name(dataset) for dataset in moved}
    targets, covered = dict[str | None, bool](), set[str]()
    for dataset in reversed(moved):
        if (name := stage_name(dataset)) not in covered:
            ancestors = {stage_name(ancestor) for ancestor in workspace.graph.ancestors(dataset)}
            targets[name] = ancestors <= names
            covered |= ancestors if targets[name] else set()
    return dict(reversed(targets.items()))


def _commit(workspace: Workspace, targets: Mapping[str | None, bool]) -> None:
    """Commit stages; wait a limited time while another process holds DVC's lock."""
    _mend_rwlock(workspace)
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return dvc_commit(workspace.root, targets)
        except BlockingIOError as error:
            if time.monotonic() > end:
                message = f"{error}; what was made is kept: run again to commit it"
                raise RuntimeError(message) from error
            time.sleep(0.5)


def _mend_rwlock(workspace: Workspace) -> None:
    """Set DVC's list of readers and writers aside if a kill or a full disk left it torn.

    A DVC command may be writing it at this moment, so this reads it twice.
    """
    path = workspace.root / ".dvc/tmp/rwlock"
    for pause in (0.5, 0):
        try:
            json.loads(path.read_bytes())
        except FileNotFoundError:
            return
        except ValueError as error:
            fault = error
        else:
            return
        time.sleep(pause)
    set_aside(path, fault, "DVC starts a new one")


def _is_recorded(workspace: Workspace, dataset: Declaration, stages: Mapping[str, Any]) -> bool:
    """Return whether dvc.lock records the inputs, params and outputs that a stage has on disk."""
    found, rendered = stages.get(stage_name(dataset), {}), stage(workspace, dataset)
    read = [workspace.shown(workspace.folder(upstream)) for upstream in workspace.graph.upstream(dataset)]
    read += [source.path for source in workspace.settings.folders(dataset.records or "").values()]
    made = [path for kind in ("outs", "metrics", "plots") for out in rendered.get(kind, ()) for path in out]
    *watched, _ = rendered["params"]
    params = {
        "params.yaml": {path: raw_section(document(workspace.root), path) for path in watched},
        "code.json": {".".join(dataset.key.path): dataset.code},
    }
    return (
        _recorded(found, "deps") == {path: _version(workspace.root / path) for path in read}
        and _recorded(found, "outs") == {path: _version(workspace.root / path) for path in made}
        and found.get("params") == params
        and not _lost(workspace, dataset)
    )


def _recorded(found: Mapping[str, Any], kind: str) -> dict[str, str]:
    return {entry["path"]: entry["md5"] for entry in found.get(kind, ())}


def _version(place: Path) -> str | None:
    if place.is_file():
        return file_md5(place)
    return version(folder_hashes(place)) if place.is_dir() else None


def _lost(workspace: Workspace, dataset: Declaration) -> Path | None:
    """Return an output of a dataset of which DVC's cache lacks a file, or None."""
    for place in (workspace.folder(dataset), workspace.manifests(dataset)):
        hashes = folder_hashes(place)
        if not all(cached(workspace, md5).is_file() for md5 in (version(hashes), *hashes.values())):
            return place
    return None
