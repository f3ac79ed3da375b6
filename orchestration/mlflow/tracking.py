"""One MLflow run per made partition: its inputs, params, code, and results.

Belongs here: the content of a partition's run and its child runs, and the outbox, which has a file for each
run to be sent. Not here: sending (send.py). Tracking fails a partition only if the disk is full; any other
error is a warning in its log.

An experiment is a dataset, and a run is named after its partition. The versions of inputs and output are
MLflow datasets, whose digests are DVC's hashes of the folders.
"""

from __future__ import annotations

import errno
import itertools
import json
import re
import time
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import dagster as dg
import pyarrow.parquet as pq
from pydantic import ConfigDict, TypeAdapter

import ops
from assets.declare.declaration import Declaration, Trainings, Trials
from assets.declare.graph import label
from assets.declare.logins import without_logins
from ops.core.parts import FILES, TABLES, part_files
from orchestration.files.damage import DamagedError
from orchestration.files.full_disk import DiskFullError, full_disk
from orchestration.files.publish import writing
from orchestration.messages import describe
from orchestration.state.addresses import page_file
from orchestration.state.freshness import Manifest, flattened
from orchestration.workspace.workspace import Workspace, commit

#: The most characters of a digest that MLflow stores.
_DIGEST = 36

#: What runs themselves write into the checkout; these do not make the tree dirty.
_WRITTEN = ("dvc.lock", "code.json", "metrics")

#: MLflow has two kinds of experiments; for this one, it shows runs in a table with their metrics.
_KIND = {"mlflow.experimentKind": "custom_model_development"}


def track(
    workspace: Workspace,
    dataset: Declaration,
    partition: str,
    manifest: Manifest,
    made: bool,
    faults: Mapping[str, Iterable[str]],
    run_id: str,
    seconds: float,
) -> None:
    """Put the run of a partition that was just made into the outbox, with the faults found by each check.

    `run_id` is the Dagster run and `seconds` its duration. If a check rejected the partition (`made` is
    False), the run is marked as failed, without trials and models. Errors are warnings in the log of the
    current Dagster run; only a full disk raises, with DiskFullError.
    """
    try:
        run = _run(workspace, dataset, partition, manifest, made, faults, run_id, seconds)
        put(
            workspace,
            WaitingRun(dataset.name, run, {**_KIND, "mlflow.note.content": dataset.function.__doc__ or ""}),
        )
    except Exception as error:
        if (line := full_disk(error)) is not None:
            raise DiskFullError(errno.ENOSPC, line) from error
        dg.get_dagster_logger().warning(f"could not be tracked in MLflow: {describe(error)}")


def _run(
    workspace: Workspace,
    dataset: Declaration,
    partition: str,
    manifest: Manifest,
    made: bool,
    faults: Mapping[str, Iterable[str]],
    run_id: str,
    seconds: float,
) -> TrackedRun:
    end = int(time.time() * 1000)
    folder, inputs = workspace.folder(dataset, partition), list(_inputs(manifest))
    common = {
        "mlflow.source.type": "LOCAL",
        "mlflow.source.name": f"assets: {dataset.name}",
        **_git(workspace),
    }
    trials, trains = (dataset.trials, dataset.trains) if made else (None, None)
    tried = _trials(trials, folder, common, end) if trials else ()
    trained = _trainings(workspace, trains, folder, manifest, common, end) if trains else ()
    return TrackedRun(
        name=partition or "all",
        status="FINISHED" if made else "FAILED",
        start=end - int(seconds * 1000),
        end=end,
        params=_params(manifest.key["params"]),
        metrics={**(_counts(manifest) if dataset.shape else {}), "seconds": seconds},
        tags={
            **common,
            **_tags(workspace, dataset, partition, manifest, run_id),
            **{f"failed check/{name}": "; ".join(texts) for name, texts in faults.items()},
        },
        datasets=[*inputs, _output(workspace, dataset, partition, manifest)],
        children=[*tried, *(replace(training, datasets=inputs) for training in trained)],
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
    workspace: Workspace, dataset: Declaration, partition: str, manifest: Manifest, run_id: str
) -> dict[str, str]:
    places = {"Dagster run id": run_id, "data-quality page": page_file(workspace, dataset)}
    note = ", ".join(f"{name}: {place}" for name, place in places.items())
    return {
        "partition": partition or "all",
        "data version": manifest.version,
        "code version": dataset.code_version,
        **places,
        "mlflow.note.content": f"{label(dataset, partition)}: {dataset.function.__doc__}\n\n{note}",
    }


