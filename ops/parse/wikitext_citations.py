"""The addresses that a wikitext cites, and the spans of nested markup.

Belongs here: references, templates of works and lists of works, with their addresses; pairs of opening and
closing marks, in one pass. Not here: what is shown in their place (wikitext.py).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

_REF = re.compile(r"<ref\b([^<>]{0,2000}?)(/?)>", re.IGNORECASE)
_REF_END = re.compile(r"</ref\s*>", re.IGNORECASE)
_NAME = re.compile(r"name\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'/>]+)", re.IGNORECASE)
_URL = re.compile(r"(?<![\w-])https?://(?:[^\s|\]\[{}<>\"']|'(?!'))+")
_ARCHIVE = re.compile(r"archive-?url\s*=\s*\Z", re.IGNORECASE)
#: Templates of cited works, in the languages with the most articles; and the templates around lists of works.
_CITE = re.compile(
    r"\{\{\s*(?:cite|citation|cita|citar|citeer|cytuj|internetquelle|literatur|lien web|ouvrage)\b",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]+")
_LISTED = re.compile(r"\{\{\s*ref(begin|end)\b", re.IGNORECASE)
_BRACES = re.compile(r"\{\{|\}\}")
_HEADING_LINE = re.compile(r"^(={1,6})[^=\n].*?=+[ \t]*$", re.MULTILINE)


class Citation(NamedTuple):
    """A cited address, and the index of the heading above the citation (0 for none)."""

    url: str
    heading: int


class _Cited(NamedTuple):
    """The span of a citation, its name, and its addresses."""

    start: int
    end: int
    name: str
    urls: list[str]


def cited(text: str) -> tuple[list[Citation], list[tuple[int, int]]]:
    """Return what a text cites, and the spans of its references."""
    headings = [found.start() for found in _HEADING_LINE.finditer(text)]
    references = list(_references(text))
    named = {found.name: found.urls for found in reversed(references) if found.name and found.urls}
    stretches = [(found.start, found.end) for found in references]
    # Replace references by as many spaces, so that their templates are not found again and offsets stay.
    listed = _listed(replaced(text, stretches, lambda reference: " " * len(reference)))
    citations = [
        Citation(url, bisect_right(headings, found.start))
        for found in sorted([*references, *listed])
        for url in found.urls or named.get(found.name, [])
    ]
    return citations, stretches


def is_closed(reference: str) -> bool:
    """Say whether a `<ref>` has an end."""
    return reference.endswith("/>") or _REF_END.search(reference) is not None


def _references(text: str) -> Iterator[_Cited]:
    """Yield every `<ref>`."""
    done = 0
    closed = True
    for found in _REF.finditer(text):
        if found.start() < done:
            continue
        name = _NAME.search(found[1])
        end = _REF_END.search(text, found.end()) if closed and not found[2] else None
        closed = closed and (end is not None or bool(found[2]))
        done = end.end() if end else found.end()
        content = text[found.end() : end.start()] if end else ""
        yield _Cited(found.start(), done, name[1].strip("\"' ") if name else "", list(_urls(content)))


def _listed(text: str) -> Iterator[_Cited]:
    """Yield the templates of works, and the lines between `{{refbegin}}` and `{{refend}}`."""
    stretches = pairs(text, _BRACES, "{{", _CITE)
    begun: int | None = None
    for mark in _LISTED.finditer(text):
        if begun is not None:
            stretches += [(line.start(), line.end()) for line in _LINE.finditer(text, begun, mark.start())]
        begun = mark.end() if mark[1].lower() == "begin" else None
    for start, end in stretches:
        yield _Cited(start, end, "", list(_urls(text[start:end])))


def _urls(content: str) -> Iterator[str]:
    content = content.replace("{{=}}", "=")
    for found in _URL.finditer(content):
        if not _ARCHIVE.search(content, max(0, found.start() - 20), found.start()):
            yield _address(found.group().partition("&nbsp;")[0].replace("&amp;", "&"))


def _address(url: str) -> str:
    """Return an address without the punctuation of the text behind it; brackets in it have both halves."""
    while url[-1] in ".,;:" or (url[-1] == ")" and url.count(")") > url.count("(")):
        url = url[:-1]
    return url


def pairs(
    text: str, marks: re.Pattern[str], opening: str, begin: re.Pattern[str] | None = None
) -> list[tuple[int, int]]:
    """Return the outermost spans between matching opening and closing marks; unmatched marks are ignored.

    With `begin`, only spans that begin with this pattern count.
    """
    waiting: list[int] = []
    found: list[tuple[int, int]] = []
    for mark in marks.finditer(text):
        if mark.group().lstrip(" \t:*#").lower().startswith(opening):
            waiting.append(mark.start())
        elif waiting:
            start = waiting.pop()
            if begin is not None and not begin.match(text, start):
                continue
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, mark.end()))
    return found


def replaced(
    text: str,
    stretches: list[tuple[int, int]],
    instead: Callable[[str], str],
    outside: Callable[[str], str] = str,
) -> str:
    """Return a text with something instead of each span, and of the text between them."""
    pieces, done = [], 0
    for start, end in stretches:
        pieces += [outside(text[done:start]), instead(text[start:end])]
        done = end
    return "".join([*pieces, outside(text[done:])])
