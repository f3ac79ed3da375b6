"""Partitions that are replaced while they are read: readers hold no lock, and compare versions afterwards.

Belongs here: the comparison. Not here: when it is tried again (files/transient.py, messages.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.orchestration.files.transient import InputReplacedError
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.workspace.workspace import Workspace


@contextlib.contextmanager
def unreplaced(
    workspace: Workspace,
    partitions: Mapping[str, Iterable[str]],
    then: Callable[[], object] = lambda: None,
) -> Iterator[View]:
    """Provide a view of partitions, by dataset; notice afterwards if one was replaced or edited meanwhile.

    The block may have read half of the former version and half of the new one. So its result is invalid, and
    an error in it may come from just that: this calls `then`, and raises InputReplacedError in place of any
    other Exception.
    """
    places = [(workspace.datasets[name], partition) for name in partitions for partition in partitions[name]]
    view = View(workspace)
    before = _versions(view, places)
    ended: BaseException | None = None
    try:
        yield view
    except BaseException as error:
        ended = error
    after = _versions(View(workspace), places)
    if before != after:
        then()
        if ended is None or isinstance(ended, Exception):
            replaced = next(n for n in range(len(places)) if before[n] != after[n])
            named = label(*places[replaced])
            raise InputReplacedError(f"{named} was replaced while it was read: run again") from ended
    if ended is not None:
        raise ended


def _versions(view: View, places: Iterable[tuple[Dataset, str]]) -> list[str]:
    """Return the version of each partition, or "" if its bytes are not on disk."""
    return [manifest.version if (manifest := view.known(*place)) else "" for place in places]
