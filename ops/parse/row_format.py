"""What reads the kept rows of another dataset, where a source names one in place of a folder.

Belongs here: the protocol. Not here: formats of folders (source.py), making records of rows (row_records.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import pyarrow as pa

from ops.outcome import Row
from ops.params import Params
from ops.parse.source import DatasetSource, Format, Raw

Document = TypeVar("Document", covariant=True)


@runtime_checkable
class RowFormat(Protocol[Document]):
    """What a kind that reads the kept rows of another dataset must be able to do, in place of a folder."""

    beside: bool
    """Whether it reads files that lie beside the rows, such as those of a crawl."""

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of kept rows that it reads, besides `id` and `licence`.

        Raises ValueError for rows that it cannot read: "has no text".
        """
        ...

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return a row as a record. `folder` holds the files that lie beside the rows of its partition."""
        ...

    def parse(self, raw: Raw) -> Document:
        """Read the record whole. Raises ParseError."""
        ...


#: What reads the records of a source, by its kind: a folder, or a dataset.
AnyFormat: TypeAlias = Format[Any] | RowFormat[Any]


def row_formats(formats: Mapping[str, AnyFormat]) -> dict[str, RowFormat[Any]]:
    """Return the formats that read rows of other datasets, by kind."""
    return {kind: form for kind, form in formats.items() if isinstance(form, RowFormat)}


def with_options(form: RowFormat[Any], source: DatasetSource) -> RowFormat[Any]:
    """Return a format as a source wants it: one that takes options names their class, and is `given` them."""
    options: type[Params] | None = getattr(form, "options", None)
    return form.given(options.model_validate(dict(source.options))) if options else form  # type: ignore[attr-defined]


def folder_formats(formats: Mapping[str, AnyFormat]) -> dict[str, Format[Any]]:
    """Return those that read folders, by kind."""
    return {kind: form for kind, form in formats.items() if not isinstance(form, RowFormat)}
