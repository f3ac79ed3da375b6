"""silverloom from Python: the four methods, their metrics, and the datasets that were made.

    >>> import silverloom
    >>> silverloom.load("discofuse/examples", "pandas")
    >>> silverloom.wikisum.rank("Salt bread", ["The sea is wide.", "Salt bread is flat."], "tf_idf").order
    [1, 0]

`discofuse`, `talksumm`, `wikisum` and `parasci` hold what is worth calling from a paper's method, `metrics` the
scores, `load` reads rows. Each is imported when it is first used: to import silverloom costs nothing, declares no
asset and leaves the environment as it is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from silverloom import discofuse, metrics, parasci, talksumm, wikisum
    from silverloom.data import load

__all__ = ["discofuse", "load", "metrics", "parasci", "talksumm", "wikisum"]


def __getattr__(name: str) -> Any:
    if name == "load":
        return import_module("silverloom.data").load
    if name in __all__:
        return import_module(f"silverloom.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def main() -> None:
    """Run the command line: what the installed command `silverloom` calls."""
    from silverloom.command import main as command

    command()
