"""Records: WARC files, CSV and lines of JSON against other readers, for benchmarks/reading.py.

WARC: the pages of each file in web/warc as warcio reads them, by address; a page is read if we give its
record, or an error in its place. CSV and JSON: odd but ordinary files, below, against Python's csv and json.
A row that differs and is not rejected is a silent loss.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.reading_rows import Row, ask_peer
from silverloom.ops.discofuse.sources import PROSE_FORMATS
from silverloom.ops.parse.source import MonthRule, Raw, Source, folder_formats
from silverloom.ops.parse.web import FORMATS

#: Reads paths from standard input; writes the addresses of the pages of each file, null after an error.
WARCIO = """
import json, sys
from warcio.archiveiterator import ArchiveIterator
KINDS = ("response", "resource", "conversion")
def pages(path):
    addresses = []
    try:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in KINDS:
                    addresses.append(record.rec_headers.get_header("WARC-Target-URI", "").strip("<>"))
    except Exception:
        addresses.append(None)
    return addresses
print(json.dumps([pages(path) for path in json.load(sys.stdin)]))
"""
FASTWARC = """
import json, sys
from fastwarc.warc import ArchiveIterator, WarcRecordType as Kind
KINDS = Kind.response | Kind.resource | Kind.conversion
def pages(path):
    addresses = []
    try:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file, record_types=KINDS, parse_http=False):
                addresses.append(record.headers.get("WARC-Target-URI", "").strip("<>"))
    except Exception:
        addresses.append(None)
    return addresses
