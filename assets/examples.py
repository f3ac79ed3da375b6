"""An example row of each dataset: examples.yaml here and in the folder of each system.

Belongs here: reading them. Not here: how Dagster shows them (orchestration/dagster/overview.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.yaml import read_yaml


@cache
def examples() -> dict[str, Mapping[str, Any]]:
    """Return some columns of a row by dataset."""
    folder = Path(__file__).parent
    files = [folder / "examples.yaml", *sorted(folder.glob("systems/*/examples.yaml"))]
    return {name: row for file in files for name, row in read_yaml(file.read_text(encoding="utf-8")).items()}


def example_of(dataset: Dataset) -> Mapping[str, Any] | None:
    """Return some columns of a row of a dataset, or of the one that it replaces; None if there is none."""
    replaced = dataset.replaces.to_user_string() if dataset.replaces else dataset.name
    row = examples().get(dataset.name) or examples().get(replaced)
    names = dataset.shape.kept.names if dataset.shape else ()
    return row and {name: value for name, value in row.items() if name in names}
