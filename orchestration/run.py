"""`make run`: make what is stale, input before output, and say what was made.

Belongs here: the loop over datasets and partitions, its progress and its closing table.
Not here: one partition's making (materialise.py), DVC's own driver (stage.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assets.declaration import Declaration
from orchestration.corpora import corpus
from orchestration.footing import footing
from orchestration.freshness import View
from orchestration.graph import DATA, WORKSHOP, input_months, label, selected
from orchestration.prune import prune
from orchestration.store.counts import total
from orchestration.store.publish import recover
from orchestration.store.records import forget


@dataclass
class Report:
    """What one driver did with one dataset."""

    item: Declaration
    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def bring_up_to_date(items: list[Declaration], console: Console, force: bool = False) -> Iterator[Report]:
    """Make every stale partition of the datasets, in order, and yield a report after each dataset.

    A partition that fails does so alone; what needs it is left, with that as its cause.
    """
    from orchestration.instance import materialise
    from orchestration.sync import sync

    synced = False
    lost: dict[tuple[str, str], str] = {}
    recover(WORKSHOP)
    for item in items:
        report = Report(item)
        started = time.monotonic()
        for month in prune(item):
            console.print(f"{label(item, month)}: removed, it is no partition any more")
        view = View()
        for month in item.made_months:
            if (missing := _missing(item, month, lost)) is not None:
                report.failed[month] = missing
            elif force or not view.status(item, month).fresh:
                reasons = view.status(item, month).reasons
                if not synced:
                    sync()  # a run records the versions of its inputs as Dagster knows them
                    synced = True
                if force:
                    forget(item, month)
                begun = time.monotonic()
                ran = materialise(item, month)
                if ran.error:
                    report.failed[month] = ran.error
                else:
                    report.made.append(month)
                outcome = f"[red]failed[/]: {escape(ran.error)}" if ran.error else f"{_counts(item, [month])}"
                why = f" [dim]({escape(_brief(reasons))})[/]" if reasons else ""
                console.print(f"{label(item, month)}: {outcome}, {time.monotonic() - begun:.1f} s{why}")
            if month in report.failed:
                lost[item.name, month] = report.failed[month]
        report.seconds = time.monotonic() - started
        yield report


def run(select: str | None = None) -> int:
    """Bring a selection up to date, commit it to dvc.lock, print the table; 1 if anything failed."""
    from orchestration.dvc import check_rendered, commit_finished
    from orchestration.sync import sync

    console = Console(stderr=False, soft_wrap=True)
    items = selected(select)
    check_rendered()
    for item in items:
        if item.records:
            corpus(item.records).check()
    footing()
    reports = []
    for report in bring_up_to_date(items, console):
        reports.append(report)
        if report.made:
            commit_finished()
    commit_finished()
    sync()
    _closing(reports, console)
    return 1 if any(report.failed for report in reports) else 0


def _missing(item: Declaration, month: str, lost: dict[tuple[str, str], str]) -> str | None:
    for name, months in input_months(item, month).items():
        for part in months:
            if (name, part) in lost:
                return f"needs {f'{name} {part}'.strip()}, which failed"
    return None


def _brief(reasons: Sequence[str], width: int = 70) -> str:
    first = reasons[0] if len(reasons[0]) <= width else f"{reasons[0][: width - 1]}…"
    return first if len(reasons) == 1 else f"{first}; {len(reasons) - 1} more"


def _counts(item: Declaration, months: list[str]) -> str:
    if item.shape is None:
        return "written"
    records = [record for month in months if (record := View().known(item, month)) is not None]
    numbers = total(record.counts for record in records)
    return f"{numbers['kept']} kept, {numbers['dropped']} dropped, {numbers['rejected']} rejected"


def _closing(reports: list[Report], console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("dataset", "partitions", "made now", "kept", "dropped", "rejected", "seconds"):
        table.add_column(name, justify="left" if name == "dataset" else "right", no_wrap=True)
    view = View()
    for report in reports:
        item = report.item
        records = [record for month in item.made_months if (record := view.known(item, month)) is not None]
        numbers = total(record.counts for record in records)
        columns = (len(records), len(report.made), numbers["kept"], numbers["dropped"], numbers["rejected"])
        table.add_row(item.name, *map(str, columns), f"{report.seconds:.1f}")
    console.print()
    console.print(table)
    _notes(reports, console)


def _notes(reports: list[Report], console: Console) -> None:
    for report in reports:
        item = report.item
        for month, cause in report.failed.items():
            console.print(f"[red]failed[/] {label(item, month)}: {escape(cause)}")
        for month in item.months:
            if (reason := item.excluded(month)) is not None:
                console.print(f"[yellow]excluded[/] {label(item, month)}: {escape(reason)}")
        if item.records and (outside := corpus(item.records).outside()):
            months = ", ".join(f"{month} ({count})" for month, count in outside.items())
            console.print(f"[yellow]outside the range of months[/] in {item.name}: {months}")
    console.print(
        f"\nRows lie in {DATA.name}/<group>/<dataset>/<month>/ (kept, dropped, rejected).\n"
        "`make ui` shows the DAG, its runs and checks; `make plan` what is stale, and why;\n"
        "`make explain ID=<row id>` where a row comes from and what became of it."
    )


if __name__ == "__main__":
    from orchestration.command import run as command

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--select", default=None, help="a group (talksumm) or a dataset (talksumm/pairs)")
    command(lambda: run(parser.parse_args(sys.argv[1:]).select or None))
