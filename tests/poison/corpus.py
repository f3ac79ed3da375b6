"""The poison, item by item: what it is, which parsers meet it, and its files.

Belongs here: the items, and writing them to a folder. Not here: the expected outcome (verdicts.md
has it), the parsers (parsers.py).

`python -m tests.poison FOLDER` writes it all.
"""

from __future__ import annotations

import bz2
import gzip
import io
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from backports import zstd

from tests.papers_as_pdf import assembled, printed
from tests.poison.parsers import PARSERS, Parser, arrow, parquet, tar_of, warc_record

TITLE, TEXT = "A Title", "We measured it twice and it was the same both times."

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Item:
    """An item, which is placed next to a sound file of a parser."""

    name: str
    make: Callable[[Parser], Files]
    kinds: tuple[str, ...] = ()
    """The kinds of source that meet it; empty: all whose text can be poisoned."""
    links: bool = False
    """Whether the contents of files are the targets of links."""
    slow: bool = False
    """Whether only the first of its parsers meets it in quick tests."""
    very_slow: bool = False
    """Whether no parser meets it in quick tests."""

    def parsers(self) -> Iterator[Parser]:
        """Yield the parsers that meet it."""
        for parser in PARSERS.values():
            if self.links and (parser.rows or parser.crawl):  # a crawl fetches no links
                continue
            if parser.name in self.kinds or (not self.kinds and not parser.binary):
                yield parser


def _of(change: Callable[[bytes], bytes]) -> Callable[[Parser], Files]:
    """Return a maker of one file: a sound one, modified."""
    return lambda parser: {parser.file("poison"): change(parser.make("poison", TITLE, TEXT))}


def _text(text: str, title: str = TITLE) -> Callable[[Parser], Files]:
    return lambda parser: {parser.file("poison"): parser.make("poison", title, text)}


def _titled(title: str) -> Callable[[Parser], Files]:
    """Return a maker of a sound talk whose title in metadata.csv is poison; its row is the last."""

    def files(parser: Parser) -> Files:
        table = parser.beside([parser.file("good")])["metadata.csv"]
        row = f"{parser.file('poison')},{title},2018-06-01,,\n".encode()
        return {parser.file("poison"): parser.make("poison", TITLE, TEXT), "metadata.csv": table + row}

    return files


def _file(content: Callable[[], bytes]) -> Callable[[Parser], Files]:
    return lambda parser: {parser.file("poison"): content()}


def _laughs(root: str) -> bytes:
    entities = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
    return f'<!DOCTYPE x [<!ENTITY a "ha">{entities}]><{root}>&m;</{root}>'.encode()


def _million_objects() -> bytes:
    shown = b"BT /R 10 Tf 60 700 Td (%s) Tj ET" % TEXT.encode()
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /Font << /R 5 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>",
            *[b"null"] * 10**6,
        ]
    )


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("../../escaped.txt")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"evil"))
    return buffer.getvalue()


def _longer_tar(size: bytes) -> bytes:
    """Return a tar of one file whose header claims another size, with a correct checksum."""
    content = tar_of({"a.json": TEXT.encode()})
    head = content[:124] + size + content[136:148] + b" " * 8 + content[156:512]
    return head[:148] + b"%06o\0 " % sum(head) + head[156:] + content[512:]


def _link() -> bytes:
    entry = tarfile.TarInfo("a.json")
    entry.type, entry.linkname, entry.size = tarfile.SYMTYPE, "/etc/passwd", 2**30
    return entry.tobuf(tarfile.GNU_FORMAT)


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../escaped.txt", "evil")
    return buffer.getvalue()


def _wav(sound: bytes, length: int | None = None, rate: int = 16_000, channels: int = 1) -> bytes:
    """Return 16-bit samples after a header, which may be false."""
    told = len(sound) if length is None else length
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * 2 % 2**32, 2, 16)
    chunks = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", told)
    return b"RIFF" + struct.pack("<I", (len(chunks) + told) % 2**32) + chunks + sound


def _changed_footer(content: bytes) -> bytes:
    """Return Parquet with 20 bytes of its footer changed."""
    start = len(content) - 8 - struct.unpack("<I", content[-8:-4])[0]
    changed = bytearray(content)
    for place in random.Random(0).sample(range(start, len(content) - 8), 20):
        changed[place] ^= 0xFF
    return bytes(changed)


def _packed_cell() -> bytes:
    ends = pa.py_buffer(struct.pack("<ii", 0, 300_000_000))
    cell = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(bytes(300_000_000))])
    return parquet(pa.table({"text": cell}), compression="zstd", use_dictionary=False, write_statistics=False)


