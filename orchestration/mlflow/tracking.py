"""One MLflow run a made partition: what it read, with which params, from which code, and what came out.

Belongs here: what a partition's run and its child runs say, and finding them again. Not here: the store's
tables (store/mlflow_store.py). Tracking fails a partition only where the disk is full: what else goes wrong
is a warning in its log.

An experiment is a dataset, a run is named after its partition. The versions of inputs and output are MLflow
datasets, whose digest is DVC's hash of the folder.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from assets.declare.child_runs import Trials
from assets.declare.declaration import Declaration
from assets.declare.graph import label
from orchestration.files.damage import make_folder
from orchestration.files.full_disk import DiskFullError, full_disk
from orchestration.files.parquet import TABLES
from orchestration.messages.failures import describe
from orchestration.mlflow import store as mlflow_store
from orchestration.mlflow.store import Experiment, Run, Table, Written
from orchestration.state.addresses import Addresses
from orchestration.state.freshness import flattened
from orchestration.state.records import Record, read_record
from orchestration.workspace.workspace import Workspace

#: What runs themselves write into the checkout: it does not make the tree another one than the commit.
_WRITTEN = ("dvc.lock", "code.json", "metrics")


def track(
    workspace: Workspace, item: Declaration, month: str, record: Record, faults: Mapping[str, Iterable[str]]
) -> None:
    """Write the run of a partition that was just made, with the faults that checks found, by check.

    It is a failed run where no record of the partition was written. Whatever goes wrong is a warning in the
    log of the Dagster run that this is called in; only for a full disk this raises DiskFullError.
    """
    try:
        make_folder(workspace.mlflow_store.parent)
        with tempfile.TemporaryDirectory(dir=workspace.mlflow_store.parent) as staging:
            run = _run(workspace, item, month, record, faults, Path(staging))
            mlflow_store.write(workspace.mlflow_store, _experiment(item), run)
    except Exception as error:
        if (line := full_disk(error)) is not None:
            raise DiskFullError(errno.ENOSPC, line) from error
        dg.get_dagster_logger().warning(
            f"not tracked in MLflow: {describe(error)} ({workspace.shown(workspace.mlflow_store)})"
        )


def find(workspace: Workspace, item: Declaration, month: str, record: Record) -> str | None:
    """Return the address of the latest run that made this version of a partition; None for none."""
    tags = {"partition": month or "all", "data version": record.version}
    try:
        found = mlflow_store.find(workspace.mlflow_store, item.name, tags)
    except Exception:  # a link is left out: what is wrong with the store is said where runs are written
        return None
    return _address(workspace, found)


def latest(workspace: Workspace, name: str, month: str) -> str | None:
    """Return the address of the latest run of a partition. Raises sqlite3.Error for a broken store."""
    return _address(workspace, mlflow_store.find(workspace.mlflow_store, name, {"partition": month or "all"}))


def _address(workspace: Workspace, found: Written | None) -> str | None:
    return Addresses(workspace).mlflow_run(found.experiment_id, found.run_id) if found else None


def _experiment(item: Declaration) -> Experiment:
    # Of its two kinds, MLflow shows runs in a table, with their metrics beside each other, for this one.
    kind = {"mlflow.experimentKind": "custom_model_development"}
    return Experiment(item.name, {**kind, "mlflow.note.content": item.function.__doc__ or ""})


def _run(
    workspace: Workspace,
    item: Declaration,
    month: str,
    record: Record,
    faults: Mapping[str, Iterable[str]],
    staging: Path,
) -> Run:
    end = int(time.time() * 1000)
    common = {"mlflow.source.type": "LOCAL", "mlflow.source.name": f"assets: {item.name}", **_git(workspace)}
    return Run(
        name=month or "all",
        status="FINISHED" if read_record(workspace, item, month) else "FAILED",
        start=end - int((record.seconds or 0) * 1000),
        end=end,
        params=_params(record.key["params"]),
        metrics=_metrics(record) if item.shape else {"seconds": record.seconds or 0.0},
        tags={**common, **_tags(workspace, item, month, record), **_faults(faults)},
        tables=[*_inputs(record), _output(workspace, item, month, record)],
        children=[
            *(_children(item.trials, workspace.folder(item, month), common, end) if item.trials else ()),
            *_trainings(workspace, item, workspace.folder(item, month), record, common, end, staging),
        ],
    )


def _params(sections: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in flattened(sections).items()
    }


def _metrics(record: Record) -> dict[str, float]:
    rows = {name: float(record.counts[name]) for name in TABLES}
    return {
        **rows,
        "drop share": rows["dropped"] / (sum(rows.values()) or 1),
        **{f"dropped/{reason}": float(number) for reason, number in record.counts["reasons"].items()},
        "seconds": record.seconds or 0.0,
    }


def _tags(workspace: Workspace, item: Declaration, month: str, record: Record) -> dict[str, str]:
    addresses = Addresses(workspace)
    links = {
        "Dagster run": addresses.dagster_run(record.run_id or ""),
        "Dagster partition": addresses.dagster_asset(item.name, month),
        "data-quality page": addresses.page(item.name if item.shape else ""),
    }
    note = ", ".join(f"[{text}]({url})" for text, url in links.items())
    return {
        "partition": month or "all",
        "data version": record.version,
        "code version": item.code_version,
        "Dagster run id": record.run_id or "",
        **links,
        "mlflow.note.content": f"{label(item, month)}: {item.function.__doc__}\n\n{note}",
    }


def _faults(faults: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {f"failed check/{name}": "; ".join(texts) for name, texts in faults.items()}


def _inputs(record: Record) -> Iterator[Table]:
    for name, versions in record.key["inputs"].items():
        for month, version in versions.items():
            place = f"data/{name}/{month}".rstrip("/")
            yield Table(f"{name} {month}".strip(), version, "input", json.dumps({"uri": place}))


def _output(workspace: Workspace, item: Declaration, month: str, record: Record) -> Table:
    source = json.dumps({"uri": workspace.shown(workspace.folder(item, month))})
    rows = json.dumps({"num_rows": record.counts["kept"]}) if item.shape else None
    return Table(label(item, month), record.version, "output", source, rows)


def _children(trials: Trials, place: Path, tags: Mapping[str, str], end: int) -> Iterator[Run]:
    """Yield a run for each kept row of a dataset whose rows are trials."""
    for path in sorted(place.glob("kept-*.parquet")):
        for row in pq.read_table(path, columns=["id", *trials.params, *trials.metrics]).to_pylist():
            params = {name: _short(row[name]) for name in trials.params}
            yield Run(
                name=", ".join(f"{name}={value}" for name, value in params.items()),
                status="FINISHED",
                start=end,
                end=end,
                params=params,
                metrics={name: row[name] for name in trials.metrics if row[name] is not None},
                tags={**tags, "row": row["id"]},
            )


def _trainings(
    workspace: Workspace,
    item: Declaration,
    place: Path,
    record: Record,
    tags: Mapping[str, str],
    end: int,
    staging: Path,
) -> Iterator[Run]:
    """Yield a run for each model of a dataset of trained ones: its curve and, of a chosen one, itself."""
    trains = item.trains
    if trains is None:
        return
    for number, model in enumerate(json.loads((place / trains.file).read_text())):
        folder = None
        if model["chosen"]:
            from orchestration.mlflow.models import save_model

            folder = staging / str(number) / "model"
            folder.parent.mkdir()
            packages = record.key["code"]["packages"].items()
            save_model(trains.kind, place / model["model"], folder, packages)
        told = {name: value for name, value in model.items() if isinstance(value, (int, float))}
        yield Run(
            name=model["model"],
            status="FINISHED",
            start=end,
            end=end,
            params=_params({name: value for name, value in model.items() if isinstance(value, (str, dict))}),
            metrics={name: float(value) for name, value in told.items() if not isinstance(value, bool)},
            tags={
                **tags,
                "chosen": str(model["chosen"]).lower(),
                "files": workspace.shown(place / model["model"]),
            },
            tables=[*_inputs(record)],
            curve=[(point["name"], point["step"], point["value"]) for point in model["curve"]],
            artifacts=folder,
        )


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _git(workspace: Workspace) -> dict[str, str]:
    """Return the commit that this process began on, and whether the tree was another; {} outside of git."""
    kept_out = [f":(exclude){path}" for path in _WRITTEN]
    try:
        commit = _ask_git(workspace, "rev-parse", "HEAD")
        dirty = bool(_ask_git(workspace, "status", "--porcelain", "--", ".", *kept_out))
    except (OSError, subprocess.SubprocessError):
        return {}
    return {"mlflow.source.git.commit": commit, "mlflow.source.git.dirty": str(dirty).lower()}


def _ask_git(workspace: Workspace, *command: str) -> str:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    done = subprocess.run(
        ["git", *command],
        cwd=workspace.root,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=20,
    )
    return done.stdout.strip()
