"""The child: receives a call, computes it within limits, and sends the result or the cause of its refusal.

Belongs here: what runs in the child. Not here: starting and killing it (child.py).

A call is a pickled pair of function and arguments made by the parent; messages.py defines answers. Of a batch
of calls, the first are answered together, and the rest may be left undone. The child ends when its standard
input closes, which means that its parent has ended. A C parser that never returns is killed by its time
limit, whether or not the parent is alive.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from ops.parse.bounded.bounds import Bounds, Stopwatch, bound_memory
from ops.parse.bounded.messages import (
    TOGETHER,
    answer_of,
    joined,
    progress_message,
    received_calls,
    refusal,
    too_large,
    unavailable,
    watched,
)
from ops.parse.source import ParseError, ServiceError, exhausting, tell_memory

#: Sent once, when the child has started.
READY = b""
#: Seconds after which the answers so far are sent; the remaining calls are not started.
_SOON = 0.5


def serve(descriptor: int, shared: int, seconds: int, memory: int, output: int) -> None:
    """Answer calls that arrive by a connection and an in-memory file until the connection closes."""
    bounds = Bounds(seconds, memory, output)
    connection = Connection(descriptor)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    bounded, stopwatch = False, Stopwatch(bounds.seconds)
    message, progress = READY, _Progress(connection)
    while True:
        try:
            connection.send_bytes(message)
            # Unpickling imports the parsers' modules, which do not count towards the memory limit.
            calls = received_calls(connection, shared)
        except (EOFError, OSError):  # the parent has ended
            return
        answers: list[bytes] = []
        begun = time.monotonic()
        for function, arguments in calls:
            if not bounded:
                # Documents are many small objects with few cycles: collecting every 700 costs a tenth.
                gc.freeze()
                gc.set_threshold(50_000)
                bound_memory(bounds.memory)
                tell_memory(bounds.most_memory)
                bounded = True
            stopwatch.start()
            with watched(progress):
                answers.append(_answer(function, arguments, bounds))
            if time.monotonic() > begun + _SOON or sum(map(len, answers)) > TOGETHER // 2:
                break
        message = joined(answers)


class _Progress:
    """Reports the progress of a call to the parent, at most once a second."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._last = connection, time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if (now := time.monotonic()) > self._last + 1:
            self._connection.send_bytes(progress_message(done, total))
            self._last = now


def _answer(function: Callable[..., object], arguments: tuple[object, ...], bounds: Bounds) -> bytes:
    try:
        with exhausting():
            answer = answer_of(function, function(*arguments))
        return answer if len(answer) <= bounds.output else refusal(too_large(bounds.output))
    except ParseError as error:
        return refusal(str(error))
    except ServiceError as error:
        return unavailable(error)
    except Exception as error:  # a bug in a parser costs only the record that triggers it
        return refusal(f"the parser failed: {type(error).__name__}: {error}")
    except BaseException as error:  # a panic in Rust
        return refusal(bounds.exhausted(f"{type(error).__name__}: {error}"))


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # a buffered reader would block interpreter shutdown
    os._exit(1)
