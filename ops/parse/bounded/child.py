"""A child process that calls parsers, record after record, and is restarted when one has killed it.

Belongs here: the parent's side, and a format whose parser runs in the child. Not here: the child's side
(serve.py), the limits (bounds.py), the formats. A format's `split` runs in the parent: it reads a limited
number of bytes, and asks the child for the content of JSON lines and table rows.

This is not a concurrent.futures executor: those can neither cancel a running call nor limit their workers.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from ops.core.params import Params
from ops.parse.bounded.bounds import BOUNDS, Bounds
from ops.parse.bounded.messages import (
    TOGETHER,
    Ahead,
    Call,
    PackedCall,
    new_shared,
    parted,
    progress_of,
    result_of,
    send_calls,
    tell,
    too_large,
)
from ops.parse.encodings import any_encoding
from ops.parse.source import Format, Only, ParseError, Raw, Source

Result = TypeVar("Result")

_SERVE = "import sys; sys.path[:] = {path!r}; from ops.parse.bounded.serve import serve; serve{arguments!r}"


#: Arrow's own allocator reserves a GiB of address space at once, which is the child's whole limit.
#: Large blocks are kept: if returned to the system, they would have to be mapped again page by page.
#: A Rust backtrace allocates memory itself: when memory is exhausted, it never finishes.
_ALLOCATION = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**26),
    "RUST_BACKTRACE": "0",
}


class BoundedChild:
    """A child process that calls functions within limits. It runs one call at a time, from any thread."""

    def __init__(self, bounds: Bounds = BOUNDS) -> None:
        self.bounds = bounds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._shared = -1
        self._owner = 0
        self._ahead = Ahead()

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Return `function(*arguments)`, computed in the child.

        Function and arguments are pickled. The result comes back as JSON (messages.py), typed by the
        function's return annotation. Raises ParseError if the function refuses or fails, exceeds the limits
        on time, memory or output, or kills the child.
        """
        with self._lock:
            answer = self._answer((function, arguments))
            if len(answer) > self.bounds.output:
                raise ParseError(too_large(self.bounds.output))
            try:
                result: Result = result_of(function, answer)
            except ValidationError as error:
                self.close()  # it can no longer be trusted
                raise ParseError(f"the parser gave no answer: {error.errors()[0]['msg']}") from None
        return result

    @contextmanager
    def ahead(self, calls: Sequence[Call]) -> Iterator[None]:
        """Announce calls that will be made in this order, so that several can be computed in one batch.

        Waking the parent for every record costs a tenth of the time that it takes to read a paper.
        """
        with self._lock:
            self._ahead = Ahead(calls)
        try:
            yield
        finally:
            with self._lock:
                self._ahead = Ahead()

    def close(self) -> None:
        """Kill the child; the next call starts another."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._connection is not None:
            self._connection.close()
            os.close(self._shared)
        self._process = self._connection = None

    def _answer(self, call: Call) -> bytes:
        """Return the answer to a call; announced calls that come next may be computed with it."""
        if (answer := self._ahead.answer(call)) is not None:
            return answer
        calls = self._ahead.batch(call)
        try:
            answers = self._ask(calls)
        except ParseError:
            if len(calls) == 1:
                raise
            self._ahead.failed(len(calls))
            answers = self._ask(calls[:1])
        self._ahead.answered(call, answers)
        return answers[0]

    def _ask(self, calls: Sequence[PackedCall]) -> list[bytes]:
        """Return answers to the first call or more. Raises ParseError if the child gives no answer."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._begin()
        assert self._connection is not None
        try:
            send_calls(self._connection, self._shared, calls)
            answers = [bytes(answer) for answer in parted(self._received(self._connection))]
            if 1 <= len(answers) <= len(calls):
                return answers
            cause = f"the parser gave no answer: {len(answers)} for {len(calls)}"
        except ValueError as error:
            cause = f"the parser gave no answer: {error}"
        except BlockingIOError:
            cause = f"the parser gave no answer within {self.bounds.patience} s"
        except (EOFError, ConnectionError):
            cause = self._death()
        except OSError:
            # A message over the limit is not read, and makes the connection unreadable.
            if not self._connection.readable:
                cause = too_large(self.bounds.output)
            else:  # a system error, such as no space in the memory file; the child is fine
                self.close()
                raise
        except BaseException:
            self.close()  # otherwise the next call would receive this call's answer
            raise
        self.close()
        raise ParseError(cause)

    def _received(self, connection: Connection) -> bytes:
        """Return the next answer. Progress messages are passed on; they do not extend the deadline."""
        until = time.monotonic() + self.bounds.patience
        while True:
            message = connection.recv_bytes(self.bounds.output + TOGETHER)
            if (progress := progress_of(message)) is None:
                return message
            if time.monotonic() > until:
                raise BlockingIOError
            tell(*progress)

    def _begin(self) -> None:
        self.close()
        ours, theirs = Pipe()
        with socket.socket(
            fileno=os.dup(ours.fileno())
        ) as end:  # the timeout restarts with each piece of an answer
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", self.bounds.patience, 0))
        self._owner = os.getpid()
        self._connection, self._shared = ours, new_shared()
        with theirs:
            descriptors = (theirs.fileno(), self._shared)
            program = _SERVE.format(path=sys.path, arguments=(*descriptors, *self.bounds[:3]))
            self._process = subprocess.Popen(
                [sys.executable, "-c", program],
                stdin=subprocess.PIPE,
                pass_fds=descriptors,
                process_group=0,  # Ctrl-C is for the parent only
                env=os.environ | _ALLOCATION,
            )
        try:
            ours.recv_bytes()
        except (EOFError, BlockingIOError):
            self._process.kill()
            raise RuntimeError(f"the child of the parsers did not begin: {self._death()}") from None

    def _death(self) -> str:
        assert self._process is not None
        status = self._process.wait()
        if status == -signal.SIGXCPU:
            return f"the parser took more than {self.bounds.seconds} s of the processor"
        if status == -signal.SIGABRT:
            return self.bounds.exhausted("SIGABRT")
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        return f"the parser ended its process ({how})"


