"""One MLflow run a made partition: what it read, with which params, from which code, and what came out.

Belongs here: what a partition's run and its child runs say. Not here: how they come into MLflow (outbox.py,
send.py). Tracking fails a partition only where the disk is full: what else goes wrong is a warning in its
log.

An experiment is a dataset, a run is named after its partition. The versions of inputs and output are MLflow
datasets, whose digest is DVC's hash of the folder.
"""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from assets.declare.child_runs import Trainings, Trials
from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.parts import FILES
from orchestration.files.full_disk import DiskFullError, full_disk
from orchestration.files.parquet import TABLES, part_files
from orchestration.messages.failures import describe
from orchestration.mlflow.outbox import TrackedDataset, TrackedModel, TrackedRun, WaitingRun, put
from orchestration.state.addresses import Addresses
from orchestration.state.freshness import flattened
from orchestration.state.git import commit
from orchestration.state.manifests import Manifest, read_manifest
from orchestration.workspace.logins import without_logins
from orchestration.workspace.workspace import Workspace

#: What runs themselves write into the checkout: it does not make the tree another one than the commit.
_WRITTEN = ("dvc.lock", "code.json", "metrics")

#: Of its two kinds of experiments, MLflow shows runs in a table, with their metrics, for this one.
_KIND = {"mlflow.experimentKind": "custom_model_development"}


def track(
    workspace: Workspace,
    item: Declaration,
    month: str,
    manifest: Manifest,
    faults: Mapping[str, Iterable[str]],
    run_id: str,
    seconds: float,
) -> None:
    """Put the run of a partition that was just made into the outbox, with the faults that each check found.

    `run_id` is the Dagster run that made it, in so many seconds. It is a failed run where no manifest was
    written. Whatever goes wrong is a warning in the log of the Dagster run that this is called in; only for a
    full disk this raises DiskFullError.
    """
    try:
        run = _run(workspace, item, month, manifest, faults, run_id, seconds)
        put(
            workspace,
            WaitingRun(item.name, run, {**_KIND, "mlflow.note.content": item.function.__doc__ or ""}),
        )
    except Exception as error:
        if (line := full_disk(error)) is not None:
            raise DiskFullError(errno.ENOSPC, line) from error
        dg.get_dagster_logger().warning(f"not tracked in MLflow: {describe(error)}")


def _run(
    workspace: Workspace,
    item: Declaration,
    month: str,
    manifest: Manifest,
    faults: Mapping[str, Iterable[str]],
    run_id: str,
    seconds: float,
) -> TrackedRun:
    end = int(time.time() * 1000)
    folder, inputs = workspace.folder(item, month), list(_inputs(manifest))
    common = {"mlflow.source.type": "LOCAL", "mlflow.source.name": f"assets: {item.name}", **_git(workspace)}
    trials = _trials(item.trials, folder, common, end) if item.trials else ()
    trainings = _trainings(workspace, item.trains, folder, manifest, common, end) if item.trains else ()
    return TrackedRun(
        name=month or "all",
        status="FINISHED" if read_manifest(workspace, item, month) else "FAILED",
        start=end - int(seconds * 1000),
        end=end,
        params=_params(manifest.key["params"]),
        metrics={**(_counts(manifest) if item.shape else {}), "seconds": seconds},
        tags={
            **common,
            **_tags(workspace, item, month, manifest, run_id),
            **{f"failed check/{name}": "; ".join(texts) for name, texts in faults.items()},
        },
        datasets=[*inputs, _output(workspace, item, month, manifest)],
        children=[*trials, *(replace(training, datasets=inputs) for training in trainings)],
    )


def _params(sections: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: without_logins(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in flattened(sections).items()
    }


def _counts(manifest: Manifest) -> dict[str, float]:
    rows = {name: float(manifest.counts[name]) for name in TABLES}
    reasons = {f"dropped/{reason}": float(number) for reason, number in manifest.counts["reasons"].items()}
    return {**rows, "drop share": rows["dropped"] / (sum(rows.values()) or 1), **reasons}


def _tags(
    workspace: Workspace, item: Declaration, month: str, manifest: Manifest, run_id: str
) -> dict[str, str]:
    addresses = Addresses(workspace)
    links = {
        "Dagster run": addresses.dagster_run(run_id),
        "Dagster partition": addresses.dagster_asset(item.name, month),
        "data-quality page": addresses.page(item.name if item.shape else ""),
    }
    note = ", ".join(f"[{text}]({url})" for text, url in links.items())
    return {
        "partition": month or "all",
        "data version": manifest.version,
        "code version": item.code_version,
        "Dagster run id": run_id,
        **links,
        "mlflow.note.content": f"{label(item, month)}: {item.function.__doc__}\n\n{note}",
    }


def _inputs(manifest: Manifest) -> Iterator[TrackedDataset]:
    for name, versions in manifest.key["inputs"].items():
        for month, version in versions.items():
            place = f"data/{name}/{month}".rstrip("/")
            yield TrackedDataset(f"{name} {month}".strip(), version, "input", json.dumps({"uri": place}))


def _output(workspace: Workspace, item: Declaration, month: str, manifest: Manifest) -> TrackedDataset:
    source = json.dumps({"uri": workspace.shown(workspace.folder(item, month))})
    rows = json.dumps({"num_rows": manifest.counts["kept"]}) if item.shape else None
    return TrackedDataset(label(item, month), manifest.version, "output", source, rows)


def _trials(trials: Trials, folder: Path, tags: Mapping[str, str], end: int) -> Iterator[TrackedRun]:
    """Yield a run for each kept row of a dataset whose rows are trials."""
    for path in part_files(folder, "kept"):
        for row in pq.read_table(path, columns=["id", *trials.params, *trials.metrics]).to_pylist():
            values = {name: row[name] for name in trials.params}
            params = {name: f"{x:g}" if isinstance(x, float) else str(x) for name, x in values.items()}
            yield TrackedRun(
                ", ".join(f"{name}={value}" for name, value in params.items()),
                "FINISHED",
                start=end,
                end=end,
                params=params,
                metrics={name: row[name] for name in trials.metrics if row[name] is not None},
                tags={**tags, "row": row["id"]},
            )


def _trainings(
    workspace: Workspace,
    trains: Trainings,
    folder: Path,
    manifest: Manifest,
    tags: Mapping[str, str],
    end: int,
) -> Iterator[TrackedRun]:
    """Yield a run for each model of a dataset of trained ones: its curve and, of a chosen one, itself."""
    for report in json.loads((folder / FILES / trains.file).read_text()):
        files = workspace.shown(folder / FILES / report["model"])
        model = TrackedModel(trains.kind.module, files, manifest.key["code"]["packages"])
        yield TrackedRun(
            report["model"],
            "FINISHED",
            start=end,
            end=end,
            params=_params({name: value for name, value in report.items() if isinstance(value, (str, dict))}),
            metrics={name: float(value) for name, value in report.items() if type(value) in (int, float)},
            tags={**tags, "chosen": str(report["chosen"]).lower(), "files": files},
            curve=[(point["name"], point["step"], point["value"]) for point in report["curve"]],
            model=model if report["chosen"] else None,
        )


@cache
def _git(workspace: Workspace) -> dict[str, str]:
    """Return the commit that this process began on, and whether the tree was another; {} outside of git."""
    if (found := commit(workspace, besides=_WRITTEN)) is None:
        return {}
    dirty = str(bool(found.changed)).lower()
    return {"mlflow.source.git.commit": found.id, "mlflow.source.git.dirty": dirty}
