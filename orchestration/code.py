"""code.json: what code, packages and models each dataset depends on, for DVC to compare.

Belongs here: writing that file, which is DVC's first stage, and what is checked before that. Not here: the
hashing (assets/code.py).
"""

from __future__ import annotations

import json
from typing import Any

from assets.settings import ROOT
from orchestration.footing import check
from orchestration.graph import datasets
from orchestration.lockfile import check_before_dvc
from orchestration.store.publish import write_changed


def write_code() -> None:
    """Write code.json, if it is not already what it should be."""
    content: dict[str, dict[str, Any]] = {}
    for item in datasets().values():
        group, name = item.key.path
        content.setdefault(group, {})[name] = item.code
    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
    write_changed(ROOT / "code.json", text.encode())


if __name__ == "__main__":
    from orchestration.command import run

    def main() -> None:
        """Write code.json, unless the code is being edited or dvc.lock is damaged."""
        check_before_dvc()
        write_code()
        check()

    run(main)
