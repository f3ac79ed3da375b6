"""The paragraphs of a web page, each with a score that tells boilerplate, and the language of the page.

Belongs here: from HTML to paragraphs by resiliparse. Not here: where the HTML is from (page.py).

Nothing is left out: all visible text is there, with its score. A paragraph that resiliparse's rules take for
the main content scores below 0.5, any other from 0.5 on; in each half a long one scores less than a short
one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import compress
from typing import Annotated, NamedTuple

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import HTMLTree
from resiliparse.parse.lang import detect_fast

from ops.parse.bounded.columns import ByColumn
from ops.text.space import fold

#: Boilerplate begins here; what the benchmark takes for the main text scores less.
BOILERPLATE = 0.5
#: Words of a paragraph of the middling length: it scores halfway between the bounds of its half.
_MIDDLING = 10
#: Where resiliparse finds fewer words of main content than this share, it has missed it.
_LEAST_SHARE, _PROSE_WORDS = 0.05, 15

#: A paragraph that shares so many of its words with main content is that content, worded otherwise.
_SAME_WORDS = 0.5

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SPLIT = re.compile(r"\n+")
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_SENTENCE = re.compile(r"[.!?\u2026\u3002][\"')\]\u2019\u201d]{0,3}(?:\s|$)")


class Paragraph(NamedTuple):
    """A paragraph, white space folded, and how much it looks like boilerplate, 0 to 1."""

    text: str
    boilerplate: float


class HtmlPage(NamedTuple):
    """A page; `language` is a code, "unknown" where it cannot be told, `distance` low where that is sure."""

    title: str
    encoding: str
    language: str
    distance: int
    paragraphs: Annotated[tuple[Paragraph, ...], ByColumn()]


def page_of(content: bytes, content_type: str = "") -> HtmlPage:
    """Return the paragraphs of HTML; `content_type` is that of HTTP, which may name the encoding."""
    encoding = _encoding(content, content_type)
    tree = HTMLTree.parse(bytes_to_str(content, encoding, errors="replace", strip_bom=True))
    paragraphs = _scored(list(_aligned(list(_paragraphs(tree, False)), list(_paragraphs(tree, True)))))
    main = " ".join(found.text for found in paragraphs if found.boilerplate < BOILERPLATE)
    language, distance = detect_fast(main or " ".join(found.text for found in paragraphs))
    return HtmlPage(
        fold(_NO_TEXT.sub(" ", tree.title or "")), encoding, language, distance, tuple(paragraphs)
    )


def _encoding(content: bytes, content_type: str) -> str:
    """Return the encoding: UTF-8 where that is sound, else what HTTP says, the page itself, or its bytes."""
    with suppress(UnicodeDecodeError):
        content.decode()
        return "utf-8"
    named, meta = _CHARSET.search(content_type), _META.search(content[:2048])
    for name in (named[1] if named else "", meta[1].decode("ascii", "replace") if meta else ""):
        if name and _is_sound(content, name):
            return str(map_encoding_to_html5(name))
    return str(detect_encoding(content))


def _is_sound(content: bytes, encoding: str) -> bool:
    """Tell whether a page decodes as it says, but for a sign in a thousand."""
    try:
        return content.decode(encoding, "replace").count("\ufffd") * 1000 <= len(content)
    except (LookupError, ValueError):
        return False


def _paragraphs(tree: HTMLTree, main: bool) -> Iterator[str]:
    text = extract_plain_text(
        tree, main_content=main, preserve_formatting=True, alt_texts=False, list_bullets=False
    )
    for block in _SPLIT.split(_NO_TEXT.sub(" ", text)):
        if paragraph := fold(block):
            yield paragraph


def _aligned(every: Sequence[str], main: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield all paragraphs in their order, each with whether it is main content.

    Main content may be worded otherwise, without elements that are hidden: then it stands for the paragraph
    that it shares most of its words with.
    """
    places: dict[str, list[int]] = {}
    for index, text in enumerate(main):
        places.setdefault(text, []).append(index)
    done = 0
    waiting: list[str] = []
    paragraphs: list[str | None] = [*every, None]
    for paragraph in paragraphs:
        if paragraph is None:
            following = len(main)
        else:
            found = places.get(paragraph, [])
            place = bisect_left(found, done)
            if place == len(found):
                waiting.append(paragraph)
                continue
            following = found[place]
        others = main[done:following]
        known = Counter(word for other in others for word in other.split())
        for outside in waiting:
            words = Counter(outside.split())
            if (words & known).total() < _SAME_WORDS * words.total():
                yield outside, False
        waiting.clear()
        for other in others:
            yield other, True
        if paragraph is not None:
            yield paragraph, True
        done = following + 1


def _scored(aligned: Sequence[tuple[str, bool]]) -> list[Paragraph]:
    lengths = [len(paragraph.split()) for paragraph, _ in aligned]
    inside = [is_main for _, is_main in aligned]
    if sum(compress(lengths, inside)) < _LEAST_SHARE * sum(lengths):
        inside = [
            length >= _PROSE_WORDS and _SENTENCE.search(paragraph) is not None
            for (paragraph, _), length in zip(aligned, lengths, strict=True)
        ]
    return [
        Paragraph(paragraph, round((not is_main) / 2 + _MIDDLING / (_MIDDLING + length) / 2 - 1e-4, 4))
        for (paragraph, _), length, is_main in zip(aligned, lengths, inside, strict=True)
    ]


def main_text(content: bytes, content_type: str = "") -> str:
    """Return the text of the paragraphs that are no boilerplate."""
    page = page_of(content, content_type)
    return "\n".join(found.text for found in page.paragraphs if found.boilerplate < BOILERPLATE)
