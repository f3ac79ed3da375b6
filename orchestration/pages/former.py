"""How each dataset was distributed before its last change, as this checkout remembers it.

Belongs here: keeping a partition's profile and that of the version which it replaced. Not here: drawing them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assets.declaration import Declaration
from orchestration.freshness import View
from orchestration.graph import STATE, folder
from orchestration.quality.profile import profile, total
from orchestration.store.publish import write_file


def former(item: Declaration, view: View) -> Mapping[str, Any] | None:
    """Return the `profile` of a dataset before its last change, and `when` that was seen; None if unknown.

    A month that has not changed since it was first seen counts as it is now.
    """
    profiles, seen = [], []
    for month in item.made_months:
        record = view.known(item, month)
        if record is None:
            continue
        known = _looked_at(item, month, record.version)
        profiles.append((known.get("former") or known)["profile"])
        if "former" in known:
            seen.append(known["seen"])
    return {"profile": total(profiles), "when": max(seen)} if seen else None


def _looked_at(item: Declaration, month: str, version: str) -> Mapping[str, Any]:
    """Return what is remembered of a partition, after making a note of its present version."""
    path = STATE.joinpath("profiles", *item.key.path, f"{month or 'all'}.json")
    known = _read(path)
    if known.get("version") == version and known["profile"].keys() == set(item.measures):
        return known
    now = {
        "version": version,
        "profile": profile(folder(item, month), item.measures),
        "seen": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    replaced = known if known.get("version") != version else known.get("former")
    if replaced:
        now["former"] = {"version": replaced["version"], "profile": replaced["profile"]}
    write_file(path, json.dumps(now, sort_keys=True).encode())
    return now


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
