"""One MLflow run per made partition: what its manifest and its rows say.

Belongs here: the content of a partition's run and its child runs. Not here: sending (send.py).

A run is named after its dataset and partition. The versions of inputs and output are MLflow datasets, whose
digests are DVC's hashes of the folders, and whose sources are the folders.
"""

from __future__ import annotations

import inspect
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset, Trainings, Trials, code_version
from silverloom.assets.declare.graph import label
from silverloom.assets.declare.logins import without_logins
from silverloom.ops.core.outcome import required
from silverloom.ops.core.parts import FILES, TABLES, part_files
from silverloom.orchestration.state.freshness import Manifest, View, flattened, manifest_file, read_manifest
from silverloom.orchestration.workspace.workspace import WRITTEN, Workspace, commit

#: The tags that identify a partition's run.
IDENTITY = ("dataset", "partition", "data version", "code version")

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
        version = code_version(key["code"], key["params"])
        values = (self.dataset.name, self.partition or "all", self.manifest.version, version)
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
    """The path of its folder in the project."""
    schema: pa.Schema | None = None
    """The columns of its kept rows."""
    profile: str | None = None
    """JSON with its size."""


@dataclass(frozen=True)
class TrackedModel:
    """A trained model that its run logs and registers."""

    name: str
    kind: str
    """The module that defines its KIND."""
    folder: Path
    """Its files."""
    source: str
    """Their path in the project."""
    packages: Mapping[str, str]
    """The packages that it needs: versions by name."""
    params: Mapping[str, str]
    tags: Mapping[str, str]


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
    folder, inputs = workspace.folder(dataset, partition), list(_inputs(workspace, manifest))
    common = {
        "mlflow.source.type": "LOCAL",
        "mlflow.source.name": f"assets: {dataset.name}",
        **_git(workspace),
    }
    own = {**common, IDENTITY[0]: dataset.name}  # not all of them: a child run does not count as sent
    tried = _trials(dataset.trials, folder, own, time) if dataset.trials else ()
    trained = _trainings(workspace, made, dataset.trains, own, time) if dataset.trains else ()
    return TrackedRun(
        name=f"{dataset.key.asset} {partition}".strip(),
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
        "mlflow.note.content": f"{label(dataset, partition)}: {inspect.getdoc(dataset.function)}\n\n{note}",
    }


def _inputs(workspace: Workspace, manifest: Manifest) -> Iterator[TrackedDataset]:
    for name, versions in manifest.key["inputs"].items():
        upstream = workspace.datasets.get(name)
        columns = upstream.shape.kept if upstream and upstream.shape else None
        for partition, version in versions.items():
            place = f"data/{name}/{partition}".rstrip("/*")
            digest = version[:_DIGEST]  # the joint version of all partitions is longer
            yield TrackedDataset(f"{name} {partition}".strip(), digest, "input", place, columns)


def _output(workspace: Workspace, made: MadePartition) -> TrackedDataset:
    dataset, partition, manifest = made
    source = workspace.shown(workspace.folder(dataset, partition))
    columns, rows = None, None
    if dataset.shape:
        columns, rows = dataset.shape.kept, json.dumps({"num_rows": manifest.counts["kept"]})
    return TrackedDataset(label(dataset, partition), manifest.version, "output", source, columns, rows)


def entity(dataset: TrackedDataset) -> Any:
    """Return MLflow's entity of a dataset."""
    from mlflow.data.meta_dataset import MetaDataset
    from mlflow.data.sources import LocalArtifactDatasetSource
    from mlflow.entities import Dataset as Entity
    from mlflow.types import ColSpec, Schema

    columns = None
    if dataset.schema is not None:
        always = required(dataset.schema)
        columns = Schema(
            [ColSpec(_type(field.type), field.name, field.name in always) for field in dataset.schema]
        )
    source = LocalArtifactDatasetSource(dataset.source)
    content = MetaDataset(source, dataset.name, dataset.digest, columns).to_dict()
    return Entity(**{**content, "profile": dataset.profile})


#: MLflow's types by Arrow's; all others become strings.
_TYPES = {
    pa.bool_(): "boolean",
    **dict.fromkeys((pa.int8(), pa.int32()), "integer"),
    **dict.fromkeys((pa.int64(), pa.uint32(), pa.uint64()), "long"),
    pa.float32(): "float",
    pa.float64(): "double",
}


def _type(kind: pa.DataType) -> Any:
    """Return MLflow's type of a column or field."""
    from mlflow.types import DataType
    from mlflow.types.schema import Array, Object, Property

    if pa.types.is_list(kind):
        return Array(_type(kind.value_type))
    if pa.types.is_struct(kind):
        return Object([Property(field.name, _type(field.type)) for field in kind])
    return DataType[_TYPES.get(kind, "string")]


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
    dataset, partition, manifest = made
    folder = workspace.folder(dataset, partition) / FILES
    for report in json.loads((folder / trains.file).read_text()):
        name, files = report["model"], folder / report["model"]
        params = _params({key: value for key, value in report.items() if isinstance(value, (str, dict))})
        own = {**tags, "model": name, "files": workspace.shown(files)}
        model = TrackedModel(
            re.sub(r"[/:.%\"']", "-", name),
            trains.kind.module,
            files,
            workspace.shown(files),
            manifest.key["code"]["packages"],
            accepted(params),
            {**own, **made.identity},
        )
        yield TrackedRun(
            name,
            time,
            params=params,
            metrics={key: float(value) for key, value in report.items() if type(value) in (int, float)},
            tags={**own, "chosen": str(report["chosen"]).lower()},
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
