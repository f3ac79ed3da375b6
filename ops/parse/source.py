"""The origin of raw documents: the sources of params.yaml, and the interfaces of the formats that read them.

Belongs here: what a source is (a folder, or the kept rows of another dataset), the protocol of its format,
and the month of a record. Not here: the formats themselves (such as ops/parse/papers), the records of a scan
(records.py, scan.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

from pydantic import BeforeValidator, Field, JsonValue, ValidationError, field_validator, model_validator

from silverloom.ops.core.params import Params

if TYPE_CHECKING:  # settings are read before numpy may be loaded
    import pyarrow as pa

    from silverloom.ops.core.outcome import Row

#: Records in a part of a dataset, unless params.yaml says otherwise.
RECORDS_PER_PART = 256

#: A month, or a year, meaning its January (YAML reads it as a number).
Month = Annotated[str, BeforeValidator(str), Field(pattern=r"^\d{4}(-(0[1-9]|1[0-2]))?$")]


class MonthRule(Params):
    """How to determine a record's month of publication: exactly one of four ways.

    `field`: a field of the record (or of its metadata) that begins with YYYY-MM, or is a year (its January).
    `id_year`: a regular expression whose only group matches a year of two or four digits in the record's
    document id (its January; two digits above 50 are in the 1900s). `constant`: one month for the whole
    source. `every`: every month of the range; listed items are requested in each (ops/crawl).
    """

    field: str | None = None
    """A field of the record that begins with YYYY-MM, or is a year (its January)."""
    id_year: str | None = None
    """A regular expression whose only group matches the year in the document's id."""
    constant: Month | None = None
    """One month for the whole source."""
    every: Literal[True] | None = None
    """Every month of the range; listed items are requested in each."""

    @model_validator(mode="after")
    def _exactly_one(self) -> MonthRule:
        if sum(value is not None for value in (self.field, self.id_year, self.constant, self.every)) != 1:
            raise ValueError("give exactly one of field, id_year, constant, every")
        if self.id_year is not None and re.compile(self.id_year).groups != 1:
            raise ValueError("id_year needs exactly one group, around the year")
        return self


def _utc(time: datetime) -> str:
    return f"{time.astimezone(UTC) if time.tzinfo else time:%Y-%m-%dT%H:%M:%SZ}"


class SourceParams(Params):
    """Parameters of any source."""

    domain: str = Field(
        default="", pattern=r"^(\w[\w.-]*)?$", description="what it is about, or where it is from"
    )
    max_bytes: int = Field(
        default=16 * 2**20, gt=0, description="a larger record is rejected unread; some kinds begin with more"
    )
    options: Mapping[str, JsonValue] = Field(default={}, description="further options of its kind")
    may_be_rejected: bool = Field(
        default=False, description="whether all of it may be: else that is a failure of the run"
    )

    def by_default(self, max_bytes: int) -> Self:
        """Return the source with another default of `max_bytes`, used unless params.yaml sets one."""
        given = "max_bytes" in self.model_fields_set
        return self if given else self.model_copy(update={"max_bytes": max_bytes})

    @field_validator("options", mode="before")
    @classmethod
    def _times_as_text(cls, value: Any) -> Any:
        """Return the options with times as strings: YAML parses them unless they are quoted."""
        if not isinstance(value, Mapping):
            return value
        return {name: _utc(time) if isinstance(time, datetime) else time for name, time in value.items()}


class Source(SourceParams):
    """A folder of raw documents of one kind."""

    kind: str
    """Format of the files."""
    path: str
    """Folder, from the root of the checkout."""
    month: MonthRule | None = Field(default=None, description="not needed where partitions have no periods")
    licence: str
    """SPDX name; of each document whose metadata names no other."""
    title: str = Field(default="", description="of the collection, for the card of a release")
    attribution: str = Field(default="", description="whom the card of a release names; CC BY asks for it")
    citation: str = Field(default="", description="how to cite it, for the card of a release")
    url: str = Field(default="", description="where the collection is from, for the card of a release")
    fields: Mapping[str, str] = Field(
        default={}, description="of tables: which column holds each field of its kind: {text: abstract}"
    )
    encoding: str = Field(default="", description="of texts; empty: UTF-8, or as is guessed where it is not")
    quotes: Literal["", "csv", "none"] = Field(
        default="",
        description="of CSV and TSV: csv, as RFC 4180 has them; none: signs like others; empty: csv, but "
        "where the lines of a cell of TSV could be rows",
    )
    files: str = Field(default="*", description="pattern of the paths that are read; others are passed over")


class DatasetSource(SourceParams):
    """The kept rows of another dataset as records, which have their own months and licences."""

    dataset: str = Field(description="group/name")
    kind: str = Field(default="", description="which reads them; may be left out where one kind alone does")


class ParseError(ValueError):
    """A record cannot be read; the message is the cause, for users."""


class ServiceError(RuntimeError):
    """A package or model that a source needs is not available. No record is rejected for this."""


_memory = "there is"


def tell_memory(most: str) -> None:
    """Set the memory limit of this process that error messages mention."""
    global _memory
    _memory = most


@contextmanager
def exhausting() -> Iterator[None]:
    """Turn a record's excessive nesting or memory use into a ParseError, so that others can still be read."""
    try:
        yield
    except RecursionError:
        raise ParseError("nested too deeply to be read") from None
    except MemoryError:
        raise ParseError(f"it needs more memory than {_memory}") from None


