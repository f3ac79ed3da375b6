"""Read prose (running text of any kind), and sentences that people split in two.

Belongs here: the formats, and the ops that make tables from them; `Document` with its paragraphs, and what
makes it invalid. Not here: title and metadata lines (ops/parse/head.py), files of tables
(ops/parse/tables.py), sentences and parses (dataset/).

A document of prose is a file, a line or a row. A row of a table has a text, and may have an id, a title, an
address, a date and a licence, which applies to its document. Further columns are allowed, and a month rule
may use them.

WikiSplit (Botha et al. 2018), read backwards, has fusion examples: a line is
`sentence<TAB>first <::::> second`, space-tokenised. A row is identified by its file and line, because a
sentence may occur twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import Outcome, Row, of_role
from silverloom.ops.core.params import Params
from silverloom.ops.core.sampling import SPLIT_NAMES
from silverloom.ops.discofuse.running_text import PARAGRAPH_END, RunningText
from silverloom.ops.discofuse.schemas import FUSION_PAIRS, PROSE
from silverloom.ops.parse.decoding import check_characters, decoded, text_at
from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.head import Head, head_of
from silverloom.ops.parse.lines import lines_of_files
from silverloom.ops.parse.records import Record, UnwantedError, read_each, row_of
from silverloom.ops.parse.source import AnyFormat, Format, Only, ParseError, Raw, Source
from silverloom.ops.parse.tables import Table
from silverloom.ops.text.holes import HOLE, closed
from silverloom.ops.text.hyphens import join_lines, words_of
from silverloom.ops.text.words import fold

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_HEADING = re.compile(r"#{1,6}[ \t]+")


class Document(NamedTuple):
    """A document of prose."""

    title: str | None
    licence: str
    """Empty if the document gives none; the source's licence then applies."""
    text: str
    """Paragraphs with white space folded, separated by `PARAGRAPH_END`; holes have their signs."""
    url: str = ""
    """Empty if the document gives none."""


class PlainProse:
    """Reads plain text: every *.txt file below the folder is a document.

    The first line is the title if it begins with "#", or if only `key: value` lines come between it and the
    first blank line. These lines are metadata (date, licence, ...). Otherwise the whole file is text.
    """

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document's id is the file's stem."""
        return whole_files(folder, source, (".txt",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document, and the metadata with lower-case keys."""
        head = head_of(raw.content)
        if not _titled(head):
            return {"document": raw.document}
        return {**head.metadata, "title": head.title, "document": raw.document}

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError."""
        head = head_of(raw.content)
        if not _titled(head):
            return Document(None, "", paragraphs_of(head.text))
        licence, url = head.metadata.get("licence", ""), head.metadata.get("url", "")
        return Document(head.title, licence, paragraphs_of(head.rest), url)


class RowChoice(Params):
    """Which rows are read, by their columns, and which of their passages, like `paragraphs.boilerplate`."""

    below: Mapping[str, float] = Field(default={}, description="a number must be less than this")
    only: Mapping[str, list[str]] = Field(default={}, description="a text must be one of these")
    without: Mapping[str, list[str]] = Field(default={}, description="a text must be none of these")

    @property
    def names(self) -> list[str]:
        """The columns, and the fields of passages, that the choice depends on."""
        return [*self.below, *self.only, *self.without]

    def refused(self, values: Row, prefix: str = "") -> str | None:
        """Return the first field that excludes a row or, with a prefix, a passage; None if none does.

        A missing value counts as neither below a number nor among some texts.
        """
        prefixed = {f"{prefix}{name}": value for name, value in values.items()}
        return next(self._against(prefixed), None)

    def _against(self, values: Row) -> Iterator[str]:
        for name in values.keys() & self.below.keys():
            if values[name] is None or values[name] >= self.below[name]:
                yield name
        yield from (name for name in values.keys() & self.only.keys() if values[name] not in self.only[name])
        for name in values.keys() & self.without.keys():
            if values[name] in self.without[name]:
                yield name


EVERYTHING = RowChoice()


@dataclass(frozen=True)
class RowProse:
    """Reads rows with a text, sentences or a transcript, found by the roles of their columns."""

    wanted: RowChoice = EVERYTHING
    beside = False
    options = RowChoice

    def given(self, options: RowChoice) -> RowProse:
        """Return the format with these options."""
        return RowProse(options)

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of text, title, address and options. Raises ValueError if one is missing."""
        if (text := RunningText.of(kept)) is None:
            raise ValueError("has no text")
        fields = _fields(kept.field(text.passages).type) if text.passages else []
        known = [*kept.names, *(f"{text.passages}.{name}" for name in fields)]
        if missing := sorted({*self.wanted.names} - {*known}):
            raise ValueError(f"has no {missing[0]}")
        return [*text.columns, *of_role(kept, "title"), *({"url", *self.wanted.names} & {*kept.names})]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return a row's title, address and paragraphs as JSON; the row's id names the document."""
        text = RunningText.of(kept)
        assert text is not None, "columns() comes first"
        refused = self.wanted.refused(row)
        paragraphs = [
            paragraph
            for passage in text.read(row)
            if self.wanted.refused(passage.about, f"{text.passages}.") is None
            for paragraph in passage.paragraphs
        ]
        title = next((row[name] for name in of_role(kept, "title") if row[name]), None)
        record = {"title": title, "url": row.get("url"), "text": PARAGRAPH_END.join(paragraphs)}
        content = json.dumps(record, ensure_ascii=False)
        against = {"reason": refused, "value": row[refused]} if refused else {}
        return Raw(row["id"], row["id"], content.encode(), companions=against)

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError, and UnwantedError for an excluded or empty row."""
        if raw.companions:
            reason, value = raw.companions["reason"], raw.companions["value"]
            number = value if isinstance(value, (int, float)) else None
            raise UnwantedError(reason, value if isinstance(value, str) else None, number)
        record = json.loads(raw.content)
        title, text = fold(record["title"] or ""), record["text"]
        check_characters(f"{title} {text}", "the text")
        if not text:
            raise UnwantedError("no_text")
        return Document(title or None, "", text, record["url"] or "")


