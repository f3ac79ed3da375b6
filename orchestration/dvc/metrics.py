"""What `dvc metrics`, `dvc plots` and `dvc exp show` compare: counts, scores and distributions of datasets.

Belongs here: the three files of each system in metrics/, which go into git, and the HTML page of the plots.
They are no outputs of stages: whoever finishes a dataset writes its part of them. Not here:
counting (ops/core/counts.py), measuring (ops/core/profile.py, ops/core/measures.py).
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.parquet as pq
from pydantic import TypeAdapter

from silverloom.assets.declare.cache import read_cache, write_cache
from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.project import checkout
from silverloom.ops.core import profile
from silverloom.ops.core.counts import total
from silverloom.ops.core.measures import Sum, edges
from silverloom.ops.core.parts import TABLES, part_files
from silverloom.orchestration.files.identity import file_md5
from silverloom.orchestration.files.publish import lock_file, write_changed
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.workspace.workspace import Workspace

FUNNEL = ("dataset", "month", "outcome", "reason", "rows")
DISTRIBUTIONS = ("dataset", "measure", "from", "to", "rows")

#: If any of these changes, earlier measurements of a partition are discarded.
_MEASURING = (
    "ops/core/measures.py",
    "ops/core/profile.py",
    "orchestration/dvc/metrics.py",
)


_NUMBERS = TypeAdapter(dict[str, dict[str, int | float]])  # counts stay whole


def metrics_files(workspace: Workspace, datasets: Iterable[Dataset]) -> list[Path]:
    """Return the files that `dvc metrics` reads: one a system with scores."""
    return [_file(workspace, system, ".json") for system in _systems(filter(_is_scored, datasets))]


def plots(workspace: Workspace, datasets: Iterable[Dataset]) -> dict[Path, Mapping[str, str]]:
    """Return the tables that `dvc plots` reads, and how each is drawn; the templates are in .dvc/plots."""
    funnel = {"template": "funnel", "x": "rows", "y": "month", "x_label": "rows", "y_label": "partition"}
    curves = {
        "template": "distributions",
        "x": "from",
        "y": "rows",
        "x_label": "value, from",
        "y_label": "rows",
    }
    drawn: dict[Path, Mapping[str, str]] = {}
    for system in _systems(dataset for dataset in datasets if dataset.shape is not None):
        title = f"{system}: rows by partition, and why not kept"
        drawn[_file(workspace, system, ".funnel.csv")] = {**funnel, "title": title}
        drawn[_file(workspace, system, ".distributions.csv")] = {**curves, "title": f"{system}: kept rows"}
    return drawn


def _is_scored(dataset: Dataset) -> bool:
    return bool(dataset.scores)


def _systems(datasets: Iterable[Dataset]) -> list[str]:
    return sorted({dataset.key.path[0] for dataset in datasets})


def _file(workspace: Workspace, system: str, suffix: str) -> Path:
    return workspace.root / "metrics" / f"{system}{suffix}"


def write(datasets: Iterable[Dataset], view: View) -> None:
    """Write the metrics of finished datasets into their systems' files, unless they are up to date.

    `dvc metrics` prints all numbers of a file in one row, so these are only of datasets with scores.
    What a file says of other datasets of the asset graph stays. A file that cannot be read starts anew.
    The template that draws them is written if it is missing.
    """
    by_system: dict[str, list[Dataset]] = {}
    for dataset in datasets:
        if dataset.shape is not None:
            by_system.setdefault(dataset.key.path[0], []).append(dataset)
    for system, finished in by_system.items():
        found = [(dataset, *_found(dataset, view)) for dataset in finished]
        # Others may finish datasets of the system. The lock of commits waits for `dvc repro`, and the shared
        # one for MLflow's server.
        with lock_file(view.workspace.state / "locks" / "metrics.lock", wait=True):
            _merge(view.workspace, system, found)
    if not template_file(view.workspace).exists():
        write_template(view.workspace)


_Counted: TypeAlias = Mapping[str, Mapping[str, Any]]
_Looks: TypeAlias = Sequence[Mapping[str, Any]]


def _found(dataset: Dataset, view: View) -> tuple[_Counted, _Looks]:
    counted = {name: view.finished(dataset, name).counts for name in dataset.made_partitions}
    return counted, [look(dataset, partition, view) for partition in dataset.made_partitions]


def _merge(workspace: Workspace, system: str, found: Iterable[tuple[Dataset, _Counted, _Looks]]) -> None:
    numbers = _read_json(_file(workspace, system, ".json"))
    funnel = _read_table(_file(workspace, system, ".funnel.csv"), FUNNEL)
    curves = _read_table(_file(workspace, system, ".distributions.csv"), DISTRIBUTIONS)
    for dataset, counted, looks in found:
        name = dataset.key.path[1]
        numbers.pop(name, None)
        if dataset.scores:
            numbers[name] = _numbers(dataset, counted, looks)
        funnel[name] = list(_funnel(counted))
        profiles = profile.total(one["profile"] for one in looks)
        curves[name] = list(_distributions(dataset.measures, profiles))
    listed = [name for name in sorted(funnel) if f"{system}/{name}" in workspace.datasets]
    if scored := {name: numbers[name] for name in listed if name in numbers}:
        content = json.dumps(scored, indent=2, sort_keys=True)
        write_changed(_file(workspace, system, ".json"), f"{content}\n".encode())
    for suffix, header, table in (
        (".funnel.csv", FUNNEL, funnel),
        (".distributions.csv", DISTRIBUTIONS, curves),
    ):
        rows = io.StringIO()
        lines = ((name, *row) for name in listed for row in table.get(name, ()))
        csv.writer(rows, lineterminator="\n").writerows([header, *lines])
        write_changed(_file(workspace, system, suffix), rows.getvalue().encode())


def _numbers(dataset: Dataset, counted: _Counted, looks: _Looks) -> dict[str, float]:
    """Return a dataset's counts over all partitions, not by reason (the funnel has those), and its scores.

    Dropped and rejected rows are left out if there are none.
    """
    scores = {
        name: score.value(Sum(*look["scores"][name]) for look in looks)
        for name, score in dataset.scores.items()
    }
    rows = total(counted.values())
    return {
        **{table: rows[table] for table in TABLES if rows[table] or table == "kept"},
        **{name: value for name, value in scores.items() if value is not None},
    }


def _read_json(path: Path) -> dict[str, Mapping[str, float]]:
    with contextlib.suppress(OSError, ValueError):
        return dict(_NUMBERS.validate_json(path.read_bytes()))
    return {}


def _read_table(path: Path, header: Sequence[str]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of a table by their dataset; none if it has another header or cannot be read."""
    by_dataset: dict[str, list[tuple[Any, ...]]] = {}
    with contextlib.suppress(OSError, ValueError, csv.Error):
        first, *rows = csv.reader(path.read_text("utf-8").splitlines())
        for name, *row in rows if tuple(first) == header else ():
            by_dataset.setdefault(name, []).append(tuple(row))
    return by_dataset


