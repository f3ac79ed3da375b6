"""The addresses that a wikitext cites, and the spans of nested markup.

Belongs here: references, templates of works and lists of works, with their addresses and what they say of the
works; pairs of opening and closing marks, in one pass. Not here: what is shown in their place (wikitext.py).
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from silverloom.ops.text.words import STOP_WORDS, fold

_REF = re.compile(r"<ref\b([^<>]{0,2000}?)(/?)>", re.IGNORECASE)
_REF_END = re.compile(r"</ref\s*>", re.IGNORECASE)
_NAME = re.compile(r"name\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'/>]+)", re.IGNORECASE)
_URL = re.compile(r"(?<![\w-])https?://(?:[^\s|\]\[{}<>\"']|'(?!'))+")
_ARCHIVE = re.compile(r"archive-?url\s*=\s*\Z", re.IGNORECASE)
#: Arguments of a template of a work, up to the next pipe outside of a link.
_ARGUMENT = re.compile(
    r"\|\s*(archive-?url|title|date|year)\s*=((?:[^|{}\[\]]|\[\[[^\[\]]{0,500}\]\]|\[(?!\[)|\](?!\])){0,1000})",
    re.IGNORECASE,
)
#: The words of an address in brackets.
_NAMED = re.compile(r"[^\S\n]+([^\[\]\n]{1,500})\]")
_LINKED = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_FORMATTED = re.compile(r"'{2,}|<[^<>]{0,200}>")
#: Templates of cited works, in the languages with the most articles.
WORK = re.compile(
    r"\{\{\s*(?:cite|citation(?! need)|cita|citar|citeer|cytuj|internetquelle|literatur|lien web|ouvrage)\b",
    re.IGNORECASE,
)
#: Words before an address or a work that is part of the sentence: "at", "see". Of others, it is the source.
_WORD_BEFORE = re.compile(r"\b([A-Za-z]{1,10}) ?\Z")
_TAKE_OBJECTS = STOP_WORDS | {
    "see",
    "include",
    "includes",
    "including",
    "read",
    "wrote",
    "published",
    "titled",
}
_LINE = re.compile(r"[^\n]+")
_LISTED = re.compile(r"\{\{\s*ref(begin|end)\b", re.IGNORECASE)
_BRACES = re.compile(r"\{\{|\}\}")
_HEADING_LINE = re.compile(r"^(={1,6})[^=\n].*?=+[ \t]*$", re.MULTILINE)


class Work(NamedTuple):
    """A cited address, and what the citation says of it; "" for what it does not say."""

    url: str
    title: str = ""
    date: str = ""
    """As written: "2010", "3 May 2010"."""
    archive: str = ""
    """The address of an archived copy."""


class Citation(NamedTuple):
    """A cited work, and the index of the heading above the citation (0 for none)."""

    work: Work
    heading: int


class _Cited(NamedTuple):
    """The span of a citation, its name, and its works."""

    start: int
    end: int
    name: str
    works: list[Work]


class Cited(NamedTuple):
    """What a text cites."""

    citations: list[Citation]
    """In the order of the text."""
    spans: list[tuple[int, int]]
    """Of each `<ref>`."""
    urls: list[list[str]]
    """The addresses of each `<ref>`, with its name or without."""


def cited(text: str) -> Cited:
    """Return what a text cites, and its references."""
    headings = [match.start() for match in _HEADING_LINE.finditer(text)]
    references = list(_references(text))
    named = {ref.name: ref.works for ref in reversed(references) if ref.name and ref.works}
    references = [ref._replace(works=ref.works or named.get(ref.name, [])) for ref in references]
    spans = [(ref.start, ref.end) for ref in references]
    # Replace references by as many spaces, so that their templates are not found again and offsets stay.
    listed = _listed(replaced(text, spans, lambda reference: " " * len(reference)))
    citations = [
        Citation(work, bisect_right(headings, ref.start))
        for ref in sorted([*references, *listed])
        for work in ref.works
    ]
    return Cited(citations, spans, [[work.url for work in ref.works] for ref in references])


def is_object(text: str, start: int) -> bool:
    """Say whether an address or a work without `<ref>` is part of the sentence that stands before it."""
    word = _WORD_BEFORE.search(text, max(0, start - 12), start)
    return word is not None and word[1].lower() in _TAKE_OBJECTS


def is_closed(reference: str) -> bool:
    """Say whether a `<ref>` has an end."""
    return reference.endswith("/>") or _REF_END.search(reference) is not None


def _references(text: str) -> Iterator[_Cited]:
    """Yield every `<ref>`."""
    done = 0
    closed = True
    for match in _REF.finditer(text):
        if match.start() < done:
            continue
        name = _NAME.search(match[1])
        end = _REF_END.search(text, match.end()) if closed and not match[2] else None
        closed = closed and (end is not None or bool(match[2]))
        done = end.end() if end else match.end()
        content = text[match.end() : end.start()] if end else ""
        yield _Cited(match.start(), done, name[1].strip("\"' ") if name else "", list(_works(content)))


def _listed(text: str) -> Iterator[_Cited]:
    """Yield the templates of works, and the lines between `{{refbegin}}` and `{{refend}}`."""
    stretches = pairs(text, _BRACES, "{{", WORK)
    begun: int | None = None
    for mark in _LISTED.finditer(text):
        if begun is not None:
            stretches += [(line.start(), line.end()) for line in _LINE.finditer(text, begun, mark.start())]
        begun = mark.end() if mark[1].lower() == "begin" else None
    for start, end in stretches:
        yield _Cited(start, end, "", list(_works(text[start:end])))


def _works(content: str) -> Iterator[Work]:
    """Yield the works in a citation; a template of a work has the details of the addresses within it."""
    content = content.replace("{{=}}", "=")
    templates = pairs(content, _BRACES, "{{", WORK)
    details = [_details(content[start:end]) for start, end in templates]
    place = 0
    for match in _URL.finditer(content):
        if _ARCHIVE.search(content, max(0, match.start() - 20), match.start()):
            continue
        while place < len(templates) and templates[place][1] <= match.start():
            place += 1
        within = place < len(templates) and templates[place][0] < match.start()
        named = _NAMED.match(content, match.end()) if content[: match.start()].endswith("[") else None
        work = details[place] if within else Work("", _worded(named[1]) if named else "")
        yield work._replace(url=_url(match.group()))


def _details(template: str) -> Work:
    """Return what a template says of a work, without its address."""
    given = {name.lower(): value for name, value in reversed(_ARGUMENT.findall(template))}
    archive = _URL.search(given.get("archive-url", "") or given.get("archiveurl", ""))
    return Work(
        "",
        _worded(given.get("title", "")),
        _worded(given.get("date", "")) or _worded(given.get("year", "")),
        _url(archive.group()) if archive else "",
    )


def _worded(value: str) -> str:
    """Return a value without the markup of links and formatting."""
    return fold(html.unescape(_FORMATTED.sub("", _LINKED.sub(r"\1", value))))


def _url(url: str) -> str:
    return _address(url.partition("&nbsp;")[0].replace("&amp;", "&"))


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
    spans: list[tuple[int, int]] = []
    for mark in marks.finditer(text):
        if mark.group().lstrip(" \t:*#").lower().startswith(opening):
            waiting.append(mark.start())
        elif waiting:
            start = waiting.pop()
            if begin is not None and not begin.match(text, start):
                continue
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, mark.end()))
    return spans


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