class TableProse(Table):
    """Reads tables: every row of every table below the folder is a document."""

    def __init__(self) -> None:
        super().__init__(text="text", id="id", title="title", url="url", date="date", licence="licence")

    def parse(self, raw: Raw) -> Document:
        """Return the document, without a `url` that is no text. Raises ParseError naming the column."""
        row = self.row(raw)
        text = text_at(self.needed(raw, row, "text"), "text")
        title = fold(text_at(row.get("title"), "title"))
        licence = text_at(row.get("licence"), "licence").strip()
        check_characters(f"{title} {licence}", "title or licence")
        return Document(title or None, licence, paragraphs_of(text), _address(row.get("url")))


def _address(value: Any) -> str:
    """Return an address, or "" if it is no valid text."""
    with suppress(ParseError):
        address = text_at(value, "url").strip()
        check_characters(address, "url")
        return address
    return ""


PROSE_FORMATS: dict[str, AnyFormat] = {
    "jsonl_prose": TableProse(),
    "plain_prose": PlainProse(),
    "rows": RowProse(),
    "table": TableProse(),
}

_BETWEEN = "<::::>"
_FIRST_WORD = re.compile(r"[A-Za-z]*")


class _SplitAndRephrase:
    """A folder of *.tsv and *.tsv.gz files, one pair per line; file names begin with their split."""

    any_encoding = True
    of_lines = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return lines_of_files(folder, source, (".tsv", ".tsv.gz"), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: file and line."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> tuple[str, str, str, str]:
        """Return split, fused sentence, first and second sentence."""
        split = _split(raw.path)
        text = decoded(raw.content)
        check_characters(text.replace("\t", " "), "the line")
        cells = text.split("\t")
        if len(cells) != 2:
            raise ParseError(f"{len(cells)} columns divided by tabs, due are 2: sentence and its split")
        parts = cells[1].split(_BETWEEN)
        if len(parts) != 2:
            raise ParseError(f"{len(parts)} sentences divided by {_BETWEEN}, due are 2")
        fused, first, second = fold(cells[0]), fold(parts[0]), fold(parts[1])
        if missing := [
            name for name, value in (("sentence", fused), ("first", first), ("second", second)) if not value
        ]:
            raise ParseError(f"nothing stands for {' and '.join(missing)}")
        return split, fused, first, second


FUSION_PAIR_FORMATS: dict[str, Format[tuple[str, str, str, str]]] = {
    "split_and_rephrase": _SplitAndRephrase()
}


def paragraphs_of(body: str) -> str:
    """Return a text with one line per paragraph, separated by blank lines; headings ("## ...") are
    paragraphs.

    Lines may be broken anywhere within a paragraph, even within a word after a hyphen. Raises ParseError for
    control characters and for an empty text.
    """
    body = body.replace("\r\n", "\n").replace("\r", "\n").replace("\f", PARAGRAPH_END)
    check_characters(body, "the text")
    known = words_of(body)
    paragraphs = []
    for block in _BLANK_LINES.split(body.strip()):
        lines = block.split("\n")
        headings = list(takewhile(bool, map(_HEADING.match, lines)))
        paragraphs += [
            fold(line[heading.end() :]) for line, heading in zip(lines, headings, strict=False) if heading
        ]
        paragraphs.append(fold(join_lines("\n".join(lines[len(headings) :]), known)))
    text = PARAGRAPH_END.join(paragraph for paragraph in paragraphs if paragraph.strip(f"{HOLE} "))
    if not text:
        raise ParseError("no text")
    return text


def parse_prose(records: Sequence[Record]) -> Outcome:
    """Return every record as a document, or reject it with file, line and cause; shape PROSE.

    Raises KeyError for a kind that is not in FORMATS.
    """

    def rows(record: Record) -> list[Row]:
        return [_prose_row(record, PROSE_FORMATS[record.kind].parse(record.raw))]

    return read_each(records, PROSE, rows)


def parse_fusion_pairs(records: Sequence[Record]) -> Outcome:
    """Return every line as a pair, or reject it with file, line and cause; shape FUSION_PAIRS."""

    def rows(record: Record) -> list[Row]:
        split, fused, first, second = FUSION_PAIR_FORMATS[record.kind].parse(record.raw)
        return [
            {
                **row_of(record, "fusion"),
                "document": record.raw.document,
                "month": record.month,
                "split": split,
                "fused": fused,
                "first": first,
                "second": second,
            }
        ]

    return read_each(records, FUSION_PAIRS, rows)


def _titled(head: Head) -> bool:
    return head.text.lstrip().startswith("#") or (bool(head.metadata) and head.ended)


def _fields(kind: pa.DataType) -> list[str]:
    return [field.name for field in kind.value_type.fields]


def _prose_row(record: Record, document: Document) -> Row:
    text, holes = closed(document.text)
    return {
        **row_of(record, "prose"),
        "licence": document.licence or record.licence,
        "document": record.raw.document,
        "title": document.title,
        "url": document.url or None,
        "month": record.month,
        "domain": record.domain,
        "text": text,
        "holes": holes,
    }


def _split(path: str) -> str:
    match = _FIRST_WORD.match(PurePosixPath(path).name)
    word = match.group().lower() if match else ""
    if word not in SPLIT_NAMES:
        known = ", ".join(SPLIT_NAMES)
        raise ParseError(f"the file's name does not begin with its split, which is one of {known}")
    return SPLIT_NAMES[word]
