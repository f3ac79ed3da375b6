"""Text for people: progress, errors, tables and Markdown.

Belongs here: progress events and their listeners; error messages, and whether a failure is retried; escaping
any text for Markdown. Not here: the terminal display (run/display.py), pages,
which errors are transient (files/transient.py).
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from silverloom.assets.declare.logins import without_logins
from silverloom.assets.reasons import meaning_of
from silverloom.orchestration.files.full_disk import full_disk, with_its_type
from silverloom.orchestration.files.stores import sqlite_error
from silverloom.orchestration.files.transient import transient
from silverloom.orchestration.workspace.postgres import unreachable

#: Seconds until a long partition is first reported on, and the interval after that.
FIRST, EVERY = 10.0, 30.0

#: The pace is measured over the last half minute, but over at least LEAST and at most MOST parts. So the
#: first part, which loads models, soon drops out.
SPAN, LEAST, MOST = 30.0, 5, 200

#: The meanings of so many reasons are printed.
MEANINGS = 5


@dataclass(frozen=True)
class RecentPace:
    """How fast parts have been finishing lately."""

    since: float
    """When the last part finished, or when the work began if none has; in `time.monotonic` seconds."""
    seconds: float | None = None
    """Recent seconds per part; None before the first part is done."""

    def left(self, parts: int, now: float) -> float | None:
        """Return the seconds that `parts` more parts should take from now, None before the first is done."""
        return None if self.seconds is None else max(parts * self.seconds - (now - self.since), 0.0)


class Recent:
    """Measures the pace. Call `finished` whenever parts were computed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = deque([(clock(), 0)], MOST)
        """(time, number of parts finished so far)."""

    def finished(self, parts: int = 1) -> None:
        """Record parts that finished since the last call."""
        now, (_, before) = self._clock(), self._ends[-1]
        self._ends.append((now, before + parts))
        while len(self._ends) > LEAST + 1 and now - self._ends[1][0] > SPAN:
            self._ends.popleft()

    @property
    def pace(self) -> RecentPace:
        """How fast the last parts finished."""
        (begin, before), (end, after) = self._ends[0], self._ends[-1]
        if after == before:
            return RecentPace(end)
        return RecentPace(end, (end - begin) / (after - before))


