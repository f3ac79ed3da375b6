"""What the Dagster UI shows of a materialisation.

Belongs here: counts, reasons and a sample of rows as metadata. Not here: pages of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from assets.settings import ROOT
from orchestration.store.parquet import TABLES, part_name
from orchestration.store.records import Record

_ROWS, _WIDTH = 5, 60


def metadata(folder: Path, record: Record) -> dict[str, Any]:
    """Return the metadata of a materialisation, from its folder and record."""
    size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    reasons = record.counts["reasons"]
    return {
        **{table: dg.MetadataValue.int(record.counts[table]) for table in TABLES},
        "dagster/row_count": dg.MetadataValue.int(record.counts["kept"]),
        "drop reasons": dg.MetadataValue.md(
            table(["reason", "rows"], sorted(reasons.items(), key=_by_count))
        ),
        "sample": dg.MetadataValue.md(sample(folder / part_name("kept", 0))),
        "folder": dg.MetadataValue.text(folder.relative_to(ROOT).as_posix()),
        "md5": dg.MetadataValue.text(record.version),
        "bytes": dg.MetadataValue.int(size),
    }


def sample(path: Path) -> str:
    """Return the first rows of a part as a Markdown table, long values cut."""
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=_ROWS), None)
    if batch is None:
        return "no rows"
    return table(batch.schema.names, [list(row.values()) for row in batch.to_pylist()])


def table(header: list[str], rows: list[Any]) -> str:
    """Return a Markdown table; what Markdown or HTML would act on is escaped."""
    lines = [header, ["---"] * len(header), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = " ".join(str("" if value is None else value)[: 4 * _WIDTH].split())
    short = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
    for sign, escape in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("`", "\\`")):
        short = short.replace(sign, escape)
    return short


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
