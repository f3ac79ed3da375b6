"""The engines that map ops over parts: in this process, in workers, or on a cluster, with identical bytes.

Belongs here: the order of outcomes, how far to compute ahead, which engine params.yaml selects. Not here:
parts (ops/core/parts.py), resuming from finished ones (partition/resume.py), the workers (local.py, ray.py).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from silverloom.assets.declare.code import lock_file
from silverloom.assets.declare.params_file import settings
from silverloom.assets.declare.settings import EngineParams
from silverloom.ops.core.extras import require
from silverloom.ops.core.parts import Exchange, temporary_folder
from silverloom.orchestration.executors.base import (
    EventSink,
    Executor,
    Resources,
    Result,
    WorkerDiedError,
)
from silverloom.orchestration.executors.local import ThisProcess, WorkerProcesses
from silverloom.orchestration.executors.node import Expected

if TYPE_CHECKING:
    from silverloom.orchestration.executors.ray import RayExecutor


def _ignore(text: str) -> None:
    """Ignore a line of text."""


class Locality(Enum):
    """Where an engine computes."""

    HERE = "in this process, or in others that write to this machine's disk"
    ELSEWHERE = "in other processes, which may share no disk with this one"


class PartsEngine(Protocol):
    """Runs an op over pieces of work and yields its results in the order of the pieces."""

    @property
    def locality(self) -> Locality:
        """Where the op runs."""
        ...

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
        count: int | None = None,
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece; `count` says how many there are, if that is known.

        An engine that computes in other processes passes each result through `arrived`, in another thread and
        as soon as it exists, so that results ahead of their turn can be stored.
        """
        ...

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a new scratch folder for a step; it is removed at the end."""
        ...

    @property
    def exchange(self) -> Exchange | None:
        """Distributes joins over tasks; None if this process does the joins."""
        ...


@dataclass(frozen=True)
class LocalEngine:
    """Runs ops in this process or, if `workers` > 1, in that many. Outcomes keep their order."""

    workers: int = 1
    is_thrifty: bool = False
    """Whether this process is one of the workers, and the others join it only if that pays."""
    exchange: ClassVar[None] = None
    locality: ClassVar[Locality] = Locality.HERE

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
        count: int | None = None,
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece, with at most two pieces in progress per worker.

        Raises WorkerDiedError if a worker process ends. When the iterator is closed or raises, its workers
        end immediately.
        """
        waiting, seconds = iter(pieces), list[float]()
        first = tuple(islice(waiting, 2))
        while first and (len(first) == 1 or not self._should_share(seconds, count)):
            begun = time.monotonic()
            outcome = op(first[0], *shared)
            seconds.append(time.monotonic() - begun)
            yield outcome
            first = (*first[1:], *islice(waiting, 1))
        if first:
            here = ThisProcess() if self.is_thrifty else None
            setting, beside = ("JOBS", 1) if here else ("WORKERS", 0)
            others = WorkerProcesses(self.workers - beside, setting, beside=beside)
            with contextlib.closing(others):
                yield from in_order(others, op, chain(first, waiting), *shared, here=here)

    def _should_share(self, seconds: Sequence[float], count: int | None) -> bool:
        """Return whether other processes should share what is left of `count` pieces.

        `seconds` are those of the pieces so far. The first took the loading of modules and models, too, which
        the others will do again: they must save more time than that.
        """
        if self.workers == 1 or not self.is_thrifty:
            return self.workers > 1
        if count is None or len(seconds) < 2:
            return False
        left = (count - len(seconds)) * sum(seconds[1:]) / len(seconds[1:])
        starting = max(seconds[0], STARTING)
        return (left - starting) * (1 - 1 / self.workers) > starting

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a folder in the system's temporary folder."""
        return temporary_folder()


@dataclass(frozen=True)
class RayEngine:
    """Runs a dataset's ops on a Ray cluster. Outcomes keep their order."""

    params: EngineParams
    dataset: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    """The digest of each model that the dataset uses; workers must have the same ones."""
    tell: EventSink = _ignore
    """Gets a line of text while a run waits for the cluster."""
    locality: ClassVar[Locality] = Locality.ELSEWHERE

    def __reduce__(self) -> tuple[type[LocalEngine], tuple[()]]:
        """Become a plain local engine in a worker."""
        return LocalEngine, ()

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
        count: int | None = None,
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece, with at most two pieces in progress per place.

        Raises WorkerDiedError if a task is lost too often, WorkerDiffersError if a worker has other packages
        or models. When the iterator is closed or raises, running tasks are cancelled.
        """
        waiting = iter(pieces)
        first = tuple(islice(waiting, 1))
        if first:
            with contextlib.closing(self.executor(arrived)) as executor:
                yield from in_order(executor, op, chain(first, waiting), *shared)

    def once(
        self, op: Callable[..., Result], arguments: Callable[[], tuple[Any, ...]], listener: EventSink
    ) -> Result:
        """Return `op(tell, *arguments())`, computed by one task; `listener` gets what it passes to `tell`.

        A lost task is restarted with fresh arguments. Raises like `map`.
        """
        with contextlib.closing(self.executor()) as executor:
            tell = executor.channel(listener)
            for _ in range(self.params.retries):
                with contextlib.suppress(WorkerDiedError):
                    return executor.submit_once(op, tell, *arguments()).result()
            return executor.submit_once(op, tell, *arguments()).result()

    @property
    def exchange(self) -> Exchange:
        """Distributes joins over tasks of one processor each."""
        return _Exchange(self)

    def executor(
        self, arrived: Callable[[Any], Any] | None = None, needs: Resources | None = None
    ) -> RayExecutor:
        """Return a new executor for the dataset's tasks. `needs` overrides their resources in params.yaml."""
        begin(self.params)
        from silverloom.orchestration.executors.absence import Patience
        from silverloom.orchestration.executors.ray import RayExecutor

        said = self.params.needs(self.dataset)
        return RayExecutor(
            Expected(dict(lock_file().values()), self.models),
            needs or Resources(said.processors, said.gpus, said.memory),
            self.params.retries,
            arrived,
            Patience(self.params.node_timeout, self.tell),
        )

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a folder in the driver's temporary folder."""
        return temporary_folder()


