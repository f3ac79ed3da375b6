"""The asset graph as the project's own tools ask for it: order, inputs, descendants, where things lie.

Belongs here: read-only questions over all declarations. Not here: what is fresh (freshness.py).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from assets.declare.declaration import Declaration, declarations
from assets.declare.settings import ROOT, ParamsError, check_names, settings
from orchestration.workspace.paths import DATA


@lru_cache(maxsize=1)
def datasets() -> dict[str, Declaration]:
    """Return every dataset by its name, inputs before what reads them.

    Raises ParamsError for params that nothing declares or that do not fit, and for exclusions of what
    does not exist.
    """
    found = {item.name: item for item in declarations().values()}
    check_names({name for item in found.values() for name in item.sections})
    known = {str(item.records) for item in found.values() if item.records}
    if unknown := sorted(settings().sources.keys() - known):
        raise ParamsError(f"params.yaml: unknown key sources.{unknown[0]}; known: {', '.join(sorted(known))}")
    for exclusion in settings().exclude:
        if exclusion.asset not in found:
            raise ParamsError(
                f"params.yaml: exclude: unknown asset {exclusion.asset}; known: {', '.join(found)}"
            )
        if exclusion.partition not in found[exclusion.asset].months:
            raise ParamsError(
                f"params.yaml: exclude: {exclusion.asset} has no partition {exclusion.partition}"
            )
    return found


def upstream(item: Declaration) -> list[Declaration]:
    """Return the datasets that a dataset reads."""
    return [declarations()[source.key] for source in item.inputs]


def ancestors(item: Declaration) -> list[Declaration]:
    """Return every dataset that a dataset depends on, directly or not, each once."""
    found = {one.name: one for parent in upstream(item) for one in (parent, *ancestors(parent))}
    return list(found.values())


def selected(select: str | None) -> list[Declaration]:
    """Return the datasets of a selection with all that they need: a group, a dataset, or everything.

    Raises ParamsError where nothing has that name.
    """
    found = datasets()
    if select is None:
        return list(found.values())
    chosen = [item for item in found.values() if select in (item.name, item.key.path[0])]
    if not chosen:
        names = sorted({item.key.path[0] for item in found.values()} | set(found))
        raise ParamsError(f"nothing is called {select!r}; known: {', '.join(names)}")
    wanted = {item.name for item in chosen} | {a.name for item in chosen for a in ancestors(item)}
    return [item for name, item in found.items() if name in wanted]


def input_months(item: Declaration, month: str) -> dict[str, list[str]]:
    """Return the partitions of each input that a partition reads."""
    months = {}
    for source in item.inputs:
        parent = declarations()[source.key]
        months[parent.name] = parent.made_months if source.all_months or not parent.partitioned else [month]
    return months


def asset_folder(item: Declaration) -> Path:
    """Return the folder of a dataset, which is its DVC output."""
    return DATA.joinpath(*item.key.path)


def folder(item: Declaration, month: str) -> Path:
    """Return the folder of a partition; of a dataset without partitions, the dataset's own."""
    return asset_folder(item) / month if month else asset_folder(item)


def metrics_file(item: Declaration) -> Path:
    """Return the file of a dataset's counts, which `dvc metrics` reads."""
    return ROOT.joinpath("metrics", *item.key.path).with_suffix(".json")


def label(item: Declaration, month: str) -> str:
    """Return how a partition is called in messages."""
    return f"{item.name} {month}".strip()
