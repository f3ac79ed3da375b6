"""Names, texts and numbers as MLflow's tables take them.

Belongs here: what a value becomes on its way into the store. Not here: the tables (store.py).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from typing import Any, TypeVar

#: The longest name that MLflow takes (mlflow.utils.validation).
KEY = 250

T = TypeVar("T")


def texts(values: Mapping[str, str], limit: int) -> dict[str, str]:
    """Return texts under names that MLflow takes, longer ones cut to `limit` characters."""
    return {
        key: text if len(text) <= limit else f"{text[: limit - 1]}…" for key, text in folded(values).items()
    }


def folded(values: Mapping[str, T]) -> dict[str, T]:
    """Return values under names that MLflow takes; of names that become the same, later ones are numbered."""
    found: dict[str, T] = {}
    for name, value in values.items():
        plain = re.sub(r"[^\w.\-:/ ]", "_", name)
        ends = itertools.chain([""], (f" {number}" for number in itertools.count(2)))
        keys = (plain[: KEY - len(end)] + end for end in ends)
        found[next(key for key in keys if key not in found)] = value
    return found


def number(value: Any) -> tuple[float, bool]:
    """Return a metric as SQL can hold it, and whether it is none: as MLflow does."""
    number = float(value)
    if math.isnan(number):
        return 0.0, True
    return (number if math.isfinite(number) else math.copysign(1.7976931348623157e308, number)), False