print(json.dumps([pages(path) for path in json.load(sys.stdin)]))
"""

#: Each has a header with the column `text`, and is valid for Python's csv with the separator.
CSV = {
    "comma in quotes": (",", 'text,place\n"One, two.",here\n'),
    "line breaks in quotes": (",", 'text,place\n"One.\nTwo.\r\n\nThree.",here\n'),
    "escaped quotes": (",", 'text,place\n"She said ""no"".",here\n"""",there\n'),
    "empty cells": (",", 'text,place\n,\n"",""\nOne.,\n'),
    "JSON in a cell": (",", 'text,place\n"{""a"": [1, ""b, c""]}",here\n'),
    "semicolons": (";", "text;place\nOne, two;here\n"),
    "semicolons, commas in quotes": (";", 'text;"a, b";c\n"One; two.";x;y\n'),
    "tabs": ("\t", "text\tplace\nOne, two\there\n"),
    "bars": ("|", "text|place\nOne, two; three|here\n"),
    "byte order mark": (",", "\ufefftext,place\nOne.,here\n"),
    "CRLF, no last line end": (",", "text,place\r\nOne.,here\r\nTwo.,there"),
    "blank lines": (",", "text,place\n\nOne.,here\n\n\nTwo.,there\n"),
    "other scripts": (",", "text,place\n川は長い。,ʤ\nČerná řeka.,\U0001f600\n"),
    "one column": (",", "text\nOne.\n\nTwo.\n"),
    "spaces": (",", "text,place\n  One.  , here\n"),
}
#: Lines, each valid JSON or not, as JSONTestSuite names its cases: y must be read, n must be rejected.
JSON_LINES = {
    "y": [
        '{"text": "\\u0061\\ud834\\udd1e"}', '{"text": "a", "n": -0}', '{"text": "a", "n": 1E+2}',
        '{"text": "\\u2028 \\\\ \\/ \\" \\b\\f\\n\\r\\t"}', ' {"text": "a" } ', '{"text": "", "": 0}',
        '{"text": "a", "n": [[], {}, null, true, false]}', '{"text": "\u20ac\U0001d11e"}',
        '{"text": "a", "n": 123456789012345678901234567890}', '{"text": "\x7f"}',
    ],
    "n": [
        '{"text": "a",}', "{'text': 'a'}", '{"text": "a"', '{"text": a}', '{text: "a"}', '{"text": "a"}}',
        '{"text": "a" "b"}', '{"text": "\\x00"}', '{"text": "a\tb"}', '{"text": 01}', '{"text": .5}',
        '["text"]', '"text"', "null", "{", "1 2", '{"text": "a"} #', '{"text": "\\u00A"}',
    ],
}  # fmt: skip


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield a row for WARC files, for CSV and for lines of JSON."""
    yield _warc(data / "web" / "warc", peer)
    yield _csv()
    yield _json()


def _records(kind: str, folder: Path) -> list[Raw]:
    source = Source(kind=kind, path=".", month=MonthRule(constant="2018-06"), licence="-")
    formats = folder_formats(FORMATS if kind == "warc" else PROSE_FORMATS)
    return list(formats[kind].split(folder, source))


def _warc(folder: Path, peer: str | None) -> Row:
    paths = sorted(folder.glob("*.warc*"))
    row = Row("WARC files", "pages read; lost", None, {"warcio": None, "fastwarc": None}, "lost 0")
    answers = {
        "warcio": ask_peer(peer, WARCIO, [str(path) for path in paths]),
        "fastwarc": ask_peer(peer, FASTWARC, [str(path) for path in paths]),
    }
    known = [answer for answer in answers.values() if answer is not None]
    if not paths or not known:
        return row
    here = [[raw for raw in _records("warc", folder) if raw.path == path.name] for path in paths]
    # A page of any reader is a page of the file.
    gold = [_union([Counter(filter(None, answer[index])) for answer in known]) for index in range(len(paths))]
    for name, answer in answers.items():
        if answer is not None:
            lost = sum(
                (gold[index] - Counter(pages)).total()
                for index, pages in enumerate(answer)
                if None not in pages
            )
            row.peers[name] = f"{sum(len([page for page in pages if page]) for pages in answer)}; {lost}"
    lost = 0
    for raws, pages in zip(here, gold, strict=True):
        read = Counter(raw.companions.get("url", "") for raw in raws if raw.error is None)
        lost += max(0, (pages - read).total() - sum(raw.error is not None for raw in raws))
    row.here = f"{sum(raw.error is None for raws in here for raw in raws)}; {lost}"
    return row


def _union(counters: list[Counter[str]]) -> Counter[str]:
    union: Counter[str] = Counter()
    for counter in counters:
        union |= counter
    return union


def _csv() -> Row:
    right = silent = 0
    for name, (separator, text) in CSV.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "rows.csv").write_bytes(text.encode())
            raws = _records("table", Path(folder))
        reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator)
        header, *cells = [row for row in reader if row]
        gold = [dict(zip(header, row, strict=True)) for row in cells if any(row) or len(header) > 1]
        read = [None if raw.error else json.loads(raw.content) for raw in raws]
        right += read == gold
        silent += read != gold and None not in read
        if read != gold:
            print(f"  {name}: {read} instead of {gold}")
    return Row(
        "odd CSV",
        "files as Python's csv; silently wrong",
        f"{right} of {len(CSV)}; {silent}",
        {"csv": str(len(CSV))},
        "silent 0",
    )


def _json() -> Row:
    right = silent = 0
    lines = [(kind == "y", line) for kind, some in JSON_LINES.items() for line in some]
    with tempfile.TemporaryDirectory() as folder:
        packed = gzip.compress("\n".join(line for _, line in lines).encode())
        Path(folder, "lines.ndjson.gz").write_bytes(packed)
        raws = {raw.row: raw for raw in _records("table", Path(folder))}
    for number, (valid, line) in enumerate(lines, 1):
        raw = raws.get(number)
        read = None if raw is None or raw.error else json.loads(raw.content)
        right += read == (json.loads(line) if valid else None) and raw is not None
        silent += raw is None or (raw.error is None and not valid)
        if raw is None or (raw.error is None) != valid:
            print(f"  {line}: {raw and raw.error}")
    count = len(lines)
    score = f"{right} of {count}; {silent}"
    return Row("odd lines of JSON", "read or rejected rightly; silently lost", score, {}, "lost 0")
