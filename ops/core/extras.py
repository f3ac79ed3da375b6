"""Packages that only some projects need: the extras of pyproject.toml.

Belongs here: saying how to install what is missing. Not here: importing it, which is done where it is used.
"""

from __future__ import annotations

import importlib.util
from typing import Literal

#: An extra of pyproject.toml. Set-up of a checkout installs the first three, `make extras` the others.
Extra = Literal["crawl", "speech", "train", "cluster", "postgres", "judge"]
_OF_SET_UP = ("crawl", "speech", "train")


class MissingExtraError(RuntimeError):
    """Packages of an extra are not installed; the text says how to install them."""


def require(extra: Extra, *modules: str) -> None:
    """Raise MissingExtraError if some modules of an extra cannot be imported."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        target = "setup" if extra in _OF_SET_UP else "extras"
        raise MissingExtraError(
            f"not installed: {', '.join(missing)}; run `pip install 'silverloom[{extra}]'`, or "
            f"`make {target}` in a checkout"
        )
