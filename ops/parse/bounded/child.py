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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Generic, TypeVar, cast

from pydantic import ValidationError

from silverloom.ops.core.params import Params
from silverloom.ops.parse.bounded.bounds import BOUNDS, Bounds
from silverloom.ops.parse.bounded.messages import (
    PROGRESS,
    ChildMessage,
    TooLargeError,
    answer_too_large,
    progress_of,
    received,
    result_of,
    send_call,
    tell,
)
from silverloom.ops.parse.encodings import any_encoding
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, Source

Result = TypeVar("Result")
Document = TypeVar("Document", covariant=True)

_SERVE = (
    "import sys; sys.path[:] = {path!r}; "
    "from silverloom.ops.parse.bounded.serve import serve; serve{arguments!r}"
)

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
        self._stream: IO[bytes] | None = None
        self._owner = 0

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Return `function(*arguments)`, computed in the child.

        The function is one of a module, and its annotations say what its arguments and result are
        (messages.py). Raises ParseError if it refuses or fails, exceeds the limits on time, memory or
        output, or kills the child.
        """
        with self._lock:
            answer = self._answer(function, arguments)
            try:
                result: Result = result_of(function, answer)
            except ValidationError as error:
                self.close()  # it can no longer be trusted
                raise ParseError(f"the parser gave no answer: {error.errors()[0]['msg']}") from None
        return result

    def close(self) -> None:
        """Kill the child; the next call starts another."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._stream is not None:
            with suppress(OSError):  # what is left of a call that the child did not read
                self._stream.close()
        self._process = self._stream = None

    def _answer(self, function: Callable[..., object], arguments: Sequence[object]) -> ChildMessage:
        """Return the child's answer. Raises ParseError if it gives none."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._begin()
        assert self._stream is not None
        try:
            send_call(self._stream, function, arguments)
            return self._received(self._stream)
        except TimeoutError:
            cause = f"the parser gave no answer within {self.bounds.patience} s"
        except TooLargeError:
            cause = answer_too_large(self.bounds.output)
        except struct.error as error:
            cause = f"the parser gave no answer: {error}"
        except (EOFError, ConnectionError):
            cause = self._death()
        except BaseException:
            self.close()  # otherwise the next call would receive this call's answer
            raise
        self.close()
        raise ParseError(cause)

    def _received(self, stream: IO[bytes]) -> ChildMessage:
        """Return the next answer. Progress messages are passed on; they do not extend the deadline."""
        until = time.monotonic() + self.bounds.patience
        while (message := received(stream, self.bounds.output)).kind == PROGRESS:
            if time.monotonic() > until:
                raise TimeoutError
            tell(*progress_of(message))
        return message

    def _begin(self) -> None:
        self.close()
        ours, theirs = socket.socketpair()
        # The timeout restarts with each piece of an answer.
        ours.settimeout(self.bounds.patience)
        self._owner = os.getpid()
        with ours, theirs:
            self._stream = stream = cast("IO[bytes]", ours.makefile("rwb"))
            program = _SERVE.format(path=sys.path, arguments=(theirs.fileno(), *self.bounds[:3]))
            self._process = subprocess.Popen(
                [sys.executable, "-c", program],
                stdin=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for the parent only
                env=os.environ | _ALLOCATION,
            )
        try:
            received(stream, self.bounds.output)
        except (EOFError, TimeoutError):
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

    @property
    def bytes_a_character(self) -> int:
        """About how many bytes its records have for each character of text."""
        return getattr(self.form, "bytes_a_character", 1)

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
