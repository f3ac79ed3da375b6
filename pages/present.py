"""Pages about the current state and history, which no asset can contain: what is fresh, what changed when.

Belongs here: how such pages present the values they get. Not here: finding out what is fresh
(orchestration/present.py) and what changed (orchestration/versions/compare.py). All other pages work without
these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pages.html import embedded, render


@dataclass(frozen=True)
class DatasetChange:
    """What changed in one dataset: a sentence and, if its rows differ, the comparison and its page."""

    name: str
    summary: str
    subject: str = ""
    found: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""


def state_script(state: Mapping[str, Any]) -> bytes:
    """Return the script that every page loads to show the current state."""
    return f"window.silverloomLive = {embedded(state)};\n".encode()


def changes_page(entries: Sequence[DatasetChange], root: str, kinds: Sequence[str]) -> bytes:
    """Return the page that lists datasets and what changed in each.

    `root` is the relative path to the folder of all pages; `kinds` are the kinds of row changes.
    """
    return _page("versions.html", "Versions", root, kinds=kinds, entries=entries)


def change_page(entry: DatasetChange, root: str, kinds: Sequence[str], alike: str) -> bytes:
    """Return the page of one comparison; it says `alike` if both versions were made from the same inputs."""
    title = f"{entry.name}: versions"
    return _page("version.html", title, root, kinds=kinds, alike=alike, entry=entry, found=entry.found)


def _page(template: str, title: str, root: str, **values: object) -> bytes:
    return render("../live/versions.html", template, title, root=root, **values)[1]


def description(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the state of all datasets in a few sentences; never better than that of the worst."""
    statuses = [dataset["status"] for dataset in found]
    failed, off = statuses.count("bad"), statuses.count("bad") + statuses.count("stale")
    warnings, excluded, unknown = (
        sum(dataset[name] for dataset in found) for name in ("warnings", "excluded", "unknown")
    )
    good = "All are up to date." if warnings or unknown else "All are up to date, and their checks passed."
    bad = f"{off} of {len(found)} are not up to date" + (f", {failed} failed." if failed else ".")
    parts = {
        bad if off else good: True,
        f"{_number(warnings, 'warning')} raised.": warnings,
        f"Warnings of {_number(unknown, 'partition')} are unknown.": unknown,
        f"{_number(excluded, 'partition')} excluded.": excluded,
    }
    return " ".join(text for text, shown in parts.items() if shown)


def up_to_date(warnings: int) -> str:
    """Return the state of a fresh dataset or partition with this many warnings."""
    return f"up to date, {_number(warnings, 'warning')}" if warnings else "up to date"


def checks(expectations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one check for the expectations of each severity, naming what failed."""
    found = []
    for severity in ("error", "warning"):
        chosen = [expectation for expectation in expectations if expectation["severity"] == severity]
        failed = [expectation for expectation in chosen if not expectation["passed"]]
        summary = "; ".join(
            f"{expectation['name']} {expectation['column']}: {expectation['unexpected']} rows"
            for expectation in failed
        )
        noun = "expectations" if severity == "error" else "warnings"
        name = f"{len(chosen) - len(failed)} of {len(chosen)} {noun}"
        if chosen:
            found.append({"name": name, "severity": severity, "passed": not failed, "said": summary})
    return found


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
