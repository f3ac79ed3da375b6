"""Messages between this process and the child: calls, answers, progress.

Belongs here: batching calls, packing several pieces into one message, encoding and decoding answers, and
reporting the progress of slow records. Not here: starting and killing the child (child.py), what runs in it
(serve.py), limits (bounds.py).

Malicious input that takes over the child can send any answer. Unpickling it would run that code in the
parent, so an answer is JSON, validated against the return type of the parser. The content of a large record
goes through an in-memory file, which takes less CPU time than a connection.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, islice, pairwise
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from types import FunctionType, MethodType
from typing import Any, NamedTuple, TypeAlias, get_args, get_type_hints

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreConfig, CoreSchema, PydanticSerializationError, SchemaValidator, core_schema

from ops.parse.decoding import check_texts
from ops.parse.source import ParseError, Raw, ServiceBusyError, ServiceError

#: A function and its arguments.
Call: TypeAlias = tuple[Callable[..., Any], tuple[object, ...]]

#: A call or an answer. A view into a message avoids a copy.
MessagePart: TypeAlias = bytes | memoryview

#: Bytes after which no further answer is added to a message. One more answer may take its own limit beyond.
TOGETHER = 2**23
#: Bytes from which on the content of a record is sent separately.
_LARGE = 2**16
#: Zero pieces, as in `joined`; then seconds done and seconds in total.
_PROGRESS = struct.Struct("<III")


class PackedCall(NamedTuple):
    """A pickled call without the contents of large records."""

    call: MessagePart
    contents: Sequence[bytes]

    @property
    def size(self) -> int:
        """Total bytes."""
        return len(self.call) + sum(map(len, self.contents))


def packed(call: Call) -> PackedCall:
    """Return a call in a form that can be sent."""
    function, arguments = call
    apart = {
        place: argument
        for place, argument in enumerate(arguments)
        if isinstance(argument, Raw) and len(argument.content) >= _LARGE
    }
    if apart:
        arguments = tuple(
            replace(apart[place], content=b"") if place in apart else argument
            for place, argument in enumerate(arguments)
        )
    lengths = {place: len(raw.content) for place, raw in apart.items()}
    pickled = ForkingPickler.dumps((function, arguments, lengths))
    return PackedCall(pickled, [raw.content for raw in apart.values()])


def send_calls(connection: Connection, shared: int, calls: Sequence[PackedCall]) -> None:
    """Send a batch of calls; `shared` is the file of `new_shared`, which both sides have open."""
    os.ftruncate(shared, TOGETHER)  # frees the space of a previous larger batch
    place = 0
    for call in calls:
        for content in call.contents:
            rest = memoryview(content)
            while rest:
                written = os.pwrite(shared, rest, place)
                rest, place = rest[written:], place + written
    connection.send_bytes(joined([call.call for call in calls]))


def received_calls(connection: Connection, shared: int) -> list[Call]:
    """Return the batch of calls that was sent. Raises EOFError if the other side has ended."""
    calls: list[Call] = []
    start = 0
    for piece in parted(connection.recv_bytes()):
        function, arguments, lengths = ForkingPickler.loads(piece)
        filled = list(arguments)
        for place, length in lengths.items():
            filled[place] = replace(filled[place], content=os.pread(shared, length, start))
            start += length
        calls.append((function, tuple(filled)))
    return calls


def progress_message(done: int, total: int) -> bytes:
    """Return a message with the progress of a call that has no answer yet."""
    return _PROGRESS.pack(0, done, total)


def progress_of(message: bytes) -> tuple[int, int] | None:
    """Return the progress of a call, or None if the message is an answer."""
    if len(message) != _PROGRESS.size or message[:4] != bytes(4):
        return None
    _, done, total = _PROGRESS.unpack(message)
    return done, total


def new_shared() -> int:
    """Return the descriptor of an in-memory file for the contents of large records."""
    return os.memfd_create("contents")


def joined(pieces: Sequence[MessagePart]) -> bytes:
    """Return one message made of several pieces."""
    return struct.pack(f"<I{len(pieces)}Q", len(pieces), *map(len, pieces)) + b"".join(pieces)


def parted(message: bytes) -> list[memoryview]:
    """Return views of the pieces of a message. Raises ValueError if `joined` did not make it."""
    try:
        (count,) = struct.unpack_from("<I", message)
        start = 4 + 8 * count
        lengths = struct.unpack(f"<{count}Q", message[4:start])
    except struct.error as error:
        raise ValueError(f"{len(message)} bytes: {error}") from None
    ends = [*accumulate(lengths, initial=start)]
    if ends[-1] != len(message):
        raise ValueError(f"{len(message)} bytes, but its header says {ends[-1]}")
    whole = memoryview(message)
    return [whole[first:last] for first, last in pairwise(ends)]


#: Limits of a batch: calls, and bytes.
_MOST, _MOST_BYTES = 32, 2**20


class Ahead:
    """Announced calls, in order, identified by their argument objects. Any other call is sent alone."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self._coming = {_key(call): call for call in calls}
        self._answers: dict[tuple[int, ...], tuple[Call, bytes]] = {}
        self._size = 1
        self._alone = 0

    def answer(self, call: Call) -> bytes | None:
        """Return the answer to a call if it was already computed in an earlier batch."""
        found, answer = self._answers.pop(_key(call), (None, None))
        return answer if found == call else None

    def batch(self, call: Call) -> list[PackedCall]:
        """Return a packed call with announced calls after it: up to twice as many as were last answered."""
        if self._coming.get(_key(call)) != call:
            return [packed(call)]
        for key in list(self._coming):  # skip announced calls that were not made
            if key == _key(call):
                break
            del self._coming[key]
        batch: list[PackedCall] = []
        for coming in islice(self._coming.values(), 1 if self._alone else self._size):
            batch.append(packed(coming))
            if sum(call.size for call in batch) > _MOST_BYTES:
                break
        return batch

    def answered(self, call: Call, answers: Sequence[bytes]) -> None:
        """Store the answers to the announced calls from `call` on."""
        if _key(call) not in self._coming:
            return
        for key, answer in zip(list(self._coming), answers, strict=False):
            self._answers[key] = (self._coming.pop(key), answer)
        self._alone = max(0, self._alone - len(answers))
        self._size = min(2 * len(answers), _MOST)

    def failed(self, calls: int) -> None:
        """Send the next calls one by one: one of this batch killed the child."""
        self._alone = calls