def _inputs(manifest: Manifest) -> Iterator[TrackedDataset]:
    for name, versions in manifest.key["inputs"].items():
        for partition, version in versions.items():
            place = f"data/{name}/{partition}".rstrip("/")
            digest = version[:_DIGEST]  # the joint version of all partitions is longer
            yield TrackedDataset(f"{name} {partition}".strip(), digest, "input", json.dumps({"uri": place}))


def _output(workspace: Workspace, dataset: Declaration, partition: str, manifest: Manifest) -> TrackedDataset:
    source = json.dumps({"uri": workspace.shown(workspace.folder(dataset, partition))})
    rows = json.dumps({"num_rows": manifest.counts["kept"]}) if dataset.shape else None
    return TrackedDataset(label(dataset, partition), manifest.version, "output", source, rows)


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
    """Yield a run for each trained model of a dataset: its curve and, for the chosen ones, the model."""
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
    """Return the commit at which this process began, and whether the tree was dirty; {} outside git."""
    if (found := commit(workspace, besides=_WRITTEN)) is None:
        return {}
    dirty = str(bool(found.changed)).lower()
    return {"mlflow.source.git.commit": found.id, "mlflow.source.git.dirty": dirty}


_RUN, _OPS = "run.json", "ops"


@dataclass(frozen=True)
class TrackedDataset:
    """A version of a dataset that a run read or made."""

    name: str
    digest: str
    context: str
    """`input` or `output`."""
    source: str
    """JSON with its location."""
    profile: str | None = None
    """JSON with its size."""


@dataclass(frozen=True)
class TrackedModel:
    """A trained model that becomes an artifact of its run."""

    kind: str
    """The module that defines its KIND."""
    folder: str
    """Its files, relative to the checkout."""
    packages: Mapping[str, str]
    """The packages that it needs: versions by name."""


@dataclass(frozen=True)
class TrackedRun:
    """One run as MLflow shows it, with its child runs."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(ser_json_inf_nan="constants")

    name: str
    status: str
    start: int
    """Milliseconds since 1970, as `end` is."""
    end: int
    params: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    datasets: Sequence[TrackedDataset] = ()
    children: Sequence[TrackedRun] = ()
    curve: Sequence[tuple[str, int, float]] = ()
    """Metrics over steps: name, step, value."""
    model: TrackedModel | None = None


@dataclass(frozen=True)
class WaitingRun:
    """A run with its experiment, and the tags with which to create the experiment."""

    experiment: str
    run: TrackedRun
    experiment_tags: Mapping[str, str] = field(default_factory=dict)


_WAITING = TypeAdapter(WaitingRun)


def outbox(workspace: Workspace) -> Path:
    """Return the outbox folder. Runs for a server are kept outside a DVC experiment's temporary folder."""
    kept = workspace if workspace.tracked_here else workspace.enclosing
    return kept.state / "outbox"


def waiting(workspace: Workspace) -> list[Path]:
    """Return the files in the outbox, oldest first."""
    return sorted(outbox(workspace).glob("[!.]*.zip"))


def put(workspace: Workspace, entry: WaitingRun) -> Path:
    """Write a run into the outbox, whole or not at all. Raises DiskFullError."""
    path = outbox(workspace) / f"{time.time_ns()}-{uuid.uuid4().hex[:12]}.zip"
    models = [child.model for child in entry.run.children if child.model]
    with writing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(_RUN, _WAITING.dump_json(entry))
        for model in models:
            _add(archive, workspace.root / model.folder, model.folder)
        if models:
            _add(archive, Path(next(iter(ops.__path__))), _OPS)
    return path


def take(path: Path, folder: Path) -> WaitingRun:
    """Return the run in a file, and unpack the rest of the file. Raises DamagedError."""
    if not path.is_file():
        raise DamagedError("it is not a regular file")
    try:
        with zipfile.ZipFile(path) as archive:
            entry = _WAITING.validate_json(archive.read(_RUN))
            archive.extractall(folder)
    except (zipfile.BadZipFile, LookupError, ValueError, EOFError, PermissionError) as error:
        raise DamagedError(error) from None
    return entry


def _add(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")


#: The longest name that MLflow takes (mlflow.utils.validation).
LONGEST = 250

T = TypeVar("T")


def accepted(values: Mapping[str, T]) -> dict[str, T]:
    """Return values under names that MLflow accepts, numbering names that become the same.

    MLflow accepts letters, digits and some punctuation, and no path that could be shortened.
    """
    found: dict[str, T] = {}
    for name, value in values.items():
        plain = re.sub(r"(^|/)(?=\.?(/|$)|\.\.)", r"\1_", re.sub(r"[^\w.\-:/ ]", "_", name))
        ends = itertools.chain([""], (f" {number}" for number in itertools.count(2)))
        keys = (plain[: LONGEST - len(end)].rstrip("/") + end for end in ends)
        found[next(key for key in keys if key not in found)] = value
    return found
