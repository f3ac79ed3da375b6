"""How far the work on a partition is, for whoever listens: a terminal, Dagster's log, a parent process.

Belongs here: the events and their listeners, and events as lines at intervals. Not here: the terminal
(display.py).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

#: Seconds until a long partition is spoken of for the first time, and from then on.
FIRST, EVERY = 10.0, 30.0


@dataclass(frozen=True)
class PartitionProgress:
    """How far a map over the parts of a partition is."""

    partition: str
    op: str
    done: int
    total: int | None
    """Of how many; None where that is not known beforehand."""
    kept: int
    """How many of those done were finished by an earlier run."""
    seconds: float
    """How long this run has worked on them."""

    @property
    def text(self) -> str:
        """Parts done of all, parts a second (or a minute), the time that remains."""
        shown = [f"{self.done} parts" if self.total is None else f"{self.done} of {self.total} parts"]
        computed, remaining = self.done - self.kept, (self.total or 0) - self.done
        if computed and self.seconds:
            rate = computed / self.seconds
            shown.append(f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute")
            if remaining > 0:
                shown.append(f"{duration(remaining / rate)} left")
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
    listen(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def listen(listener: Listener) -> None:
    """Let a listener hear all events of this process to its end."""
    _listeners.append(listener)


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
            self._write(f"{event.op}: {event.text}")


def duration(seconds: float) -> str:
    """Return seconds as 0:07, 12:40 or 3:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
