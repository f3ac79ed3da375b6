"""A report declared: `@report`, for files that are made of every dataset.

Belongs here: what a report reads and makes. Not here: datasets (dataset.py), any report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import dagster as dg

from assets.declare.dagster_asset import dagster_asset
from assets.declare.declaration import Declaration, Input, Key, declarations, register
from assets.declare.graph import AssetGraph

#: What a report makes: files by relative path.
Files: TypeAlias = Iterator[tuple[str, bytes]]


class Everything(dict[str, Mapping[str, Path]]):
    """The folders of every dataset declared before, by name and month: what a report reads."""

    def __init__(
        self,
        folders: Mapping[str, Mapping[str, Path]] | None = None,
        graph: AssetGraph | None = None,
        former: Path | None = None,
    ):
        super().__init__(folders or {})
        self.graph = graph or AssetGraph(declarations().values())
        #: What the report made last, if it is as it was made: a report may take over what would be the same.
        self.former = former

    def only(self, names: Collection[str]) -> Everything:
        """Return some of the datasets, in the same order."""
        return Everything({name: months for name, months in self.items() if name in names}, self.graph)


def report(*, group: str) -> Callable[[Callable[[Everything], Files]], dg.AssetsDefinition]:
    """Declare a report: the decorated function makes files of all tables of every dataset declared before.

    It depends on all params that those depend on.
    """

    def declare(function: Callable[[Everything], Files]) -> dg.AssetsDefinition:
        inputs = tuple(Input(item.name, key, True) for key, item in declarations().items())
        key = Key(group, function.__name__)
        return dagster_asset(register(Declaration(key, function, None, None, False, inputs, None, {})))

    return declare
