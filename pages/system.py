"""The interface by which a system adds its own pages, links to them, and sections of its datasets' pages.

Belongs here: this interface, and finding the systems. Not here: what each system adds (systems/).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import silverloom.pages.systems
from silverloom.assets.declare.declaration import DECLARED
from silverloom.assets.declare.graph import AssetGraph, Everything, Files
from silverloom.assets.rows.reading import Counted


class DatasetPart(NamedTuple):
    """A section of a dataset's page: a template, a script, and a function that reads their data."""

    template: str
    script: str
    """A file in static/."""
    data: Callable[[Iterable[Path]], Mapping[str, Any]]
    """Given the dataset's folders, returns variables for the template and for the page's data."""


class SystemPages(NamedTuple):
    """What a system adds to the site. Each system has one: `SYSTEM` in its module `site`."""

    pages: Callable[[Everything, Mapping[str, Counted]], Files]
    navigation: tuple[tuple[str, str], ...]
    """Entries of the navigation bar: path and name."""
    pictures: Mapping[str, str]
    """The page with a dataset's charts, by the dataset's name."""
    dataset_parts: Mapping[str, DatasetPart] = {}
    """By the dataset's name."""
    pages_of: Callable[[Everything], Mapping[str, str]] = lambda everything: {}
    """Pages of single items by id: rows with this id, or that refer to it, link to the page."""


@cache
def systems() -> dict[str, SystemPages]:
    """Return what each system adds, by its name; systems that params.yaml leaves out are not included."""
    present = {dataset.key.group for dataset in AssetGraph(DECLARED.values()).datasets.values()}
    modules = pkgutil.iter_modules(silverloom.pages.systems.__path__)
    names = [module.name for module in modules if module.name in present]
    return {name: import_module(f"silverloom.pages.systems.{name}.site").SYSTEM for name in names}
