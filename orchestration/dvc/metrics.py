"""What `dvc metrics`, `dvc plots` and `dvc exp show` compare for a dataset: counts, scores, distributions.

Belongs here: the small files in metrics/, which go into git, and the HTML page of the plots. Not here:
counting (ops/core/counts.py), measuring (ops/core/profile.py, ops/core/measures.py).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from assets.declare.declaration import Declaration
from assets.declare.settings import checkout
from ops.core import profile
from ops.core.counts import counts, counts_match, total
from ops.core.measures import Sum, edges
from ops.core.parts import TABLES, part_files
from orchestration.files import local_state
from orchestration.files.identity import file_md5
from orchestration.files.publish import write_changed, write_file
from orchestration.state.freshness import View, write_manifest
from orchestration.workspace.workspace import Workspace

FUNNEL = ("month", "outcome", "reason", "rows")
DISTRIBUTIONS = ("measure", "from", "to", "rows")

#: If any of these changes, earlier measurements of a partition are discarded.
_MEASURING = (
    "ops/core/measures.py",
    "ops/core/profile.py",
    "orchestration/dvc/metrics.py",
)


class _Look(TypedDict):
    """Measurements of a partition's kept rows."""

    asked: dict[str, Any]
    profile: dict[str, list[int]]
    scores: dict[str, list[float | None]]


_LOOK = TypeAdapter(_Look)


@dataclass(frozen=True)
class Plot:
    """One table for `dvc plots`: its file, and how it is drawn."""

    file: Path
    drawn: Mapping[str, str]


def plots(workspace: Workspace, dataset: Declaration) -> list[Plot]:
    """Return the plots of a dataset; their templates are in .dvc/plots."""
    path, name = workspace.metrics_file(dataset), dataset.name
    drawn = {
        "funnel": {"x": "rows", "y": "month", "x_label": "rows", "y_label": "partition"},
        "distributions": {"x": "from", "y": "rows", "x_label": "value, from", "y_label": "rows"},
    }
    titles = {"funnel": f"{name}: rows by partition, and why not kept", "distributions": f"{name}: kept rows"}
    return [
        Plot(path.with_suffix(f".{kind}.csv"), {"template": kind, **fields, "title": titles[kind]})
        for kind, fields in drawn.items()
        if kind == "funnel" or dataset.measures
    ]


def scores_file(workspace: Workspace, dataset: Declaration) -> Path:
    """Return the file with all scores of a dataset, which `dvc metrics` reads if given its name.

    The scores are not metrics in dvc.yaml, because `dvc metrics show` has a column for every name in use.
    """
    return workspace.metrics_file(dataset).with_suffix(".scores.json")


def write(dataset: Declaration, view: View) -> None:
    """Write the metrics of a finished dataset, unless they are up to date. Does nothing for a report.

    The first score goes in with the counts.
    """
    if dataset.shape is None:
        return
    numbers = {partition: _counted(dataset, partition, view) for partition in dataset.made_partitions}
    looks = [look(dataset, partition, view) for partition in dataset.made_partitions]
    scores = {
        name: score.value(Sum(*look["scores"][name]) for look in looks)
        for name, score in dataset.scores.items()
    }
    known = {name: value for name, value in scores.items() if value is not None}
    first = next(iter(scores.values()), None)
    counted = total(numbers.values())  # not by reason: DVC shows a column per name, and the funnel has them
    content = {**{table: counted[table] for table in TABLES}, **({} if first is None else {"score": first})}
    _write_json(view.workspace.metrics_file(dataset), content)
    if dataset.scores:
        _write_json(scores_file(view.workspace, dataset), known)
    profiles = profile.total(look["profile"] for look in looks)
    tables = [(FUNNEL, *_funnel(numbers)), (DISTRIBUTIONS, *_distributions(dataset.measures, profiles))]
    for plot, table in zip(plots(view.workspace, dataset), tables, strict=False):
        rows = io.StringIO()
        csv.writer(rows, lineterminator="\n").writerows(table)
        write_changed(plot.file, rows.getvalue().encode())


def _write_json(path: Path, content: Mapping[str, float]) -> None:
    write_changed(path, f"{json.dumps(content, indent=2, sort_keys=True)}\n".encode())


def _counted(dataset: Declaration, partition: str, view: View) -> Mapping[str, Any]:
    """Return the counts of a partition: those in its manifest, unless its files say otherwise.

    Every commit goes through here, so committed counts always match the files.
    """
    manifest, place = view.finished(dataset, partition), view.workspace.folder(dataset, partition)
    if not counts_match(place, manifest.counts):
        manifest = replace(manifest, counts=counts(place))
        write_manifest(view.workspace, dataset, partition, manifest)
        view.renew(dataset, partition)
    return manifest.counts


def _funnel(counts: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, str, int]]:
    """Yield rows by partition, outcome and reason, even for partitions with 0 kept rows."""
    for partition, found in counts.items():
        yield partition or "all", "kept", "kept", found["kept"]
        for reason, rows in found["reasons"].items():
            yield partition or "all", "dropped", reason, rows
        if found["rejected"]:
            yield partition or "all", "rejected", "rejected", found["rejected"]


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


def look(dataset: Declaration, partition: str, view: View) -> Mapping[str, Any]:
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
    path = view.workspace.state_file("measured", dataset, partition)
    known = local_state.read_checked(path, _LOOK, "it is measured again")
    if known is not None and known["asked"] == asked:
        return known
    place = view.workspace.folder(dataset, partition)
    measured = {"profile": profile.profile(place, dataset.measures), "scores": _scores(dataset, place)}
    found = {"asked": asked, **measured}
    write_file(path, local_state.dump_checked(found))
    return found


def _scores(dataset: Declaration, place: Path) -> dict[str, Sum]:
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
    from pages.vega import bundle

    page = Path(__file__).with_name("plots.html").read_text().replace("{vega}", bundle(workspace.state))
    write_changed(template_file(workspace), page.encode())
