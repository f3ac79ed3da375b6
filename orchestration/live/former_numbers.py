"""How each dataset was distributed before its last change, as this checkout remembers it.

Belongs here: adding that up over months. Not here: measuring and remembering (metrics.py), and drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.declare.declaration import Declaration
from ops.measures import edges
from orchestration.dvc.metrics import look
from orchestration.quality.profile import total
from orchestration.state.freshness import View


def former(item: Declaration, view: View) -> Mapping[str, Any] | None:
    """Return the `profile` of a dataset before its last change, and `when` that was seen; None if unknown.

    A month that has not changed since it was first seen counts as it is now, and so does one whose former
    version was measured in other bins.
    """
    looks = [look(item, month, view) for month in item.made_months if view.known(item, month) is not None]
    seen = {number: one["former"] for number, one in enumerate(looks) if _fits(one["former"], item)}
    if not seen:
        return None
    profiles = [seen.get(number, one)["profile"] for number, one in enumerate(looks)]
    return {"profile": total(profiles), "when": max(look["when"] for look in seen.values())}


def _fits(one: Mapping[str, Any] | None, item: Declaration) -> bool:
    bins = {name: len(edges(name)) - 1 for name in item.measures}
    return one is not None and {name: len(rows) for name, rows in one["profile"].items()} == bins
