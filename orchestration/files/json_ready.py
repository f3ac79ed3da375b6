"""Values of rows as JSON can hold them.

Belongs here: that change of form. Not here: what is shown of a row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def json_ready(value: Any) -> Any:
    """Return a row as JSON can hold it: bytes as text, times of any kind as they are written."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, Mapping):
        return {name: json_ready(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
