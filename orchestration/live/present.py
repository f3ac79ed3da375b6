"""How things stand at this moment, for the pages: freshness, checks, runs and former versions.

Belongs here: what no deterministic page can hold. Not here: the pages themselves, which work without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from assets.declare.declaration import Declaration
from orchestration.dagster.health import Unfresh, health
from orchestration.files.identity import version
from orchestration.files.publish import write_file
from orchestration.live.former_numbers import former
from orchestration.live.pages_so_far import drop_pages_so_far
from orchestration.live.versions import write_versions
from orchestration.pages.html import embedded
from orchestration.quality import docs
from orchestration.state import validation_history as history
from orchestration.state.addresses import Addresses
from orchestration.state.freshness import View
from orchestration.state.partition_locks import writing_all
from orchestration.workspace.workspace import Workspace

_HISTORY = 200

#: Where Great Expectations' pages lie, from the first of ours.
_DOCS = "../docs/"


def write_live(workspace: Workspace) -> None:
    """Write the state of now, where every page loads it from, and what changed since the last commit."""
    drop_pages_so_far(workspace)
    with writing_all(workspace, "live"):
        content = f"window.silverloomLive = {embedded(state(workspace))};\n".encode()
        write_file(workspace.quality / "live" / "state.js", content)
        write_versions(workspace, workspace.quality / "live")


def state(workspace: Workspace) -> dict[str, Any]:
    """Return freshness, checks, links and former versions of every dataset, and what it all comes to."""
    view = View(workspace)
    failed = {(found.dataset, found.month): found for found in health(view) if found.state == "failed"}
    pages = docs.shown(workspace)
    found = {name: _dataset(item, view, failed, pages) for name, item in workspace.datasets.items()}
    return {
        "seen": _when(datetime.now(UTC)),
        "standing": description(list(found.values())),
        "docs": f"{_DOCS}index.html" if (docs.docs_folder(workspace) / "index.html").exists() else None,
        "datasets": found,
    }


def description(found: Sequence[Mapping[str, Any]]) -> str:
    """Return in a sentence or some how all datasets stand: never better than the worst of them."""
    moods = [dataset["mood"] for dataset in found]
    failed, off = moods.count("bad"), moods.count("bad") + moods.count("stale")
    warnings, excluded, unknown = (
        sum(dataset[name] for dataset in found) for name in ("warnings", "excluded", "unknown")
    )
    good = "All are up to date." if warnings or unknown else "All are up to date, and their checks passed."
    bad = f"{off} of {len(found)} are not up to date" + (f", {failed} failed." if failed else ".")
    parts = {
        bad if off else good: True,
        f"{_number(warnings, 'warning')} raised.": warnings,
        f"Whether {_number(unknown, 'partition')} would raise warnings is not known here.": unknown,
        f"{_number(excluded, 'partition')} excluded.": excluded,
    }
    return " ".join(text for text, shown in parts.items() if shown)


def _dataset(
    item: Declaration,
    view: View,
    failed: Mapping[tuple[str, str], Unfresh],
    pages: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    validations = history.read(view.workspace, item).sort_by([("time", "descending")]).to_pylist()
    latest = {entry["month"]: entry for entry in reversed(validations)}
    months = [
        _month(
            view,
            item,
            month,
            latest.get(month),
            failed.get((item.name, month)),
            pages.get((item.name, month)),
        )
        for month in item.made_months
    ]
    excluded = [_excluded(item, month) for month in item.months if item.excluded(month)]
    moods = {month["mood"] for month in months}
    mood = next((worst for worst in ("bad", "stale", "warned") if worst in moods), "good")
    warnings = sum(month["warnings"] for month in months)
    unknown = [
        month for month in months if month["mood"] == "good" and item.expectations and not month["checks"]
    ]
    off = [month for month in months if month["mood"] == mood]
    return {
        "mood": mood,
        "state": _summed(item, off) if mood in ("bad", "stale") else _up_to_date(warnings),
        "warnings": warnings,
        "excluded": len(excluded),
        "unknown": len(unknown),
        "version": _version(item, view),
        "code": item.code["code"],
        "dagster": Addresses(view.workspace).dagster_asset(item.name),
        "months": months + excluded,
        "previous": former(item, view) if item.shape else None,
        "history": [_validation(entry) for entry in validations[:_HISTORY]],
    }


def _month(
    view: View,
    item: Declaration,
    month: str,
    latest: Mapping[str, Any] | None,
    failure: Unfresh | None,
    page: str | None,
) -> dict[str, Any]:
    """Return the state of a partition: bad where its last attempt failed, stale, warned, or good."""
    status, addresses = view.status(item, month), Addresses(view.workspace)
    version = status.manifest.version if status.manifest else None
    if latest and latest["version"] != version and not (failure and latest["run_id"] == failure.run):
        latest = None
    run = failure.run if failure else latest and latest["run_id"]
    warnings = latest["warnings"] if latest else 0
    if failure:
        mood, shown, why = "bad", "failed", failure.why
    elif not status.fresh:
        mood, shown, why = "stale", "stale" if version else "missing", "; ".join(status.reasons)
    else:
        mood, shown, why = "warned" if warnings else "good", _up_to_date(warnings), ""
    return {
        "month": month,
        "mood": mood,
        "state": shown,
        "why": why,
        "warnings": warnings,
        "version": version,
        "run": addresses.dagster_run(run) if run else None,
        "tracked": addresses.tracked(item.name, month, version) if version and not failure else None,
        "checks": _checks(latest["expectations"]) if latest else [],
        "docs": f"{_DOCS}{page}" if page and latest else None,
    }


def _up_to_date(warnings: int) -> str:
    return f"up to date, {_number(warnings, 'warning')}" if warnings else "up to date"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _excluded(item: Declaration, month: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("version", "run", "tracked", "docs"))
    empty: dict[str, Any] = {"warnings": 0, "checks": [], **nothing}
    return {"month": month, "mood": "stale", "state": "excluded", "why": item.excluded(month), **empty}


def _checks(expectations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the expectations of each severity as one check, saying what failed."""
    checks = []
    for severity in ("error", "warning"):
        chosen = [found for found in expectations if found["severity"] == severity]
        failed = [found for found in chosen if not found["passed"]]
        summary = "; ".join(
            f"{found['name']} {found['column']}: {found['unexpected']} rows" for found in failed
        )
        noun = "expectations" if severity == "error" else "warnings"
        name = f"{len(chosen) - len(failed)} of {len(chosen)} {noun}"
        if chosen:
            checks.append({"name": name, "severity": severity, "passed": not failed, "said": summary})
    return checks


def _validation(entry: Mapping[str, Any]) -> dict[str, Any]:
    failed = [f"{found['name']} {found['column']}" for found in entry["expectations"] if not found["passed"]]
    numbers = {name: entry[name] for name in ("month", "version", "kept", "dropped", "rejected")}
    return {"time": _when(entry["time"]), "failed": failed, **numbers}


def _version(item: Declaration, view: View) -> str | None:
    """Return the MD5 of the whole dataset as DVC has it; None where a partition is missing."""
    hashes: dict[str, str] = {}
    for month in item.made_months:
        manifest = view.known(item, month)
        if manifest is None:
            return None
        hashes |= {f"{month}/{name}" if month else name: md5 for name, md5 in manifest.files.items()}
    return version(hashes)


def _summed(item: Declaration, off: Sequence[Mapping[str, Any]]) -> str:
    states = ", ".join(dict.fromkeys(str(month["state"]) for month in off))
    return f"{states}: {len(off)} of {len(item.made_months)} months" if item.partitioned else states


def _when(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
