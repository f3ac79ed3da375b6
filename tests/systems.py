"""A system as a set of files: list them, remove a system, add one.

Belongs here: changes to a copy of the project. Not here: projects that run (projects.py).
"""

import shutil
from pathlib import Path

import yaml

from silverloom.assets.declare.declaration import DECLARED

#: A third system that tests add, and its sections of params.yaml.
TOY = Path(__file__).with_name("end_to_end") / "toy"
TOY_SOURCE = {
    "june": {
        "kind": "riddle_lines",
        "path": "data/sample/riddles",
        "month": {"constant": "2018-06"},
        "licence": "CC0-1.0",
    }
}
TOY_SECTION = {"questions": {"words": 4}, "rating_sheets": {"raters": ["ann", "bob"]}}


def own_folders(system: str) -> list[str]:
    """The folders of a system's code; its declarations may be a module instead."""
    return [f"ops/{system}", f"assets/systems/{system}", f"pages/systems/{system}"]


def own_datasets(system: str) -> list[str]:
    """The datasets that a system declares, including those of its sources."""
    modules = f"silverloom.assets.systems.{system}."
    return [
        item.name
        for item in DECLARED.values()
        if item.key.group == system or f"{item.function.__module__}.".startswith(modules)
    ]


def leave_out(root: Path, system: str) -> None:
    """Delete the files of a system, and its sections of params.yaml."""
    for folder in own_folders(system):
        shutil.rmtree(root / folder, ignore_errors=True)  # not every system has its own pages
    content = yaml.safe_load((root / "params.yaml").read_text())
    del content[system]
    content.get("filters", {}).get("contamination", {}).pop(system, None)
    for name in own_datasets(system):
        content["sources"].pop(name.removeprefix("sources/"), None)
        content.get("filters", {}).pop(name.removeprefix("sources/"), None)
    (root / "params.yaml").write_text(yaml.safe_dump(content, sort_keys=False))


def put_in_toy(root: Path) -> None:
    """Add the files of the third system, and its sections of params.yaml."""
    shutil.copytree(TOY, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    content = yaml.safe_load((root / "params.yaml").read_text())
    content["sources"]["riddles"] = TOY_SOURCE
    content["toy"] = TOY_SECTION
    (root / "params.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
