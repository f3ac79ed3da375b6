"""The one loop over partitions: inputs before what reads them, a failure alone, several at once if wished.

Belongs here: the order of partitions, what a failure holds up, the lines of progress. Not here: which
partitions are asked for (run.py, backfill.py, dvc.py), making one (partition.py), where that runs
(executors/), committing (run.py).
"""

from __future__ import annotations

import contextlib
import errno
import time
import uuid
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import TypeAlias

from rich.console import Console
from rich.markup import escape

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from orchestration.drivers.order import Wanted, check_over, heights
from orchestration.execute.prune import no_partitions, prune
from orchestration.executors.base import EventSink, Executor, WorkerDiedError
from orchestration.executors.local import ThisProcess, WorkerProcesses
from orchestration.files.full_disk import FULL, DiskFullError
from orchestration.files.publish import recover
from orchestration.messages.display import Display
from orchestration.state.counts import total
from orchestration.state.freshness import FORCED, View
from orchestration.state.manifests import forget
from orchestration.workspace.workspace import Workspace

__all__ = ["Report", "Wanted", "bring_up_to_date"]

_Place: TypeAlias = tuple[str, str]

#: Seconds that an interrupted worker may take to leave its partition as it was.
PATIENCE = 30.0


@dataclass
class Report:
    """What one driver did with one dataset."""

    item: Declaration
    months: Sequence[str]
    """The partitions that were asked for."""
    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    """What its partitions took, added up: several at once take less."""
    spare: bool = False
    """Whether a processor had nothing to do when it was through."""


def bring_up_to_date(
    workspace: Workspace,
    wanted: Wanted,
    console: Console,
    force: bool = False,
    jobs: int = 1,
    tags: Mapping[str, str] | None = None,
) -> Generator[Report, None, None]:
    """Make every stale partition of those wanted and yield a report as soon as a dataset is through.

    A partition that fails does so alone; what needs it is left, with that as its cause. Only a full disk ends
    them all: raises DiskFullError. `wanted` names datasets, inputs before what reads them, with their months.
    With `jobs` > 1 partitions are made in as many worker processes, if as many are stale, and datasets are
    worked on at the same time as far as their inputs allow: those first that most others wait for.

    Raises ValueError for a month that is not over yet, WorkerNotStartedError where workers cannot begin.
    """
    check_over(workspace, wanted)
    recover(workspace.staging)
    if gone := [label(item, month) for item, _ in wanted for month in prune(workspace, item)]:
        console.print(f"removed, {no_partitions(gone)}")
    run_tags = {**(tags or {}), **({FORCED: "true"} if force else {})}
    with (
        Display(console, sum(len(months) for _, months in wanted)) as display,
        contextlib.closing(_Loop(workspace, wanted, console, display, force, jobs, run_tags)) as loop,
    ):
        for report in loop.run():
            with display.paused():  # DVC shows bars of its own while it commits
                yield report


@dataclass(frozen=True)
class _Run:
    """A partition under way, as a run of Dagster."""

    item: Declaration
    month: str
    reasons: Sequence[str]
    run_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    begun: float = field(default_factory=time.monotonic)