def _key(call: Call) -> tuple[int, ...]:
    return tuple(map(id, call[1]))


KEPT, REFUSED = b"k", b"r"

#: Begin the answers of calls that failed for something other than their record.
_UNAVAILABLE: dict[bytes, type[ServiceError]] = {b"b": ServiceBusyError, b"u": ServiceError}


def answer_of(function: Callable[..., Any], result: object) -> bytes:
    """Return the answer that holds a result.

    Raises ParseError for lone surrogates, and ValueError for anything else that JSON cannot hold.
    """
    results = _results(_plain(function))
    try:
        return KEPT + results.dump_json(result, warnings="error")
    except PydanticSerializationError:
        check_texts(results.dump_python(result, warnings="none"), "what it becomes")
        raise


def refusal(cause: str, kind: bytes = REFUSED) -> bytes:
    """Return the answer of a call without a result."""
    return kind + cause.encode(errors="backslashreplace")


def unavailable(error: ServiceError) -> bytes:
    """Return the answer of a call that lacked a service or package."""
    return refusal(str(error), next(sign for sign, kind in _UNAVAILABLE.items() if isinstance(error, kind)))


def too_large(most: int) -> str:
    """Return the cause for an answer over the limit."""
    return f"what it becomes is larger than {most} bytes"


def result_of(function: Callable[..., Any], answer: bytes) -> Any:
    """Return the result that an answer holds.

    Raises ParseError for a refusal, ServiceError if the function did, and pydantic's ValidationError if the
    value does not match the function's return type.
    """
    if answer.startswith(KEPT):
        return _reader(_plain(function)).validate_json(answer[1:])
    raise _UNAVAILABLE.get(bytes(answer[:1]), ParseError)(answer[1:].decode(errors="replace"))


def _plain(function: Callable[..., Any]) -> FunctionType:
    plain = function.__func__ if isinstance(function, MethodType) else function
    assert isinstance(plain, FunctionType)
    return plain


@cache
def _results(function: FunctionType) -> TypeAdapter[Any]:
    """Return the serialiser of a function's results, from its annotations."""
    return TypeAdapter(get_type_hints(function, include_extras=True)["return"])


@cache
def _reader(function: FunctionType) -> SchemaValidator:
    """Return the validator of a function's results, without string caching: a quarter faster for texts."""
    return SchemaValidator(_results(function).core_schema, CoreConfig(cache_strings=False))


class ByColumn:
    """Serialises a field by column: `Annotated[tuple[Sentence, ...], ByColumn()]`, Sentence a NamedTuple."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        row = get_args(source)[0]
        kinds = get_type_hints(row).values()
        columns = handler.generate_schema(tuple[tuple(tuple[kind, ...] for kind in kinds)])  # type: ignore[misc, valid-type]
        return core_schema.no_info_after_validator_function(
            _rows_of(row),
            columns,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda rows: tuple(zip(*rows, strict=True)) or ((),) * len(kinds), return_schema=columns
            ),
        )


def _rows_of(row: type[tuple[Any, ...]]) -> Callable[[Iterable[Iterable[Any]]], tuple[Any, ...]]:
    make = partial(tuple.__new__, row)  # the row's own `_make` would check the number of fields again
    return lambda columns: tuple(map(make, zip(*columns, strict=True)))


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
