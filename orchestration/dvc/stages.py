"""DVC's side of the DAG: dvc.yaml rendered from the asset graph, dvc.lock kept true after Dagster's runs.

Belongs here: rendering stages and committing finished ones. Not here: what a stage runs (drivers/dvc.py).
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from assets.declare.declaration import Declaration
from assets.declare.settings import document
from orchestration.dvc import metrics
from orchestration.dvc.code import write_code
from orchestration.files.publish import write_file
from orchestration.state import input_snapshot
from orchestration.state.corpora import check_versions
from orchestration.state.dvc_cache import check_sizes
from orchestration.state.dvc_lock import check_lock, lock_copy, locked_stages, remember, stage_name
from orchestration.state.freshness import View
from orchestration.workspace.workspace import Workspace

T = TypeVar("T")


#: What every dataset depends on, besides its own sections.
COMMON = ("exclude", "numerics", "partitions", "store")
#: What DVC says of the stage that hashes the code, where nothing is to be committed of it.
_ALWAYS = ["always changed"]
HEADER = "# Rendered from the asset graph by `make dvc.yaml`: change assets/, not this file.\n"


def render(workspace: Workspace) -> str:
    """Return dvc.yaml: a stage that hashes the code, then one stage a dataset.

    DVC can compare files alone, and a comment changes a file. So the first stage depends on none and always
    runs: the others depend on the hashes that it writes.
    """
    code = {
        "cmd": "silverloom code",
        "always_changed": True,
        "outs": [{"code.json": {"cache": False, "persist": True}}],
    }
    stages = {stage_name(item): _stage(workspace, item) for item in workspace.datasets.values()}
    stages = {"code": code, **stages}
    return HEADER + yaml.dump({"stages": stages}, Dumper=yaml.CSafeDumper, sort_keys=False, width=110)


def check_rendered(workspace: Workspace) -> None:
    """Raise ValueError when dvc.yaml is not what the asset graph renders to."""
    path = workspace.root / "dvc.yaml"
    if not path.exists() or path.read_text() != render(workspace):
        raise ValueError("dvc.yaml is stale (an asset or the list of sources changed): run `make dvc.yaml`")


def _given(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """Return what DVC is to watch of params.yaml for some paths, sorted.

    DVC knows no defaults: what it watches must be there. A top-level section that is left out is not
    watched; one that lacks anything of what datasets read is watched as a whole, so that dvc.yaml stays the
    same when a key is added.
    """
    datasets = workspace.datasets.values()
    read = {path for item in datasets for path in item.sections}
    partial = {path.partition(".")[0] for path in read if not _stands(path)}
    tops = {path: path.partition(".")[0] for path in paths}
    return sorted({top if top in partial else path for path, top in tops.items() if top in document()})


def _stands(path: str) -> bool:
    """Tell whether params.yaml has a value at a dotted path."""
    value: Any = document()
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


def _stage(workspace: Workspace, item: Declaration) -> dict[str, Any]:
    names = sorted(workspace.settings.folders(item.records)) if item.records else []
    # Templates, so that a corpus of one's own does not make dvc.yaml stale.
    sources = [f"${{sources.{item.records}.{name}.path}}" for name in names]
    upstream = [workspace.shown(workspace.folder(dataset)) for dataset in workspace.graph.upstream(item)]
    stage: dict[str, Any] = {
        "cmd": f"silverloom stage {item.name}",
        "deps": [*sources, *upstream],
        "params": [*_given(workspace, [*COMMON, *item.sections]), {"code.json": [".".join(item.key.path)]}],
        "outs": [{workspace.shown(workspace.folder(item)): {"persist": True}}],
    }
    if item.shape is not None:
        file = workspace.shown(workspace.metrics_file(item))
        if item.scores:
            scores = workspace.shown(metrics.scores_file(workspace, item))
            stage["outs"].append({scores: {"cache": False, "persist": True}})
        stage["metrics"] = [{file: {"cache": False, "persist": True}}]
        stage["plots"] = [
            {workspace.shown(plot.file): {"cache": False, "persist": True, **plot.drawn}}
            for plot in metrics.plots(workspace, item)
        ]
    return stage


def commit_finished(workspace: Workspace, made: Declaration | None = None) -> list[str]:
    """Commit into dvc.lock every finished stage that is not recorded as it is; return their names.

    A stage is committed only when all its partitions, and those of all its ancestors, are fresh: else DVC
    would call stale partitions up to date, or record a dependency other than its ancestor's output. What
    others hold goes into DVC's cache alone (`keep_uncommitted`).
    With `made`, nothing else is looked at as long as the dataset just worked on is not finished itself.
    """
    view = View(workspace)
    if made is not None and not view.complete(made):
        keep_uncommitted(workspace, made)
        return []
    check_versions(workspace)
    input_snapshot.check(workspace)
    write_code(workspace)
    due = [item for item in workspace.datasets.values() if view.complete(item)]
    for item in due:
        metrics.write(item, view)
        check_sizes(workspace, item)
    return _patiently(lambda: _commit(workspace, ["code", *(stage_name(item) for item in due)]))


def _commit(workspace: Workspace, names: list[str]) -> list[str]:
    """Commit what DVC finds changed; nothing is written when anything moved meanwhile: DVC hashed the new."""
    from dvc.repo import Repo, lock_repo

    logging.getLogger("dvc").setLevel(logging.WARNING)
    with Repo(str(workspace.root)) as repo, lock_repo(repo):
        check_lock(workspace)  # nothing is committed over a damaged file
        _drop_broken_rwlock(repo)
        differing = repo.status()
        moved = [name for name in names if differing.get(name, _ALWAYS) != _ALWAYS]
        # As `dvc commit` does with a stage, but for dvc.lock, which DVC would write in place.
        stages = {stage.addressing: stage for stage in repo.index.stages}
        for name in moved:
            _save(stages[name])
        for name in differing.keys() - set(names):
            _keep(stages[name])
        input_snapshot.check(workspace)
        if moved:
            _write_lock(workspace, [stages[name] for name in moved])
        remember(workspace)
    return moved


def keep_uncommitted(workspace: Workspace, made: Declaration | None = None, seconds: float = 60) -> None:
    """Bring into DVC's cache what datasets hold that dvc.lock does not record, of all or of one.

    `dvc checkout` replaces only what its cache has: it is to bring back what was committed after an
    unfinished run, too. Waits some `seconds` at most for another process that holds DVC's lock.
    """

    def keep() -> None:
        from dvc.repo import Repo, lock_repo

        with Repo(str(workspace.root)) as repo, lock_repo(repo):
            stages = {stage.addressing: stage for stage in repo.index.stages}
            for name in repo.status() if made is None else [stage_name(made)]:
                _keep(stages[name])

    _patiently(keep, seconds)


@contextlib.contextmanager
def kept_when_interrupted(workspace: Workspace, made: Declaration | None = None) -> Iterator[None]:
    """Do so when Ctrl-C ends the block."""
    try:
        yield
    except KeyboardInterrupt:
        keep_uncommitted(workspace, made, seconds=5)
        raise


def _keep(stage: Any) -> None:
    """Bring the outputs of a stage into DVC's cache as they are."""
    for out in stage.outs:
        if out.use_cache and out.exists:
            with contextlib.suppress(FileNotFoundError):  # another process makes it, and keeps it afterwards
                out.save()
                out.commit()


