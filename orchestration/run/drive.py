"""`silverloom run` and `silverloom backfill`, from choosing partitions to the last line of output.

Belongs here: which partitions to make, committing finished datasets, updating Dagster and the pages. Not
here: the loop over partitions (loop.py), the closing summary (summary.py), DVC stages (stage.py), and
Dagster's own backfills, which its daemon runs.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
import uuid
from collections.abc import Mapping, Sequence

from rich.console import Console

from silverloom.ops.core.periods import fault
from silverloom.orchestration.executors.parts import engine_params, partitions_at_a_time
from silverloom.orchestration.files.edits import source_versions
from silverloom.orchestration.mlflow.send import send_and_tell
from silverloom.orchestration.run.loop import Wanted, bring_up_to_date
from silverloom.orchestration.run.summary import tell_reports
from silverloom.orchestration.state.dvc_files import check_lock
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.sources import ask_again, corpus
from silverloom.orchestration.workspace.workspace import Workspace, commit


def run(workspace: Workspace, select: str | None = None, jobs: int | None = 1, recrawl: bool = False) -> int:
    """Bring a selection up to date, commit it to dvc.lock and print the table. Returns 1 if anything failed.

    With `recrawl`, the selection's crawls fetch from the web again.
    """
    wanted = [(dataset, dataset.made_partitions) for dataset in workspace.graph.selected(select)]
    for dataset, partitions in wanted if recrawl else ():
        ask_again(workspace, dataset, partitions)
    return drive(workspace, wanted, jobs)


def tags_of_command(workspace: Workspace) -> dict[str, str]:
    """Return the tags of a command's runs in Dagster: their batch, the command line, and the commit."""
    done = commit(workspace)
    return {
        "silverloom/batch": uuid.uuid4().hex[:8],
        "silverloom/command": shlex.join(["silverloom", *sys.argv[1:]]),
        **({"silverloom/commit": done.id[:12]} if done else {}),
    }


def drive(
    workspace: Workspace,
    wanted: Wanted,
    jobs: int | None = 1,
    force: bool = False,
    tags: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> int:
    """Make the stale partitions among `wanted`, commit finished datasets, print the table and `notes`.

    Returns 1 if anything failed or a source was rejected whole. This process alone commits, however many
    `jobs` there are. If `jobs` is None, params.yaml decides how many partitions are made in parallel.
    """
    from silverloom.orchestration.dagster.health import made_by
    from silverloom.orchestration.dagster.sync import sync
    from silverloom.orchestration.dvc.spare import restore
    from silverloom.orchestration.dvc.stages import commit_finished

    unasked, jobs = not (jobs or engine_params().partitions), jobs or partitions_at_a_time()
    console = Console(stderr=False, soft_wrap=True)
    restore(workspace)
    check_lock(workspace)
    for dataset, _ in wanted:
        _ = dataset.code  # raises now if a model is missing, before anything is made
        if dataset.records:
            corpus(workspace, dataset.records).check()
    source_versions(workspace)  # as of now, to notice edits
    of_all = {**tags_of_command(workspace), **(tags or {})}
    reports, view = [], View(workspace)
    with contextlib.closing(bring_up_to_date(view, wanted, console, force, jobs, of_all, unasked)) as ended:
        for report in ended:
            reports.append(report)
    if begun := any(report.made or report.failed for report in reports):
        view = View(workspace)  # read again: other processes may have made partitions too
    try:
        committed = commit_finished(view)
    finally:  # report failures even if the commit fails
        rejected = tell_reports(view, reports, console, notes)
    if not begun:  # else the loop has told Dagster what was on disk, and each run what it made
        sync(view)
    if committed or any(report.made for report in reports):
        send_and_tell(workspace, run_of=made_by)
    return 1 if rejected or any(report.failed for report in reports) else 0


#: The tag that marks a backfill's runs in Dagster.
TAG = "silverloom/backfill"


def backfill(
    workspace: Workspace, first: str, last: str, select: str | None, jobs: int | None = 1, force: bool = False
) -> int:
    """Make the stale partitions from `first` to `last` (with `force`, all). Returns 1 if any failed."""
    partitions = chosen(workspace, first, last)
    wanted = [
        (dataset, [partition for partition in dataset.made_partitions if partition in partitions])
        for dataset in workspace.graph.selected(select)
    ]
    needed = missing_inputs(workspace, wanted)
    both = [(dataset, sorted({*asked, *needed.get(dataset.name, ())})) for dataset, asked in wanted]
    over_all = [dataset.name for dataset, partitions in both if not dataset.partitioned and not partitions]
    notes = [
        f"also made if possible, because the range needs them: {name} {', '.join(partitions)}"
        for name, partitions in needed.items()
    ]
    if over_all:
        names = ", ".join(over_all)
        everything = workspace.command("run")
        notes.append(f"not partitioned, so not in the backfill: {names}; run `{everything}` to make them")
    partitioned = [(dataset, partitions) for dataset, partitions in both if dataset.partitioned or partitions]
    return drive(workspace, partitioned, jobs, force, {TAG: f"{first}..{last}"}, notes)


def chosen(workspace: Workspace, first: str, last: str) -> list[str]:
    """Return the partitions from `first` to `last`. Raises ValueError with what to change."""
    known = workspace.settings.partitions
    if known.every == "none":
        everything = workspace.command("run")
        raise ValueError(f"params.yaml has no months or years (every: none): `{everything}` makes everything")
    for name, partition in (("FROM", first), ("TO", last)):
        if wrong := fault(partition, known.every):
            raise ValueError(f"{name} {wrong}, found {partition!r}")
    if last < first:
        raise ValueError(f"FROM ({first}) is after TO ({last})")
    for partition, key, lies_out in (
        ("FROM", "start", first < known.start),
        ("TO", "end", last > known.last),
    ):
        if lies_out:
            value = first if partition == "FROM" else last
            raise ValueError(
                f"{partition} ({value}) is outside the {known.every}s in params.yaml, "
                f"{known.start} to {known.last}: choose one in that range, or set partitions.{key} to {value}"
            )
    return [partition for partition in known.names if first <= partition <= last]


def missing_inputs(workspace: Workspace, wanted: Wanted) -> dict[str, list[str]]:
    """Return, by dataset, the other partitions that those in `wanted` read and that were never made.

    A dataset that reads all partitions of an input needs every one. Existing inputs are read even if
    they are stale.
    """
    view, missing = View(workspace), dict[str, list[str]]()
    queue = [(dataset, partition) for dataset, partitions in wanted for partition in partitions]
    planned = {(dataset.name, partition) for dataset, partition in queue}
    whole: set[str] = set()  # datasets whose partitions have all been checked
    for dataset, partition in queue:  # grows while we iterate
        for upstream, reads_all in workspace.graph.reads(dataset):
            if reads_all and upstream.name in whole:
                continue
            whole |= {upstream.name} if reads_all else set()
            for part in upstream.made_partitions if reads_all else [partition]:
                if (upstream.name, part) not in planned and view.known(upstream, part) is None:
                    planned.add((upstream.name, part))
                    missing.setdefault(upstream.name, []).append(part)
                    queue.append((upstream, part))
    return {name: sorted(partitions) for name, partitions in missing.items()}
