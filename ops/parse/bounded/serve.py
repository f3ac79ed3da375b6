"""The child: receives a call, computes it within limits, and sends the result or the cause of its refusal.

Belongs here: what runs in the child. Not here: starting and killing it (child.py).

The child ends when its standard input closes, which means that its parent has ended. A C parser that never
returns is killed by its time limit, whether or not the parent is alive.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, cast

from silverloom.ops.parse.bounded.bounds import Bounds, bound_memory, start_stopwatch
from silverloom.ops.parse.bounded.messages import (
    ChildMessage,
    answer_of,
    answer_too_large,
    progress,
    received_call,
    refusal,
    send,
    unavailable,
    watched,
)
from silverloom.ops.parse.source import ParseError, ServiceError, exhausting, tell_memory

#: Sent once, when the child has started.
READY = refusal("")


def serve(descriptor: int, seconds: int, memory: int, output: int) -> None:
    """Answer calls that arrive by a socket until it closes."""
    bounds = Bounds(seconds, memory, output)
    stream = cast("IO[bytes]", socket.socket(fileno=descriptor).makefile("rwb"))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answer, bounded = READY, False
    while True:
        try:
            send(stream, answer)
            # This imports the parsers' modules, which do not count towards the memory limit.
            function, arguments = received_call(stream)
        except (EOFError, OSError):  # the parent has ended
            return
        if not bounded:
            # Documents are many small objects with few cycles: collecting every 700 costs a tenth.
            gc.freeze()
            gc.set_threshold(50_000)
            bound_memory(bounds.memory)
            tell_memory(bounds.most_memory)
            bounded = True
        start_stopwatch(bounds.seconds)
        with watched(_Progress(stream)):
            answer = _answer(function, arguments, bounds)
        del function, arguments


class _Progress:
    """Reports the progress of a call to the parent, at most once a second."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._last = stream, time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if (now := time.monotonic()) > self._last + 1:
            send(self._stream, progress(done, total))
            self._last = now


def _answer(function: Callable[..., object], arguments: Sequence[object], bounds: Bounds) -> ChildMessage:
    try:
        with exhausting():
            answer = answer_of(function, function(*arguments))
        return answer if len(answer.content) <= bounds.output else refusal(answer_too_large(bounds.output))
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