@dataclass
class _Loop:
    workspace: Workspace
    wanted: Wanted
    console: Console
    display: Display
    force: bool
    jobs: int
    tags: Mapping[str, str]

    def __post_init__(self) -> None:
        self._view = View(self.workspace)
        self._reports = {item.name: Report(item, months) for item, months in self.wanted}
        longest = heights(self.workspace.graph, self.wanted) if self.jobs > 1 else {}
        ordered = sorted(self.wanted, key=lambda pair: -longest.get(pair[0].name, 0))
        partitions = [(item, month) for item, months in ordered for month in months]
        self._inputs = {(item.name, month): self._read(item, month) for item, month in partitions}
        self._before = {(item.name, month): self._view.status(item, month) for item, month in partitions}
        self._waiting = dict.fromkeys(self._inputs)
        self._left = set(self._inputs)
        self._made: set[_Place] = set()
        self._lost: set[_Place] = set()
        self._under_way: dict[Future[tuple[str | None, float]], _Run] = {}
        self._listener: EventSink | None = None
        jobs = min(self.jobs, sum(self.force or not status.fresh for status in self._before.values()))
        self._executor: Executor = WorkerProcesses(jobs, "JOBS", PATIENCE) if jobs > 1 else ThisProcess()

    def close(self) -> None:
        self._executor.close()

    def _read(self, item: Declaration, month: str) -> list[_Place]:
        months = self.workspace.graph.input_months(item, month)
        return [(name, part) for name in months for part in months[name]]

    def run(self) -> Iterator[Report]:
        open_reports = list(self._reports.values())
        self._hand_out()
        while open_reports:
            for future in wait(self._under_way, return_when=FIRST_COMPLETED).done:
                self._ended(self._under_way.pop(future), future)
            self._hand_out()  # workers go on while a report is dealt with
            for report in list(open_reports):
                if not any((report.item.name, month) in self._left for month in report.months):
                    open_reports.remove(report)
                    report.spare = len(self._under_way) < self._executor.places > 1
                    yield report

    def _hand_out(self) -> None:
        """Hand out what can begin, while a worker is idle; settle what needs no making."""
        for place in list(self._waiting):
            if len(self._under_way) == self._executor.places:
                return
            inputs, report, month = self._inputs[place], self._reports[place[0]], place[1]
            if not self._left.isdisjoint(inputs):
                continue
            if lost := next((found for found in inputs if found in self._lost), None):
                self._settle(place, f"needs {' '.join(lost).strip()}, which failed")
            elif self.force or not self._fresh(report.item, month):
                self._make(report.item, month)
            else:
                before = self._before[place]
                if not (before.fresh or before.waiting):  # it was made with another one that is empty
                    report.made.append(month)
                    self._made.add(place)
                self._settle(place)
            del self._waiting[place]

    def _fresh(self, item: Declaration, month: str) -> bool:
        place = (item.name, month)
        if not self._before[place].fresh or not self._made.isdisjoint(self._inputs[place]):
            self._view.renew(item, month)
        return self._view.status(item, month).fresh

    def _make(self, item: Declaration, month: str) -> None:
        from orchestration.dagster.sync import sync
        from orchestration.drivers.partition import make

        if self._listener is None:
            sync(self.workspace)  # a run records the versions of its inputs as Dagster knows them
            self._listener = self._executor.channel(self.display)
        run = _Run(item, month, self._view.status(item, month).reasons)
        if self.force:
            forget(self.workspace, item, month)
        self.display.begin(label(item, month))
        future = self._executor.submit(make, item.name, month, run.run_id, self.tags, self._listener)
        self._under_way[future] = run

    def _ended(self, run: _Run, future: Future[tuple[str | None, float]]) -> None:
        from orchestration.drivers.dagster_runs import end

        item, month, report = run.item, run.month, self._reports[run.item.name]
        try:
            error, seconds = future.result()
        except WorkerDiedError as death:
            error, seconds = str(death), time.monotonic() - run.begun
            end(run.run_id, error)
        if error is not None and FULL in error:  # so would all others end
            raise DiskFullError(errno.ENOSPC, error)
        self.display.end(label(item, month))
        self._view.renew(item, month)
        report.seconds += seconds
        if error is None:
            report.made.append(month)
            self._made.add((item.name, month))
        outcome = f"[red]failed[/]: {escape(error)}" if error else self._counts(item, month)
        why = f" [dim]({escape(_brief(run.reasons))})[/]" if run.reasons else ""
        self.console.print(f"{label(item, month)}: {outcome}, {seconds:.1f} s{why}")
        self._settle((item.name, month), error)

    def _settle(self, place: _Place, error: str | None = None) -> None:
        self._left.remove(place)
        self.display.advance()
        if error is not None:
            self._lost.add(place)
            self._reports[place[0]].failed[place[1]] = error

    def _counts(self, item: Declaration, month: str) -> str:
        if item.shape is None:
            return "written"
        manifest = self._view.known(item, month)
        numbers = total([manifest.counts] if manifest else [])
        return f"{numbers['kept']} kept, {numbers['dropped']} dropped, {numbers['rejected']} rejected"


def _brief(reasons: Sequence[str], width: int = 70) -> str:
    first = reasons[0] if len(reasons[0]) <= width else f"{reasons[0][: width - 1]}…"
    return first if len(reasons) == 1 else f"{first}; {len(reasons) - 1} more"
