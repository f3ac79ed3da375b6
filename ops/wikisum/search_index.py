"""The pages that a search may find, and their index.

Belongs here: which page represents an address, and the texts that are indexed. Not here: the index itself
(ops/crawl/local_search.py), the queries (references.py).

The dataset has only the rows. Its readers derive the index from the rows and the pages' texts, because the
files of an index have different names and bytes each time, and so cannot belong to a dataset. The index is
kept under the versions of both inputs, so that all months of articles that use them share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from silverloom.ops.core.database import database, escaped_paths
from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.crawl.local_search import LocalIndex
from silverloom.ops.wikisum.schemas import SEARCH_INDEX

_COLUMNS = tuple(dict.fromkeys([*SEARCH_INDEX.unit.names, "month", "url", "document", "title"]))
_BATCH = 256


def search_index(web_pages: Parts) -> Outcomes:
    """Yield the pages of all months, each address once.

    If several pages have the same address, the latest by month and id is kept; the others are dropped as
    `repeated_address`.
    """
    with web_pages.engine.scratch() as scratch:
        latest = _latest(web_pages, scratch / "latest")
        for part in web_pages.parts:
            units = part.read(SEARCH_INDEX.unit.names).to_pylist()
            pages = part.read(_COLUMNS).to_pylist()
            kept: list[Row] = []
            dropped: list[Row] = []
            for unit, page, (month, row) in zip(units, pages, islice(latest, part.rows), strict=True):
                if (page["month"], page["id"]) == (month, row):
                    kept.append(_row(page))
                else:
                    dropped.append(drop(unit, "repeated_address", detail=f"as {row}"))
            yield Outcome.of(SEARCH_INDEX, [page["id"] for page in units], kept, dropped)


def indexed(search_index: Artifact, web_pages: Parts, derived: DerivedFolder) -> Artifact:
    """Return the dataset with the folder of its index, building the index if it does not exist."""

    def write(folder: Path) -> None:
        with TemporaryDirectory(dir=folder.parent) as scratch:
            LocalIndex.of_distinct(_texts(search_index.rows, web_pages, Path(scratch) / "join"), folder)

    return replace(search_index, folder=derived.made(["search_index", "web_pages"], write))


def load(index: Artifact) -> LocalIndex:
    """Return the index of a dataset that `indexed` returned; the index stays on disk."""
    return LocalIndex.load(index.folder)


def address(page: Row) -> str:
    """Return the address of a page; a page from a file has only the file's name."""
    return str(page["url"] or page["document"])


def _latest(web_pages: Parts, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield, for each page in order, month and id of the latest page at its address.

    A record that was fetched twice may keep its id, so the id alone is not enough.
    """
    query = """
        WITH pages AS (
            SELECT file_index, file_row_number, month, id, coalesce(nullif(url, ''), document) AS address
            FROM read_parquet(?, file_row_number = true, hive_partitioning = false)
        ), latest AS (SELECT address, max(row(month, id)) AS place FROM pages GROUP BY address)
        SELECT latest.place[1] AS month, latest.place[2] AS id FROM pages JOIN latest USING (address)
        ORDER BY file_index, file_row_number
    """
    for row in _rows_of(query, [escaped_paths(part.path for part in web_pages.parts)], folder):
        yield row["month"], row["id"]


def _texts(rows: Parts, web_pages: Parts, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield address and text of the pages in the dataset, in any order."""
    query = """
        SELECT rows.address, concat(pages.title, chr(10), pages.text) AS text
        FROM read_parquet(?, hive_partitioning = false) AS pages
        JOIN read_parquet(?, hive_partitioning = false) AS rows
        ON pages.id = rows.page_id AND pages.month = rows.month
    """
    paths = [escaped_paths(part.path for part in parts.parts) for parts in (web_pages, rows)]
    for row in _rows_of(query, paths, folder):
        yield row["address"], row["text"]


def _rows_of(query: str, paths: list[list[str]], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query over files; nothing if there are no files."""
    if not all(paths):
        return
    with database(folder) as tables:
        for batch in tables.sql(query, params=paths).to_arrow_reader(_BATCH):
            yield from batch.to_pylist()


def _row(page: Row) -> Row:
    return {
        **made_from(page, "indexed"),
        "page_id": page["id"],
        "address": address(page),
        "title": page["title"],
        "month": page["month"],
    }
