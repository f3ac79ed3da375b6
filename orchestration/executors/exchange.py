"""Joins on a Ray cluster, in which tables go from task to task without passing through the driver.

Belongs here: an exchange's tasks in stages, and limits on tasks in progress. Ray makes lost tables again. Not
here: what the stages do (ops/core/spread.py), single tasks (ray.py), what runs in a worker (worker.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ray

from silverloom.orchestration.executors import worker
from silverloom.orchestration.executors.cluster import machines
from silverloom.orchestration.executors.ray import RayExecutor, error_of_loss, remote, size_of, traffic


@dataclass(frozen=True)
class RayExchange:
    """The stages of a join on a cluster. `begin` returns a new executor for one exchange."""

    begin: Callable[[], RayExecutor]

    def run(
        self, pieces: Sequence[Any], stages: Sequence[Callable[..., Any]], places: int, *shared: object
    ) -> Iterator[Any]:
        """Yield the results of the last stage's tasks, in order."""
        assert places > 1, "an exchange needs several tasks"
        with contextlib.closing(self.begin()) as executor:
            try:
                yield from _results(executor, pieces, stages, places, shared)
            except ray.exceptions.RayError as error:
                raise error_of_loss(error) from error
            for machine in machines():
                executor.used(machine["NodeID"])


def _results(
    executor: RayExecutor,
    pieces: Sequence[Any],
    stages: Sequence[Callable[..., Any]],
    places: int,
    shared: tuple[object, ...],
) -> Iterator[Any]:
    """Yield the results of the last stage; if the exchange fails, cancel the rest."""
    begun: list[Any] = []
    try:
        for result in _begin(executor, pieces, stages, places, shared, begun):
            executor.wait([result])
            content = ray.get(result)
            traffic.received += size_of(content)
            yield content
    except BaseException:
        for result in begun:
            ray.cancel(result)
        raise


def _begin(
    executor: RayExecutor,
    pieces: Sequence[Any],
    stages: Sequence[Callable[..., Any]],
    places: int,
    shared: tuple[object, ...],
    begun: list[Any],
) -> list[Any]:
    """Start all tasks and return references to the results. Adds a reference of each task to `begun`.

    At most two tasks per place receive pieces from this machine at a time.
    """
    common = executor.share(shared)
    task = remote(worker.stage, executor.resources, executor.retries)
    first, *others = stages
    made: list[list[Any]] = []
    group = -(-len(pieces) // places)
    for place, begin in enumerate(range(0, len(pieces), group)):
        if (ended := len(made) + 1 - 2 * executor.places) > 0:
            executor.wait([results[0] for results in made], ended)
        sent = executor.sent((first, place, places, pieces[begin : begin + group], common))
        made.append(task.options(num_returns=places).remote(len(sent), *sent))
        begun.append(made[-1][0])
    for stage in others:
        last = stage is others[-1]
        given = list(zip(*made, strict=True))
        made = []
        for place in range(places):
            sent = executor.sent((stage, place, places, None, common))
            references = task.options(num_returns=1 if last else places).remote(
                len(sent), *sent, *given[place]
            )
            made.append([references] if last else references)
            begun.append(made[-1][0])
    return [result for (result,) in made]
