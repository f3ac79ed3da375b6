"""How each dataset was distributed before its last change, as this checkout remembers it.

Belongs here: adding that up over months. Not here: measuring and remembering (metrics.py), and drawing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.declare.declaration import Declaration
from ops.measures import edges
from orchestration.dvc.metrics import look
from orchestration.quality.profile import Profile, total
from orchestration.state.freshness import View


def former(item: Declaration, view: View) -> Mapping[str, Any] | None:
    """Return the `profile` of a dataset before its last change, and `when` that was seen; None if unknown.

    A month that has not changed since it was first seen counts as it is now, and so does one whose former
    version was measured in other bins.
    """
    bins = {name: len(edges(name)) - 1 for name in item.measures}
    looks = [look(item, month, view) for month in item.made_months if view.known(item, month) is not None]
    former = [
        found["former"] if found["former"] and _bins(found["former"]["profile"]) == bins else None
        for found in looks
    ]
    if not any(former):
        return None
    profiles = [(old or found)["profile"] for old, found in zip(former, looks, strict=True)]
    return {"profile": total(profiles), "when": max(old["when"] for old in former if old)}


def _bins(profile: Profile) -> dict[str, int]:
    return {name: len(rows) for name, rows in profile.items()}
