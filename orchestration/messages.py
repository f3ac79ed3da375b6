"""What people read while something runs and when it fails: progress, errors, tables, Markdown.

Belongs here: events of progress and who listens to them; errors in words, and which pass by themselves; text
of any origin as Markdown that shows it as it is. Not here: the display of a terminal (run/display.py), pages.
"""

from __future__ import annotations

import contextlib
import errno
import re
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NoReturn, TypeAlias

from assets.declare.settings import without_logins
from orchestration.files.full_disk import causes, full_disk
from orchestration.files.identity import InputReplacedError
from orchestration.workspace.postgres import unreachable

#: Seconds until a long partition is spoken of for the first time, and from then on.
FIRST, EVERY = 10.0, 30.0

#: The pace is that of the last half minute, and of so many parts at least and at most. The first part, which
#: loads models, is soon no part of it.
SPAN, LEAST, MOST = 30.0, 5, 200

#: The next part takes longer than those before if it takes twice as long as any of them, and so many seconds.
LONG = 5.0


@dataclass(frozen=True)
class RecentPace:
    """How fast parts were finished last."""

    since: float
    """When the last one was finished or, before the first, when the work began; of `time.monotonic`."""
    seconds: float | None = None
    """What one took of late; None before the first."""
    longest: float = 0.0
    """The longest time of late between two that were finished."""

    def left(self, parts: int, now: float) -> float | None:
        """Return how long some more parts take from now on; None where nothing tells.

        That is so before the first one, and when the next one takes far longer than those before.
        """
        waited = now - self.since
        if self.seconds is None or waited > max(2 * self.longest, LONG):
            return None
        return max(parts * self.seconds - waited, 0.0)


class Recent:
    """Measures the pace: `finished` is called whenever parts were computed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = deque([(clock(), 0)], MOST)
        """When how many were finished."""

    def finished(self, parts: int = 1) -> None:
        """Take notice of parts that were finished since the last call."""
        now, (_, before) = self._clock(), self._ends[-1]
        self._ends.append((now, before + parts))
        while len(self._ends) > LEAST + 1 and now - self._ends[1][0] > SPAN:
            self._ends.popleft()

    @property
    def pace(self) -> RecentPace:
        """How fast the last parts were finished."""
        (begin, before), (end, after) = self._ends[0], self._ends[-1]
        if after == before:
            return RecentPace(end)
        longest = max(later - earlier for (earlier, _), (later, _) in pairwise(self._ends))
        return RecentPace(end, (end - begin) / (after - before), longest)


@dataclass(frozen=True)
class PartitionProgress:
    """How far a map over the parts of a partition is."""

    partition: str
    op: str
    done: int
    total: int | None
    """Of how many; None where that is not known beforehand."""
    pace: RecentPace
    """How fast this run computed the last ones."""
    unit: str = "parts"

    def __str__(self) -> str:
        """Return what `text` says at this moment."""
        return self.text(time.monotonic())

    def text(self, now: float) -> str:
        """Return what is done of all, how much a second (or a minute) of late, the time that remains."""
        of = "" if self.total is None else f" of {self.total}"
        shown = [f"{self.op}: {self.done}{of} {self.unit}"]
        remaining = (self.total or 0) - self.done
        if self.pace.seconds:
            rate = 1 / self.pace.seconds
            shown.append(f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute")
            if remaining > 0:
                left = self.pace.left(remaining, now)
                shown.append("the next takes longer" if left is None else f"{duration(left)} left")
        return ", ".join(shown)


@dataclass(frozen=True)
class Notice:
    """Something that people should know of a partition under way."""

    partition: str
    text: str


Event: TypeAlias = PartitionProgress | Notice
Listener: TypeAlias = Callable[[Event], None]

_listeners: list[Listener] = []


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let a listener hear all events of this process for a while."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(event: Event) -> None:
    """Tell all listeners of an event."""
    for listener in _listeners:
        listener(event)


class Intervals:
    """Says when something that goes on is to be spoken of: after `FIRST` seconds, then every `EVERY`."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST

    def due(self) -> bool:
        """Say whether it is time; then the next time is later."""
        if (now := time.monotonic()) < self._next:
            return False
        self._next = now + EVERY
        return True


class EventLines:
    """Writes the events of one partition as lines: notices at once, progress at intervals."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._intervals = Intervals()

    def __call__(self, event: Event) -> None:
        """Write an event, if it is time."""
        if isinstance(event, Notice):
            self._write(event.text)
        elif self._intervals.due():
            self._write(str(event))


def duration(seconds: float) -> str:
    """Return seconds as 0:07, 12:40 or 3:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


_WIDTH = 60
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
#: A _ within a word emphasises nothing. An address is parted where it would be read before the backslashes
#: in it: it may become a link all the same, to just what is shown.
_ACTIVE = re.compile(r"[\\`*\[\]~|]|!(?=\[)|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.")
_BEGINNING = re.compile(r"^(\d{0,9})([-#+=.)])(?!\d)")


def escaped(text: str) -> str:
    """Return a text, on one line, so that Markdown shows its letters and acts on none of them."""
    return _BEGINNING.sub(r"\1\\\2", _inline(" ".join(text.split())))


def markdown_table(header: list[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table, "" for no rows; long cells are cut."""
    if not rows:
        return ""
    lines = [header, ["---"] * len(header), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = " ".join(str("" if value is None else value)[: 4 * _WIDTH].split())
    return _inline(text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…")


def _inline(text: str) -> str:
    return _ACTIVE.sub(lambda found: f"\\{found[0]}", text).translate(_HTML)


def aligned(rows: Sequence[Sequence[object]]) -> str:
    """Return rows, the header first, as lines in which columns are aligned: those of numbers to the right."""
    columns = []
    for column in zip(*rows, strict=True):
        align = str.rjust if isinstance(column[-1], int) else str.ljust
        cells = [str(cell) for cell in column]
        columns.append([align(cell, max(map(len, cells))) for cell in cells])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


TRIES = 3


_PASSING = {errno.EAGAIN, errno.EBUSY, errno.EIO, errno.EINTR, errno.ETIMEDOUT, errno.ESTALE, errno.ENOLCK}


def transient(error: BaseException) -> bool:
    """Say whether an error, or what caused it, may be gone at the next try."""
    return any(_transient(cause) for cause in causes(error))


def _transient(error: BaseException) -> bool:
    if isinstance(error, OSError):  # a lock that is held is a BlockingIOError, which may have no number
        return isinstance(error, BlockingIOError) or error.errno in _PASSING
    if isinstance(error, sqlite3.OperationalError):
        return "locked" in str(error)
    return isinstance(error, InputReplacedError)


def give_up_or_retry(error: Exception, tried: int, label: str) -> NoReturn:
    """Raise what Dagster needs: a retry after 1, 2, 4 seconds, or a failure that is not retried."""
    import dagster as dg  # which takes a second: most commands end without it

    if transient(error) and tried < TRIES:
        raise dg.RetryRequested(max_retries=TRIES, seconds_to_wait=2**tried) from error
    raise dg.Failure(description=f"{label}: {describe(error)}", allow_retries=False) from error


def describe(error: BaseException) -> str:
    """Return an error as people should read it; addresses in it are without logins."""
    return without_logins(_described(error))


def _described(error: BaseException) -> str:
    if (line := full_disk(error)) is not None:
        return line
    if (line := unreachable(error)) is not None:
        return line
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror} ({error.filename})" if error.filename else error.strerror
    worded = isinstance(error, (ValueError, RuntimeError, LookupError)) and not isinstance(error, KeyError)
    return str(error) if worded else f"{type(error).__name__}: {error}"
