"""What runs in a cluster worker: tasks, the values that tasks share, and events.

Belongs here: the functions that Ray runs, and what a worker keeps from task to task. Not here: submitting
tasks (ray.py, exchange.py), the machine's folders and packages (node.py).
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

from silverloom.orchestration.executors import node
from silverloom.orchestration.executors.base import EventSink
from silverloom.orchestration.executors.shipping import Shipment, ShippedFile, loadable, unpacked
from silverloom.orchestration.process import prepare


@dataclass(frozen=True)
class Ended:
    """How a task ended, as reported by its worker."""

    node: str
    seconds: float
    result: Any = None
    error: Exception | None = None


def run(expected: Sequence[Any], token: str, shipment: Shipment, *chunks: bytes) -> Ended:
    """Run a task, which is a function and its arguments. `expected` refers to what this worker must have."""
    began = time.monotonic()
    name = ray.get_runtime_context().get_node_id()
    try:
        with arrived(expected, token, shipment, chunks) as (function, arguments):
            result = function(*arguments)
    except SystemExit as left:  # Ray would take its worker for lost, and start the task again
        error = RuntimeError(f"it called sys.exit({left.code!r})")
        return Ended(name, time.monotonic() - began, error=error)
    except Exception as error:
        return Ended(name, time.monotonic() - began, error=loadable(error))
    return Ended(name, time.monotonic() - began, result)


def stage(sent: int, *given: Any) -> Any:
    """Run a task of an exchange, with `sent` arguments from the driver, then the outputs of other tasks."""
    expected, token, shipment, *chunks = given[:sent]
    with arrived(expected, token, shipment, chunks) as (function, place, places, pieces, common):
        return function(place, places, given[sent:] if pieces is None else pieces, *common())


@contextlib.contextmanager
def arrived(
    expected: Sequence[Any], token: str, shipment: Shipment, chunks: Sequence[bytes]
) -> Iterator[Any]:
    """Yield a value sent to this worker; its files exist until the block ends.

    `chunks` are the bytes of all files. If it is empty, the shipment has references to the bytes.
    """
    prepare()
    _check(expected[0])
    rest = iter(chunks)
    files = [ShippedFile(file.name, [next(rest, it) for it in file.chunks]) for file in shipment.files]
    with tempfile.TemporaryDirectory(dir=node.folder(token)) as place:
        yield unpacked(Shipment(shipment.value, files, shipment.size), Path(place), _fetched)


def _fetched(chunk: Any) -> Any:
    """Return the bytes of a chunk, which is a reference unless it came as an argument."""
    return chunk if isinstance(chunk, bytes) else ray.get(chunk)


_checked: set[str] = set()


def _check(expected: Any) -> None:
    """Compare this worker's packages and models with the driver's, once per executor."""
    if expected.hex() not in _checked:
        node.check(ray.get(expected))
        _checked.add(expected.hex())


_values: dict[str, Any] = {}


def shared_there(token: str, references: Sequence[Any]) -> Callable[[], Any]:
    """Return a function that returns the shared value; a worker keeps the values of one executor."""
    return partial(_shared_value, token, references[0])


def _shared_value(token: str, reference: Any) -> Any:
    if (key := f"{token}/{reference.hex()}") not in _values:
        for former in [name for name in _values if not name.startswith(token)]:
            del _values[former]
        place = node.folder(token) / reference.hex()
        _values[key] = unpacked(ray.get(reference), place, ray.get)
    return _values[key]


def sink_there(queue: Queue) -> EventSink:
    """Return an event sink that writes to a queue as long as it exists."""
    return partial(_tell, queue)


def _tell(queue: Queue, event: object) -> None:
    with contextlib.suppress(ray.exceptions.RayError):
        queue.put(event)
