"""The live state on pages (freshness, checks, runs, former versions), and interim pages before the report.

Belongs here: gathering what no deterministic page can contain, and writing it next to the report. Not here:
how pages show it (pages/present.py), and the report, which works without it (definitions.py). The report's
folder is a DVC output, where a file that no commit records would block `dvc checkout`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assets.declare.declaration import Declaration
from assets.declare.graph import Everything
from ops.core.measures import edges
from ops.core.profile import Profile, total
from orchestration.checks import docs, history
from orchestration.dagster.health import Unfresh, health
from orchestration.dvc.metrics import look
from orchestration.files.identity import stamps_of, unreplaced, version
from orchestration.files.publish import building, remove, write_file, write_files, writing_all
from orchestration.partition.inputs import former_files
from orchestration.state.addresses import Addresses
from orchestration.state.freshness import View
from orchestration.state.plan import plan
from orchestration.versions.compare import write_versions
from orchestration.workspace.workspace import Workspace
from pages.paths import SO_FAR
from pages.present import checks, description, state_script, up_to_date

_HISTORY = 200

#: The report of all datasets.
REPORT = "quality/pages"

#: The folder of Data Docs, relative to the live pages.
_DOCS = "../docs/"


def write_live(workspace: Workspace) -> None:
    """Write the live state, which every page loads, and the pages of what changed since the last commit."""
    drop_pages_so_far(workspace)
    with writing_all(workspace, "live"):
        write_file(workspace.quality / "live" / "state.js", state_script(state(workspace)))
        write_versions(workspace, workspace.quality / "live")


def write_pages_so_far(workspace: Workspace) -> None:
    """Write interim pages of all fresh partitions; if the report is fresh, remove them instead.

    They list the datasets and partitions that they do not show.
    """
    stale = _stale(workspace)
    if (REPORT, "") not in stale:
        _remove(workspace)
        return
    folders = _made_folders(workspace, stale)
    report = workspace.datasets[REPORT]
    place = workspace.quality / SO_FAR
    read = stamps_of(folder for partitions in folders.values() for folder in partitions.values())
    with (
        writing_all(workspace, SO_FAR),
        building(workspace.staging, place) as new,
        unreplaced(read),
    ):
        everything = Everything(folders, workspace.graph, former_files(workspace, report), new.parent)
        write_files(new, report.function(everything))


def drop_pages_so_far(workspace: Workspace) -> None:
    """Remove the interim pages if the report is up to date, for example after `dvc checkout`."""
    if (workspace.quality / SO_FAR).exists() and (REPORT, "") not in _stale(workspace):
        _remove(workspace)


def state(workspace: Workspace) -> dict[str, Any]:
    """Return freshness, checks, links and former versions of every dataset, with a summary."""
    view = View(workspace)
    failed = {(found.dataset, found.partition): found for found in health(view) if found.state == "failed"}
    pages = docs.shown(workspace)
    found = {name: dataset_now(dataset, view, failed, pages) for name, dataset in workspace.datasets.items()}
    return {
        "seen": _when(datetime.now(UTC)),
        "summary": description(list(found.values())),
        "docs": f"{_DOCS}index.html" if (docs.docs_folder(workspace) / "index.html").exists() else None,
        "datasets": found,
    }


def former(dataset: Declaration, view: View) -> Mapping[str, Any] | None:
    """Return the `profile` of a dataset before its last change and `when` that was noticed; None if unknown.

    For a partition that never changed since it was first measured, or whose former version was measured in
    other bins, the current profile counts.
    """
    bins = {name: len(edges(name)) - 1 for name in dataset.measures}
    looks = [
        look(dataset, partition, view)
        for partition in dataset.made_partitions
        if view.known(dataset, partition) is not None
    ]
    olds = [
        found["former"] if found["former"] and _bins(found["former"]["profile"]) == bins else None
        for found in looks
    ]
    if not any(olds):
        return None
    profiles = [(old or found)["profile"] for old, found in zip(olds, looks, strict=True)]
    return {"profile": total(profiles), "when": max(old["when"] for old in olds if old)}


def dataset_now(
    dataset: Declaration,
    view: View,
    failed: Mapping[tuple[str, str], Unfresh],
    pages: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    """Return the current state of a dataset and of each partition."""
    validations = history.read(view.workspace, dataset).sort_by([("time", "descending")]).to_pylist()
    latest = {entry["partition"]: entry for entry in reversed(validations)}
    partitions = [
        _partition(
            view,
            dataset,
            partition,
            latest.get(partition),
            failed.get((dataset.name, partition)),
            pages.get((dataset.name, partition)),
        )
        for partition in dataset.made_partitions
    ]
    excluded = [
        _excluded(dataset, partition) for partition in dataset.partitions if dataset.excluded(partition)
    ]
    statuses = {partition["status"] for partition in partitions}
    worst = next((worst for worst in ("bad", "stale", "warned") if worst in statuses), "good")
    warnings = sum(partition["warnings"] for partition in partitions)
    unknown = [
        partition
        for partition in partitions
        if partition["status"] == "good" and dataset.expectations and not partition["checks"]
    ]
    off = [partition for partition in partitions if partition["status"] == worst]
    return {
        "status": worst,
        "state": _summed(dataset, off) if worst in ("bad", "stale") else up_to_date(warnings),
        "warnings": warnings,
        "excluded": len(excluded),
        "unknown": len(unknown),
        "version": _version(dataset, view),
        "code": dataset.code["code"],
        "dagster": Addresses(view.workspace).dagster_asset(dataset.name),
        "partitions": partitions + excluded,
        "previous": former(dataset, view) if dataset.shape else None,
        "history": [_validation(entry) for entry in validations[:_HISTORY]],
    }


def _partition(
    view: View,
    dataset: Declaration,
    partition: str,
    latest: Mapping[str, Any] | None,
    failure: Unfresh | None,
    page: str | None,
) -> dict[str, Any]:
    """Return a partition's state: bad if its last attempt failed, else stale, warned, or good."""
    status, addresses = view.status(dataset, partition), Addresses(view.workspace)
    version = status.manifest.version if status.manifest else None
    if latest and latest["version"] != version and not (failure and latest["run_id"] == failure.run):
        latest = None
    run = failure.run if failure else latest and latest["run_id"]
    warnings = latest["warnings"] if latest else 0
    if failure:
        found, shown, why = "bad", "failed", failure.why
    elif not status.fresh:
        found, shown, why = "stale", "stale" if version else "missing", "; ".join(status.reasons)
    else:
        found, shown, why = "warned" if warnings else "good", up_to_date(warnings), ""
    return {
        "name": partition,
        "status": found,
        "state": shown,
        "why": why,
        "warnings": warnings,
        "version": version,
        "run": addresses.dagster_run(run) if run else None,
        "tracked": addresses.tracked(dataset.name, partition, version) if version and not failure else None,
        "checks": checks(latest["expectations"]) if latest else [],
        "docs": f"{_DOCS}{page}" if page and latest else None,
    }


