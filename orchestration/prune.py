"""Remove partitions that no input derives any more: a shrunk range, an exclusion.

Belongs here: removing folders and records. Not here: deciding what is stale (freshness.py).
"""

from __future__ import annotations

from assets.declaration import Declaration
from orchestration.graph import WORKSHOP, asset_folder, folder
from orchestration.store.publish import remove
from orchestration.store.records import forget


def prune(item: Declaration) -> list[str]:
    """Remove what lies in a dataset's folder and is none of its partitions; return the names."""
    if not item.partitioned or not asset_folder(item).is_dir():
        return []
    wanted = set(item.made_months)
    gone = sorted(path.name for path in asset_folder(item).iterdir() if path.name not in wanted)
    for name in gone:
        remove(folder(item, name), WORKSHOP)
        forget(item, name)
    return gone