def _drop_broken_rwlock(repo: Any) -> None:
    """Remove the list of who reads and writes which path, if a full disk or a kill left a part of it.

    DVC writes it in place, and refuses all work as long as it cannot be read.
    """
    from dvc.lock import make_lock

    path = Path(repo.tmp_dir, "rwlock")
    hardlink = repo.config["core"].get("hardlink_lock", False)
    with make_lock(f"{path}.lock", tmp_dir=repo.tmp_dir, hardlink_lock=hardlink):
        try:
            json.loads(path.read_text())
        except FileNotFoundError:
            pass
        except ValueError:
            path.unlink()


def _save(stage: Any) -> None:
    """Hash what a stage made and bring it into DVC's cache. Raises RuntimeError where that does not hold all.

    DVC only logs that a file could not be copied, and would commit the stage all the same.
    """
    failures: list[BaseException] = []

    def collect(record: logging.LogRecord) -> bool:
        failures.extend(error for error in (record.exc_info or ())[1:2] if isinstance(error, BaseException))
        return False

    log = logging.getLogger("dvc_data.hashfile.transfer")
    log.addFilter(collect)
    try:
        stage.save(run_cache=False)  # it takes no stage whose outputs persist, but would hash all of it
        stage.commit()
    finally:
        log.removeFilter(collect)
    for out in stage.outs:
        if out.use_cache and out.changed_cache():
            message = f"dvc.lock was not written: DVC's cache did not take all of {out}"
            raise RuntimeError(message) from next(iter(failures), None)


