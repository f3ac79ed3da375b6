"""What is expected of every system's `release_files`.

Belongs here: expectations of the Parquet files of a release. Not here: making them (ops/release.py), the card
and what else lies around them (orchestration/release).
"""

from __future__ import annotations

from assets.declare.expectations import (
    Expectation,
    among,
    between,
    identity,
    matches,
    not_null,
    steady,
    unique,
)
from ops.core.splits import SPLITS


def file_columns() -> list[Expectation]:
    """Expect what every file of a release is."""
    return [
        *identity("file"),
        *not_null("file", "config", "split", "md5"),
        unique("file"),
        among("split", *SPLITS),
        between("rows", 1),
        between("bytes", 1),
        matches("md5", "^[0-9a-f]{32}$"),
        *steady(),
    ]
