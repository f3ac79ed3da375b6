"""What goes between this process and the child: calls, answers, progress.

Belongs here: which calls are sent together, joining several in one message and parting them, how an answer is
written and read, telling how far the reading of a slow record is. Not here: beginning and ending the child
(child.py), what runs in it (serve.py), bounds (bounds.py).

Input that takes over the child can answer anything. Pickle would run that in the parent; so an answer is
JSON, which is read as what the parser says that it returns, or refused. The content of a large record goes by
a file in memory, which costs the processor less than a connection.
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
from ops.parse.source import ParseError, Raw, ServiceError

#: A function and its arguments.
Call: TypeAlias = tuple[Callable[..., Any], tuple[object, ...]]

#: A call or an answer; a view of a message costs no copy.
MessagePart: TypeAlias = bytes | memoryview

#: Bytes behind which no further answer goes into a message. What answers take beyond is their own bound.
TOGETHER = 2**23
#: Bytes of a record from which on its content goes by itself.
_LARGE = 2**16
#: No pieces, as `joined` counts them; seconds that are done, and of how many.
_PROGRESS = struct.Struct("<III")


class PackedCall(NamedTuple):
    """A call, pickled, without the contents of large records."""

    call: MessagePart
    contents: Sequence[bytes]

    @property
    def size(self) -> int:
        """Bytes of it all."""
        return len(self.call) + sum(map(len, self.contents))


def packed(call: Call) -> PackedCall:
    """Return a call that can be sent."""
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
    """Send some calls together; `shared` is the file of `new_shared`, which both sides have open."""
    os.ftruncate(shared, TOGETHER)  # what a larger record took is given back
    place = 0
    for call in calls:
        for content in call.contents:
            rest = memoryview(content)
            while rest:
                written = os.pwrite(shared, rest, place)
                rest, place = rest[written:], place + written
    connection.send_bytes(joined([call.call for call in calls]))


def received_calls(connection: Connection, shared: int) -> list[Call]:
    """Return the calls that were sent together. Raises EOFError where the other side has ended."""
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
    """Return a message that tells how far a call is: it has no answer."""
    return _PROGRESS.pack(0, done, total)


def progress_of(message: bytes) -> tuple[int, int] | None:
    """Return how far a call is, where a message tells that."""
    if len(message) != _PROGRESS.size or message[:4] != bytes(4):
        return None
    _, done, total = _PROGRESS.unpack(message)
    return done, total


def new_shared() -> int:
    """Return the descriptor of a file that lies in memory alone, for contents of large records."""
    return os.memfd_create("contents")


def joined(pieces: Sequence[MessagePart]) -> bytes:
    """Return one message of some pieces."""
    return struct.pack(f"<I{len(pieces)}Q", len(pieces), *map(len, pieces)) + b"".join(pieces)


def parted(message: bytes) -> list[memoryview]:
    """Return views of the pieces of a message. Raises ValueError for one that was not joined."""
    try:
        (count,) = struct.unpack_from("<I", message)
        start = 4 + 8 * count
        lengths = struct.unpack(f"<{count}Q", message[4:start])
    except struct.error as error:
        raise ValueError(f"{len(message)} bytes: {error}") from None
    ends = [*accumulate(lengths, initial=start)]
    if ends[-1] != len(message):
        raise ValueError(f"{len(message)} bytes where {ends[-1]} are told")
    whole = memoryview(message)
    return [whole[first:last] for first, last in pairwise(ends)]


#: Calls, and bytes of these, that are sent at once.
_MOST, _MOST_BYTES = 32, 2**20


class Ahead:
    """Calls that will be made, in order, each known by its very arguments; another call goes by itself."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self._coming = {_key(call): call for call in calls}
        self._answers: dict[tuple[int, ...], tuple[Call, bytes]] = {}
        self._size = 1
        self._alone = 0

    def answer(self, call: Call) -> bytes | None:
        """Return the answer to a call where it was computed with one before."""
        found, answer = self._answers.pop(_key(call), (None, None))
        return answer if found == call else None

    def batch(self, call: Call) -> list[PackedCall]:
        """Return a call, packed, with some of those that come next: twice as many as were last answered."""
        if self._coming.get(_key(call)) != call:
            return [packed(call)]
        for key in list(self._coming):  # those before it were not made
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
        """Keep the answers to the calls from `call` on."""
        if _key(call) not in self._coming:
            return
        for key, answer in zip(list(self._coming), answers, strict=False):
            self._answers[key] = (self._coming.pop(key), answer)
        self._alone = max(0, self._alone - len(answers))
        self._size = min(2 * len(answers), _MOST)

    def failed(self, calls: int) -> None:
        """Ask one by one for so many calls that together ended the child: one of them is to blame."""
        self._alone = calls


def _key(call: Call) -> tuple[int, ...]:
    return tuple(map(id, call[1]))


KEPT, REFUSED, UNAVAILABLE = b"k", b"r", b"u"


def answer_of(function: Callable[..., Any], result: object) -> bytes:
    """Return the answer that holds a result.

    Raises ParseError for halves of surrogate pairs, and ValueError for what else JSON cannot hold.
    """
    results = _results(_plain(function))
    try:
        return KEPT + results.dump_json(result, warnings="error")
    except PydanticSerializationError:
        check_texts(results.dump_python(result, warnings="none"), "what it becomes")
        raise


def refusal(cause: str, kind: bytes = REFUSED) -> bytes:
    """Return the answer that nothing came of a call."""
    return kind + cause.encode(errors="backslashreplace")


def too_large(most: int) -> str:
    """Return the cause where an answer is larger than the bound."""
    return f"what it becomes is larger than {most} bytes"


def result_of(function: Callable[..., Any], answer: bytes) -> Any:
    """Return the result that an answer holds.

    Raises ParseError for a refusal, ServiceError as the function does, and pydantic's ValidationError for
    what the function does not return.
    """
    if answer.startswith(KEPT):
        return _reader(_plain(function)).validate_json(answer[1:])
    kind = ServiceError if answer.startswith(UNAVAILABLE) else ParseError
    raise kind(answer[1:].decode(errors="replace"))


def _plain(function: Callable[..., Any]) -> FunctionType:
    plain = function.__func__ if isinstance(function, MethodType) else function
    assert isinstance(plain, FunctionType)
    return plain


@cache
def _results(function: FunctionType) -> TypeAdapter[Any]:
    """Return what writes the results of a function, by its annotations."""
    return TypeAdapter(get_type_hints(function, include_extras=True)["return"])


@cache
def _reader(function: FunctionType) -> SchemaValidator:
    """Return what reads them; it keeps no strings, which in texts are hardly met twice: a quarter faster."""
    return SchemaValidator(_results(function).core_schema, CoreConfig(cache_strings=False))


class ByColumn:
    """Marks a field: `Annotated[tuple[Sentence, ...], ByColumn()]`, where Sentence is a NamedTuple."""

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
    make = partial(tuple.__new__, row)  # a row's own `_make` counts the fields, which were counted already
    return lambda columns: tuple(map(make, zip(*columns, strict=True)))


#: Called with seconds of sound that are done, and of how many: 0 where that is not known.
Watcher: TypeAlias = Callable[[int, int], None]

_watchers: list[Watcher] = []


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Let a watcher know how far records are that are read meanwhile."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def tell(done: int, total: int) -> None:
    """Tell how many seconds of sound are done, and of how many (0: not known)."""
    for watcher in _watchers:
        watcher(done, total)
