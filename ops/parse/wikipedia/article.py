"""An article: sections and paragraphs of running text, and what they cite.

Belongs here: from cleaned wikitext to text, and what kind of page it is. Not here: taking out what nests
(markup.py), the XML around it (page.py).

Lists are no paragraphs; their items are counted. Links and formatting are read by mwparserfromhell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import mwparserfromhell

from ops.parse.wikipedia.markup import cleaned
from ops.text.space import fold

REDIRECT, DISAMBIGUATION, LIST, NO_PROSE = "redirect", "disambiguation", "list", "no_prose"

_REDIRECT = re.compile(r"\s*#(?:redirect|weiterleitung|redirection|redirección)\b", re.IGNORECASE)
_DISAMBIGUATION = re.compile(
    r"\{\{\s*(?:disambig(?:uation)?|dab|hndis|geodis|disamb|human name disambiguation|mil-unit-dis|schooldis|"
    r"airport disambiguation|hospitaldis|letter-numbercombdisambig|numberdis|begriffsklärung|homonymie|"
    r"desambiguación)"
    r"\b[^{}]{0,200}\}\}",
    re.IGNORECASE,
)
_LIST = re.compile(r"(?:list|lists|index|outline|glossary|timeline) of\b", re.IGNORECASE)
_HEADING = re.compile(r"(={1,6})\s*([^=\s].*?)\s*=+\s*")
_NO_PARAGRAPH = ("|", "!", "{|", "----", "__")
_ITEM = ("*", "#", ":", ";")
_EMPTY = re.compile(r"\(\s*(?:[,;:/\u2013-]\s*)*\)")
_OPENED = re.compile(r"\(\s*(?:[,;:]\s*)+")
#: Markup without its other half; of three apostrophes before an "s" one stays.
_UNPAIRED = re.compile(r"\[\[|\]\]|'+(?='s\b)|'{2,}(?!s\b)")
_MARKUP = re.compile(r"[\[\]<>&]|''|__|https?:")


class ArticleSection(NamedTuple):
    """A section: its heading ("" for the lead), its level (of signs; 1 for the lead), its paragraphs."""

    title: str
    level: int
    paragraphs: list[str]


class Article(NamedTuple):
    """An article, or a page that is none: then `reason` says why."""

    title: str
    date: str
    sections: list[ArticleSection]
    citations: list[tuple[str, int]]
    """An address, and the index of the section that cites it."""
    list_items: int
    categories: list[str]
    reason: str = ""


def article(title: str, date: str, wikitext: str, redirect: bool = False) -> Article:
    """Return what a page of the main namespace holds."""

    def none(reason: str) -> Article:
        return Article(title, date, [], [], 0, [], reason)

    if redirect or _REDIRECT.match(wikitext):
        return none(REDIRECT)
    if title.endswith("(disambiguation)") or _DISAMBIGUATION.search(wikitext):
        return none(DISAMBIGUATION)
    if _LIST.match(title):
        return none(LIST)
    text, citations, categories = cleaned(wikitext)
    sections, items = _sections(text)
    if not any(section.paragraphs for section in sections):
        return none(NO_PROSE)
    found = [(citation.url, min(citation.heading, len(sections) - 1)) for citation in citations]
    return Article(title, date, sections, found, items, categories)


def _sections(text: str) -> tuple[list[ArticleSection], int]:
    """Return the sections, the lead first, and how many items of lists there are."""
    sections = [ArticleSection("", 1, [])]
    lines: list[str] = []
    items = 0
    for line in [*text.split("\n"), "= end ="]:
        heading = _HEADING.fullmatch(line) if line.startswith("=") else None
        if heading is None:
            if line.lstrip().startswith(_ITEM):
                items += 1
                line = ""
            lines.append("" if line.lstrip().startswith(_NO_PARAGRAPH) else line)
            continue
        sections[-1].paragraphs.extend(_paragraphs("\n".join(lines)))
        lines.clear()
        sections.append(ArticleSection(_plain(heading[2]), len(heading[1]), []))
    return sections[:-1], items


def _paragraphs(text: str) -> Iterator[str]:
    for block in re.split(r"\n[^\S\n]*\n", _plain(text)):
        paragraph = fold(_OPENED.sub("(", _EMPTY.sub("", _UNPAIRED.sub("", block))))
        paragraph = re.sub(r" (?=[,.;:)])", "", paragraph)
        if any(sign.isalnum() for sign in paragraph):
            yield paragraph


def _plain(text: str) -> str:
    """Return a text without links, formatting, tags and entities."""
    if not _MARKUP.search(text):
        return text.strip()
    code = mwparserfromhell.parse(text, skip_style_tags=False)
    return str(code.strip_code(normalize=True, collapse=False)).strip()
