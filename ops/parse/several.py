"""Several documents in one record: what a crawl fetched may be a pack of articles, or a shard of papers.

Belongs here: what becomes of a record some of whose documents are lost. Not here: finding the documents (the
formats that read crawls).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar, runtime_checkable

from ops.outcome import Row
from ops.parse.characters import check_texts
from ops.parse.records import Record, UnwantedError, readable
from ops.parse.source import ParseError, Raw

Form = TypeVar("Form")


@runtime_checkable
class Several(Protocol):
    """A format whose records hold documents; a record is still the unit that is kept, dropped or rejected."""

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield the documents. Raises ParseError and UnwantedError for the record as a whole."""
        ...


def rows_of(
    record: Record, form: Form, row: Callable[[Record, Form], Row], lost: Counter[str]
) -> list[dict[str, Any]]:
    """Return the row of each document of a record; `lost` counts those that are lost beside others.

    Raises the ParseError or UnwantedError of one of them where none is kept.
    """
    if not isinstance(form, Several):
        return [dict(row(record, form))]
    kept: list[dict[str, Any]] = []
    faults: list[ParseError | UnwantedError] = []
    for document in form.documents(readable(record)):
        try:
            found = dict(row(record._replace(raw=document), form))
            check_texts([found], "a row")
            kept.append(found)
        except (ParseError, UnwantedError) as fault:
            faults.append(fault)
    if not kept:
        raise min(faults, key=lambda fault: isinstance(fault, UnwantedError), default=UnwantedError("empty"))
    reasons = (fault.reason if isinstance(fault, UnwantedError) else "cannot be read" for fault in faults)
    lost.update(f"documents of fetched files: {reason}" for reason in reasons)
    return kept


def name_in_source(record: Record) -> str:
    """Return what tells a document from all of its source: of a row's documents, with the id of the row."""
    if record.id.startswith(f"{record.source}/"):
        return record.raw.document
    return f"{record.id}/{record.raw.document}"
