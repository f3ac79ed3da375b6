"""Find the assets: a system is a module or a folder in `assets/systems`, and nothing else names it.

Belongs here: importing what is there, in the order of names. Not here: what any of it declares.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

import assets.crawls
import assets.sources
import assets.systems


def discover() -> None:
    """Import every module that declares assets: sources first, then the systems by name."""
    for module in pkgutil.walk_packages(assets.systems.__path__, "assets.systems."):
        if not module.ispkg:
            import_module(module.name)
