"""`silverloom run` and `silverloom backfill`: which partitions, and a command from first check to last line.

Belongs here: what is wanted, committing what is finished, telling Dagster and the pages. Not here: the loop
over partitions (loop.py), what is said at the end (summary.py), stages of DVC (stage.py), Dagster's own
backfill, which the daemon does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from ops.core.periods import fault
from orchestration.executors.parts import partitions_at_a_time
from orchestration.files.full_disk import full_disk
from orchestration.files.identity import input_snapshot
from orchestration.messages import describe
from orchestration.mlflow.send import sending
from orchestration.run.loop import Report, Wanted, bring_up_to_date
from orchestration.run.summary import tell_reports
from orchestration.state.dvc_files import check_lock
from orchestration.state.freshness import View
from orchestration.state.sources import ask_again, corpus
from orchestration.workspace.workspace import Workspace


def run(workspace: Workspace, select: str | None = None, jobs: int | None = 1, recrawl: bool = False) -> int:
    """Bring a selection up to date, commit it to dvc.lock, print the table; 1 if anything failed.

    With `recrawl`, the crawls of the selection ask the web again.
    """
    wanted = [(dataset, dataset.made_partitions) for dataset in workspace.graph.selected(select)]
    for dataset, partitions in wanted if recrawl else ():
        ask_again(workspace, dataset, partitions)
    return drive(workspace, wanted, jobs)


def drive(
    workspace: Workspace,
    wanted: Wanted,
    jobs: int | None = 1,
    force: bool = False,
    tags: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> int:
    """Make what is stale of the partitions wanted, commit what that finishes, print the table and `notes`.

    Returns 1 if anything failed, or a source was rejected whole; a page that cannot tell how things stand
    is a warning. Datasets are committed here, by one process, whatever the number of `jobs`; without that, as
    many as params.yaml has it are made at a time.
    """
    from orchestration.dvc.stages import check_rendered, commit_finished, restore

    jobs = jobs or partitions_at_a_time()
    console = Console(stderr=False, soft_wrap=True)
    check_rendered(workspace)
    restore(workspace)
    check_lock(workspace)
    for dataset, _ in wanted:
        _ = dataset.code  # a model that is not there is said before anything is made
        if dataset.records:
            corpus(workspace, dataset.records).check()
    input_snapshot(workspace)
    reports, view = [], View(workspace)
    with contextlib.closing(bring_up_to_date(view, wanted, console, force, jobs, tags)) as ended:
        for report in ended:
            reports.append(report)
    worked = any(report.made or report.failed for report in reports)
    if worked:
        _show_so_far(workspace, console, reports)
        view = View(workspace)  # of what others made meanwhile, too
    with sending(workspace):
        try:
            committed = commit_finished(view)
        finally:  # whatever goes wrong from here on, what failed is said
            rejected = tell_reports(view, reports, console)
            for note in notes:
                console.print(note)
        _tell(view, console, news=worked or bool(committed))
    return 1 if rejected or any(report.failed for report in reports) else 0


def _show_so_far(workspace: Workspace, console: Console, reports: Sequence[Report]) -> None:
    """Write pages of what there is where the report, which reads all, is no part of what was asked for."""
    from orchestration.present import drop_pages_so_far, write_pages_so_far

    asked_for = any(report.dataset.shape is None for report in reports)
    try:
        (drop_pages_so_far if asked_for else write_pages_so_far)(workspace)
    except Exception as error:
        _warn(console, "the pages do not show what was made", error)


def _warn(console: Console, what: str, error: Exception) -> None:
    """Say what could not be told of datasets that are made and committed. Raises where the disk is full."""
    if full_disk(error):
        raise error
    console.print(f"[yellow]warning[/] {what}: {escape(' '.join(describe(error).split()))}")


def _tell(view: View, console: Console, news: bool) -> None:
    """Tell Dagster how things stand, and the pages where there are `news` or Dagster had it wrong."""
    from orchestration.dagster.sync import sync
    from orchestration.present import write_live

    if not (sync(view) or news):
        return
    try:
        write_live(view.workspace)
    except Exception as error:
        _warn(console, "the pages do not say how things stand now", error)


#: The tag by which the runs of a backfill are found in Dagster.
TAG = "silverloom/backfill"


def backfill(
    workspace: Workspace, first: str, last: str, select: str | None, jobs: int | None = 1, force: bool = False
) -> int:
    """Make the partitions `first` to `last` that are not fresh, or all; 1 if any failed."""
    partitions = chosen(workspace, first, last)
    wanted = [
        (dataset, [partition for partition in dataset.made_partitions if partition in partitions])
        for dataset in workspace.graph.selected(select)
    ]
    needed = missing_inputs(workspace, wanted)
    both = [(dataset, sorted({*asked, *needed.get(dataset.name, ())})) for dataset, asked in wanted]
    over_all = [dataset.name for dataset, partitions in both if not dataset.partitioned and not partitions]
    notes = [
        f"needed by them, and so made as well where that could be: {name} {', '.join(partitions)}"
        for name, partitions in needed.items()
    ]
    if over_all:
        names = ", ".join(over_all)
        notes.append(f"without partitions, so not in a backfill: {names}; `make run` makes them")
    partitioned = [(dataset, partitions) for dataset, partitions in both if dataset.partitioned or partitions]
    return drive(workspace, partitioned, jobs, force, {TAG: f"{first}..{last}"}, notes)


def chosen(workspace: Workspace, first: str, last: str) -> list[str]:
    """Return the partitions from `first` to `last`. Raises ValueError that says what to change."""
    known = workspace.settings.partitions
    if known.every == "none":
        raise ValueError("params.yaml has no months or years (every: none): `make run` makes all there is")
    for name, partition in (("FROM", first), ("TO", last)):
        if wrong := fault(partition, known.every):
            raise ValueError(f"{name} {wrong}, found {partition!r}")
    if last < first:
        raise ValueError(f"FROM ({first}) is after TO ({last})")
    for partition, key, lies_out in (("FROM", "start", first < known.start), ("TO", "end", last > known.end)):
        if lies_out:
            value = first if partition == "FROM" else last
            raise ValueError(
                f"{partition} ({value}) lies outside the {known.every}s of params.yaml, "
                f"{known.start} to {known.end}: choose one of these, or set partitions.{key} to {value}"
            )
    return [partition for partition in known.names if first <= partition <= last]


def missing_inputs(workspace: Workspace, wanted: Wanted) -> dict[str, list[str]]:
    """Return other partitions that those wanted read and that were never made, by dataset.

    What reads all partitions cannot be made of some. Those that are there, stale or not, are read as is.
    """
    view, found = View(workspace), dict[str, list[str]]()
    queue = [(dataset, partition) for dataset, partitions in wanted for partition in partitions]
    planned = {(dataset.name, partition) for dataset, partition in queue}
    whole: set[str] = set()  # datasets of which all partitions were looked at
    for dataset, partition in queue:  # which grows
        for upstream, reads_all in workspace.graph.reads(dataset):
            if reads_all and upstream.name in whole:
                continue
            whole |= {upstream.name} if reads_all else set()
            for part in upstream.made_partitions if reads_all else [partition]:
                if (upstream.name, part) not in planned and view.known(upstream, part) is None:
                    planned.add((upstream.name, part))
                    found.setdefault(upstream.name, []).append(part)
                    queue.append((upstream, part))
    return {name: sorted(partitions) for name, partitions in found.items()}
