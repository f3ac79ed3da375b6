"""Text in encodings other than UTF-8: declared in params.yaml, or guessed.

Belongs here: finding the encoding of a record and converting its bytes to UTF-8. Not here: which characters
are text (decoding.py), what the text contains (the formats).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from chardetng_py import detect
from resiliparse.parse.encoding import detect_encoding

from silverloom.ops.parse.source import Raw

#: Decodes bytes and names their likely encoding; None if it cannot tell.
Guess: TypeAlias = Callable[[bytes], tuple[str, str] | None]


def any_encoding(form: object) -> bool:
    """Say whether a format declares that its records are text that does not state its own encoding."""
    return bool(getattr(form, "any_encoding", False))


def of_lines(form: object) -> bool:
    """Say whether a format declares that it finds its records by line ends, in bytes."""
    return bool(getattr(form, "of_lines", False))


#: Runs of non-ASCII bytes, merged if at most 200 ASCII bytes separate them.
_FOREIGN = re.compile(rb"[\x80-\xff]++(?:[\x00-\x7f]{1,200}+[\x80-\xff]++)*+")
#: Bytes of context around these for guessing the encoding, and maximum bytes in all.
_AROUND, _SAMPLE = 30, 20_000
#: Zeros among the bytes of UTF-16, and their share: white space and markup alone are more.
_LEAST_ZEROS, _LEAST_SHARE = 2, 0.1
_ASCII, _ASCII_BYTES = re.compile("[\x00-\x7f]+"), re.compile(rb"[\x00-\x7f]+")
_REPLACEMENT = "\ufffd".encode()
_WESTERN = "cp1252"
#: Encodings of other Latin letters, by their names in Python.
_OTHER_LATIN = frozenset(
    {"cp1250", "cp1254", "cp1257", *(f"iso8859-{part}" for part in (2, 3, 4, 10, 13, 16))}
)
_CENTRAL = ("cp1250", "iso8859-2")
_BALTIC = frozenset({"cp1257", "iso8859-4", "iso8859-10", "iso8859-13"})
#: In Windows-1252 the signs of "SPSS\u00ae", "\u00a9 2004" and "5 \u00b5g", in other encodings letters.
_SIGN = re.compile(rb"(?<![\x80-\xff])[\xa9\xae](?![A-Za-z\x80-\xff])|(?<=\d)\s?\xb5(?=(?:[glmsALMV]|mol)\b)")
#: What languages of Latin letters that Windows-1252 lacks are usually written in.
_USUAL = {
    **dict.fromkeys(("bs", "cs", "hr", "hu", "pl", "ro", "sk", "sl", "sr"), _CENTRAL),
    **dict.fromkeys(("az", "tr"), ("cp1254",)),
    **dict.fromkeys(("lt", "lv"), ("cp1257",)),
}
#: In Windows-1252, what no word has, and in other encodings is a letter.
_SIGN_IN_WORD = re.compile(
    "[^\\W\\d_][\u00a1-\u00a3\u00a5\u00a7\u00b1-\u00b3\u00b6\u00b9\u00bc\u00be\u00bf][^\\W\\d_]"
)
_WORD, _ASCII_LETTER, _TAG = re.compile(r"[^\W\d_]{2,}"), re.compile("[A-Za-z]"), re.compile("<[^>]*>")
#: Those of UTF-32 last; one of them begins with one of UTF-16.
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def encoding_fault(name: str, lines: bool = False) -> str | None:
    """Return why a source's `encoding:` cannot be used (for `lines` or whole files), or None if it can."""
    try:
        "".encode(name)  # accepts text encodings only
    except (LookupError, ValueError):
        return f"unknown encoding {name!r}; for instance utf-8, windows-1252, iso-8859-15, shift_jis"
    if lines and not tells_lines(name):
        return f"lines cannot be found in {name}; use an encoding like utf-8 or windows-1252"
    return None


def tells_lines(name: str) -> bool:
    """Say whether an encoding preserves ASCII, so that lines and commas can be found in bytes."""
    ascii_signs = bytes(range(32, 127))
    shifts = codecs.lookup(name).name.replace("_", "").startswith(("iso2022", "hz", "utf-7", "utf7"))
    return not shifts and ascii_signs.decode(name, "replace") == ascii_signs.decode()


def in_utf8(raw: Raw, encoding: str, guess: Guess | None = None) -> Raw:
    """Return a record with its bytes converted to UTF-8.

    `encoding` is the declared encoding of the whole source. If it is empty, a record is UTF-8 or else
    converted from the encoding that `guess` (by default `guessed`) finds. A record that is not in the
    declared encoding gets an error. A record whose encoding cannot be guessed is returned unchanged.
    """
    if raw.error is not None or not raw.content:
        return raw
    wide = None if encoding else wide_encoding(raw.content)
    if wide and raw.row is not None:
        return raw  # its end was looked for in bytes; the parser reports it
    if not wide and is_utf8(raw.content) and (not encoding or tells_lines(encoding)):
        return raw
    if not encoding:
        decoded = decoded_as(raw.content, wide) if wide else (guess or guessed)(raw.content)
        if decoded is None:
            return raw
        text, name = decoded
        return replace(raw, content=text.encode(), encoding=name, guessed=True)
    name = codecs.lookup(encoding).name
    if name == "utf-8":
        return raw  # the parser reports where it is invalid
    try:
        return replace(raw, content=raw.content.decode(encoding).encode(), encoding=name)
    except UnicodeError as error:
        return replace(raw, error=f"not {encoding}: {error}")


