"""One module or folder per system, with its datasets. Importing this package declares them all."""

import pkgutil
from importlib import import_module

from silverloom.assets import crawls, sources

__all__ = ["crawls", "sources"]

for module in pkgutil.walk_packages(__path__, "silverloom.assets.systems."):
    if not module.ispkg:
        import_module(module.name)