def _nested_lists() -> bytes:
    cell: object = "x"
    kind = pa.string()
    for _ in range(1_000):
        cell, kind = [cell], pa.list_(kind)
    return parquet(pa.table({"text": ["Text."], "deep": pa.array([cell], kind)}))


def _one_of_a_million(parser: Parser) -> Files:
    entries = pa.array([f"Text {number}." for number in range(10**6)])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 10**6 - 1], pa.int32()), entries)
    table = pa.table({"text": column})
    return {parser.file("poison"): arrow(table) if parser.ending == ".arrow" else parquet(table)}


def _twice(parser: Parser) -> Files:
    table = pa.Table.from_arrays([pa.array(["One."]), pa.array(["Two."])], ["text", "text"])
    makers = {".csv": lambda table: b"text,text\nOne.,Two.\n", ".parquet": parquet, ".arrow": arrow}
    return {parser.file("poison"): makers[parser.ending](table)}


def _marked(parser: Parser) -> Files:
    """Return a paper whose one paragraph has 300,000 citations."""
    mark = (
        '<ref type="bibr">[1]</ref> ' if parser.name == "grobid_tei" else '<xref ref-type="bibr">[1]</xref> '
    )
    return {
        parser.file("poison"): parser.make("poison", TITLE, "@").replace(
            b"@", f"{mark * 300_000}It is so.".encode()
        )
    }


_SDP = b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 45678 RTP/AVP 0\r\n"
_CLAIM = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1000000\r\n\r\n"
_YAML = b"a: &a [ha, ha]\n" + b"".join(
    b"%c: &%c [*%c, *%c, *%c]\n" % (98 + n, 98 + n, 97 + n, 97 + n, 97 + n) for n in range(20)
)
_ROOTS = {
    "cl_scisumm": "PAPER",
    "grobid_tei": "TEI",
    "jats": "article",
    "parscit": "algorithms",
    "mediawiki_dump": "page",
    "list of acl_anthology": "collection",
    "list of arxiv": "OAI-PMH",
    "list of arxiv_bulk": "arXivPDF",
}
_JSON = (
    "science_parse",
    "scirex",
    "s2orc",
    "s2orc_shards",
    "unarxive",
    "transcripts .json",
    "jsonl_prose",
    "abstracts",
    "citing_sentences",
    "rating_sheets .json",
    "crawled .jsonl",
    "list of s2orc",
    "list of search",
)
_TALKS = ("recordings", "transcripts .txt")
_AUDIO = ("recordings",)
_LINES = ("scirex", "s2orc_shards", "unarxive", "jsonl_prose", "abstracts", "split_and_rephrase")
_TAR = ("crawled .tar",)
_PARQUET, _ARROW, _CSV = "table .parquet", "table .arrow", "table .csv"
_ANY = tuple(PARSERS)

