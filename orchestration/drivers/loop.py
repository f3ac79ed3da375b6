"""The one loop over partitions: inputs before what reads them, a failure alone, several at once if wished.

Belongs here: the order of partitions, what a failure holds up, the lines of progress. Not here: which
partitions are asked for (run.py, backfill.py, dvc.py), where they run (workers.py), committing (run.py).
"""

from __future__ import annotations

import contextlib
import errno
import itertools
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape

from assets.declare.declaration import Declaration
from assets.declare.graph import AssetGraph, label
from ops.periods import is_over
from orchestration.drivers.workers import Done, Here, Pool
from orchestration.execute.prune import no_partitions, prune
from orchestration.files.full_disk import FULL, DiskFullError
from orchestration.files.publish import recover
from orchestration.messages.display import Display
from orchestration.state.counts import total
from orchestration.state.empty import empty_months
from orchestration.state.freshness import FORCED, ONLY_STALE, View
from orchestration.state.records import forget
from orchestration.workspace.workspace import Workspace

Wanted = Sequence[tuple[Declaration, Sequence[str]]]


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

    Raises ValueError for a month that is not over by the clock of this machine: to Dagster it is none yet.
    """
    _check_over(workspace, wanted)
    recover(workspace.staging)
    if gone := [label(item, month) for item, _ in wanted for month in prune(workspace, item)]:
        console.print(f"removed, {no_partitions(gone)}")
    run_tags = {**(tags or {}), FORCED if force else ONLY_STALE: "true"}
    with (
        Display(console, sum(len(months) for _, months in wanted)) as display,
        contextlib.closing(_Loop(workspace, wanted, console, display, force, jobs, run_tags)) as loop,
    ):
        for report in loop.run():
            with display.paused():  # DVC shows bars of its own while it commits
                yield report
        if loop.settled:
            _sync(workspace)  # of these no run told Dagster


def _check_over(workspace: Workspace, wanted: Wanted) -> None:
    today, every = datetime.now(UTC).date(), workspace.settings.partitions.every
    asked = sorted({month for item, months in wanted if item.partitioned for month in months})
    if ahead := [month for month in asked if not is_over(month, every, today)]:
        raise ValueError(
            f"params.yaml: partitions: the {every} {ahead[0]} is not over by the clock of this machine, "
            f"which says {today:%Y-%m-%d}; mend the clock, or let `end` be a {every} that is over"
        )


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
        self._left = set(self._inputs)
        self._waiting = list(self._inputs)
        self._reasons: dict[tuple[str, str], Sequence[str]] = {}
        """Why those under way are made."""
        self._lost: dict[tuple[str, str], str] = {}
        self._together = {
            (item.name, month)
            for item, months in self.wanted
            for month in empty_months(self.workspace, item, months)
        }
        """Empty partitions: the first one that is made of a dataset settles the others of it."""
        self.settled: set[tuple[str, str]] = set()
        """Those of them that were settled so."""
        self._runners: Here | Pool | None = None

    def close(self) -> None:
        if self._runners is not None:
            self._runners.close()

    def _read(self, item: Declaration, month: str) -> list[tuple[str, str]]:
        months = self.workspace.graph.input_months(item, month)
        return [(name, part) for name in months for part in months[name]]

    def run(self) -> Iterator[Report]:
        open_reports = list(self._reports.values())
        self._start()
        while open_reports:
            if self._runners is not None and self._reasons:
                for done in self._runners.wait():
                    self._ended(done)
            self._start()  # workers go on while a report is dealt with
            for report in list(open_reports):
                if not any((report.item.name, month) in self._left for month in report.months):
                    open_reports.remove(report)
                    report.spare = isinstance(self._runners, Pool) and self._runners.free
                    yield report

    def _start(self) -> None:
        """Hand out what can begin, as long as somebody is free; settle what needs no making."""
        for place in list(self._waiting):
            if self._runners is not None and not self._runners.free:
                return
            if not self._left.isdisjoint(self._inputs[place]):
                continue
            if place in self._together and self._empty(place[0], self._reasons):
                continue
            self._waiting.remove(place)
            item, month = self._reports[place[0]].item, place[1]
            lost = next((found for found in self._inputs[place] if found in self._lost), None)
            if lost is not None:
                self._settle(place, f"needs {' '.join(lost).strip()}, which failed")
            elif (self.force and place not in self.settled) or not self._view.status(item, month).fresh:
                self._make(item, month)
            else:
                self._settle(place)
        if self._runners is not None and not self._waiting:
            self._runners.release()

    def _make(self, item: Declaration, month: str) -> None:
        if self._runners is None:
            self._runners = self._begin()
            _sync(self.workspace)  # a run records the versions of its inputs as Dagster knows them
        self._reasons[item.name, month] = self._view.status(item, month).reasons
        if self.force:
            forget(self.workspace, item, month)
        self.display.begin(label(item, month))
        self._runners.start(item, month, self.tags)

    def _begin(self) -> Here | Pool:
        """Return what makes partitions: `jobs` processes, or fewer where fewer are known to be stale."""
        waiting = ((self._reports[name].item, month) for name, month in self._waiting)
        view = View(self.workspace)  # it keeps what it finds, much of which changes until these are due
        stale = (self.force or not view.status(item, month).fresh for item, month in waiting)
        jobs = 1 + len(list(itertools.islice(filter(None, stale), self.jobs - 1)))
        return Here(self.workspace, self.display) if jobs == 1 else Pool(jobs, self.display)

    def _ended(self, done: Done) -> None:
        item, month, report = done.item, done.month, self._reports[done.item.name]
        if done.error is not None and FULL in done.error:  # so would all others end
            raise DiskFullError(errno.ENOSPC, done.error)
        reasons = self._reasons.pop((item.name, month))
        self.display.end(label(item, month))
        self._view.renew(item, month)
        report.seconds += done.seconds
        settled = self._settled_with(item, month) if done.error is None else []
        if done.error is None:
            report.made += [month, *settled]
            self.settled.update((item.name, other) for other in settled)
        outcome = f"[red]failed[/]: {escape(done.error)}" if done.error else self._counts(item, month)
        why = f" [dim]({escape(_brief(reasons))})[/]" if reasons else ""
        more = f", and so are {len(settled)} more partitions without records" if settled else ""
        self.console.print(f"{label(item, month)}: {outcome}, {done.seconds:.1f} s{why}{more}")
        self._settle((item.name, month), done.error)

    def _settled_with(self, item: Declaration, month: str) -> list[str]:
        """Return the partitions that were settled with one that is empty; they are looked at anew."""
        if (item.name, month) not in self._together:
            return []
        waiting, record = self._empty(item.name, self._waiting), self._view.known(item, month)
        for other in waiting:
            self._view.renew(item, other)
        records = {other: self._view.known(item, other) for other in waiting}
        return [other for other, made in records.items() if made and record and made.run_id == record.run_id]

    def _empty(self, name: str, places: Iterable[tuple[str, str]]) -> list[str]:
        """Return the months of a dataset's empty partitions among some."""
        return [month for dataset, month in places if dataset == name and (name, month) in self._together]

    def _settle(self, place: tuple[str, str], error: str | None = None) -> None:
        self._left.remove(place)
        self.display.advance()
        if error is not None:
            name, month = place
            self._lost[place] = self._reports[name].failed[month] = error

    def _counts(self, item: Declaration, month: str) -> str:
        if item.shape is None:
            return "written"
        record = self._view.known(item, month)
        numbers = total([record.counts] if record else [])
        return f"{numbers['kept']} kept, {numbers['dropped']} dropped, {numbers['rejected']} rejected"


def _sync(workspace: Workspace) -> None:
    """Tell Dagster what is on disk."""
    from orchestration.dagster.sync import sync

    sync(workspace)


def heights(graph: AssetGraph, wanted: Wanted) -> dict[str, int]:
    """Return, by dataset, the length of the longest chain of datasets that wait for it, itself included."""
    longest = dict.fromkeys((item.name for item, _ in wanted), 1)
    for item, _ in reversed(wanted):
        for source in graph.upstream(item):
            if source.name in longest:
                longest[source.name] = max(longest[source.name], longest[item.name] + 1)
    return longest


def _brief(reasons: Sequence[str], width: int = 70) -> str:
    first = reasons[0] if len(reasons[0]) <= width else f"{reasons[0][: width - 1]}…"
    return first if len(reasons) == 1 else f"{first}; {len(reasons) - 1} more"
