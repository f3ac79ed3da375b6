"""The engines that map ops over parts: in this process, over workers, over a cluster; the bytes are the same.

Belongs here: the order of outcomes, how many are computed ahead, which engine params.yaml asks for. Not here:
parts (ops/core/parts.py), going on from finished ones (partition/resume.py), the workers (local.py, ray.py).
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from assets.declare.settings import EngineParams, checkout, settings
from ops.core.parts import Exchange, temporary_folder
from orchestration.executors.base import EventSink, Executor, Resources, Result, WorkerNotStartedError
from orchestration.executors.local import WorkerProcesses
from orchestration.executors.node import Expected, locked_packages

if TYPE_CHECKING:
    from orchestration.executors.ray import RayExecutor


class Locality(Enum):
    """Where an engine computes."""

    HERE = "in this process"
    BESIDE = "in other processes, which write to the disk of this one"
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
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece.

        Those of an engine that computes elsewhere come through `arrived`, which is called in another thread
        as soon as one is there: what is ahead of its turn can be stored.
        """
        ...

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a new folder for what a step needs on disk on its way; it is removed in the end."""
        ...

    @property
    def exchange(self) -> Exchange | None:
        """What spreads joins over tasks; None where this process joins."""
        ...


@dataclass(frozen=True)
class LocalEngine:
    """Runs ops in this process, or with `workers` > 1 in as many others; outcomes keep their order."""

    workers: int = 1
    exchange: ClassVar[None] = None

    @property
    def locality(self) -> Locality:
        """Beside this process where there are workers."""
        return Locality.HERE if self.workers == 1 else Locality.BESIDE

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece; at most two pieces a worker are under way.

        Raises WorkerDiedError where a worker process ends. When this is closed, or raises, its workers end at
        once.
        """
        waiting = iter(pieces)
        first = tuple(islice(waiting, 2))
        if self.workers == 1 or len(first) < 2:
            yield from (op(piece, *shared) for piece in chain(first, waiting))
            return
        with contextlib.closing(WorkerProcesses(self.workers, "WORKERS")) as processes:
            yield from in_order(processes, op, chain(first, waiting), *shared)

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a folder where the system has its temporary files."""
        return temporary_folder()


@dataclass(frozen=True)
class RayEngine:
    """Runs the ops of a dataset on a Ray cluster; outcomes keep their order."""

    params: EngineParams
    dataset: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    """The digest of each model that the dataset is made with: workers must have the same."""
    locality: ClassVar[Locality] = Locality.ELSEWHERE

    def __reduce__(self) -> tuple[type[LocalEngine], tuple[()]]:
        """In a worker, it is a plain engine."""
        return LocalEngine, ()

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece; at most two pieces a place are under way.

        Raises WorkerDiedError where a task is lost again and again, WorkerDiffersError where a worker has
        other packages or models. When this is closed, or raises, what is under way is cancelled.
        """
        waiting = iter(pieces)
        first = tuple(islice(waiting, 1))
        if first:
            with contextlib.closing(self.executor(arrived)) as executor:
                yield from in_order(executor, op, chain(first, waiting), *shared)

    def once(
        self, op: Callable[..., Result], arguments: Callable[[], tuple[Any, ...]], listener: EventSink
    ) -> Result:
        """Return `op(tell, *arguments())`, which one task computes; `listener` is called with what it tells.

        A task that is lost is started again with new arguments. Raises as `map`.
        """
        with contextlib.closing(self.executor()) as executor:
            tell = executor.channel(listener)
            return executor.submit_anew(op, lambda: (tell, *arguments())).result()

    @property
    def exchange(self) -> Exchange:
        """The tasks of a join, of one processor each."""
        return _Exchange(self)

    def executor(
        self, arrived: Callable[[Any], Any] | None = None, needs: Resources | None = None
    ) -> RayExecutor:
        """Return a new executor for tasks of the dataset; `needs` replaces what these need."""
        begin(self.params)
        from orchestration.executors.ray import RayExecutor

        said = self.params.needs(self.dataset)
        return RayExecutor(
            Expected(locked_packages(checkout()), self.models),
            needs or Resources(said.processors, said.gpus, said.memory),
            self.params.retries,
            arrived,
        )

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a folder where the system of the driver has its temporary files."""
        return temporary_folder()


@dataclass(frozen=True)
class _Exchange:
    """Spreads joins over a cluster; Ray is loaded where there is one to spread."""

    engine: RayEngine

    def places(self, size: int) -> int:
        """Return among how many tasks so many bytes of files are divided."""
        return min(max(1, -(-size // self.engine.params.join_bytes)), _MOST)

    def run(
        self, pieces: Sequence[Any], stages: Sequence[Callable[..., Any]], places: int, *shared: object
    ) -> Iterator[Any]:
        """Yield what the tasks of the last stage return, in their order. Raises as `map`."""
        begin(self.engine.params)
        from orchestration.executors.exchange import RayExchange

        needs = Resources(memory=self.engine.params.needs(self.engine.dataset).memory)
        exchange = RayExchange(lambda: self.engine.executor(needs=needs), self.engine.params.retries)
        return exchange.run(pieces, stages, places, *shared)


#: The most tasks of a stage of a join: each makes something for each of the next stage.
_MOST = 500

#: How many pieces a place may be computed ahead of the one whose turn it is, and how many are under way.
AHEAD, UNDER_WAY = 4, 2


def in_order(
    executor: Executor, op: Callable[..., Result], pieces: Iterable[Any], *shared: object
) -> Iterator[Result]:
    """Yield `op(piece, *shared)` for every piece, with at most two pieces a worker under way.

    A piece that takes long holds up the others no earlier than four a worker are ahead of it.
    """
    begun: deque[Future[Result]] = deque()
    common = executor.share((op, shared))
    for piece in pieces:
        begun.append(executor.submit(_on_piece, piece, common))
        while (left := [future for future in begun if not future.done()]) and (
            len(left) >= UNDER_WAY * executor.places or len(begun) >= AHEAD * executor.places
        ):
            if begun[0].done() or len(begun) >= AHEAD * executor.places:
                yield begun.popleft().result()
            else:
                wait(left, return_when=FIRST_COMPLETED)
    while begun:
        yield begun.popleft().result()


def _on_piece(
    piece: object, common: Callable[[], tuple[Callable[..., Result], tuple[object, ...]]]
) -> Result:
    op, shared = common()
    return op(piece, *shared)


def engine(dataset: str = "", models: Mapping[str, str] | None = None) -> PartsEngine:
    """Return the engine of a dataset, as params.yaml has it; `SILVERLOOM_ENGINE` goes before.

    The local one has `SILVERLOOM_WORKERS` processes, one by default.
    """
    params = engine_params()
    if params.kind == "ray":
        return RayEngine(params, dataset, models or {})
    text = os.environ.get("SILVERLOOM_WORKERS", "1")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"SILVERLOOM_WORKERS must be a whole number from 1, found {text!r}")
    return LocalEngine(int(text))


def engine_params() -> EngineParams:
    """Return the section `engine` of params.yaml, or what the environment says instead."""
    named = {"kind": os.environ.get("SILVERLOOM_ENGINE"), "address": os.environ.get("SILVERLOOM_RAY_ADDRESS")}
    changed = {key: value for key, value in named.items() if value}
    if changed.get("kind", "local") not in ("local", "ray"):
        raise ValueError(f"SILVERLOOM_ENGINE must be local or ray, found {changed['kind']!r}")
    return settings().engine.model_copy(update=changed)


def partitions_at_a_time() -> int:
    """Return how many partitions a command makes at a time that is not told: the processors, at most 4.

    More would fill the memory of this machine before they fill its processors.
    """
    return engine_params().partitions or min(len(os.sched_getaffinity(0)), 4)


def begin(params: EngineParams | None = None) -> None:
    """Connect this process to the cluster that params ask for, if they do; its children find that one.

    Raises WorkerNotStartedError where there is none, or Ray is not installed.
    """
    params = params or engine_params()
    if params.kind != "ray":
        return
    if importlib.util.find_spec("ray") is None:
        raise WorkerNotStartedError("engine: ray: Ray is not installed; run `make cluster`")
    from orchestration.executors.cluster import connect

    connect(params.address, checkout())
