"""What the Dagster UI shows of a materialisation.

Belongs here: counts, reasons and a sample of rows as metadata. Not here: pages of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from orchestration.files.parquet import TABLES, part_name
from orchestration.messages.markdown import table
from orchestration.state.addresses import Addresses
from orchestration.state.records import PartitionRecord
from orchestration.workspace.workspace import Workspace

_ROWS, _REJECTS = 5, 20


def metadata(workspace: Workspace, folder: Path, record: PartitionRecord) -> dict[str, Any]:
    """Return the metadata of a materialisation, from its folder and record."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if not (folder / part_name("kept", 0)).exists():  # a report
        return {
            "files": dg.MetadataValue.int(len(files)),
            "folder": dg.MetadataValue.text(workspace.shown(folder)),
            "md5": dg.MetadataValue.text(record.version),
            "bytes": dg.MetadataValue.int(size),
        }
    shown = {
        "drop reasons": table(["reason", "rows"], _by_count(record.counts["reasons"])),
        "rejects": table(["id", "error"], rejects(folder)),
        "combinations": table(["kind", "number"], sorted(record.counts.get("combinations", {}).items())),
        "sample": sample(folder / part_name("kept", 0)),
    }
    return {
        **{name: dg.MetadataValue.int(record.counts[name]) for name in TABLES},
        "dagster/row_count": dg.MetadataValue.int(record.counts["kept"]),
        **{name: dg.MetadataValue.md(text) for name, text in shown.items() if text},
        "folder": dg.MetadataValue.text(workspace.shown(folder)),
        "md5": dg.MetadataValue.text(record.version),
        "bytes": dg.MetadataValue.int(size),
    }


def links(workspace: Workspace, item: Declaration, month: str, record: PartitionRecord) -> dict[str, Any]:
    """Return what leads from a partition to its other pages, as metadata."""
    addresses = Addresses(workspace)
    return {
        "MLflow run": dg.MetadataValue.url(addresses.tracked(item.name, month, record.version)),
        "data-quality page": dg.MetadataValue.url(addresses.page(item.name if item.shape else "")),
    }


def sample(path: Path) -> str:
    """Return the first rows of a part as a Markdown table, a row to a column: there are more names than rows.

    What rows say comes first, then what they are called.
    """
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=_ROWS), None)
    if batch is None:
        return ""
    names = sorted(set(batch.schema.names) - {"source_ids"}, key=batch.schema.names.index)
    names.sort(key=lambda name: name.endswith(("id", "ids", "licence")))
    rows = batch.to_pylist()
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    return table(["column", *numbers], [[name, *(row[name] for row in rows)] for name in names])


def rejects(folder: Path) -> list[tuple[str, str]]:
    """Return id and error of the first rejected rows."""
    found = pq.read_table(folder / part_name("rejected", 0), columns=["id", "error"]).slice(0, _REJECTS)
    return list(zip(found["id"].to_pylist(), found["error"].to_pylist(), strict=True))


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
