"""Remove partitions that no input derives any more: a shrunk range, an exclusion.

Belongs here: removing folders and records. Not here: deciding what is stale (freshness.py).
"""

from __future__ import annotations

import re

from assets.declare.declaration import Declaration
from orchestration.execute.finished_parts import (
    discard_parts,
    discard_parts_under,
    months_with_parts,
)
from orchestration.files.publish import remove
from orchestration.quality.failing import drop_failing
from orchestration.state.freshness import View
from orchestration.state.graph import asset_folder, folder
from orchestration.state.partition_locks import making
from orchestration.state.records import forget
from orchestration.workspace.paths import STAGING

_MONTH = re.compile(r"\d{4}-\d{2}")


def leftovers(item: Declaration) -> list[str]:
    """Return the months that lie in a dataset's folder and are none of its partitions."""
    if not item.partitioned or not asset_folder(item).is_dir():
        return []
    names = {path.name for path in asset_folder(item).iterdir() if _MONTH.fullmatch(path.name)}
    return sorted(names - set(item.made_months))


def prune(item: Declaration) -> list[str]:
    """Remove the leftovers of a dataset; return their names."""
    gone = leftovers(item)
    _prune_parts(item)
    for month in gone:
        with making(item, month):
            if folder(item, month).exists():  # another process may have done it meanwhile
                remove(folder(item, month), STAGING)
            forget(item, month)
            drop_failing(item, month)
    return gone


def _prune_parts(item: Declaration) -> None:
    """Remove finished parts that nobody needs: of what is no partition, or is made under the same key."""
    months = {month or "all": month for month in item.made_months}
    for name in months_with_parts(item):
        if name not in months:
            discard_parts(item, name)
        elif (record := View().known(item, months[name])) is not None:
            discard_parts_under(item, name, record.key)  # a kill came between the record and their removal
