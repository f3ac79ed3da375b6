"""The bytes of a web page: whether they are text at all, their encoding, and their text.

Belongs here: what the bytes tell where servers declare something else. Not here: the paragraphs of a page
(web.py), HTTP (warc.py), text files of unknown encoding (encodings.py).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from resiliparse.parse.encoding import map_encoding_to_html5

from silverloom.ops.parse.encodings import damaged_utf8, guess_of, wide_encoding

#: What files begin with (WHATWG, MIME Sniffing, sections 6 and 7).
_SIGNATURES = {
    b"%PDF-": "a PDF", b"%!PS": "PostScript", b"{\\rtf": "RTF", b"\xd0\xcf\x11\xe0": "an Office document",
    b"\xff\xd8\xff": "a JPEG image", b"\x89PNG\r\n\x1a\n": "a PNG image", b"GIF8": "a GIF image",
    b"RIFF": "an image, sound or film (RIFF)", b"OggS": "sound or film (Ogg)", b"ID3": "sound (MP3)",
    b"PK\x03\x04": "a ZIP archive", b"\x1f\x8b": "compressed (gzip)", b"BZh": "compressed (bzip2)",
    b"\xfd7zXZ": "compressed (xz)", b"\x28\xb5\x2f\xfd": "compressed (zstd)",
    b"wOFF": "a font", b"wOF2": "a font", b"\x7fELF": "a program",
}  # fmt: skip
#: An XML declaration, if any, and the name of the first element.
_ROOT = re.compile(
    rb"\s*(<\?xml\b[^>]*>)?(?:\s|<!--(?:(?!-->).)*-->|<(?:\?|!(?!--))[^>]*>)*+<([A-Za-z][\w:.-]{0,40})",
    re.DOTALL,
)
_FEEDS = frozenset(
    {b"rss", b"feed", b"rdf:rdf", b"urlset", b"sitemapindex", b"svg", b"opml", b"opensearchdescription"}
)
#: Comments of scripts and style sheets.
_REMARKS = rb"(?:\s|/\*(?:(?!\*/).)*\*/|//[^\n]*\n)*+"
#: How text begins that is no page. Prose may begin with "var", but not with these signs behind it.
_OTHER_TEXT = {
    "JSON": re.compile(rb"\s*(?:\{\s*(?:\"[^\"]*\"\s*:|\}\s*\Z)|\[\s*(?:[\[{\"]|\]\s*\Z))"),
    "a style sheet": re.compile(
        _REMARKS + rb"(?:@(?:charset|import|media|font-face|namespace|keyframes)\b[^<>]*?[;{]"
        rb"|[^{}<>;]{1,200}\{\s*[a-z-]{2,40}\s*:[^{}<>;]{1,200}[;}])",
        re.DOTALL,
    ),
    "a script": re.compile(
        _REMARKS
        + rb"(?:(?:var|let|const)\s[^<>\n]{1,80}?=|[!;(+]*function\b[^<>\n{]{0,80}\(|[\"']use strict[\"']"
        rb"|(?:window|document|self|this|jQuery|\$|console|module|exports|dataLayer)\s*[.(\[]"
        rb"|import\s[^<>\n]{1,80}\sfrom\s[\"']|[\w.$]{1,40}\(\s*[{\[]\s*[\"{\]}])",
        re.DOTALL,
    ),
}
_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SNIFFED = 1445
#: Text has at most one control character in so many bytes; one in ten of random bytes is one.
_MOST_CONTROLS = 20
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\b[^>]{0,200}?(?:encoding\s*=\s*[\"']([\w.:-]+))?[^>]{0,200}>", re.IGNORECASE)

#: "10" with a raised number, which extractors would read as one number.
_POWER = re.compile(
    r"(?<!\d)(10\s?)<sup\b[^<>]{0,200}>\s*([-+\u2212\u2013]?\d{1,6})\s*</sup\s*>", re.IGNORECASE
)
_EMPTY_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*?)?)\s*/>")
_VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
}  # fmt: skip


def not_text(content: bytes) -> str | None:
    """Return what bytes are if they are no text ("a PDF"), or None."""
    if content.startswith(tuple(_MARKS)):
        return None
    for signature, name in _SIGNATURES.items():
        if content.startswith(signature):
            return name
    if wide_encoding(content):
        return None
    start = content[:_SNIFFED]
    return "binary data" if len(_NO_TEXT.findall(start)) * _MOST_CONTROLS > len(start) else None


def other_text(content: bytes) -> str | None:
    """Return what text is if it is no page ("JSON"), judging by how it begins, or None."""
    start = content[:_SNIFFED].removeprefix(codecs.BOM_UTF8)
    if (root := _ROOT.match(start)) and root[2].lower() not in (b"html", b"head", b"body"):
        if root[1] or root[2].lower() in _FEEDS:
            return f"XML ({root[2].decode('ascii')})"
        return None
    return next((name for name, pattern in _OTHER_TEXT.items() if pattern.match(start)), None)


def html_text(content: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the text of a page and its encoding; `content_type` is the HTTP header.

    UTF-8 wins over what is declared, also with a few broken bytes, each of which becomes U+FFFD; then what
    is declared, if it fits; then a guess, which is Windows-1252 for text of Latin letters in most cases. An
    exponent of ten follows "^". In XHTML, empty elements get an end tag, because a parser of
    HTML would read on to the end of the page for it.
    """
    encoding = _encoding(content, content_type)
    text = _POWER.sub(r"\1^\2", content.decode(encoding, "replace").removeprefix("\ufeff"))
    if "xhtml" in content_type or content.lstrip()[:5] == b"<?xml" or b"/1999/xhtml" in content[:1024]:
        text = _EMPTY_ELEMENT.sub(_with_end_tag, text)
    return text, encoding


def _with_end_tag(element: re.Match[str]) -> str:
    name, attributes = element.groups()
    return element.group() if name.lower() in _VOID else f"<{name}{attributes}></{name}>"


def _encoding(content: bytes, content_type: str) -> str:
    mark = next((name for mark, name in _MARKS.items() if content.startswith(mark)), wide_encoding(content))
    if mark:
        return mark
    names = list(_declared(content, content_type))
    if b"\x1b" in content and (escaping := [name for name in names if name.startswith("iso2022")]):
        return escaping[0]
    if _is_sound(content, "utf-8", 0) or damaged_utf8(content):
        return "utf-8"
    if sound := next((name for name in names if _is_sound(content, name)), None):
        return sound
    guess = guess_of(content)
    return guess if guess and _is_sound(content, guess) else "utf-8"


def _declared(content: bytes, content_type: str) -> Iterator[str]:
    """Yield the encodings that HTTP, the page and its XML declaration name, as HTML calls them."""
    matches = (_CHARSET.search(content_type), _META.search(content[:2048]), _XML.match(content[:512]))
    for name in (match[1] for match in matches if match and match[1]):
        label = name if isinstance(name, str) else name.decode("ascii", "replace")
        if encoding := map_encoding_to_html5(label, fallback_utf8=False):
            yield str(encoding)


def _is_sound(content: bytes, encoding: str, faults: int = 1) -> bool:
    """Say whether a page decodes in this encoding, allowing some bad characters per thousand bytes."""
    try:
        text = content.decode(encoding, "replace")
    except (LookupError, ValueError):
        return False
    return text.count("\ufffd") * 1000 <= faults * len(content)