def _funnel(counts: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, str, int]]:
    """Yield rows by partition, outcome and reason, even for partitions with 0 kept rows."""
    for partition, outcomes in counts.items():
        yield partition or "all", "kept", "kept", outcomes["kept"]
        for reason, rows in outcomes["reasons"].items():
            yield partition or "all", "dropped", reason, rows
        if outcomes["rejected"]:
            yield partition or "all", "rejected", "rejected", outcomes["rejected"]


def _distributions(
    measures: Sequence[str], profiles: Mapping[str, Sequence[int]]
) -> Iterator[tuple[str, str, str, int]]:
    """Yield each measure's bins, from the first to the last that has rows; without rows, its first bin."""
    for name in measures:
        bounds = edges(name)
        rows = profiles.get(name, [0])
        filled = [index for index, count in enumerate(rows) if count] or [0]
        for index in range(filled[0], filled[-1] + 1):
            yield name, f"{bounds[index]:g}", f"{bounds[index + 1]:g}", rows[index]


def look(dataset: Dataset, partition: str, view: View) -> Mapping[str, Any]:
    """Return the measurements of a partition's kept rows, `profile` and `scores`, taken once per version.

    Raises NotReadyError for a partition that is not finished.
    """
    version = view.finished(dataset, partition).version
    asked = {
        "version": version,
        "code": measuring_code(),
        "measures": list(dataset.measures),
        "scores": {name: repr(score) for name, score in dataset.scores.items()},
    }
    name = f"measured/{dataset.name}/{partition or 'all'}.json"
    known: dict[str, Any] = json.loads(read_cache(view.workspace.root, name) or "{}")
    if known.get("asked") == asked:
        return known
    place = view.workspace.folder(dataset, partition)
    measured = {"profile": profile.profile(place, dataset.measures), "scores": _scores(dataset, place)}
    measurements = {"asked": asked, **measured}
    write_cache(view.workspace.root, name, json.dumps(measurements).encode())
    return measurements


def _scores(dataset: Dataset, place: Path) -> dict[str, Sum]:
    columns = sorted({column for score in dataset.scores.values() for column in score.columns})
    sums = {name: [Sum()] for name in dataset.scores}
    for path in part_files(place, "kept") if columns else []:
        table = pq.read_table(path, columns=columns)
        for name, score in dataset.scores.items():
            sums[name].append(score.read(table))
    return {name: Sum.of(parts) for name, parts in sums.items()}


@cache
def measuring_code() -> str:
    """Return the hashes of the modules that measure."""
    return " ".join(file_md5(checkout() / name) for name in _MEASURING)


def template_file(workspace: Workspace) -> Path:
    """Return the path of the template, which .dvc/config names."""
    return workspace.state / "dvc-plots.html"


def write_template(workspace: Workspace) -> None:
    """Write the template (a megabyte, with all scripts), unless it is up to date."""
    from silverloom.pages.vega import bundle

    page = Path(__file__).with_name("plots.html").read_text().replace("{vega}", bundle(workspace.root))
    write_changed(template_file(workspace), page.encode())