@cache
def child_of(bounds: Bounds) -> BoundedChild:
    """Return the child that all parsers of this process with these limits share; it is killed at exit."""
    child = BoundedChild(bounds)
    atexit.register(child.close)
    return child


Document = TypeVar("Document", covariant=True)


@contextmanager
def parsed_next(raws: Iterable[tuple[object, Raw]]) -> Iterator[None]:
    """Announce to the children which records will be parsed next, and in which format."""
    calls: defaultdict[Bounds, list[Call]] = defaultdict(list)
    for form, raw in raws:
        if isinstance(form, BoundedFormat):
            calls[form.bounds].append((form.form.parse, (raw,)))
    with ExitStack() as stack:
        for bounds, of_child in calls.items():
            stack.enter_context(child_of(bounds).ahead(of_child))
        yield


@dataclass(frozen=True)
class BoundedFormat(Generic[Document]):
    """Reads records like another format, but in the child. Faults and exceeded limits raise ParseError."""

    form: Format[Document]
    bounds: Bounds = BOUNDS
    quick: bool = False
    """Whether `fields` is cheap enough to run without the child. Every command calls `fields`."""

    @property
    def options(self) -> type[Params] | None:
        """The class of the format's options, if it has any."""
        return getattr(self.form, "options", None)

    @property
    def any_encoding(self) -> bool:
        """Whether its records are text that does not declare its own encoding."""
        return any_encoding(self.form)

    @property
    def slow(self) -> bool:
        """Whether one record may take minutes."""
        return getattr(self.form, "slow", False)

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the records; see `Format.split`."""
        return self.form.split(folder, source, only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the fields that a month rule may use."""
        if self.quick:
            return self.form.fields(raw)
        return child_of(self.bounds).call(self.form.fields, raw)

    def parse(self, raw: Raw) -> Document:
        """Parse the whole record."""
        return child_of(self.bounds).call(self.form.parse, raw)
