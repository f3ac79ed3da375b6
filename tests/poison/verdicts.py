"""The fate of the poison: a verdict for each item and parser, their table, and its summary in docs/reports/poison.md.

Belongs here: running an item through a parser, and writing verdicts down. Not here: the items (corpus.py).
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import FILES, Part, Parts
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.crawl.warc import response_record
from silverloom.ops.parse.encodings import any_encoding, in_utf8
from silverloom.ops.parse.records import Record, RowRecords, record_id
from silverloom.ops.parse.source import DatasetSource, MonthRule, Source
from tests.poison.corpus import ITEMS, Item, write
from tests.poison.parsers import Parser

#: Large, so that the poison reaches the parsers; by default records over 16 MiB are refused unread.
MAX_BYTES = 2**28
_SHORT = 70


class Met(NamedTuple):
    """An item that a parser has met."""

    outcome: Outcome
    records: int
    verdict: str
    good_kept: bool


def meet(item: Item, parser: Parser, folder: Path) -> Met:
    """Write an item next to a sound file, read both, and return the fate of the item."""
    if parser.crawl:
        return _met_in_one_crawl(parser)[item.name]
    write(item, parser, folder)
    records = _crawled(parser, folder) if parser.rows else _listed(parser, folder)
    assert parser.op is not None
    outcome = parser.op(records)
    return Met(
        outcome,
        len(records),
        "; ".join(_fates(outcome)),
        any(_is_good(row["source_ids"]) for row in outcome.kept.to_pylist()),
    )


@cache
def _met_in_one_crawl(parser: Parser) -> Mapping[str, Met]:
    """Return the fates of all items that a crawl meets; it requests all of them at once."""
    items = [item for item in ITEMS if parser in item.parsers()]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "files"
        for number, item in enumerate(items):
            with tempfile.TemporaryDirectory() as alone:
                write(item, parser, Path(alone))
                for file in sorted(path for path in Path(alone).rglob("*") if path.is_file()):
                    name = file.relative_to(alone).as_posix().replace("poison", f"poison{number:02d}")
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    content = file.read_bytes()
                    for code in ("ascii", "utf-16-le"):
                        content = content.replace("poison".encode(code), f"poison{number:02d}".encode(code))
                    (folder / name).write_bytes(content)
        assert parser.crawl is not None
        outcome = parser.crawl(parser, folder)
    good = any("good" in row["url"] for row in outcome.kept.to_pylist())
    return {
        item.name: Met(
            outcome, len(outcome.units), "; ".join(_crawl_fates(outcome, f"poison{number:02d}")), good
        )
        for number, item in enumerate(items)
    }


def _crawl_fates(outcome: Outcome, name: str) -> Iterator[str]:
    """Yield the fates of a list, and of what it lists."""
    fates = {"kept" for row in outcome.kept.to_pylist() if name in row["url"]}
    for row in outcome.dropped.to_pylist():
        if name in row["url"] + row["id"]:
            fates.add(f"dropped: {row['reason']}")
    for row in outcome.rejected.to_pylist():
        if name in row["url"] + row["id"]:
            cause = re.sub(r"http://127\.0\.0\.1:\d+", "", row["error"].removeprefix(f"{row['url']}: "))
            fates.add(f"rejected: {_shortened(cause.replace(name, 'poison'))}")
    yield from sorted(fates) or ["passed over"]


def _shortened(cause: str) -> str:
    return cause if len(cause) <= _SHORT else cause[:_SHORT] + "..."


def _listed(parser: Parser, folder: Path) -> list[Record]:
    source = Source(
        kind=parser.kind, path=".", month=MonthRule(constant="2018-06"), licence="MIT", max_bytes=MAX_BYTES
    )
    form = parser.formats[parser.kind]
    split = form.split(folder, source)
    raws = (in_utf8(raw, source.encoding) for raw in split) if any_encoding(form) else split
    return [Record(record_id("src", raw), "src", parser.kind, "MIT", "2018-06", raw) for raw in raws]


def _crawled(parser: Parser, folder: Path) -> list[Record]:
    """Return the records of a crawl that fetched the files of a folder."""
    rows, warc, date = [], b"", "2018-06-01T00:00:00Z"
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        path, content = file.relative_to(folder).as_posix(), file.read_bytes()
        headers = [("Content-Type", "text/html")]
        record, _ = response_record(f"http://a.example/{path}", "200 OK", headers, content, date, packed=True)
        place = {"file": "crawl.warc.gz", "offset": len(warc), "length": len(record), "bytes": len(content)}
        rows.append({"id": f"row {path}", "source_ids": ["x"], "licence": "MIT", **place})
        warc += record
    (folder / FILES).mkdir(exist_ok=True)
    (folder / FILES / "crawl.warc.gz").write_bytes(warc)
    kept = folder / "kept-00000.parquet"
    pq.write_table(pa.Table.from_pylist(rows, PAGES.kept), kept)
    parts = Parts(PAGES.kept, (Part(str(kept)),), None)
    source = DatasetSource(dataset="sources/crawls", max_bytes=MAX_BYTES)
    (chunk,) = RowRecords("src", source, parser.kind, parser.formats[parser.kind], parts, "2018-06")
    return [*chunk]


def _is_good(sources: list[str]) -> bool:
    return "good" in sources[0]


def _fates(outcome: Outcome) -> Iterator[str]:
    """Yield the fate of each record of the poison; a skipped file yields nothing."""
    found = [(name, "kept") for name in {row["source_ids"][0] for row in outcome.kept.to_pylist()}]
    for row in outcome.dropped.to_pylist():
        found.append((row["id"], f"dropped: {row['reason']}"))
    for row in outcome.rejected.to_pylist():
        cause = re.sub(r"^src/\S+?(?:, line \d+)?: ", "", row["error"])
        found.append((row["id"], f"rejected: {_shortened(cause)}"))
    fates = Counter(fate for name, fate in sorted(found) if not _is_good([name]))
    for fate, times in fates.items():
        yield fate if times == 1 else f"{fate}, {times:,} times"
    if not fates:
        yield "passed over"


def table(verdicts: dict[tuple[str, str], str]) -> str:
    """Return the verdicts as Markdown: a row for each item and verdict, with the parsers that give it."""
    lines = ["| item | parsers | verdict |", "|---|---|---|"]
    for item in ITEMS:
        by_verdict: dict[str, list[str]] = {}
        for parser in item.parsers():
            by_verdict.setdefault(verdicts[item.name, parser.name], []).append(f"`{parser.name}`")
        for verdict, kinds in by_verdict.items():
            shown = verdict.replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"| {item.name.replace('|', chr(92) + '|')} | {', '.join(kinds)} | {shown} |")
    return "\n".join(lines) + "\n"


def summary(verdicts: Mapping[tuple[str, str], str]) -> str:
    """Return how many items each parser met, and how many were kept, dropped and rejected, as Markdown.

    An item with several fates counts for each of them; a file that is passed over has none.
    """
    lines = ["| parser | items | kept | dropped | rejected |", "|---|---|---|---|---|"]
    for name in dict.fromkeys(name for _, name in verdicts):
        met = [verdict for (_, parser), verdict in verdicts.items() if parser == name]
        fates = [sum(fate in verdict for verdict in met) for fate in ("kept", "dropped: ", "rejected: ")]
        numbers = [len(met), *fates]
        lines.append(f"| `{name}` | " + " | ".join(str(number or "") for number in numbers) + " |")
    return "\n".join(lines) + "\n"


def read_table(text: str) -> dict[tuple[str, str], str]:
    """Return the verdicts of such a table, by item and parser."""
    found = {}
    for line in text.splitlines():
        cells = [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[1].startswith("`"):
            for kind in cells[1].split(", "):
                found[cells[0], kind.strip("`")] = cells[2].replace("&lt;", "<")
    return found
