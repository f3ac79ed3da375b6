"""Messages between this process and the child: answers, and the progress of slow records.

Belongs here: sending and receiving them, answers as JSON. Not here: starting and killing the child
(child.py), what runs in it (serve.py), limits (bounds.py). A call is pickled.

Malicious input that takes over the child can send any answer. Unpickling it would run that code in the
parent, so an answer is JSON, validated against the return type of the parser.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType, MethodType
from typing import IO, Any, NamedTuple, TypeAlias, get_type_hints

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from silverloom.ops.parse.decoding import check_texts
from silverloom.ops.parse.source import ParseError, ServiceBusyError, ServiceError

#: What a message is: a result, why there is none, or progress (seconds done, and in total).
KEPT, REFUSED, PROGRESS = b"k", b"r", b"p"
#: Why there is no result where this is not the fault of the record.
_UNAVAILABLE: dict[bytes, type[ServiceError]] = {b"b": ServiceBusyError, b"u": ServiceError}
_HEAD, _SECONDS = struct.Struct("<cQ"), struct.Struct("<II")


class ChildMessage(NamedTuple):
    """A message of the child."""

    kind: bytes
    content: bytes


class TooLargeError(Exception):
    """A message is over the limit."""


def send(stream: IO[bytes], message: ChildMessage) -> None:
    """Send a message."""
    stream.write(_HEAD.pack(message.kind, len(message.content)))
    stream.write(message.content)
    stream.flush()


def received(stream: IO[bytes], most: int) -> ChildMessage:
    """Return the next message. Raises EOFError, and TooLargeError if it has more than `most` bytes."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    kind, size = _HEAD.unpack(head)
    if size > most:
        raise TooLargeError
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return ChildMessage(kind, content)


def progress(done: int, total: int) -> ChildMessage:
    """Return a message with the progress of a call that has no answer yet."""
    return ChildMessage(PROGRESS, _SECONDS.pack(done, total))


def progress_of(message: ChildMessage) -> tuple[int, int]:
    """Return seconds done and in total. Raises struct.error for anything else."""
    done, total = _SECONDS.unpack(message.content)
    return done, total


def answer_of(function: Callable[..., Any], result: object) -> ChildMessage:
    """Return the answer that holds a result.

    Raises ParseError for lone surrogates, and ValueError for anything else that JSON cannot hold.
    """
    results = _results(_plain(function))
    try:
        return ChildMessage(KEPT, results.dump_json(result, warnings="error"))
    except PydanticSerializationError:
        check_texts(results.dump_python(result, warnings="none"), "what it becomes")
        raise


def refusal(cause: str, kind: bytes = REFUSED) -> ChildMessage:
    """Return the answer of a call without a result."""
    return ChildMessage(kind, cause.encode(errors="backslashreplace"))


def unavailable(error: ServiceError) -> ChildMessage:
    """Return the answer of a call that lacked a service or package."""
    return refusal(str(error), next(sign for sign, kind in _UNAVAILABLE.items() if isinstance(error, kind)))


def answer_too_large(most: int) -> str:
    """Return the cause for an answer over the limit."""
    return f"what it becomes is larger than {most} bytes"


def result_of(function: Callable[..., Any], answer: ChildMessage) -> Any:
    """Return the result that an answer holds.

    Raises ParseError for a refusal, ServiceError if the function did, and pydantic's ValidationError if the
    value does not match the function's return type.
    """
    if answer.kind == KEPT:
        return _results(_plain(function)).validate_json(answer.content)
    raise _UNAVAILABLE.get(answer.kind, ParseError)(answer.content.decode(errors="replace"))


def _plain(function: Callable[..., Any]) -> FunctionType:
    plain = function.__func__ if isinstance(function, MethodType) else function
    assert isinstance(plain, FunctionType)
    return plain


@cache
def _results(function: FunctionType) -> TypeAdapter[Any]:
    """Return what writes and reads a function's results, from its annotations."""
    return TypeAdapter(get_type_hints(function, include_extras=True)["return"])


#: Called with seconds of sound done and in total (0 if unknown).
Watcher: TypeAlias = Callable[[int, int], None]

_watchers: list[Watcher] = []


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Call a watcher with the progress of records that are read in this context."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def tell(done: int, total: int) -> None:
    """Report seconds of sound done and in total (0 if unknown)."""
    for watcher in _watchers:
        watcher(done, total)
