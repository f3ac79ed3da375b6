"""A report declared: `@report`, for files that are made of every dataset.

Belongs here: what a report reads and makes. Not here: datasets (dataset.py), any report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from assets.declare.declaration import Declaration, Input, Key, declarations, register
from assets.declare.graph import Graph

#: What a report makes: files by relative path.
Files: TypeAlias = Iterator[tuple[str, bytes]]


class Everything(dict[str, Mapping[str, Path]]):
    """The folders of every dataset declared before, by name and month: what a report reads."""

    def __init__(self, folders: Mapping[str, Mapping[str, Path]] | None = None, graph: Graph | None = None):
        super().__init__(folders or {})
        self.graph = graph or Graph(declarations().values())


def report(*, group: str) -> Callable[[Callable[[Everything], Files]], Declaration]:
    """Declare a report: the decorated function makes files of all tables of every dataset declared before.

    It depends on all params that those depend on.
    """

    def declare(function: Callable[[Everything], Files]) -> Declaration:
        inputs = tuple(Input(item.name, key, True) for key, item in declarations().items())
        key = Key(group, function.__name__)
        return register(Declaration(key, function, None, None, False, inputs, None, {}))

    return declare
