"""What the Dagster UI shows of a materialisation.

Belongs here: counts, reasons, a sample of rows and links as metadata. Not here: pages of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from orchestration.files.parquet import TABLES, part_name
from orchestration.messages.markdown import table
from orchestration.state.addresses import Addresses
from orchestration.state.manifests import Manifest
from orchestration.workspace.workspace import Workspace

_ROWS, _REJECTS = 5, 20


def metadata(workspace: Workspace, item: Declaration, month: str, manifest: Manifest) -> dict[str, Any]:
    """Return the metadata of a materialisation; of a report, that of its files alone."""
    folder = workspace.folder(item, month)
    files = [path for path in folder.rglob("*") if path.is_file()]
    numbers = {"bytes": sum(path.stat().st_size for path in files)}
    shown: dict[str, str] = {}
    if item.shape is None:
        numbers["files"] = len(files)
    else:
        numbers |= {name: manifest.counts[name] for name in TABLES}
        numbers["dagster/row_count"] = manifest.counts["kept"]
        reasons = sorted(manifest.counts["reasons"].items(), key=lambda reason: (-reason[1], reason[0]))
        rejected = pq.read_table(folder / part_name("rejected", 0), columns=["id", "error"])
        rejects = rejected.slice(0, _REJECTS).to_pylist()
        shown = {
            "drop reasons": table(["reason", "rows"], reasons),
            "rejects": table(["id", "error"], [[row["id"], row["error"]] for row in rejects]),
            "combinations": table(
                ["kind", "number"], sorted(manifest.counts.get("combinations", {}).items())
            ),
            "sample": _sample(folder / part_name("kept", 0)),
        }
    addresses = Addresses(workspace)
    return {
        **{name: dg.MetadataValue.int(number) for name, number in numbers.items()},
        **{name: dg.MetadataValue.md(text) for name, text in shown.items() if text},
        "folder": dg.MetadataValue.text(workspace.shown(folder)),
        "md5": dg.MetadataValue.text(manifest.version),
        "MLflow run": dg.MetadataValue.url(addresses.tracked(item.name, month, manifest.version)),
        "data-quality page": dg.MetadataValue.url(addresses.page(item.name if item.shape else "")),
    }


def _sample(path: Path) -> str:
    """Return the first rows of a part as a Markdown table, a row to a column: there are more names than rows.

    What rows say comes first, then what they are called.
    """
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=_ROWS), None)
    if batch is None:
        return ""
    names = [name for name in dict.fromkeys(batch.schema.names) if name != "source_ids"]
    names.sort(key=lambda name: name.endswith(("id", "ids", "licence")))
    rows = batch.to_pylist()
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    return table(["column", *numbers], [[name, *(row[name] for row in rows)] for name in names])
