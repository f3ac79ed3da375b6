"""Names as MLflow takes them. Not here: what is named (tracking.py), sending it (send.py)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import TypeVar

#: The longest name that MLflow takes (mlflow.utils.validation).
LONGEST = 250

T = TypeVar("T")


def accepted(values: Mapping[str, T]) -> dict[str, T]:
    """Return values under names that MLflow takes; of names that become the same, later ones are numbered.

    It takes letters, digits and some signs, and no path that could be written shorter.
    """
    found: dict[str, T] = {}
    for name, value in values.items():
        plain = re.sub(r"(^|/)(?=\.?(/|$)|\.\.)", r"\1_", re.sub(r"[^\w.\-:/ ]", "_", name))
        ends = itertools.chain([""], (f" {number}" for number in itertools.count(2)))
        keys = (plain[: LONGEST - len(end)].rstrip("/") + end for end in ends)
        found[next(key for key in keys if key not in found)] = value
    return found