ITEMS = (
    Item("a file of no bytes", _file(lambda: b""), _ANY),
    Item("a file of 10,000 NUL bytes", _file(lambda: bytes(10_000)), _ANY),
    Item("a NUL in the text", _text(f"{TEXT} A \x00 sign.")),
    Item("half a surrogate pair in the text", _text(f"{TEXT} A \ud800 sign.")),
    Item("a reference to half a surrogate pair", _text(f"{TEXT} A &#xD800; sign."), ("mediawiki_dump", "wikitext", "warc", "html")),
    Item("a right-to-left override in the text", _text(f"{TEXT} A \u202e sign.")),
    Item("Latin-1 where UTF-8 is due", lambda parser: {parser.file("poison"): parser.make("poison", "Caf@", TEXT).replace(b"@", b"\xe9")}),
    Item("UTF-16 where UTF-8 is due", _of(lambda content: content.decode().encode("utf-16"))),
    Item("a title of 100,000 characters", _text(TEXT, "Title " * 16_666 + "last")),
    Item("a title of 100,000 characters in the metadata", _titled("Title " * 16_666 + "last"), _TALKS),
    Item("a title of 1,000,000 characters in the metadata", _titled("Title " * 166_666 + "last"), _TALKS, very_slow=True),
    Item("a quotation mark that is never closed in the metadata", _titled('"A title'), _TALKS),
    Item("a sentence of 1,000,000 characters", _text("word " * 200_000 + "end.")),
    Item("cut short in the middle", _of(lambda content: content[: len(content) // 2]), _ANY),
    Item("two files of one name", lambda parser: {f"{folder}/{parser.file('poison')}": parser.make("poison", TITLE, TEXT) for folder in "ab"}, _ANY),
    Item("a link out of the folder", lambda parser: {parser.file("poison"): b"../../../../../../etc/passwd"}, _ANY, links=True),
    Item("a tar with ../../escaped.txt", lambda _: {"poison.tar.gz": _tar()}, _ANY),
    Item("a zip with ../../escaped.txt", lambda _: {"poison.zip": _zip()}, _ANY),
    Item("YAML of a billion laughs", lambda _: {"poison.yaml": _YAML}, _ANY),
    Item("XML of a billion laughs", lambda parser: {parser.file("poison"): _laughs(_ROOTS[parser.name])}, tuple(_ROOTS)),
    Item("XML of 100,000 nested elements", lambda parser: {parser.file("poison"): f"<{_ROOTS[parser.name]}>".encode() + b"<a>" * 100_000}, tuple(_ROOTS)),
    Item("300,000 citation marks in a paragraph", _marked, ("grobid_tei", "jats"), very_slow=True),
    Item("JSON of 100,000 nested lists", _file(lambda: b"[" * 100_000), _JSON),
    Item("JSON with a number of 100,000 digits", _file(lambda: b"[" + b"9" * 100_000 + b"]"), _JSON),
    Item("a line that unpacks to 300 MB", lambda parser: {f"{parser.file('poison')}.gz": gzip.compress(bytes(300_000_000), 9)}, (*_LINES, _CSV, "crawled .jsonl"), slow=True),
    Item("a line of Zstandard that unpacks to 300 MB", lambda parser: {f"{parser.file('poison')}.zst": zstd.compress(bytes(300_000_000))}, ("jsonl_prose", _CSV), slow=True),
    Item("Zstandard with a window of 2 GB", lambda parser: {f"{parser.file('poison')}.zst": b"\x28\xb5\x2f\xfd\x00\xa8" + struct.pack("<I", 4 << 3 | 1)[:3] + b"text"}, ("jsonl_prose", _CSV)),
    Item("a CSV cell of 50 MB", lambda _: {"poison.csv": b'text\n"' + TEXT.encode() * 1_000_000 + b'"\n'}, (_CSV,), very_slow=True),
    Item("a CSV header of 200,000 columns", lambda _: {"poison.csv": ",".join(f"c{number}" for number in range(200_000)).encode() + b"\n" + b"," * 199_999}, (_CSV,)),
    Item("two columns of one name", _twice, (_CSV, _PARQUET, _ARROW)),
    Item("a dictionary of 1,000,000 entries", _one_of_a_million, (_PARQUET, _ARROW)),
    Item("1,000 nested lists", _file(_nested_lists), (_PARQUET,)),
    Item("a column of 10,000 nulls in place of texts", _file(lambda: parquet(pa.table({"text": pa.nulls(10**4)}))), (_PARQUET,)),
    Item("1,000,000 rows in 2.7 KB", _file(lambda: parquet(pa.table({"text": ["a"] * 10**6}))), (_PARQUET,), very_slow=True),
    Item("1,000,000 rows of nulls", lambda parser: {parser.file("poison"): arrow(pa.table({"text": pa.nulls(10**6)}))}, (_ARROW,), very_slow=True),
    Item("a list of 1,000,000 nulls beside the text", _file(lambda: parquet(pa.table({"text": [TEXT], "nulls": [[None] * 10**6]}))), (_PARQUET,)),
    Item("a Parquet cell that unpacks to 300 MB", _file(_packed_cell), (_PARQUET,), slow=True),
    Item("a Parquet footer that tells of 2 GB", _of(lambda content: content[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1"), (_PARQUET,)),
    Item("a Parquet footer with changed bytes", _of(_changed_footer), (_PARQUET,)),
    Item("an Arrow message that tells of 2 GB", _file(lambda: struct.pack("<Ii", 2**32 - 1, 2**31 - 1)), (_ARROW,)),
    Item("a page that unpacks to 200 MB", lambda parser: {"poison.xml.bz2": bz2.compress(b"<mediawiki><page>" + bytes(200_000_000))}, ("mediawiki_dump", "crawled .xml"), slow=True),
    Item("1,000,000 blank lines", _text("\n" * 10**6 + TEXT)),
    Item("1,000,000 spaces behind a line break", _text(f"{TEXT}\n{' ' * 10**6}x"), very_slow=True),
    Item("a tar whose header tells of 8 GB", _file(lambda: _longer_tar(b"77777777777\0")), _TAR),
    Item("a tar whose header tells of a size below 0", _file(lambda: _longer_tar(b"\xff" * 12)), _TAR),
    Item("a tar of 20,000 links that tell of 1 GB", _file(lambda: _link() * 20_000), _TAR),
    Item("a tar of 20,000 empty files", _file(lambda: tar_of(dict.fromkeys(map(str, range(20_000)), b""))), _TAR),
    Item("a PDF that wants a password", lambda parser: {"poison.pdf": printed(TITLE, [("1 Work", [TEXT])], password="x")}, ("pdf",)),
    Item("a PDF of 1,000,000 objects", lambda parser: {"poison.pdf": _million_objects()}, ("pdf",), slow=True),
    Item("a PDF whose page is its own parent", lambda parser: {"poison.pdf": assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R] /Count 9 >>"])}, ("pdf",)),
    Item("32 KB of {{a|", _text("{{a|" * 8_192), ("mediawiki_dump", "wikitext")),
    Item("32 KB of [[ and of '''", _text("[[" * 8_192 + "'''" * 5_461), ("mediawiki_dump", "wikitext")),
    Item("100,000 nested divs", _text("<div>" * 100_000 + TEXT), ("warc", "html", "crawled .html"), very_slow=True),
    Item("30 MB of paragraphs", _text(f"<p>{TEXT}</p>" * 510_000), ("warc", "html"), very_slow=True),
    Item("a gzip bomb as a WARC", lambda _: {"poison.warc.gz": gzip.compress(warc_record("bomb", bytes(200_000_000)), 9)}, ("warc",), very_slow=True),
    Item("a gzip bomb as a body in a WARC", lambda _: {"poison.warc": warc_record("bomb", gzip.compress(bytes(200_000_000), 9), fields="Content-Encoding: gzip\r\n")}, ("warc",), slow=True),
    Item("a WARC record with too small a length", lambda _: {"poison.warc": warc_record("poison", b"<p>" + b"x" * 500, length=99)}, ("warc",)),
    Item("ten seconds of silence", lambda _: {"poison.wav": _wav(bytes(320_000))}, _AUDIO),
    Item("ten seconds of noise", lambda _: {"poison.wav": _wav(random.Random(0).randbytes(320_000))}, _AUDIO),
    Item("a recording of 0 s", lambda _: {"poison.wav": _wav(b"")}, _AUDIO),
    Item("a WAV header that tells of 4 GB", lambda _: {"poison.wav": _wav(bytes(32_000), length=2**32 - 40)}, _AUDIO),
    Item("a WAV header that tells of 1 sample a second", lambda _: {"poison.wav": _wav(bytes(32_000), rate=1)}, _AUDIO),
    Item("a WAV header that tells of 4,000,000,000 samples a second", lambda _: {"poison.wav": _wav(bytes(32_000), rate=4 * 10**9)}, _AUDIO),
    Item("a WAV header that tells of 65,535 channels", lambda _: {"poison.wav": _wav(bytes(32_000), channels=65_535)}, _AUDIO),
    Item("a picture as a recording", lambda _: {"poison.wav": b"\x89PNG\r\n\x1a\n" + bytes(1000)}, _AUDIO),
    Item("ffconcat that names another file, as a recording", lambda parser: {"poison.wav": b"ffconcat version 1.0\nfile good.wav\n"}, _AUDIO),
    Item("SDP that opens a port, as a recording", lambda _: {"poison.mp3": _SDP}, _AUDIO),
    Item("a playlist (m3u8), as a recording", lambda _: {"poison.mp4": b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\ngood.wav\n#EXT-X-ENDLIST\n"}, _AUDIO),
    Item("a WARC record with too large a length", lambda _: {"poison.warc": warc_record("poison", b"<p>" + b"x" * 500, length=10**15)}, ("warc",)),
    Item("a WARC record whose length has 5,000 digits", lambda _: {"poison.warc": warc_record("poison", b"<p>", length="9" * 5_000)}, ("warc",)),
    Item("20,000 WARC records that each claim the next 1 MB", lambda _: {"poison.warc.gz": gzip.compress(_CLAIM * 20_000 + b"x" * 2_000_000)}, ("warc",)),
    Item("10,000,000 line ends behind a WARC record", lambda _: {"poison.warc.gz": gzip.compress(warc_record("poison", b"<p>Text.") + b"\n" * 10**7)}, ("warc",)),
    Item("10,000,000 line ends, packed", lambda parser: {f"{parser.file('poison')}.gz": gzip.compress(b"\n" * 10**7)}, _LINES),
    Item("8,000 CSV lines that each open a quote", lambda _: {"poison.csv": b"text,id\n" + b'x","\n' * 8_000}, (_CSV,)),
)  # fmt: skip


def write(item: Item, parser: Parser, folder: Path) -> None:
    """Place an item next to a sound file."""
    good = {parser.file("good"): parser.make("good", "A Good Title", TEXT)}
    files = {**good, **item.make(parser)}
    for name, content in {**parser.beside(list(files)), **files}.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if item.links and "poison" in name:
            place.symlink_to(content.decode())
        else:
            place.write_bytes(content)
