"""What a search gives. Not here: the back ends (local.py, http_api.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Hit(NamedTuple):
    """A page that was found."""

    url: str
    rank: int
    """From 1."""
    score: float | None
    """What the back end ranks by, where it says."""


class Search(Protocol):
    """A back end."""

    def search(self, query: str, k: int) -> Sequence[Hit]:
        """Return at most `k` pages, the best first, each URL once."""
        ...