@dataclass(frozen=True)
class Raw:
    """One record as stored: a whole file, or one line of a file."""

    path: str
    """Relative to the source's folder, with forward slashes."""
    document: str
    """The id of the document in its source: file stem, or the record's own id."""
    content: bytes
    row: int | None = None
    """Line from 1 in files of many records."""
    companions: Mapping[str, Any] = field(default_factory=dict)
    """The record's row in the source's metadata file, if any, and other data for its parser."""
    error: str | None = None
    """Why it cannot be parsed at all (too large, no metadata row, duplicate name)."""
    encoding: str | None = None
    """The original encoding of its text unless UTF-8: declared by its source or, if `guessed`, guessed."""
    guessed: bool = False

    @property
    def md5(self) -> str:
        """MD5 of the record's bytes and of what else is known about it."""
        digest = hashlib.md5(self.content, usedforsecurity=False)
        digest.update(repr(sorted(self.companions.items())).encode())
        digest.update(repr((self.document, self.error, *filter(None, [self.encoding]))).encode())
        return digest.hexdigest()


#: The month of records that belong to every month.
EVERY = "every"

Only: TypeAlias = Container[str] | None

Document = TypeVar("Document", covariant=True)


class Format(Protocol[Document]):
    """Reads the records of a kind of source.

    A format whose records are much more than their text says how much: `bytes_a_character`, 1 by default, is
    about how many bytes they have for each character. It only decides where parts end.
    """

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the records of a folder in a fixed order (sorted paths, then rows).

        With `only`, records of other paths need not be read: they may have no content, or be left out. If it
        is a mapping, it gives the wanted rows of each path, and other rows may be left out, too.
        """
        ...

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the fields for month rules (title, date, year, ...), cheaply. Raises ParseError."""
        ...

    def parse(self, raw: Raw) -> Document:
        """Parse the whole record. Raises ParseError."""
        ...


@runtime_checkable
class Tabular(Protocol):
    """A format of tables, whose columns a source may rename by `fields`."""

    def fields_fault(self, folder: Path, source: Source) -> str | None:
        """Return why the files do not fit the `fields` of a source (or the default columns), or None."""
        ...


def options_fault(form: object, source: SourceParams, kind: str) -> str | None:
    """Return what is wrong with a source's options, or None. A format with options has their class."""
    options: type[Params] | None = getattr(form, "options", None)
    if options is None:
        return f"the kind {kind!r} takes none" if source.options else None
    try:
        options.model_validate(dict(source.options))
    except ValidationError as error:
        return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    return None


def month_of(rule: MonthRule, raw: Raw, fields: Mapping[str, str]) -> str:
    """Return the month (YYYY-MM) of a record, or EVERY. Raises ParseError if the rule finds none."""
    if rule.every:
        return EVERY
    if rule.constant is not None:
        return rule.constant if "-" in rule.constant else f"{rule.constant}-01"
    if rule.id_year is not None:
        match = re.search(rule.id_year, raw.document)
        year = (match.group(1) if match else None) or ""
        if re.fullmatch(r"\d{2}|\d{4}", year, re.ASCII) is None:
            raise ParseError(f"no year in the document id {raw.document!r:.80} by {rule.id_year!r}")
        if len(year) == 2:
            year = ("19" if int(year) > 50 else "20") + year
        return f"{year}-01"
    value = str(fields.get(rule.field or "", "")).strip()
    # A year must be the whole value, or a number with a point: "1999 words" and "2018.06" are not dates.
    match = re.match(r"(\d{4})(?:[-/](0[1-9]|1[0-2])(?!\d)|(?:\.0)?\Z)", value, re.ASCII)
    if match is None:
        raise ParseError(
            f"the field {rule.field!r} holds no date (YYYY-MM-DD, YYYY-MM or YYYY): {value!r:.80}"
        )
    return f"{match.group(1)}-{match.group(2) or '01'}"


@runtime_checkable
class RowFormat(Protocol[Document]):
    """Reads the kept rows of another dataset as records, instead of a folder."""

    beside: bool
    """Whether it also reads files that are stored with the rows, such as those of a crawl."""

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of kept rows that it reads, in addition to `id` and `licence`.

        Raises ValueError for rows that it cannot read: "has no text".
        """
        ...

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return a row as a record. `folder` has the files stored with the rows of its partition."""
        ...

    def parse(self, raw: Raw) -> Document:
        """Parse the whole record. Raises ParseError."""
        ...


#: Reads the records of a source of a kind, from a folder or a dataset.
AnyFormat: TypeAlias = Format[Any] | RowFormat[Any]


def row_formats(formats: Mapping[str, AnyFormat]) -> dict[str, RowFormat[Any]]:
    """Return the formats for rows of other datasets, by kind."""
    return {kind: form for kind, form in formats.items() if isinstance(form, RowFormat)}


def configured(form: RowFormat[Any], source: DatasetSource) -> RowFormat[Any]:
    """Return a format with the options of a source applied, if it has options."""
    options: type[Params] | None = getattr(form, "options", None)
    return form.given(options.model_validate(dict(source.options))) if options else form  # type: ignore[attr-defined]


def folder_formats(formats: Mapping[str, AnyFormat]) -> dict[str, Format[Any]]:
    """Return the formats for folders, by kind."""
    return {kind: form for kind, form in formats.items() if not isinstance(form, RowFormat)}
