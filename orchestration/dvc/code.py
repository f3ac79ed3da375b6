"""code.json: what code, packages and models each dataset depends on, for DVC to compare.

Belongs here: writing that file, which is DVC's first stage, and what is checked before that. Not here: the
hashing (assets/declare/code.py).
"""

from __future__ import annotations

import json
from typing import Any

from orchestration.files.publish import write_changed
from orchestration.workspace.workspace import Workspace


def write_code(workspace: Workspace) -> None:
    """Write code.json, if it is not already what it should be."""
    content: dict[str, dict[str, Any]] = {}
    for item in workspace.datasets.values():
        group, name = item.key.path
        content.setdefault(group, {})[name] = item.code
    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
    write_changed(workspace.root / "code.json", text.encode())
