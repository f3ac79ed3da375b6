"""Count the kept, dropped and rejected units of a partition from its files.

Belongs here: counting. Not here: whether the counts add up (orchestration/checks/conservation.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from silverloom.ops.core.parts import COMBINATIONS, TABLES, part_files


def counts(folder: Path) -> dict[str, Any]:
    """Return rows by table, dropped rows by reason, and generated combinations, of one partition."""
    reasons: Counter[str] = Counter()
    for path in part_files(folder, "dropped"):
        reasons.update(pq.read_table(path, columns=["reason"])["reason"].to_pylist())
    generated = folder / COMBINATIONS
    combinations = json.loads(generated.read_text()) if generated.exists() else {}
    rows = {
        table: sum(pq.read_metadata(path).num_rows for path in part_files(folder, table)) for table in TABLES
    }
    return total([{**rows, "reasons": reasons, "combinations": combinations}])


def total(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the counts of several partitions."""
    rows: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    combinations: Counter[str] = Counter()
    for part in parts:
        rows.update({table: part[table] for table in TABLES})
        reasons.update(part["reasons"])
        combinations.update(part.get("combinations", {}))
    generated = {"combinations": dict(sorted(combinations.items()))} if combinations else {}
    numbers = {table: rows[table] for table in TABLES}
    return {**numbers, "reasons": dict(sorted(reasons.items())), **generated}
