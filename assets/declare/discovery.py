"""Find the assets: a system is a module or a folder in `assets/systems`, and nothing else names it.

Belongs here: importing what is there, in the order of names. Not here: what any of it declares.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

import assets.sources
import assets.systems


def discover() -> list[ModuleType]:
    """Import and return every module that declares assets: sources first, then the systems by name."""
    found = pkgutil.walk_packages(assets.systems.__path__, "assets.systems.")
    return [assets.sources, *(import_module(module.name) for module in found if not module.ispkg)]
