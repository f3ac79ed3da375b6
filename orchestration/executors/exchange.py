"""Joins on a Ray cluster, in which tables go from task to task without passing through the driver.

Belongs here: an exchange's tasks in stages, limits on tasks in progress, and restarting after a loss. Not
here: what the stages do (ops/core/spread.py), single tasks (ray.py), what runs in a worker (worker.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import ray

from silverloom.orchestration.executors import worker
from silverloom.orchestration.executors.cluster import machines
from silverloom.orchestration.executors.losses import error_of_loss, is_loss
from silverloom.orchestration.executors.ray import RayExecutor, remote, size_of, traffic


@dataclass(frozen=True)
class RayExchange:
    """The stages of a join on a cluster. `begin` returns a new executor for one exchange."""

    begin: Callable[[], RayExecutor]
    retries: int

    def run(
        self, pieces: Sequence[Any], stages: Sequence[Callable[..., Any]], places: int, *shared: object
    ) -> Iterator[Any]:
        """Yield the results of the last stage's tasks, in order.

        If a machine is lost, everything is computed again, and results that were already yielded are skipped.
        """
        assert places > 1, "an exchange needs several tasks"
        done, lost = 0, 0
        with contextlib.closing(self.begin()) as executor:
            while True:
                try:
                    for result in islice(_results(executor, pieces, stages, places, shared), done, None):
                        done += 1
                        yield result
                    break
                except ray.exceptions.RayError as error:
                    if lost == self.retries or not is_loss(error):
                        raise error_of_loss(error, lost) from error
                    lost += 1
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
    task = remote(worker.stage, executor.resources)
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
