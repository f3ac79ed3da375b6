"""The poison, item by item: what it is, which parsers meet it, and the files that it is made of.

Belongs here: the items, and writing them to a folder. Not here: what must come of them (docs/poison.md has the
table), who reads them (parsers.py).

`python -m tests.poison FOLDER` writes it all.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.papers_as_pdf import assembled, printed
from tests.poison.parsers import PARSERS, Parser, warc_record

TITLE, TEXT = "A Title", "We measured it twice and it was the same both times."

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Item:
    """What is put beside a sound file of a parser."""

    name: str
    make: Callable[[Parser], Files]
    kinds: tuple[str, ...] = ()
    """The parsers that meet it; none: all whose text can be poisoned."""
    links: bool = False
    """Whether the content of a file is where it links to."""
    slow: bool = False

    def parsers(self) -> Iterator[Parser]:
        """Yield the parsers that meet it."""
        for parser in PARSERS.values():
            if parser.kind in self.kinds or (not self.kinds and not parser.binary):
                yield parser


def _of(change: Callable[[bytes], bytes]) -> Callable[[Parser], Files]:
    """Return a maker of one file: a sound one, changed."""
    return lambda parser: {f"poison{parser.ending}": change(parser.make("poison", TITLE, TEXT))}


def _text(text: str, title: str = TITLE) -> Callable[[Parser], Files]:
    return lambda parser: {f"poison{parser.ending}": parser.make("poison", title, text)}


def _file(content: Callable[[], bytes]) -> Callable[[Parser], Files]:
    return lambda parser: {f"poison{parser.ending}": content()}


def _laughs(root: str) -> bytes:
    entities = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
    return f'<!DOCTYPE x [<!ENTITY a "ha">{entities}]><{root}>&m;</{root}>'.encode()


def _million_objects() -> bytes:
    return assembled(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>", *[b"null"] * 10**6]
    )


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("../../escaped.txt")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"evil"))
    return buffer.getvalue()


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../escaped.txt", "evil")
    return buffer.getvalue()


_YAML = b"a: &a [ha, ha]\n" + b"".join(
    b"%c: &%c [*%c, *%c, *%c]\n" % (98 + n, 98 + n, 97 + n, 97 + n, 97 + n) for n in range(20)
)
_ROOTS = {
    "cl_scisumm": "PAPER",
    "grobid_tei": "TEI",
    "jats": "article",
    "parscit": "algorithms",
    "mediawiki_dump": "page",
}
_ANY = tuple(PARSERS)

ITEMS = (
    Item("a file of no bytes", _file(lambda: b""), _ANY),
    Item("a file of 10,000 NUL bytes", _file(lambda: bytes(10_000)), _ANY),
    Item("a NUL in the text", _text(f"{TEXT} A \x00 sign.")),
    Item("half a surrogate pair in the text", _text(f"{TEXT} A \ud800 sign.")),
    Item("a right-to-left override in the text", _text(f"{TEXT} A \u202e sign.")),
    Item("Latin-1 where UTF-8 is due", lambda parser: {f"poison{parser.ending}": parser.make("poison", "Caf@", TEXT).replace(b"@", b"\xe9")}),
    Item("UTF-16 where UTF-8 is due", _of(lambda content: content.decode().encode("utf-16"))),
    Item("a title of 100,000 characters", _text(TEXT, "Title " * 16_666 + "last")),
    Item("a sentence of 1,000,000 characters", _text("word " * 200_000 + "end.")),
    Item("cut short in the middle", _of(lambda content: content[: len(content) // 2]), _ANY),
    Item("two files of one name", lambda parser: {f"{folder}/poison{parser.ending}": parser.make("poison", TITLE, TEXT) for folder in "ab"}, _ANY),
    Item("a link out of the folder", lambda parser: {f"poison{parser.ending}": b"../../../../../../etc/passwd"}, _ANY, links=True),
    Item("a tar with ../../escaped.txt", lambda _: {"poison.tar.gz": _tar()}, _ANY),
    Item("a zip with ../../escaped.txt", lambda _: {"poison.zip": _zip()}, _ANY),
    Item("YAML of a billion laughs", lambda _: {"poison.yaml": _YAML}, _ANY),
    Item("XML of a billion laughs", lambda parser: {f"poison{parser.ending}": _laughs(_ROOTS[parser.kind])}, tuple(_ROOTS)),
    Item("XML of 100,000 nested elements", lambda parser: {f"poison{parser.ending}": f"<{_ROOTS[parser.kind]}>".encode() + b"<a>" * 100_000}, tuple(_ROOTS)),
    Item("JSON of 100,000 nested lists", _file(lambda: b"[" * 100_000), ("science_parse", "scirex", "s2orc", "unarxive")),
    Item("a PDF that wants a password", lambda parser: {"poison.pdf": printed(TITLE, [("1 Work", [TEXT])], password="x")}, ("pdf",)),
    Item("a PDF of 1,000,000 objects", lambda parser: {"poison.pdf": _million_objects()}, ("pdf",), slow=True),
    Item("a PDF whose page is its own parent", lambda parser: {"poison.pdf": assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R] /Count 9 >>"])}, ("pdf",)),
    Item("32 KB of {{a|", _text("{{a|" * 8_192), ("mediawiki_dump", "wikitext")),
    Item("32 KB of [[ and of '''", _text("[[" * 8_192 + "'''" * 5_461), ("mediawiki_dump", "wikitext")),
    Item("100,000 nested divs", _text("<div>" * 100_000 + TEXT), ("warc", "html"), slow=True),
    Item("30 MB of paragraphs", _text(f"<p>{TEXT}</p>" * 510_000), ("warc", "html"), slow=True),
    Item("a gzip bomb as a WARC", lambda _: {"poison.warc.gz": gzip.compress(warc_record("bomb", bytes(200_000_000)), 9)}, ("warc",), slow=True),
    Item("a gzip bomb as a body in a WARC", lambda _: {"poison.warc": warc_record("bomb", gzip.compress(bytes(200_000_000), 9), fields="Content-Encoding: gzip\r\n")}, ("warc",), slow=True),
    Item("a WARC record with too small a length", lambda _: {"poison.warc": warc_record("poison", b"<p>" + b"x" * 500, length=99)}, ("warc",)),
    Item("a WARC record with too large a length", lambda _: {"poison.warc": warc_record("poison", b"<p>" + b"x" * 500, length=10**15)}, ("warc",)),
)  # fmt: skip


def write(item: Item, parser: Parser, folder: Path) -> None:
    """Put an item beside a sound file."""
    good = {f"good{parser.ending}": parser.make("good", "A Good Title", TEXT)}
    for name, content in {**good, **item.make(parser)}.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if item.links and not name.startswith("good"):
            place.symlink_to(content.decode())
        else:
            place.write_bytes(content)
