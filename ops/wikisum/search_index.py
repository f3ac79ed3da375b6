"""The pages that a search may find, indexed.

Belongs here: which page stands for an address, and the index of all. Not here: the index itself
(ops/crawl/local_search.py), what is asked of it (references.py).
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from ops.core.identity import row_id
from ops.core.outcome import Outcome, Outcomes, Row, drop
from ops.core.parts import Artifact, Parts
from ops.crawl.local_search import LocalIndex
from ops.wikisum.schemas import SEARCH_INDEX

_FOLDER = "index"
_COLUMNS = ("id", "month", "url", "document")


def search_index(web_pages: Parts) -> Outcomes:
    """Yield the pages of all months, each address once, with an index of their titles and texts.

    Of several pages of one address the latest stands for it, by month and id; the others are dropped as
    `repeated_address`.
    """
    latest: dict[str, tuple[str, str]] = {}
    for part in web_pages.parts:
        for page in part.read(_COLUMNS).to_pylist():
            latest[address(page)] = max(_place(page), latest.get(address(page), _place(page)))
    files = _files(web_pages, latest)
    for table in web_pages:
        kept: list[Row] = []
        dropped: list[Row] = []
        for page in (units := table.to_pylist()):
            if latest[address(page)] == _place(page):
                kept.append(_row(page))
            else:
                dropped.append(drop(page, "repeated_address", detail=f"as {latest[address(page)][1]}"))
        yield Outcome.of(SEARCH_INDEX, [page["id"] for page in units], kept, dropped, files=files)
        files = {}


def load(index: Artifact) -> LocalIndex:
    """Return the index; its scores stay on disk."""
    folder = index.folder / _FOLDER
    return LocalIndex.load(folder) if folder.exists() else LocalIndex.of(())


def address(page: Row) -> str:
    """Return the address of a page; a file has its name only."""
    return str(page["url"] or page["document"])


def _place(page: Row) -> tuple[str, str]:
    """Return what orders pages of one address; a record that was fetched twice may have one id."""
    return page["month"], page["id"]


def _files(web_pages: Parts, latest: dict[str, tuple[str, str]]) -> dict[str, bytes]:
    index = LocalIndex.of(
        (address(page), f"{page['title'] or ''}\n{page['text']}")
        for part in web_pages.parts
        for page in part.read([*_COLUMNS, "title", "text"]).to_pylist()
        if latest[address(page)] == _place(page)
    )
    with TemporaryDirectory() as folder:
        index.save(Path(folder))
        return {f"{_FOLDER}/{path.name}": path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _row(page: Row) -> Row:
    return {
        "id": row_id("indexed", page["id"]),
        "source_ids": [page["id"]],
        "licence": page["licence"],
        "page_id": page["id"],
        "address": address(page),
        "title": page["title"],
        "month": page["month"],
    }
