"""Print papers as PDF: one or two columns, headings, running heads, page numbers, hyphens, footnotes.

Belongs here: the writer of such files, for tests and benchmarks that know the text. Not here: reading them
back.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence

WIDTH, HEIGHT, MARGIN, GAP = 595.0, 842.0, 60.0, 20.0
SIZE, LEADING = 10.0, 12.0
FONTS = {"R": "Times-Roman", "B": "Times-Bold", "I": "Times-Italic", "C": "Courier"}
#: The font "M" has a sign without Unicode, like the symbols of some formulas.
NO_UNICODE = "\x03"
_SIGNS = (
    b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 3 "
    b"/LastChar 3 /Widths [500] /Encoding << /Type /Encoding /Differences [3 /sign] >> "
    b"/CharProcs << /sign %d 0 R >> >>"
)
_SIGN = b"500 0 d0 0 0 400 400 re f"
#: The padding of passwords (ISO 32000-1, 7.6.3.3).
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


#: Widths of the printable ASCII characters, in thousandths of the font size, from Adobe's metrics.
WIDTHS = {
    "R": [
        250, 333, 408, 500, 500, 833, 778, 333, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667,
        722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722,
        722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500,
        500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500,
        444, 480, 200, 480, 541,
    ],
    "B": [
        250, 333, 555, 500, 500, 1000, 833, 333, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500,
        500, 500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722,
        722, 667, 611, 778, 778, 389, 500, 778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722,
        722, 1000, 722, 722, 667, 333, 278, 333, 581, 500, 333, 500, 556, 444, 556, 444, 333, 500,
        556, 278, 333, 556, 278, 833, 556, 500, 556, 556, 444, 389, 333, 556, 500, 722, 500, 500,
        444, 394, 220, 394, 520,
    ],
}  # fmt: skip
WIDTHS["I"] = WIDTHS["M"] = WIDTHS["R"]
WIDTHS["C"] = [600] * 95


def width(text: str, font: str, size: float) -> float:
    known = WIDTHS[font]
    return sum(known[byte - 32] if 32 <= byte < 127 else 500 for byte in _bytes(text)) * size / 1000


def _bytes(text: str) -> bytes:
    return text.encode("cp1252", "replace")


class Printer:
    """Lays text out in columns, page by page."""

    def __init__(self, columns: int, head: str, leading: float = LEADING) -> None:
        self.columns, self.head, self.leading = columns, head, leading
        self.column_width = (WIDTH - 2 * MARGIN - GAP * (columns - 1)) / columns
        self.pages: list[list[bytes]] = []
        self.new_page()

    def new_page(self) -> None:
        self.pages.append([])
        self.column, self.top = 0, HEIGHT - MARGIN
        self.bottom = MARGIN
        self.y = self.top
        if self.head:
            self.put(self.head, MARGIN, HEIGHT - 35, "R", 8)
        self.put(str(len(self.pages)), WIDTH / 2, 30, "R", SIZE)

    def put(self, text: str, x: float, y: float, font: str = "R", size: float = SIZE) -> None:
        written = _bytes(text).replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        self.pages[-1].append(
            b"BT /%s %.1f Tf %.2f %.2f Td (%s) Tj ET" % (font.encode(), size, x, y, written)
        )

    def line(self, text: str, indent: float = 0.0, font: str = "R", size: float = SIZE) -> None:
        if self.y - self.leading < self.bottom:
            self.column += 1
            self.y = self.top
            if self.column == self.columns:
                self.new_page()
        self.y -= self.leading
        left = MARGIN + self.column * (self.column_width + GAP)
        self.put(text, left + indent, self.y, font, size)

    def title(self, text: str) -> None:
        """Print across all columns, at the top of the page."""
        for line in wrapped(text.split(), WIDTH - 2 * MARGIN, "B", 16, 0, False):
            self.y -= 20
            self.put(line, MARGIN, self.y, "B", 16)
        self.y -= 20
        self.top = self.y

    def heading(self, text: str) -> None:
        self.y -= 6
        for line in wrapped(text.split(), self.column_width, "B", 12, 0, False):
            self.line(line, 0, "B", 12)
        self.y -= 2

    def paragraph(self, text: str, hyphens: bool = True) -> None:
        for index, line in enumerate(wrapped(text.split(), self.column_width, "R", SIZE, 10, hyphens)):
            self.line(line, 10 if index == 0 else 0)

    def footnote(self, text: str) -> None:
        """Print in small type at the bottom of this column."""
        lines = list(wrapped(text.split(), self.column_width, "R", 8, 0, False))
        left = MARGIN + self.column * (self.column_width + GAP)
        self.bottom = MARGIN + 9 * len(lines) + 6
        for index, line in enumerate(lines):
            self.put(line, left, MARGIN + 9 * (len(lines) - 1 - index), "R", 8)

    def content(self, password: str = "") -> bytes:
        return document([b"\n".join(page) for page in self.pages], password)


def wrapped(
    words: Sequence[str], room: float, font: str, size: float, indent: float, hyphens: bool
) -> Iterator[str]:
    line, left = "", room - indent
    for word in words:
        longer = f"{line} {word}" if line else word
        if width(longer, font, size) <= left:
            line = longer
            continue
        if hyphens and word.isalpha() and word.islower() and len(word) > 7:
            cut = len(word) // 2
            if width(f"{line} {word[:cut]}-", font, size) <= left:
                yield f"{line} {word[:cut]}-"
                line, left = word[cut:], room
                continue
        yield line
        line, left = word, room
    if line:
        yield line


def document(pages: Sequence[bytes], password: str = "", drawing: bytes = b"") -> bytes:
    """Return a PDF of content streams; with a password, encrypted with 40-bit RC4.

    A page includes the `drawing` with "/Drawing Do".
    """
    first = 4 + len(FONTS)
    kids = " ".join(f"{first + 2 * index} 0 R" for index in range(len(pages)))
    fonts = " ".join(f"/{font} {number} 0 R" for number, font in enumerate([*FONTS, "M"], 3))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in FONTS.values()
        ),
        _SIGNS % (first + 2 * len(pages) + 1),
    ]
    key = _key(password) if password else None
    last = first + 2 * len(pages)
    for index, page in enumerate(pages):
        number = first + 1 + 2 * index
        stream = zlib.compress(page)
        if key is not None:
            digest = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0", usedforsecurity=False).digest()
            stream = _rc4(digest[:10], stream)
        objects += [
            (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {number} 0 R "
                f"/Resources << /Font << {fonts} >> /XObject << /Drawing {last} 0 R >> >> >>"
            ).encode(),
            b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    resources = f"/Resources << /Font << {fonts} >> >>".encode()
    objects.append(
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 %d %d] %s /Length %d >>\nstream\n%s\nendstream"
        % (WIDTH, HEIGHT, resources, len(drawing), drawing)
    )
    objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(_SIGN), _SIGN))
    trailer = "/ID [<00><00>]"
    if key is not None:
        user, owner = _rc4(key, _PADDING).hex(), _OWNER.hex()
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /O <{owner}> /U <{user}> /P -4 >>".encode())
        trailer += f" /Encrypt {len(objects)} 0 R"
    return assembled(objects, trailer)


def assembled(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Return a PDF of numbered objects; the first is its catalogue."""
    pieces, offsets, length = [b"%PDF-1.4\n"], [], 9
    for number, body in enumerate(objects, 1):
        offsets.append(length)
        pieces.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        length += len(pieces[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    pieces.append(
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, trailer.encode(), length)
    )
    return b"".join(pieces)


_OWNER = bytes(32)


def _key(password: str) -> bytes:
    padded = (password.encode() + _PADDING)[:32]
    permissions = (-4).to_bytes(4, "little", signed=True)
    return hashlib.md5(padded + _OWNER + permissions + b"\0", usedforsecurity=False).digest()[:5]


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    found = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        found.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(found)


def printed(
    title: str,
    sections: Sequence[tuple[str, Sequence[str]]],
    columns: int = 2,
    head: str = "Proceedings of the Ninth Workshop, June 2018",
    password: str = "",
) -> bytes:
    """Return a paper, given as (heading, paragraphs), as PDF."""
    printer = Printer(columns, head)
    printer.title(title)
    for heading, paragraphs in sections:
        if heading:
            printer.heading(heading)
        for paragraph in paragraphs:
            printer.paragraph(paragraph)
    return printer.content(password)
