"""What a system adds to the pages: its own pages, links to them, and parts of its datasets' pages.

Belongs here: that form, and finding the systems. Not here: what any of them adds (systems/).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pages.systems
from assets.declare.declaration import DECLARED
from assets.declare.graph import AssetGraph, Everything, Files
from assets.rows.reading import Counted


class DatasetPart(NamedTuple):
    """A part of a dataset's page: a template and a script, and what both show of the dataset's folders."""

    template: str
    script: str
    """A file below static/."""
    data: Callable[[Iterable[Path]], Mapping[str, Any]]
    """Its entries are variables of the template and of the page's data."""


class SystemPages(NamedTuple):
    """What a system adds. Each system has one, the `SYSTEM` of its module `site`."""

    pages: Callable[[Everything, Mapping[str, Counted]], Files]
    navigation: tuple[tuple[str, str], ...]
    """Pages that every page links to: address and name."""
    pictures: Mapping[str, str]
    """Where the pictures of a dataset are, by its name."""
    dataset_parts: Mapping[str, DatasetPart] = {}
    """By the name of the dataset."""
    pages_of: Callable[[Everything], Mapping[str, str]] = lambda everything: {}
    """Pages of single things by their id: rows that are one, or name it, link to it."""


@cache
def systems() -> dict[str, SystemPages]:
    """Return by its name what each system that params.yaml does not leave out adds."""
    present = {dataset.key.group for dataset in AssetGraph(DECLARED.values()).datasets.values()}
    modules = pkgutil.iter_modules(pages.systems.__path__)
    names = [module.name for module in modules if module.name in present]
    return {name: import_module(f"pages.systems.{name}.site").SYSTEM for name in names}