def guessed(content: bytes) -> tuple[str, str] | None:
    """Return decoded text and the name of the most likely encoding; None if none fits.

    UTF-8 with a few broken bytes gives None, too: another encoding would fit, but garble all its non-ASCII
    letters.
    """
    return None if damaged_utf8(content) else decoded_as(content, guess_of(content))


def guess_of(content: bytes) -> str | None:
    """Return the most likely encoding of bytes that are not UTF-8, or None if unknown.

    Windows-1252 unless the bytes are surely in another one: it is the fallback of browsers (HTML Standard,
    13.2.3.2).
    """
    return guess_sample(_sample(content))


def decoded_as(content: bytes, name: str | None) -> tuple[str, str] | None:
    """Return decoded text and the name of the encoding; None if there is no name or decoding fails."""
    if name is None:
        return None
    try:
        return content.decode(name), codecs.lookup(name).name
    except UnicodeError:
        return None


def is_utf8(content: bytes) -> bool:
    """Say whether bytes are valid UTF-8 (ASCII is)."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def wide_encoding(content: bytes) -> str | None:
    """Return "utf-16" for text with its byte order mark, "utf-16-le" or "utf-16-be" without one, or None.

    Of its common characters, every second byte is zero; in text of other encodings no byte is.
    """
    if content.startswith(_MARKS):
        return "utf-32" if content.startswith(_MARKS[2:]) else "utf-16"
    start = content[:_SAMPLE]
    if b"\0" not in start:
        return None
    even, odd = start[::2].count(0), start[1::2].count(0)
    if min(even, odd) > 0 or max(even, odd) < max(_LEAST_ZEROS, len(start) * _LEAST_SHARE):
        return None
    return "utf-16-be" if even else "utf-16-le"


def damaged_utf8(content: bytes) -> bool:
    """Say whether bytes are UTF-8 with no more faults than intact letters, or with lone surrogates.

    A letter that is cut short is one fault. In text of other encodings, most letters are.
    """
    letters = _ASCII.sub("", content.decode("utf-8", "replace"))
    faults = letters.count("\ufffd") - content.count(_REPLACEMENT)
    # The beginning of quotes and dashes, also where they are cut: "a-circumflex, euro" in Windows-1252.
    intact = len(letters) - faults + content.count(b"\xe2\x80")
    try:
        content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return intact >= faults
    return True


def _sample(content: bytes) -> bytes:
    """Return the surroundings of non-ASCII bytes."""
    spans = islice((match.span() for match in _FOREIGN.finditer(content)), _SAMPLE // _AROUND)
    samples = (content[max(0, start - _AROUND) : end + _AROUND] for start, end in spans)
    return b"\n".join(samples)[:_SAMPLE]


def guess_sample(sample: bytes) -> str | None:
    """Return the likely encoding of a sample of bytes, or None if unknown.

    chardetng guesses, which knows the pairs of letters of each encoding. A few letters of Windows-1252 look
    like another encoding to it. So another script has to make up whole words. Between Latin letters the
    language decides, which the ASCII letters tell. Where that tells nothing, as of a passage within a page of
    English, resiliparse has to find letters that are not of Windows-1252, too, or those of Windows-1252 make
    up no words. A single letter is of no Baltic encoding, as that of "Troms\u00f8". Signs of trademarks tell
    nothing.
    """
    if b"\0" in sample:
        return None
    sample = _SIGN.sub(b" ", sample)
    if sample.isascii():
        return _WESTERN
    first = _python_name(detect(sample))
    if first != _WESTERN and first not in _OTHER_LATIN:
        return first if _is_script(sample.decode(first, "replace")) else _WESTERN
    guesses = [first, _python_name(detect_encoding(sample) or _WESTERN)]
    if usual := _USUAL.get(_language(sample)):
        return next((guess for guess in guesses if guess in usual), usual[0])
    if first in _BALTIC and len(set(_ASCII_BYTES.sub(b"", sample))) == 1:
        return _WESTERN
    if _SIGN_IN_WORD.search(sample.decode(_WESTERN, "replace")) or guesses[1] in _OTHER_LATIN:
        return first
    return _WESTERN


def _python_name(encoding: str) -> str:
    return codecs.lookup(encoding).name


def _is_script(text: str) -> bool:
    """Say whether a text is in another script. Western letters read as such become words of both."""
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    return sum(_ASCII_LETTER.search(word) is None for word in words) * 2 > len(words)


def _language(sample: bytes) -> str:
    """Return the likely language (ISO 639-1) of a text of Latin letters."""
    from py3langid import classify  # the import takes a third of a second

    return str(classify(_TAG.sub(" ", sample.decode(_WESTERN, "replace")))[0])
