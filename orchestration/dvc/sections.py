"""The sections of params.yaml that DVC watches for each stage.

Belongs here: which paths are watched. Not here: stages (stages.py), the sections'
classes (ops/) and values (assets/declare/params_file.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from silverloom.assets.declare.params_file import document
from silverloom.orchestration.workspace.workspace import Workspace


def given(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """Return, sorted, the paths in params.yaml that DVC should watch for some params.

    DVC knows no defaults, so what it watches must exist. A missing top-level section is not watched. A
    section that lacks anything datasets read is watched as a whole, so that dvc.yaml stays the same when a
    key is added.
    """
    datasets = workspace.datasets.values()
    read = {path for dataset in datasets for path in dataset.sections}
    partial = {path.partition(".")[0] for path in read if not _stands(path)}
    tops = {path: path.partition(".")[0] for path in paths}
    return sorted({top if top in partial else path for path, top in tops.items() if top in document()})


def _stands(path: str) -> bool:
    """Return whether params.yaml has a value at a dotted path."""
    value: Any = document()
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None
