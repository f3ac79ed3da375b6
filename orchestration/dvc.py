"""DVC's side of the DAG: dvc.yaml rendered from the asset graph, dvc.lock kept true after Dagster's runs.

Belongs here: rendering stages and committing finished ones. Not here: what a stage runs (stage.py).
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import yaml

from assets.declaration import Declaration
from assets.settings import ROOT, settings
from orchestration import footing, metrics
from orchestration.cache import check_sizes
from orchestration.code import write_code
from orchestration.corpora import corpus
from orchestration.freshness import View
from orchestration.graph import asset_folder, datasets, metrics_file, upstream
from orchestration.lockfile import locked_stages, stage_name
from orchestration.store.publish import write_file

T = TypeVar("T")


class BusyError(RuntimeError):
    """DVC's lock is held by another process."""


#: What every dataset depends on, besides its own sections.
COMMON = ("exclude", "numerics", "partitions", "store")
HEADER = "# Rendered from the asset graph by `make dvc.yaml`: change assets/, not this file.\n"


def render() -> str:
    """Return dvc.yaml: a stage that hashes the code, then one stage a dataset."""
    stages = {"code": _code_stage(), **{stage_name(item): _stage(item) for item in datasets().values()}}
    return HEADER + yaml.safe_dump({"stages": stages}, sort_keys=False, width=110)


def check_rendered() -> None:
    """Raise ValueError when dvc.yaml is not what the asset graph renders to."""
    path = ROOT / "dvc.yaml"
    if not path.exists() or path.read_text() != render():
        raise ValueError("dvc.yaml is stale (an asset or the list of sources changed): run `make dvc.yaml`")


def _code_stage() -> dict[str, Any]:
    return {
        "cmd": "python -m orchestration.code",
        "deps": list(footing.CODE),
        "params": sorted({path for item in datasets().values() for path in item.model_params()}),
        "outs": [{"code.json": {"cache": False, "persist": True}}],
    }


def _stage(item: Declaration) -> dict[str, Any]:
    names = sorted(settings().sources.get(item.records, {})) if item.records else []
    # Templates, so that a corpus of one's own does not make dvc.yaml stale.
    sources = [f"${{sources.{item.records}.{name}.path}}" for name in names]
    stage = {
        "cmd": f"python -m orchestration.stage {item.name}",
        "deps": [*sources, *(_relative(parent) for parent in upstream(item))],
        "params": [*sorted([*COMMON, *item.sections]), {"code.json": [".".join(item.key.path)]}],
        "outs": [{_relative(item): {"persist": True}}],
    }
    if item.shape is not None:
        file = metrics_file(item).relative_to(ROOT).as_posix()
        stage["metrics"] = [{file: {"cache": False, "persist": True}}]
        stage["plots"] = [
            {plot.file.relative_to(ROOT).as_posix(): {"cache": False, "persist": True, **plot.drawn}}
            for plot in metrics.plots(item)
        ]
    return stage


def commit_finished(made: Declaration | None = None) -> list[str]:
    """Commit into dvc.lock every finished stage that is not recorded as it is; return their names.

    A stage is committed only when all its partitions, and those of all its ancestors, are fresh: else DVC
    would call stale partitions up to date, or record a dependency other than its ancestor's output.
    With `made`, nothing is looked at as long as the dataset just worked on is not finished itself.
    """
    view = View()
    if made is not None and not view.complete(made):
        return []
    for name in settings().sources:
        corpus(name).check()
    footing.check()
    write_code()
    due = [item for item in datasets().values() if view.complete(item)]
    for item in due:
        metrics.write(item, view)
        check_sizes(item)
    return _patiently(lambda: _commit(["code", *(stage_name(item) for item in due)]))


def _commit(names: list[str]) -> list[str]:
    """Commit what DVC finds changed; undone when anything moved meanwhile, for then it recorded the new."""
    from dvc.repo import Repo, lock_repo

    logging.getLogger("dvc").setLevel(logging.WARNING)
    path = ROOT / "dvc.lock"
    with Repo(str(ROOT)) as repo, lock_repo(repo):
        former = path.read_bytes() if path.exists() else None
        differing = repo.status()
        moved = [name for name in names if name in differing]
        try:
            # As `dvc commit` does with a stage. Several calls of it would read and write dvc.lock for each.
            stages = {stage.addressing: stage for stage in repo.index.stages}
            for name in moved:
                stages[name].save()
                stages[name].commit()
            if moved:
                stages[moved[0]].dvcfile.dump_stages([stages[name] for name in moved], update_pipeline=False)
                _order_stages()
            footing.check()
        except BaseException:
            if former is None:
                path.unlink(missing_ok=True)
            else:
                write_file(path, former)
            raise
    return moved


def _order_stages() -> None:
    """Bring the stages of dvc.lock into the order of the graph: DVC leaves them in that of their commits."""
    from dvc.utils.serialize import modify_yaml

    known = ["code", *(stage_name(item) for item in datasets().values())]
    found = list(locked_stages())
    wanted = sorted(found, key=lambda name: known.index(name) if name in known else len(known))
    if found != wanted:
        with modify_yaml(str(ROOT / "dvc.lock")) as content:
            for name in wanted:
                content["stages"][name] = content["stages"].pop(name)


def _patiently(action: Callable[[], T], seconds: float = 60) -> T:
    """Call `action` again while another process holds a DVC lock.

    Raises BusyError when that lasts too long, RuntimeError for what DVC itself cannot do.
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
                raise BusyError(message) from error
            time.sleep(0.5)
        except DvcException as error:
            raise RuntimeError(f"dvc.lock was not written: {error}") from error


def _relative(item: Declaration) -> str:
    return asset_folder(item).relative_to(ROOT).as_posix()


def write() -> None:
    """Write dvc.yaml, and leave out of dvc.lock the stages of datasets that are no more."""
    write_file(ROOT / "dvc.yaml", render().encode())
    print("dvc.yaml is rendered from the asset graph", file=sys.stderr)
    gone = sorted(locked_stages().keys() - {"code", *(stage_name(item) for item in datasets().values())})
    if gone:
        from dvc.utils.serialize import modify_yaml

        with modify_yaml(str(ROOT / "dvc.lock")) as content:
            for name in gone:
                del content["stages"][name]
        print(f"no longer in dvc.lock: {', '.join(gone)}", file=sys.stderr)


if __name__ == "__main__":
    from orchestration.command import run

    run(write)
