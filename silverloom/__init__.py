"""silverloom from Python: the four methods, their metrics, and the datasets that were made.

    >>> import silverloom
    >>> silverloom.load("discofuse/examples", "pandas")
    >>> silverloom.wikisum.rank("Salt bread", ["The sea is wide.", "Salt bread is flat."], "tf_idf").order
    [1, 0]

`discofuse`, `talksumm`, `wikisum` and `parasci` have the methods of the papers, `metrics` the scores, and
`load` reads rows. Each part is imported when it is first used. The import itself declares no asset, and sets
nothing in the environment.

Below it are the folders of the project: `silverloom.ops` computes, `silverloom.assets` declares datasets,
`silverloom.pages` renders, `silverloom.orchestration` runs.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from silverloom import discofuse, metrics, parasci, talksumm, wikisum
    from silverloom.data import load

    __version__: str

__all__ = ["discofuse", "load", "metrics", "parasci", "talksumm", "wikisum"]

#: Packages that were importable by themselves before version 0.1.0.
FORMER = ("ops", "assets", "pages", "orchestration")


class Renamed:
    """Says where a former package is now if nothing else of that name is installed (`sys.meta_path`)."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for a former package; find nothing."""
        if name in FORMER:
            raise ModuleNotFoundError(
                f"`{name}` is now `silverloom.{name}`: CHANGELOG.md has the command that changes imports",
                name=name,
            )


sys.meta_path.append(Renamed)


def __getattr__(name: str) -> Any:
    if name in __all__:
        import_module("silverloom.assets.declare.project").check_checkout()
    if name == "load":
        return import_module("silverloom.data").load
    if name == "__version__":
        metadata = import_module("importlib.metadata")
        with suppress(metadata.PackageNotFoundError):  # a checkout that was never set up
            return metadata.version("silverloom")
    if name in (*__all__, *FORMER):
        return import_module(f"silverloom.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})


def main() -> None:
    """Run the command line: what the installed command `silverloom` calls."""
    from silverloom.command import main as command

    command()
