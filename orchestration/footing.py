"""What this process stands on: params, code and raw sources as they were when it began.

Belongs here: noticing that one of them was edited meanwhile. DVC records what is on disk at the end of the
work; the work was done on what was there at its beginning. Not here: what is stale (freshness.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from assets.settings import ROOT, settings
from orchestration.store.identity import file_md5, folder_hashes, version

#: All that a dataset's code hash is made of.
CODE = ("assets", "models.txt", "ops", "orchestration/store/parquet.py", "requirements.lock")


class MovedError(RuntimeError):
    """Something was edited while the work was under way; the text names it."""


def footing() -> dict[str, str]:
    """Return the version of everything that the work depends on, as first asked for in this process."""
    return {**code(), **_sources()}


@cache
def code() -> dict[str, str]:
    """Return the versions of params and code: asked for before any of the two is read (graph.py)."""
    return _versions(["params.yaml", *CODE])


@cache
def _sources() -> dict[str, str]:
    return _versions(_source_paths())


def check() -> None:
    """Raise MovedError where something is not as it was at the first call of `footing`."""
    former, today = footing(), _versions(["params.yaml", *CODE, *_source_paths()])
    if moved := sorted(name for name in {*former, *today} if today.get(name) != former.get(name)):
        names = ", ".join(moved)
        raise MovedError(f"{names} changed while this ran; what was made is kept, dvc.lock is not: run again")


def _source_paths() -> list[str]:
    return [source.path for group in settings().sources.values() for source in group.values()]


def _versions(paths: Iterable[str]) -> dict[str, str]:
    return {path: _version(ROOT / path) for path in paths if (ROOT / path).exists()}


def _version(place: Path) -> str:
    try:
        return version(folder_hashes(place)) if place.is_dir() else file_md5(place)
    except PermissionError as error:  # of a source: it is a reject there, and DVC's commit is refused
        return str(error)
