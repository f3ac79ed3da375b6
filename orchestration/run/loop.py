"""The loop over partitions: it makes inputs first, isolates failures, and can make several in parallel.

Belongs here: the order of partitions, what a failure blocks, and lines of progress. Not here: choosing and
committing partitions (drive.py, stage.py), making one (dagster_run.py), and where that runs (executors/).
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console
from rich.markup import escape

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import AssetGraph, label
from silverloom.ops.core.counts import total
from silverloom.ops.core.periods import is_over
from silverloom.orchestration.executors.base import EventSink, Executor, WorkerDiedError
from silverloom.orchestration.executors.local import ThisProcess, WorkerProcesses
from silverloom.orchestration.executors.parts import STARTING, begin, engine_params
from silverloom.orchestration.files.publish import recover
from silverloom.orchestration.partition.prune import no_partitions, prune
from silverloom.orchestration.run.display import Display
from silverloom.orchestration.state.freshness import FORCED, View, forget
from silverloom.orchestration.state.sources import missing_source
from silverloom.orchestration.workspace.workspace import Workspace

if TYPE_CHECKING:
    from silverloom.orchestration.run.dagster_run import Ran

__all__ = ["Report", "Wanted", "bring_up_to_date"]

_Place: TypeAlias = tuple[str, str]

#: Ray ends a process with status 1 if Ray's processes on this machine end. Other causes give the same status.
_RAY_ENDED = (
    "Ray may have ended it: if `ray status` finds no cluster, start it again with `ray start`, then run again"
    " (finished parts are kept)"
)

#: Seconds that an interrupted worker has to restore its partition.
PATIENCE = 30.0


@dataclass
class Report:
    """What a run did with one dataset."""

    dataset: Dataset
    partitions: Sequence[str]
    """The partitions that were requested."""
    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    """Total time of its partitions; parallel ones took less of the clock."""


def bring_up_to_date(
    view: View,
    wanted: Wanted,
    console: Console,
    force: bool = False,
    jobs: int = 1,
    tags: Mapping[str, str] | None = None,
    patient: bool = False,
) -> Generator[Report, None, None]:
    """Make every stale partition in `wanted`, and yield a report as soon as a dataset is finished.

    A failed partition does not stop the others, but partitions that need it fail too and name it as the
    cause. Only a full disk stops everything, with DiskFullError, and a lost cluster, with ClusterLostError.
    `wanted` lists datasets with their partitions, inputs first. With `jobs` > 1, up to that many worker
    processes make partitions in parallel, across datasets as soon as their inputs are ready; datasets at the
    head of the longest chains go first. If `patient`, the other processes start only once partitions wait for
    one; on a cluster they start at once.

    Raises ValueError for a partition that is not over yet, WorkerNotStartedError if workers cannot start.
    """
    workspace = view.workspace
    check_over(workspace, wanted)
    recover(workspace.staging)
    if gone := [
        label(dataset, partition) for dataset, _ in wanted for partition in prune(workspace, dataset)
    ]:
        console.print(f"removed, {no_partitions(gone)}")
    run_tags = {**(tags or {}), **({FORCED: "true"} if force else {})}
    with (
        Display(console, sum(len(partitions) for _, partitions in wanted)) as display,
        contextlib.closing(_Loop(view, wanted, console, display, force, jobs, run_tags, patient)) as loop,
    ):
        for report in loop.run():
            with display.paused():  # DVC shows its own progress bars while it commits
                yield report


@dataclass(frozen=True)
class _Run:
    """A partition being made, as a Dagster run."""

    dataset: Dataset
    partition: str
    reasons: Sequence[str]
    run_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    begun: float = field(default_factory=time.monotonic)


@dataclass
class _Loop:
    _view: View
    wanted: Wanted
    console: Console
    display: Display
    force: bool
    jobs: int
    tags: Mapping[str, str]
    patient: bool

    def __post_init__(self) -> None:
        self.workspace = self._view.workspace
        self._reports = {dataset.name: Report(dataset, partitions) for dataset, partitions in self.wanted}
        longest = heights(self.workspace.graph, self.wanted) if self.jobs > 1 else {}
        ordered = sorted(self.wanted, key=lambda pair: -longest.get(pair[0].name, 0))
        partitions = [(dataset, key) for dataset, keys in ordered for key in keys]
        reads = self.workspace.graph.reads
        self._inputs = {dataset.name: reads(dataset) for dataset, _ in self.wanted}
        self._before = {
            (dataset.name, partition): self._view.status(dataset, partition)
            for dataset, partition in partitions
        }
        self._waiting = dict.fromkeys(self._before)
        # Keyed by dataset, so that a reader of all partitions needs one look-up instead of one per partition.
        self._left = {dataset.name: dict.fromkeys(keys) for dataset, keys in self.wanted}
        self._made: dict[str, dict[str, None]] = defaultdict(dict)
        self._lost: dict[str, dict[str, None]] = defaultdict(dict)
        self._under_way: dict[Future[tuple[Ran, float]], _Run] = {}
        self._listener: EventSink | None = None
        jobs = min(self.jobs, sum(self.force or not status.fresh for status in self._before.values()))
        self._engine = engine_params()
        # If Ray's processes on this machine end, Ray ends the connected ones without a word: this one is not.
        apart = jobs > 1 or (jobs and self._engine.kind == "ray")
        self._executor: Executor = WorkerProcesses(jobs, "JOBS", PATIENCE) if apart else ThisProcess()
        self._processes = 1 if self.patient and self._engine.kind != "ray" else self._executor.places
        self._full_since: float | None = None

    def close(self) -> None:
        self._executor.close()

    def _first_of(self, place: _Place, candidates: Mapping[str, Mapping[str, None]]) -> _Place | None:
        """Return the first input of a partition that is in `candidates` (partitions by dataset)."""
        for upstream, whole in self._inputs[place[0]]:
            partitions = candidates.get(upstream.name, {})
            if partitions and (whole or place[1] in partitions):
                return upstream.name, next(iter(partitions)) if whole else place[1]
        return None

    def run(self) -> Iterator[Report]:
        open_reports = list(self._reports.values())
        self._hand_out()
        while open_reports:
            for future in wait(self._under_way, STARTING, FIRST_COMPLETED).done:
                self._ended(self._under_way.pop(future), future)
            self._hand_out()  # keep workers busy while the caller handles a report
            for report in list(open_reports):
                if not self._left[report.dataset.name]:
                    open_reports.remove(report)
                    yield report

    def _hand_out(self) -> None:
        """Start what is ready while a worker is idle, and settle partitions that need no work."""
        for place in list(self._waiting):
            if len(self._under_way) == self._processes and not self._may_grow():
                return
            report, partition = self._reports[place[0]], place[1]
            if self._first_of(place, self._left):
                continue
            if lost := self._first_of(place, self._lost):
                self._settle(place, f"needs {' '.join(lost).strip()}, which failed")
            elif self.force or not self._fresh(report.dataset, partition):
                self._make(report.dataset, partition)
            else:
                before = self._before[place]
                if not (before.fresh or before.waiting):  # an empty partition, made together with another
                    report.made.append(partition)
                    self._made[place[0]][partition] = None
                self._settle(place)
            del self._waiting[place]
        self._full_since = None

    def _may_grow(self) -> bool:
        """Return whether all processes may be busy.

        They may once partitions have been waiting for twice as long as a process takes to start: a few small
        ones are made sooner, and with less memory, one after another.
        """
        if self._processes == self._executor.places or next(self._ready(), None) is None:
            self._full_since = None
            return False
        now = time.monotonic()
        if self._full_since is None:
            self._full_since = now
        if now - self._full_since < 2 * STARTING:
            return False
        self._processes = self._executor.places
        return True

    def _fresh(self, dataset: Dataset, partition: str) -> bool:
        place = (dataset.name, partition)
        if not self._before[place].fresh or self._first_of(place, self._made):
            self._view.renew(dataset, partition)
        return self._view.status(dataset, partition).fresh

    def _make(self, dataset: Dataset, partition: str) -> None:
        from silverloom.orchestration.dagster.sync import sync
        from silverloom.orchestration.run.dagster_run import make

        if self._listener is None:
            if self._engine.address == "local":
                begin()  # start the cluster that the workers connect to
            sync(self._view)  # a run records its inputs' versions as Dagster knows them
            self._listener = self._executor.channel(self.display)
        run = _Run(dataset, partition, self._view.status(dataset, partition).reasons)
        if self.force:
            forget(self.workspace, dataset, partition)
        self.display.begin(label(dataset, partition))
        processes = self.jobs if self._is_alone(dataset, partition) else 1
        future = self._executor.submit(
            make, dataset.name, partition, run.run_id, self.tags, processes, self._listener
        )
        self._under_way[future] = run

    def _is_alone(self, dataset: Dataset, partition: str) -> bool:
        """Return whether nothing else is being made, nor stale and ready to be."""
        return not self._under_way and all(other == (dataset.name, partition) for other in self._ready())

    def _ready(self) -> Iterator[_Place]:
        """Yield what is stale and waits for nothing but a process."""
        for place in self._waiting:
            if (self.force or not self._before[place].fresh) and not self._first_of(place, self._left):
                yield place

    def _ended(self, run: _Run, future: Future[tuple[Ran, float]]) -> None:
        from silverloom.orchestration.run.dagster_run import end

        dataset, partition, report = run.dataset, run.partition, self._reports[run.dataset.name]
        try:
            ran, seconds = future.result()
            error, lasting = ran.error, ran.lasting
        except WorkerDiedError as death:
            error, lasting, seconds = str(death), None, time.monotonic() - run.begun
            if self._engine.kind == "ray" and death.status == 1:
                error = f"{error}; {_RAY_ENDED}"
            end(run.run_id, error)
        if lasting is not None:
            raise lasting
        self.display.end(label(dataset, partition))
        self._view.renew(dataset, partition)
        report.seconds += seconds
        if error is None:
            report.made.append(partition)
            self._made[dataset.name][partition] = None
        outcome = f"[red]failed[/]: {escape(error)}" if error else self._counts(dataset, partition)
        why = f" [dim]({escape(_brief(run.reasons))})[/]" if run.reasons else ""
        self.console.print(f"{label(dataset, partition)}: {outcome}, {seconds:.1f} s{why}")
        self._settle((dataset.name, partition), error)

    def _settle(self, place: _Place, error: str | None = None) -> None:
        del self._left[place[0]][place[1]]
        self.display.advance()
        if error is not None:
            self._lost[place[0]][place[1]] = None
            self._reports[place[0]].failed[place[1]] = error

    def _counts(self, dataset: Dataset, partition: str) -> str:
        if dataset.shape is None:
            return "written"
        if missing := missing_source(self.workspace, dataset):
            return f"no rows: {missing}"
        manifest = self._view.known(dataset, partition)
        numbers = total([manifest.counts] if manifest else [])
        return f"{numbers['kept']} kept, {numbers['dropped']} dropped, {numbers['rejected']} rejected"


def _brief(reasons: Sequence[str], width: int = 70) -> str:
    if [*reasons] == ["missing"]:
        return "was missing"
    first = reasons[0] if len(reasons[0]) <= width else f"{reasons[0][: width - 1]}…"
    return first if len(reasons) == 1 else f"{first}; {len(reasons) - 1} more"


Wanted: TypeAlias = Sequence[tuple[Dataset, Sequence[str]]]


def check_over(workspace: Workspace, wanted: Wanted) -> None:
    """Raise ValueError for a partition that is not over by this machine's clock: Dagster does not know it."""
    today, every = datetime.now(UTC).date(), workspace.settings.partitions.every
    asked = sorted(
        {partition for dataset, partitions in wanted if dataset.partitioned for partition in partitions}
    )
    if ahead := [partition for partition in asked if not is_over(partition, every, today)]:
        raise ValueError(
            f"params.yaml: partitions: the {every} {ahead[0]} is not over yet by this machine's clock, "
            f"which says {today:%Y-%m-%d}; correct the clock, or set `end` to a {every} that is over"
        )


def heights(graph: AssetGraph, wanted: Wanted) -> dict[str, int]:
    """Return, by dataset, the length of the longest chain of datasets that depend on it, counting itself."""
    longest = dict.fromkeys((dataset.name for dataset, _ in wanted), 1)
    for dataset, _ in reversed(wanted):
        for source in graph.upstream(dataset):
            if source.name in longest:
                longest[source.name] = max(longest[source.name], longest[dataset.name] + 1)
    return longest
