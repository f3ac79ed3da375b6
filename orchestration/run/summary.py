"""What a command prints at its end: a table of datasets, failures, rejects with causes, and where to look.

Belongs here: printing. Not here: making anything (loop.py) and the commands themselves (drive.py, stage.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.ops.core.counts import total
from silverloom.ops.core.parts import TABLES
from silverloom.orchestration.checks.rejects import describe_causes, reject_causes, rejected_sources
from silverloom.orchestration.messages import why_lost
from silverloom.orchestration.run.loop import Report
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.sources import missing_source, outside
from silverloom.pages.paths import PAGES, REPORT

#: Minimum width of the table in columns, even if the terminal reports less.
_TABLE = 120

#: The column with the reasons for dropped rows, each with its share of them.
_REASONS = "dropped for"


def tell_reports(view: View, reports: Sequence[Report], console: Console, notes: Iterable[str] = ()) -> bool:
    """Print the table, what needs attention, and the notes. Return whether a source was rejected whole."""
    workspace = view.workspace
    order = list(workspace.datasets)
    reports = sorted(reports, key=lambda report: order.index(report.dataset.name))
    table = Table(box=None, pad_edge=False)
    for name in ("dataset", "partitions", "made now", *TABLES, "seconds", _REASONS):
        justify: JustifyMethod = "left" if name in ("dataset", _REASONS) else "right"
        table.add_column(name, justify=justify, no_wrap=name != _REASONS)
    dropped = {}
    for report in reports:
        manifests = [view.known(report.dataset, partition) for partition in report.partitions]
        known = [manifest for manifest in manifests if manifest is not None]
        numbers = total(manifest.counts for manifest in known)
        dropped[report.dataset.name] = numbers["reasons"]
        columns = (len(known), len(report.made), *(numbers[name] for name in TABLES))
        table.add_row(
            report.dataset.name,
            *map(str, columns),
            f"{report.seconds:.1f}",
            missing_source(workspace, report.dataset) or drop_shares(numbers["reasons"]),
        )
    console.print()
    Console(width=max(console.width, _TABLE)).print(table)  # wide enough not to cut numbers
    for line in why_lost(dropped):
        console.print(escape(line))
    rejected = tell_rejected(view, [report.dataset for report in reports], console)
    for report in reports:
        dataset = report.dataset
        for partition, cause in report.failed.items():
            console.print(f"[red]failed[/] {label(dataset, partition)}: {escape(cause)}")
        if causes := reject_causes(view, dataset):
            most = escape(describe_causes(causes, 1))
            console.print(f"[yellow]rejected[/] in {dataset.name}: {causes.total()}, most often: {most}")
        if unmet := [*_unmet_warnings(view, report)]:
            more = f", and {len(unmet) - 1} more" if len(unmet) > 1 else ""
            console.print(f"[yellow]warning[/] in {escape(unmet[0])}{more}")
        for partition in dataset.partitions:
            if (reason := dataset.excluded(partition)) is not None:
                console.print(f"[yellow]excluded[/] {label(dataset, partition)}: {escape(reason)}")
    for line in outside(workspace, [report.dataset for report in reports]):
        console.print(f"[yellow]warning[/] {escape(line)}")
    if unconfigured := workspace.graph.unconfigured:
        console.print(escape(unconfigured))
    for note in notes:
        console.print(note)
    console.print(_where(view))
    return rejected


def _unmet_warnings(view: View, report: Report) -> Iterator[str]:
    """Yield the expectations of severity warning that partitions made in this run do not meet."""
    for partition in report.made:
        manifest = view.known(report.dataset, partition)
        for unmet in manifest.warnings if manifest else ():
            yield f"{label(report.dataset, partition)}: {unmet}"


def drop_shares(reasons: Mapping[str, int]) -> str:
    """Return every reason with its share of the dropped rows, the most frequent first."""
    dropped = sum(reasons.values())
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        f"{reason} {count / dropped:.0%}" if count / dropped > 0.005 else f"{reason} <1%"
        for reason, count in ordered
    )


def tell_rejected(view: View, datasets: Iterable[Dataset], console: Console) -> bool:
    """Print the sources that were rejected whole, with their first causes. Return whether there were any."""
    rejected = rejected_sources(view, datasets)
    for source in rejected:
        console.print(escape(str(source)), style="red")
    return bool(rejected)


def _where(view: View) -> str:
    """Return the lines that say where to look next."""
    workspace = view.workspace
    if view.status(workspace.datasets[REPORT], "").fresh:
        page = workspace.shown(workspace.quality / PAGES / "index.html")
        shows = f"Open {page} in a browser to see what was kept, what was lost, and why."
    else:
        shows = (
            f"`{workspace.command('pages')}` writes pages that show what was kept, what was lost, and why."
        )
    return (
        "\nThe rows are in data/<group>/<dataset>/<partition>/ (kept, dropped, rejected).\n"
        f"{shows}\n"
        f"`{workspace.command('ui')}` serves these pages, MLflow and Dagster (the graph, runs and checks).\n"
        f"`{workspace.command('plan')}` shows what is stale and why; "
        f"`{workspace.command('explain <id>', 'explain ID=<id>')}` traces a row or a document."
    )
