"""Text in other encodings than UTF-8: read by what params.yaml declares, or by a guess.

Belongs here: which encoding a record is in, and its bytes in UTF-8. Not here: which characters are text
(decoding.py), what the text holds (the formats).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from ops.parse.source import Raw

#: What gives bytes as text, and the encoding that they seem to be in; None where that cannot be told.
Guess: TypeAlias = Callable[[bytes], tuple[str, str] | None]


def any_encoding(form: object) -> bool:
    """Say whether a format's records are text that does not tell its encoding itself: then it says so."""
    return bool(getattr(form, "any_encoding", False))


def of_lines(form: object) -> bool:
    """Say whether a format finds its records by the ends of lines, in bytes: then it says so."""
    return bool(getattr(form, "of_lines", False))


#: Stretches of bytes that are no ASCII, with less than 200 that are between two.
_FOREIGN = re.compile(rb"[\x80-\xff]++(?:[\x00-\x7f]{1,200}+[\x80-\xff]++)*+")
#: Bytes around these by which the encoding is guessed, and how many of them in all.
_AROUND, _SAMPLE = 100, 20_000
_ASCII, _BROKEN = re.compile("[\x00-\x7f]+"), re.compile("[\udc80-\udcff]+")
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def encoding_fault(name: str, lines: bool = False) -> str | None:
    """Return why `encoding:` of a source, of `lines` or not, cannot be used; None where it can."""
    try:
        "".encode(name)  # which knows text encodings alone
    except (LookupError, ValueError):
        return f"unknown encoding {name!r}; for instance utf-8, windows-1252, iso-8859-15, shift_jis"
    if lines and not tells_lines(name):
        return f"in {name} no lines can be told; one like utf-8 or windows-1252 is needed"
    return None


def tells_lines(name: str) -> bool:
    """Say whether signs of ASCII are themselves in an encoding, so that lines and commas can be found."""
    ascii_signs = bytes(range(32, 127))
    shifts = codecs.lookup(name).name.replace("_", "").startswith(("iso2022", "hz", "utf-7", "utf7"))
    return not shifts and ascii_signs.decode(name, "replace") == ascii_signs.decode()


def in_utf8(raw: Raw, encoding: str, guess: Guess | None = None) -> Raw:
    """Return a record with its bytes in UTF-8.

    `encoding` is what all of the source is in; empty for UTF-8, or what a `guess` says of the record where it
    is not, by default `guessed`. What is not in the declared encoding gets an error, and what nobody can
    guess stays as it is.
    """
    if raw.error is not None or not raw.content:
        return raw
    if is_utf8(raw.content) and (not encoding or tells_lines(encoding)):
        return raw
    if not encoding:
        found = (guess or guessed)(raw.content)
        if found is None:
            return raw
        text, name = found
        return replace(raw, content=text.encode(), encoding=name, guessed=True)
    name = codecs.lookup(encoding).name
    if name == "utf-8":
        return raw  # whoever parses it says where it is not
    try:
        return replace(raw, content=raw.content.decode(encoding).encode(), encoding=name)
    except UnicodeError as error:
        return replace(raw, error=f"not {encoding}: {error}")


def guessed(content: bytes) -> tuple[str, str] | None:
    """Return bytes as text, and the encoding that they are in as far as can be told; None where none fits.

    Of encodings that are as likely, Windows-1252 is taken: that of most files which are not UTF-8. None as
    well for UTF-8 with some broken bytes: another encoding would fit, and make rubbish of all its letters.
    """
    return None if damaged_utf8(content) else decoded_as(content, guess_of(content))


def guess_of(content: bytes) -> str | None:
    """Return the encoding that bytes are most likely in, None where that cannot be told."""
    return guess_sample(_sample(content))


def decoded_as(content: bytes, name: str | None) -> tuple[str, str] | None:
    """Return bytes as text, and the name of their encoding; None where they are in none, or not in that."""
    if name is None:
        return None
    try:
        return content.decode(name), codecs.lookup(name).name
    except UnicodeError:
        return None


def is_utf8(content: bytes) -> bool:
    """Say whether bytes are UTF-8, as those of ASCII are."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def damaged_utf8(content: bytes) -> bool:
    """Say whether bytes are UTF-8 but for fewer bytes than it has letters, or for halves of pairs."""
    text = content.decode("utf-8", "surrogateescape")
    foreign = _ASCII.sub("", text)
    broken = len(foreign) - len(_BROKEN.sub("", foreign))
    try:
        content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return len(foreign) > 2 * broken
    return True


def _sample(content: bytes) -> bytes:
    """Return the beginning of a text with a byte order mark, else the surroundings of what is no ASCII."""
    if content.startswith(_MARKS):
        return content[:_SAMPLE]
    spans = islice((match.span() for match in _FOREIGN.finditer(content)), _SAMPLE // _AROUND)
    found = (content[max(0, start - _AROUND) : end + _AROUND] for start, end in spans)
    return b"\n".join(found)[:_SAMPLE]


def guess_sample(sample: bytes) -> str | None:
    """Return the encoding that some bytes are likely in, None where it is not to be told."""
    from charset_normalizer import from_bytes

    if b"\0" in sample and not sample.startswith(_MARKS):
        return None
    matches = from_bytes(sample)
    best = matches.best()
    if best is None:
        return None
    as_likely = (match for match in matches if match.chaos <= best.chaos)
    western = any("cp1252" in (match.encoding, *match.could_be_from_charset) for match in as_likely)
    return "cp1252" if western else best.encoding