@dataclass(frozen=True)
class PartitionProgress:
    """How far a map over a partition's parts has got."""

    partition: str
    op: str
    done: int
    total: int | None
    """None if the number of parts is not known in advance."""
    pace: RecentPace
    """How fast this run computed the latest parts."""
    unit: str = "parts"

    def __str__(self) -> str:
        """Return `text` for the current time."""
        return self.text(time.monotonic())

    def text(self, now: float) -> str:
        """Return the parts done out of the total, the recent rate per second or minute, and the time left."""
        of = "" if self.total is None else f" of {self.total}"
        shown = [f"{self.op}: {self.done}{of} {self.unit}"]
        remaining = (self.total or 0) - self.done
        if self.pace.seconds:
            rate = 1 / self.pace.seconds
            shown.append(f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute")
            if remaining > 0 and (left := self.pace.left(remaining, now)):
                shown.append(f"{duration(left)} left")
        return ", ".join(shown)


@dataclass(frozen=True)
class Notice:
    """Something people should know about a partition in progress."""

    partition: str
    text: str


Event: TypeAlias = PartitionProgress | Notice
Listener: TypeAlias = Callable[[Event], None]

_listeners: list[Listener] = []


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send all events of this process to a listener while the context lasts."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(event: Event) -> None:
    """Send an event to all listeners."""
    for listener in _listeners:
        listener(event)


class Intervals:
    """Decides when to report on something in progress: after `FIRST` seconds, then every `EVERY`."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST

    def due(self) -> bool:
        """Return whether a report is due, and if so schedule the next one."""
        if (now := time.monotonic()) < self._next:
            return False
        self._next = now + EVERY
        return True


class EventLines:
    """Writes the events of one partition as lines: notices immediately, progress at intervals."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._intervals = Intervals()

    def __call__(self, event: Event) -> None:
        """Write an event if it is due."""
        if isinstance(event, Notice):
            self._write(event.text)
        elif self._intervals.due():
            self._write(str(event))


def duration(seconds: float) -> str:
    """Return seconds as 0:07, 12:40 or 3:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def number_of(count: int, thing: str) -> str:
    """Return "1 run", or "2 runs"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


_WIDTH = 60
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
#: An underscore within a word has no effect. In a URL, the `:` or the `.` after www is escaped too: otherwise
#: autolinking would take in the backslashes of other escapes. If a link still forms, it leads to what is
#: shown.
_ACTIVE = re.compile(r"[\\`*\[\]~|]|!(?=\[)|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.")
_BEGINNING = re.compile(r"^(\d{0,9})([-#+=.)])(?!\d)")


def escaped(text: str) -> str:
    """Return a text on one line, escaped so that Markdown shows it literally."""
    return _BEGINNING.sub(r"\1\\\2", _inline(" ".join(text.split())))


def markdown_table(header: list[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table, or "" if there are no rows. Long cells are cut."""
    if not rows:
        return ""
    lines = [header, ["---"] * len(header), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = " ".join(str("" if value is None else value)[: 4 * _WIDTH].split())
    return _inline(text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…")


def _inline(text: str) -> str:
    return _ACTIVE.sub(lambda match: f"\\{match[0]}", text).translate(_HTML)


def why_lost(dropped: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return what the most frequent reasons for dropped rows mean, a line each.

    Takes the number of dropped rows by dataset and reason. Several datasets may share a line.
    """
    explained: dict[tuple[str, str], int] = {}
    for dataset, reasons in dropped.items():
        for reason, count in reasons.items():
            if meaning := meaning_of(dataset, reason):
                explained[reason, meaning] = explained.get((reason, meaning), 0) + count
    frequent = sorted(explained, key=lambda line: (-explained[line], line))[:MEANINGS]
    return [f"dropped for {reason}: {meaning}" for reason, meaning in frequent]


def aligned(rows: Sequence[Sequence[object]]) -> str:
    """Return rows, header first, as lines with aligned columns; numbers are right-aligned."""
    columns = []
    for column in zip(*rows, strict=True):
        align = str.rjust if isinstance(column[-1], int) else str.ljust
        cells = [str(cell) for cell in column]
        width = max(map(len, cells))
        columns.append([align(cell, width) for cell in cells])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def give_up_or_retry(error: Exception, tried: int, label: str) -> NoReturn:
    """Raise what Dagster expects: a retry after a pause that doubles each time, or a failure without retries.

    params.yaml says how often, and how long the first pause is (`engine`).
    """
    import dagster as dg  # these take a second, and most commands never get here

    from silverloom.orchestration.executors.parts import engine_params

    bounds = engine_params()
    if transient(error) and tried < bounds.partition_retries:
        pause = min(bounds.retry_wait * 2**tried, bounds.longest_retry_wait)
        raise dg.RetryRequested(max_retries=bounds.partition_retries, seconds_to_wait=pause) from error
    raise dg.Failure(description=f"{label}: {describe(error)}", allow_retries=False) from with_its_type(error)


def describe(error: BaseException) -> str:
    """Return an error as text for people, with logins removed from URLs.

    Its notes come first: they say which part and which rows an op failed at.
    """
    return without_logins(_described(error))


def _described(error: BaseException) -> str:
    if (line := full_disk(error)) is not None:
        return line
    if (line := unreachable(error)) is not None:
        return line
    where = ", ".join(reversed(getattr(error, "__notes__", [])))
    return f"{where}: {_worded(error)}" if where else _worded(error)


def _worded(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        file = str(error.filename or "")
        return error.strerror if file in error.strerror else f"{error.strerror} ({file})"
    if isinstance(error, (ValueError, RuntimeError, LookupError)) and not isinstance(error, KeyError):
        return str(error)
    cause = sqlite_error(error) or error  # SQLAlchemy appends the whole statement
    return f"{type(cause).__name__}: {cause}"
