"""How far the reading of a slow record is, for whoever watches this process.

Belongs here: telling and watching. Not here: the way from a child to its parent (bounded/), what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

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
