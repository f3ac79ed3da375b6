"""The sections of params.yaml that DVC watches for each stage.

Belongs here: which paths are watched, and what params.yaml must have for that. Not here: stages (stages.py),
the sections' classes (ops/) and values (assets/declare/params_file.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.params_file import document
from silverloom.assets.declare.yaml import read_yaml
from silverloom.ops.core.params import Params
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


def check_sections(workspace: Workspace) -> None:
    """Raise ValueError for a section that a new dataset reads and params.yaml lacks, with the lines to add.

    Without it, DVC would watch everything around it for stages that watch only their own sections now. A
    section that dvc.yaml knows may be removed, and a project whose params.yaml lists only what differs from
    the defaults watches whole sections anyway.
    """
    watched = _watched(workspace.root / "dvc.yaml")
    exact = {path.partition(".")[0] for path in watched if "." in path}
    for dataset in workspace.datasets.values():
        for params in dataset.arguments.values():
            section = str(params.section)
            top = section.partition(".")[0]
            is_new = top in exact & document().keys() and watched.isdisjoint((top, section))
            if is_new and not _stands(section):
                raise ValueError(_section_to_add(workspace, dataset, section, params))


def _watched(path: Path) -> set[str]:
    """Return the paths in params.yaml that a dvc.yaml watches; none if it is missing or unreadable."""
    with contextlib.suppress(OSError, ValueError, LookupError, AttributeError, TypeError):
        stages = read_yaml(path.read_bytes())["stages"].values()
        return {name for stage in stages for name in stage.get("params", [{}])[0].get("params.yaml", ())}
    return set()


def _section_to_add(workspace: Workspace, dataset: Dataset, section: str, defaults: Params) -> str:
    top, *names = section.split(".")
    content: dict[str, Any] = defaults.model_dump(mode="json")
    for name in reversed(names):
        content = {name: content}
    lines = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return (
        f"params.yaml lacks the section {section}, which {dataset.name} reads. Without it, DVC would watch "
        f"all of `{top}` for every stage that reads a part of it. Add its defaults below `{top}:`, then run "
        f"`{workspace.command('render', 'dvc.yaml')}`:\n\n{indent(lines, '  ')}"
    )


def _stands(path: str) -> bool:
    """Return whether params.yaml has a value at a dotted path."""
    value: Any = document()
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None