@dataclass(frozen=True)
class _Exchange:
    """Distributes joins over a cluster; Ray is only loaded once there is a join."""

    engine: RayEngine

    def places(self, size: int) -> int:
        """Return over how many tasks to divide files of so many bytes."""
        return min(max(1, -(-size // self.engine.params.join_bytes)), _MOST)

    def run(
        self, pieces: Sequence[Any], stages: Sequence[Callable[..., Any]], places: int, *shared: object
    ) -> Iterator[Any]:
        """Yield the results of the last stage's tasks, in order. Raises like `map`."""
        begin(self.engine.params)
        from silverloom.orchestration.executors.exchange import RayExchange

        needs = Resources(memory=self.engine.params.needs(self.engine.dataset).memory)
        exchange = RayExchange(lambda: self.engine.executor(needs=needs))
        return exchange.run(pieces, stages, places, *shared)


#: The most tasks in a stage of a join: each task has an output for each task of the next stage.
_MOST = 500

#: Pieces per place: how many to compute ahead of the one whose turn it is, and how many to have in progress.
AHEAD, UNDER_WAY = 4, 2


def in_order(
    executor: Executor,
    op: Callable[..., Result],
    pieces: Iterable[Any],
    *shared: object,
    here: ThisProcess | None = None,
) -> Iterator[Result]:
    """Yield `op(piece, *shared)` for every piece in order, with at most two pieces in progress per worker.

    With `here`, this process computes a piece itself while each worker starts or has two. A slow piece stalls
    the others only once four per process are ahead of it.
    """
    begun: deque[Future[Result]] = deque()
    common = executor.share((op, shared))
    starting = [executor.submit(_load, common) for _ in range(executor.places)] if here else []

    def is_busy() -> bool:
        return len(_unfinished(begun)) >= UNDER_WAY * (executor.places - len(_unfinished(starting)))

    def is_full() -> bool:
        return len(begun) >= AHEAD * (executor.places + (here is not None))

    for piece in pieces:
        if here and is_busy():
            begun.append(here.submit(op, piece, *shared))
        else:
            begun.append(executor.submit(_on_piece, piece, common))
        while begun:
            if is_full() or (begun[0].done() and (here or is_busy())):
                yield begun.popleft().result()
            elif here or not is_busy():
                break
            else:
                wait(_unfinished(begun), return_when=FIRST_COMPLETED)
    while begun:
        yield begun.popleft().result()


def _unfinished(futures: Iterable[Future[Result]]) -> list[Future[Result]]:
    return [future for future in futures if not future.done()]


def _load(common: Callable[[], object]) -> None:
    """Import the op, so that a process is ready for its first piece."""
    common()


def _on_piece(
    piece: object, common: Callable[[], tuple[Callable[..., Result], tuple[object, ...]]]
) -> Result:
    op, shared = common()
    return op(piece, *shared)


#: How many processes the partition that is being made may use for its parts.
processes_of_partition: ContextVar[int] = ContextVar("processes_of_partition", default=1)

#: Seconds that it takes at least to start a process and import what an op needs.
STARTING = 5.0


def engine(
    dataset: str = "", models: Mapping[str, str] | None = None, tell: EventSink = _ignore
) -> PartsEngine:
    """Return a dataset's engine as set in params.yaml, or by `SILVERLOOM_ENGINE`, which takes precedence.

    `tell` gets a line of text while a run waits for a cluster.
    The local engine has `SILVERLOOM_WORKERS` processes. By default, it has
    `processes_of_partition` if that pays.
    """
    params = engine_params()
    if params.kind == "ray":
        return RayEngine(params, dataset, models or {}, tell)
    text = os.environ.get("SILVERLOOM_WORKERS")
    if text is None:
        return LocalEngine(processes_of_partition.get(), is_thrifty=True)
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"SILVERLOOM_WORKERS must be a whole number from 1, found {text!r}")
    return LocalEngine(int(text))


def engine_params() -> EngineParams:
    """Return the section `engine` of params.yaml, with overrides from the environment."""
    named = {"kind": os.environ.get("SILVERLOOM_ENGINE"), "address": os.environ.get("SILVERLOOM_RAY_ADDRESS")}
    changed = {key: value for key, value in named.items() if value}
    if changed.get("kind", "local") not in ("local", "ray"):
        raise ValueError(f"SILVERLOOM_ENGINE must be local or ray, found {changed['kind']!r}")
    return settings().engine.model_copy(update=changed)


def partitions_at_a_time() -> int:
    """Return how many partitions a command makes in parallel by default: one per processor, at most 4.

    More would exhaust this machine's memory before its processors.
    """
    return engine_params().partitions or min(len(os.sched_getaffinity(0)), 4)


def begin(params: EngineParams | None = None) -> None:
    """Connect this process to the cluster in params, if there is one; child processes then find it.

    Raises WorkerNotStartedError if the cluster cannot be reached, MissingExtraError if Ray is not installed.
    """
    params = params or engine_params()
    if params.kind != "ray":
        return
    require("cluster", "ray")
    from silverloom.orchestration.executors.cluster import connect

    connect(params.address, params.node_timeout, params.retries)
