"""What runs in a worker of a cluster: a task, what it shares with others, and what it tells.

Belongs here: the functions that Ray is asked to run, and what a worker keeps from task to task. Not here:
asking (ray.py, exchange.py), folders and packages of the machine (node.py).
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ray
from ray.util.queue import Queue

from orchestration.executors import node
from orchestration.executors.base import EventSink
from orchestration.executors.shipping import Shipment, ShippedFile, loadable, unpacked


@dataclass(frozen=True)
class Ended:
    """How a task ended, as its worker tells it."""

    node: str
    seconds: float
    result: Any = None
    error: Exception | None = None


def run(expected: Sequence[Any], token: str, shipment: Shipment, *chunks: bytes) -> Ended:
    """Run a task: a function and its arguments; `expected` has a reference to what this worker must have."""
    began = time.monotonic()
    name = ray.get_runtime_context().get_node_id()
    try:
        with arrived(expected, token, shipment, chunks) as (function, arguments):
            result = function(*arguments)
    except Exception as error:
        return Ended(name, time.monotonic() - began, error=loadable(error))
    return Ended(name, time.monotonic() - began, result)


def stage(sent: int, *given: Any) -> Any:
    """Run a task of an exchange, with what the driver sent in `sent` arguments and what other tasks made."""
    expected, token, shipment, *chunks = given[:sent]
    with arrived(expected, token, shipment, chunks) as (function, place, places, pieces, common):
        return function(place, places, given[sent:] if pieces is None else pieces, *common())


@contextlib.contextmanager
def arrived(
    expected: Sequence[Any], token: str, shipment: Shipment, chunks: Sequence[bytes]
) -> Iterator[Any]:
    """Yield what was sent to this worker; its files are there until the end.

    `chunks` are the bytes of all files, or none: then the shipment has references to them.
    """
    _check(expected[0])
    rest = iter(chunks)
    files = [ShippedFile(file.name, [next(rest, it) for it in file.chunks]) for file in shipment.files]
    with tempfile.TemporaryDirectory(dir=node.folder(token)) as place:
        yield unpacked(Shipment(shipment.value, files, shipment.size), Path(place), _fetched)


def _fetched(chunk: Any) -> Any:
    """Return the bytes of a chunk: it has them where they came as an argument."""
    return chunk if isinstance(chunk, bytes) else ray.get(chunk)


_checked: set[str] = set()


def _check(expected: Any) -> None:
    """Compare this worker with the driver, once for each executor."""
    if expected.hex() not in _checked:
        node.check(ray.get(expected))
        _checked.add(expected.hex())


_values: dict[str, Any] = {}


def shared_there(token: str, references: Sequence[Any]) -> Callable[[], Any]:
    """Return what gives a task the value that all share; a worker keeps that of one executor."""
    return partial(_shared_value, token, references[0])


def _shared_value(token: str, reference: Any) -> Any:
    if (key := f"{token}/{reference.hex()}") not in _values:
        for former in [name for name in _values if not name.startswith(token)]:
            del _values[former]
        place = node.folder(token) / reference.hex()
        _values[key] = unpacked(ray.get(reference), place, ray.get)
    return _values[key]


def sink_there(queue: Queue) -> EventSink:
    """Return what puts an event into a queue, while it is there."""
    return partial(_tell, queue)


def _tell(queue: Queue, event: object) -> None:
    with contextlib.suppress(ray.exceptions.RayError):
        queue.put(event)