def _excluded(dataset: Declaration, partition: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("version", "run", "tracked", "docs"))
    empty: dict[str, Any] = {"warnings": 0, "checks": [], **nothing}
    return {
        "name": partition,
        "status": "stale",
        "state": "excluded",
        "why": dataset.excluded(partition),
        **empty,
    }


def _validation(entry: Mapping[str, Any]) -> dict[str, Any]:
    failed = [f"{found['name']} {found['column']}" for found in entry["expectations"] if not found["passed"]]
    numbers = {name: entry[name] for name in ("version", "kept", "dropped", "rejected")}
    when = _when(entry["time"])
    return {"time": when, "partition": entry["partition"], "failed": failed, **numbers}


def _version(dataset: Declaration, view: View) -> str | None:
    """Return DVC's MD5 of the whole dataset; None if a partition is missing."""
    hashes: dict[str, str] = {}
    for partition in dataset.made_partitions:
        manifest = view.known(dataset, partition)
        if manifest is None:
            return None
        hashes |= {f"{partition}/{name}" if partition else name: md5 for name, md5 in manifest.files.items()}
    return version(hashes)


def _summed(dataset: Declaration, off: Sequence[Mapping[str, Any]]) -> str:
    states = ", ".join(dict.fromkeys(str(partition["state"]) for partition in off))
    return (
        f"{states}: {len(off)} of {len(dataset.made_partitions)} partitions"
        if dataset.partitioned
        else states
    )


def _when(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def _bins(profile: Profile) -> dict[str, int]:
    return {name: len(rows) for name, rows in profile.items()}


def _remove(workspace: Workspace) -> None:
    with writing_all(workspace, SO_FAR):
        if (workspace.quality / SO_FAR).exists():
            remove(workspace.quality / SO_FAR, workspace.staging)


def _stale(workspace: Workspace) -> set[tuple[str, str]]:
    return {(step.dataset.name, step.partition) for step in plan(View(workspace))}


def _made_folders(workspace: Workspace, stale: Container[tuple[str, str]]) -> dict[str, Mapping[str, Path]]:
    """Return the folders of partitions that are not stale, by dataset; datasets without any are left out."""
    found: dict[str, Mapping[str, Path]] = {}
    for name, dataset in workspace.datasets.items():
        if dataset.shape is not None:
            partitions = [
                partition for partition in dataset.made_partitions if (name, partition) not in stale
            ]
            found |= (
                {name: {partition: workspace.folder(dataset, partition) for partition in partitions}}
                if partitions
                else {}
            )
    return found
