"""`make run`: make what is stale, input before output, and say what was made.

Belongs here: a command from its first check to its end. Not here: the loop over partitions (loop.py), what is
said at the end (closing.py), one partition's making (materialise.py), DVC's own driver (dvc.py).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from ops.parse.scan import SourceError
from orchestration.drivers.closing import tell_reports
from orchestration.drivers.loop import Report, Wanted, bring_up_to_date
from orchestration.drivers.settled import datasets_now, remember, settled
from orchestration.files.full_disk import full_disk
from orchestration.messages.failures import describe
from orchestration.mlflow.sender import Sender
from orchestration.state.corpora import corpus
from orchestration.state.crawls import ask_again
from orchestration.state.dvc_lock import check_lock
from orchestration.state.input_snapshot import input_snapshot
from orchestration.workspace.workspace import Workspace

#: Seconds of work after which what is finished goes into dvc.lock, should the process be killed.
_COMMIT_EVERY = 120.0


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
    from orchestration.dvc.stages import check_rendered, commit_finished, kept_when_interrupted

    console = Console(stderr=False, soft_wrap=True)
    check_rendered(workspace)
    check_lock(workspace)
    for item, _ in wanted:
        _ = item.code  # a model that is not there is said before anything is made
        if item.records:
            corpus(workspace, item.records).check()
    input_snapshot(workspace)
    reports, sender = [], Sender(workspace)
    committed, pause, due = time.monotonic(), _COMMIT_EVERY, False
    with (
        kept_when_interrupted(workspace),
        contextlib.closing(bring_up_to_date(workspace, wanted, console, force, jobs, tags)) as ended,
    ):
        for report in ended:
            reports.append(report)
            due = due or bool(report.made)
            if report.spare:
                sender.start()
            # Beside the last dataset of all, which one worker makes, there is a processor left.
            beside = jobs > 1 and len(reports) == len(wanted) - 1
            if due and (beside or time.monotonic() - committed > pause):
                started, due = time.monotonic(), False
                sender.start()
                with contextlib.suppress(SourceError):  # the last commit says what DVC cannot version
                    commit_finished(workspace)
                committed = time.monotonic()
                # On a busy machine, too, the work itself takes nine tenths of the time.
                pause = max(_COMMIT_EVERY, 9 * (committed - started))
    idle = not any(report.made or report.failed for report in reports) and settled(workspace)
    if not idle:
        _show_so_far(workspace, console, reports)
    found = "" if idle else datasets_now(workspace)
    try:
        if not idle:
            commit_finished(workspace)
    finally:  # whatever goes wrong from here on, what failed is said
        rejected = tell_reports(workspace, reports, console)
        for note in notes:
            console.print(note)
    if not idle:
        _tell(workspace, console, found)
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


def _tell(workspace: Workspace, console: Console, found: str) -> None:
    """Tell Dagster and the pages how things stand, and remember that they know of the datasets `found`."""
    from orchestration.dagster.sync import sync
    from orchestration.live.present import write_live

    sync(workspace)
    try:
        write_live(workspace)
    except Exception as error:
        _warn(console, "the pages do not say how things stand now", error)
    else:
        remember(workspace, found)