def _write_lock(workspace: Workspace, committed: Sequence[Any], gone: Sequence[str] = ()) -> None:
    """Write dvc.lock, whole, with the entries of stages just committed and without those that are no more.

    The caller holds DVC's lock. DVC leaves entries in the order of their commits, here they stand in that of
    the graph; else the bytes are those that DVC writes.
    """
    from dvc.stage.serialize import to_lockfile
    from dvc.utils.serialize import dumps_yaml, parse_yaml

    former = workspace.lock.read_text() if workspace.lock.exists() else ""
    content = parse_yaml(former, str(workspace.lock)) or {"schema": "2.0", "stages": {}}
    entries = dict(content["stages"])
    for stage in committed:
        entries.update(to_lockfile(stage))
    order = {name: place for place, name in enumerate(_stage_names(workspace))}
    kept = [name for name in entries if name not in gone]
    kept.sort(key=lambda name: order.get(name, len(order)))
    content["stages"] = {name: entries[name] for name in kept}
    if gone or not former:
        remember(workspace, b"")  # what will be missing is meant, also should this process end in between
    for path in (workspace.lock, lock_copy(workspace)):  # what a killed commit left
        for leftover in path.parent.glob(f".{path.name}.*"):
            leftover.unlink()
    write_file(workspace.lock, dumps_yaml(content).encode())


def _stage_names(workspace: Workspace) -> list[str]:
    return ["code", *(stage_name(item) for item in workspace.datasets.values())]


def _patiently(action: Callable[[], T], seconds: float = 60) -> T:
    """Call `action` again while another process holds a DVC lock.

    Raises RuntimeError when that lasts too long, and for what DVC itself cannot do.
    """
    from dvc.exceptions import DvcException
    from dvc.lock import LockError

    end = time.monotonic() + seconds
    while True:
        try:
            return action()
        except LockError as error:
            if time.monotonic() > end:
                message = "another process holds DVC's lock; what was made is kept, run again to commit it"
                raise RuntimeError(message) from error
            time.sleep(0.5)
        except DvcException as error:
            raise RuntimeError(f"dvc.lock was not written: {error}") from error


def write(workspace: Workspace) -> None:
    """Write dvc.yaml, and leave out of dvc.lock the stages of datasets that are no more."""
    write_file(workspace.root / "dvc.yaml", render(workspace).encode())
    print("dvc.yaml is rendered from the asset graph", file=sys.stderr)
    if gone := _patiently(lambda: _drop_stages(workspace)):
        stages = "1 stage" if len(gone) == 1 else f"{len(gone)} stages"
        print(f"no longer in dvc.lock: {stages}; see `git diff dvc.lock`", file=sys.stderr)


def _drop_stages(workspace: Workspace) -> list[str]:
    """Leave out of dvc.lock the stages that are none; return their names."""
    if not set(locked_stages(workspace)) - set(_stage_names(workspace)):
        return []
    from dvc.repo import Repo, lock_repo

    with Repo(str(workspace.root)) as repo, lock_repo(repo):
        gone = sorted(locked_stages(workspace).keys() - set(_stage_names(workspace)))
        _write_lock(workspace, [], gone)
    return gone
