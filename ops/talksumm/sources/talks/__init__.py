"""Talks: transcripts in four formats, or recordings, beside one table of metadata.

Belongs here: the kinds of source of talks, and the op that parses records.
Not here: matching talks with papers (ops/talksumm/pairing/pairs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse.bounded import BoundedFormat, Bounds
from ops.parse.records import Record, read_each
from ops.parse.source import Format, Only, ParseError, Raw, Source
from ops.talksumm.sources.schemas import TALKS
from ops.talksumm.sources.talks import folder, plain, speech, srt, talk, timed, webvtt
from ops.talksumm.sources.talks.talk import Talk, Word

__all__ = ["FORMATS", "Talk", "Word", "parse_talks"]

_READERS: Mapping[str, Callable[[str], Sequence[Word]]] = {
    ".json": timed.read,
    ".srt": srt.read,
    ".txt": plain.read,
    ".vtt": webvtt.read,
}

#: Where options lie among the columns of a recording: one of these may be called like one of them.
_OPTIONS = "options of recordings"

#: Bytes of a recording where params.yaml says nothing: 50 minutes as a CD has them, five hours of MP3.
_LARGEST_RECORDING = 2**29
#: Speech is recognised faster than it was spoken; nobody talks for six hours.
_RECORDINGS = Bounds(seconds=6 * 3600, memory=2**30 + _LARGEST_RECORDING, patience=24 * 3600)


class _Transcripts:
    """A folder of .vtt, .srt, .txt and .json transcripts beside `metadata.csv`."""

    any_encoding = True

    def split(self, folder_: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return folder.split(folder_, source, _READERS.keys(), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the talk's row of the metadata, with the columns that are the user's own."""
        return raw.companions

    def parse(self, raw: Raw) -> Talk:
        if raw.error is not None:
            raise ParseError(raw.error)
        words = self.words(raw)
        if not words:
            raise ParseError("no spoken words")
        row = raw.companions
        return Talk(row["title"], row["date"], row["url"], row["licence"], words)

    def words(self, raw: Raw) -> Sequence[Word]:
        """Return the spoken words."""
        return _READERS[PurePosixPath(raw.path).suffix.lower()](talk.decode(raw.content))


class _Recordings(_Transcripts):
    """A folder of recordings, audio or video, beside `metadata.csv`."""

    any_encoding = False
    slow = True

    options = speech.SpeechOptions

    def split(self, folder_: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        source = source.by_default(_LARGEST_RECORDING)
        options = self.options.model_validate(dict(source.options)).model_dump_json()
        for raw in folder.split(folder_, source, speech.ENDINGS, only):
            yield replace(raw, companions={**raw.companions, _OPTIONS: options})

    def words(self, raw: Raw) -> Sequence[Word]:
        options = speech.SpeechOptions.model_validate_json(raw.companions.get(_OPTIONS, "{}"))
        return speech.read(raw.content, options.model, options.language)


FORMATS: dict[str, Format[Talk]] = {
    "recordings": BoundedFormat(_Recordings(), _RECORDINGS, quick=True),
    "transcripts": BoundedFormat(_Transcripts(), quick=True),
}


def parse_talks(records: Sequence[Record]) -> Outcome:
    """Read raw transcripts into rows of TALKS; those that cannot be read are rejected with their cause."""

    def rows(record: Record) -> list[Row]:
        return [_row(record, FORMATS[record.kind].parse(record.raw))]

    return read_each(records, TALKS, rows, formats=FORMATS)


def _row(record: Record, talk: Talk) -> Row:
    return {
        "id": row_id("talk", record.source, record.raw.document),
        "source_ids": [record.id],
        "licence": talk.licence or record.licence,
        "document": record.raw.document,
        "title": talk.title,
        "date": talk.date,
        "month": record.month,
        "url": talk.url or None,
        "words": [word._asdict() for word in talk.words],
    }
