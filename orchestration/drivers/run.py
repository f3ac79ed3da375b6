"""`make run`: make what is stale, input before output, and say what was made.

Belongs here: a command from its first check to its end. Not here: the loop over partitions (loop.py), what is
said at the end (closing.py), one partition's making (materialise.py), DVC's own driver (dvc.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from orchestration.drivers.closing import tell_reports
from orchestration.drivers.loop import Report, Wanted, bring_up_to_date
from orchestration.files.full_disk import full_disk
from orchestration.messages.failures import describe
from orchestration.mlflow.sender import Sender
from orchestration.state.corpora import corpus
from orchestration.state.crawls import ask_again
from orchestration.state.dvc_lock import check_lock
from orchestration.state.input_snapshot import input_snapshot
from orchestration.workspace.workspace import Workspace


def run(workspace: Workspace, select: str | None = None, jobs: int = 1, recrawl: bool = False) -> int:
    """Bring a selection up to date, commit it to dvc.lock, print the table; 1 if anything failed.

    With `recrawl`, the crawls of the selection ask the web again.
    """
    wanted = [(item, item.made_months) for item in workspace.graph.selected(select)]
    for item, months in wanted if recrawl else ():
        ask_again(workspace, item, months)
    return drive(workspace, wanted, jobs)


def drive(
    workspace: Workspace,
    wanted: Wanted,
    jobs: int = 1,
    force: bool = False,
    tags: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> int:
    """Make what is stale of the partitions wanted, commit what that finishes, print the table and `notes`.

    Returns 1 if anything failed, or a source was rejected whole; a page that cannot tell how things stand
    is a warning. Datasets are committed here, by one process, whatever the number of `jobs`.
    """
    from orchestration.dvc.commit import commit_finished, restore
    from orchestration.dvc.stages import check_rendered

    console = Console(stderr=False, soft_wrap=True)
    check_rendered(workspace)
    restore(workspace)
    check_lock(workspace)
    for item, _ in wanted:
        _ = item.code  # a model that is not there is said before anything is made
        if item.records:
            corpus(workspace, item.records).check()
    input_snapshot(workspace)
    reports, sender = [], Sender(workspace)
    with contextlib.closing(bring_up_to_date(workspace, wanted, console, force, jobs, tags)) as ended:
        for report in ended:
            reports.append(report)
            # Where a processor has nothing to do, and beside the last dataset of all, which one worker makes.
            if report.spare or (jobs > 1 and len(reports) == len(wanted) - 1):
                sender.start()
    worked = any(report.made or report.failed for report in reports)
    if worked:
        _show_so_far(workspace, console, reports)
    try:
        committed = commit_finished(workspace)
    finally:  # whatever goes wrong from here on, what failed is said
        rejected = tell_reports(workspace, reports, console)
        for note in notes:
            console.print(note)
    _tell(workspace, console, news=worked or bool(committed))
    sender.finish()
    return 1 if rejected or any(report.failed for report in reports) else 0


def _show_so_far(workspace: Workspace, console: Console, reports: Sequence[Report]) -> None:
    """Write pages of what there is where the report, which reads all, is no part of what was asked for."""
    from orchestration.live.pages_so_far import drop_pages_so_far, write_pages_so_far

    asked_for = any(report.item.shape is None for report in reports)
    try:
        (drop_pages_so_far if asked_for else write_pages_so_far)(workspace)
    except Exception as error:
        _warn(console, "the pages do not show what was made", error)


def _warn(console: Console, what: str, error: Exception) -> None:
    """Say what could not be told of datasets that are made and committed. Raises where the disk is full."""
    if full_disk(error):
        raise error
    console.print(f"[yellow]warning[/] {what}: {escape(' '.join(describe(error).split()))}")


def _tell(workspace: Workspace, console: Console, news: bool) -> None:
    """Tell Dagster how things stand, and the pages where there are `news` or Dagster had it wrong."""
    from orchestration.dagster.sync import sync
    from orchestration.live.present import write_live

    if not (sync(workspace) or news):
        return
    try:
        write_live(workspace)
    except Exception as error:
        _warn(console, "the pages do not say how things stand now", error)
