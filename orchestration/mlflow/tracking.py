"""One MLflow run per made partition: what its manifest and its rows say.

Belongs here: the content of a partition's run and its child runs. Not here: sending (send.py).

An experiment is a dataset, and a run is named after its partition. The versions of inputs and output are
MLflow datasets, whose digests are DVC's hashes of the folders.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset, Trainings, Trials, code_version
from silverloom.assets.declare.graph import label
from silverloom.assets.declare.logins import without_logins
from silverloom.ops.core.parts import FILES, TABLES, part_files
from silverloom.orchestration.state.freshness import Manifest, View, flattened, manifest_file, read_manifest
from silverloom.orchestration.workspace.workspace import WRITTEN, Workspace, commit

#: The tags of a partition's run that identify it, next to its experiment.
IDENTITY = ("partition", "data version", "code version")

#: The most characters of a digest that MLflow stores.
_DIGEST = 36


class MadePartition(NamedTuple):
    """A partition that was made, with its manifest."""

    dataset: Dataset
    partition: str
    manifest: Manifest

    @property
    def identity(self) -> dict[str, str]:
        """The tags that identify its run: what it was made by, and what came out."""
        key = self.manifest.key
        values = (self.partition or "all", self.manifest.version, code_version(key["code"], key["params"]))
        return dict(zip(IDENTITY, values, strict=True))

    def is_intact(self, workspace: Workspace) -> bool:
        """Return whether the rows and files from which its child runs are read are those of the manifest."""
        if not (self.dataset.trials or self.dataset.trains):
            return True
        known = View(workspace).known(self.dataset, self.partition)
        return known is not None and known.version == self.manifest.version


def made_partitions(workspace: Workspace, datasets: Iterable[Dataset]) -> list[MadePartition]:
    """Return the partitions that have a run: all that were made, except those without any unit."""
    made = [
        MadePartition(dataset, partition, manifest)
        for dataset in datasets
        for partition in dataset.made_partitions
        if (manifest := read_manifest(workspace, dataset, partition)) is not None and manifest.passed
    ]
    return [place for place in made if not (place.dataset.partitioned and place.manifest.without_rows)]


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
    folder: Path
    """Its files."""
    packages: Mapping[str, str]
    """The packages that it needs: versions by name."""


@dataclass(frozen=True)
class TrackedRun:
    """One run as MLflow shows it, with its child runs."""

    name: str
    time: int
    """When it was made, in milliseconds since 1970."""
    params: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    datasets: Sequence[TrackedDataset] = ()
    children: Sequence[TrackedRun] = ()
    curve: Sequence[tuple[str, int, float]] = ()
    """Metrics over steps: name, step, value."""
    model: TrackedModel | None = None


def tracked(workspace: Workspace, made: MadePartition, dagster_run: str | None) -> TrackedRun:
    """Return the run of a partition. A manifest has no time, so the time of its file is taken.

    `dagster_run` is the id of the run that made it, if Dagster knows one.
    """
    dataset, partition, manifest = made
    time = manifest_file(workspace, dataset, partition).stat().st_mtime_ns // 1_000_000
    folder, inputs = workspace.folder(dataset, partition), list(_inputs(manifest))
    common = {
        "mlflow.source.type": "LOCAL",
        "mlflow.source.name": f"assets: {dataset.name}",
        **_git(workspace),
    }
    tried = _trials(dataset.trials, folder, common, time) if dataset.trials else ()
    trained = _trainings(workspace, made, dataset.trains, common, time) if dataset.trains else ()
    return TrackedRun(
        name=partition or "all",
        time=time,
        params=_params(manifest.key["params"]),
        metrics=_counts(manifest) if dataset.shape else {},
        tags={**common, **made.identity, **_places(workspace, made, dagster_run)},
        datasets=[*inputs, _output(workspace, made)],
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


def _places(workspace: Workspace, made: MadePartition, dagster_run: str | None) -> dict[str, str]:
    """Return where else the partition is: its Dagster run, if it was made here, and its page."""
    dataset, partition, _ = made
    places = {"Dagster run id": dagster_run, "data-quality page": workspace.page(dataset)}
    known = {name: place for name, place in places.items() if place}
    note = ", ".join(f"{name}: {place}" for name, place in known.items())
    return {
        **known,
        "mlflow.note.content": f"{label(dataset, partition)}: {dataset.function.__doc__}\n\n{note}",
    }


def _inputs(manifest: Manifest) -> Iterator[TrackedDataset]:
    for name, versions in manifest.key["inputs"].items():
        for partition, version in versions.items():
            place = f"data/{name}/{partition}".rstrip("/")
            digest = version[:_DIGEST]  # the joint version of all partitions is longer
            yield TrackedDataset(f"{name} {partition}".strip(), digest, "input", json.dumps({"uri": place}))


def _output(workspace: Workspace, made: MadePartition) -> TrackedDataset:
    dataset, partition, manifest = made
    source = json.dumps({"uri": workspace.shown(workspace.folder(dataset, partition))})
    rows = json.dumps({"num_rows": manifest.counts["kept"]}) if dataset.shape else None
    return TrackedDataset(label(dataset, partition), manifest.version, "output", source, rows)


def _trials(trials: Trials, folder: Path, tags: Mapping[str, str], time: int) -> Iterator[TrackedRun]:
    """Yield a run for each kept row of a dataset whose rows are trials."""
    for path in part_files(folder, "kept"):
        for row in pq.read_table(path, columns=["id", *trials.params, *trials.metrics]).to_pylist():
            values = {name: row[name] for name in trials.params}
            params = {name: f"{x:g}" if isinstance(x, float) else str(x) for name, x in values.items()}
            yield TrackedRun(
                ", ".join(f"{name}={value}" for name, value in params.items()),
                time,
                params=params,
                metrics={name: row[name] for name in trials.metrics if row[name] is not None},
                tags={**tags, "row": row["id"]},
            )


def _trainings(
    workspace: Workspace, made: MadePartition, trains: Trainings, tags: Mapping[str, str], time: int
) -> Iterator[TrackedRun]:
    """Yield a run for each trained model of a dataset: its curve and, for the chosen ones, the model."""
    folder = workspace.folder(made.dataset, made.partition) / FILES
    for report in json.loads((folder / trains.file).read_text()):
        files = folder / report["model"]
        model = TrackedModel(trains.kind.module, files, made.manifest.key["code"]["packages"])
        yield TrackedRun(
            report["model"],
            time,
            params=_params({name: value for name, value in report.items() if isinstance(value, (str, dict))}),
            metrics={name: float(value) for name, value in report.items() if type(value) in (int, float)},
            tags={**tags, "chosen": str(report["chosen"]).lower(), "files": workspace.shown(files)},
            curve=[(point["name"], point["step"], point["value"]) for point in report["curve"]],
            model=model if report["chosen"] else None,
        )


@cache
def _git(workspace: Workspace) -> dict[str, str]:
    """Return the commit that is checked out, and whether the tree was dirty; {} outside git."""
    if (head := commit(workspace, besides=WRITTEN)) is None:
        return {}
    dirty = str(bool(head.changed)).lower()
    return {"mlflow.source.git.commit": head.id, "mlflow.source.git.dirty": dirty}


#: The longest name that MLflow takes (mlflow.utils.validation).
LONGEST = 250

T = TypeVar("T")


def accepted(values: Mapping[str, T]) -> dict[str, T]:
    """Return values under names that MLflow accepts, numbering names that become the same.

    MLflow accepts letters, digits and some punctuation, and no path that could be shortened.
    """
    renamed: dict[str, T] = {}
    for name, value in values.items():
        plain = re.sub(r"(^|/)(?=\.?(/|$)|\.\.)", r"\1_", re.sub(r"[^\w.\-:/ ]", "_", name))
        ends = itertools.chain([""], (f" {number}" for number in itertools.count(2)))
        keys = (plain[: LONGEST - len(end)].rstrip("/") + end for end in ends)
        renamed[next(key for key in keys if key not in renamed)] = value
    return renamed
