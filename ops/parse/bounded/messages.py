"""Messages between this process and the child: calls, answers, and the progress of slow records.

Belongs here: sending and receiving them. Not here: starting and killing the child (child.py), what runs in it
(serve.py), limits (bounds.py).

A call is JSON: the name of the function and its arguments. Their bytes follow as they are. An answer is JSON,
validated against the return type of the function, because malicious input that takes over the child can send
any answer.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType, MethodType
from typing import IO, Any, NamedTuple, TypeAlias, get_type_hints

from pydantic import TypeAdapter, validate_call
from pydantic_core import PydanticSerializationError

from silverloom.ops.parse.decoding import check_texts
from silverloom.ops.parse.source import ParseError, ServiceError

#: What a message is: a call, a result, why there is none (the fault of the record, or of what is installed),
#: or progress (seconds done, and in total).
_CALL, KEPT, REFUSED, _UNAVAILABLE, PROGRESS = b"c", b"k", b"r", b"u", b"p"
_HEAD, _SECONDS = struct.Struct("<cQ"), struct.Struct("<II")


class ChildMessage(NamedTuple):
    """A message to or from the child."""

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


#: The only key of an object that stands for bytes; its value is their number.
_BYTES = "\0bytes"
_MARK = json.dumps(_BYTES)
#: More than any JSON of a call has.
_LONGEST_CALL = 2**40
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def name_of(function: Callable[..., Any] | type) -> str:
    """Return the name by which `resolve_name` imports a function or class of a module."""
    return f"{function.__module__}:{function.__qualname__}"


def send_call(stream: IO[bytes], function: Callable[..., Any], arguments: Sequence[object]) -> None:
    """Send a call of a function or method of a module.

    Arguments are JSON values, bytes, paths, and tuples and dataclasses of these; the attributes of the object
    whose method it is are JSON values. Raises TypeError for others, ParseError for a text that is the mark of
    bytes.
    """
    parts: list[bytes] = []

    def encoded(value: object) -> Any:
        if isinstance(value, bytes):
            parts.append(value)
            return {_BYTES: len(value)}
        if isinstance(value, Path):
            return str(value)
        raise TypeError(f"a parser cannot be given a {type(value).__name__}")

    form = function.__self__ if isinstance(function, MethodType) else None
    call = {
        "function": name_of(_plain(function)),
        "form": form and [name_of(type(form)), vars(form)],
        "arguments": _ANYTHING.dump_python(arguments),
    }
    text = json.dumps(call, default=encoded)
    if text.count(_MARK) != len(parts):
        raise ParseError("one of its texts is a mark that stands for bytes")
    send(stream, ChildMessage(_CALL, text.encode()))
    stream.writelines(parts)
    stream.flush()


def received_call(stream: IO[bytes]) -> tuple[Callable[..., Any], Sequence[Any]]:
    """Return the next call; the function converts its arguments to the types that it declares.

    Raises EOFError if there is none.
    """

    def decoded(value: dict[str, Any]) -> Any:
        return stream.read(value[_BYTES]) if value.keys() == {_BYTES} else value

    call = json.loads(received(stream, _LONGEST_CALL).content, object_hook=decoded)
    function, arguments = _validated(call["function"]), call["arguments"]
    if call["form"]:
        name, attributes = call["form"]
        form = object.__new__(resolve_name(name))
        vars(form).update(attributes)
        return function, [form, *arguments]
    return function, arguments


@cache
def _validated(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = validate_call(resolve_name(name))
    return function


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
    """Return the answer of a call that lacked a package or model."""
    return refusal(str(error), _UNAVAILABLE)


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
    kind = ServiceError if answer.kind == _UNAVAILABLE else ParseError
    raise kind(answer.content.decode(errors="replace"))


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
