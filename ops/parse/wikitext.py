"""Wikitext as an article: sections and paragraphs of running text, and cited addresses.

Belongs here: recognising kinds of pages; removing nested markup that is not running text (comments,
references, templates, tables, files) in one pass each, so that time is linear in the length of any text; the
addresses cited by references; categories. Not here: dumps, and the XML around a page (wikipedia.py).

List items are not paragraphs, but are counted. mwparserfromhell resolves links and formatting.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

import mwparserfromhell

from ops.text.words import fold

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
#: Markup without its other half. Of three apostrophes before an "s", one is kept.
_UNPAIRED = re.compile(r"\[\[|\]\]|'+(?='s\b)|'{2,}(?!s\b)")
_MARKUP = re.compile(r"[\[\]<>&]|''|__|https?:")


class ArticleSection(NamedTuple):
    """A section: its heading ("" for the lead), its level (number of "="; 1 for the lead), its paragraphs."""

    title: str
    level: int
    paragraphs: list[str]


class Article(NamedTuple):
    """An article, or a page that is not an article: then `reason` says why."""

    title: str
    date: str
    sections: list[ArticleSection]
    citations: list[tuple[str, int]]
    """An address, and the index of the citing section."""
    list_items: int
    categories: list[str]
    reason: str = ""


def article(title: str, date: str, wikitext: str, redirect: bool = False) -> Article:
    """Return the content of a page in the main namespace."""

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
    """Return the sections, the lead first, and the number of list items."""
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
    """Return a text without the markup of links, formatting, tags and entities."""
    if not _MARKUP.search(text):
        return text.strip()
    code = mwparserfromhell.parse(text, skip_style_tags=False)
    return str(code.strip_code(normalize=True, collapse=False)).strip()


#: Elements whose content is not text.
_OPAQUE = (
    "math", "chem", "gallery", "timeline", "syntaxhighlight", "source", "score", "imagemap", "graph",
    "mapframe", "maplink", "templatedata", "hiero", "ce", "pre", "noinclude", "includeonly",
)  # fmt: skip
#: `(?ai:`: names are ASCII. Without "a", case folding would also match "ſ" and "ı".
_OPENING = re.compile(rf"<((?ai:{'|'.join(_OPAQUE)}))\b([^<>]{{0,2000}})>")
_ENDS = {name: re.compile(rf"</(?ai:{name})\s*>") for name in _OPAQUE}
_REF = re.compile(r"<ref\b([^<>]{0,2000}?)(/?)>", re.IGNORECASE)
_REF_END = re.compile(r"</ref\s*>", re.IGNORECASE)
_NAME = re.compile(r"name\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'/>]+)", re.IGNORECASE)
_URL = re.compile(r"(?<![\w-])https?://[^\s|\]\[{}<>\"']+")
_ARCHIVE = re.compile(r"archive-?url\s*=\s*\Z", re.IGNORECASE)
#: Templates of cited works, in the languages with the most articles; and the templates around lists of works.
_CITE = re.compile(
    r"\{\{\s*(?:cite|citation|cita|citar|citeer|cytuj|internetquelle|literatur|lien web|ouvrage)\b",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]+")
_LISTED = re.compile(r"\{\{\s*ref(begin|end)\b", re.IGNORECASE)
_BRACES = re.compile(r"\{\{|\}\}")
_BRACKETS = re.compile(r"\[\[|\]\]")
_TABLES = re.compile(r"^[ \t:*#]*\{\||^[ \t]*\|\}", re.MULTILINE)
_HEADING_LINE = re.compile(r"^(={1,6})[^=\n].*?=+[ \t]*$", re.MULTILINE)
#: Namespaces of pictures and of categories, in the languages with the most articles.
_FILES = frozenset(
    {"file", "image", "media", "datei", "bild", "fichier", "archivo", "imagen", "immagine", "bestand",
     "afbeelding", "plik", "grafika", "файл", "изображение", "ficheiro", "imagem"}
)  # fmt: skip
_CATEGORIES = frozenset(
    {"category", "kategorie", "catégorie", "categoría", "categoria", "categorie", "kategoria", "категория"}
)  # fmt: skip
#: A link to a media file in any other language, recognised by its suffix.
_PICTURE = re.compile(
    r"\[\[[^\[\]|:]{1,30}:[^\[\]|]{1,250}\.(?:jpe?g|png|svg|gif|tiff?|webp|og[agv]|webm|pdf)\s*[|\]]",
    re.IGNORECASE,
)
#: Templates that stand for words: their displayed text, computed from the arguments.
_WORDS: dict[str, Callable[[list[str]], str]] = {
    **dict.fromkeys(("nowrap", "nobr", "nihongo", "abbr", "em", "strong", "small"), lambda found: found[0]),
    **dict.fromkeys(("lang", "transl", "transliteration", "script"), lambda found: found[-1]),
    **dict.fromkeys(("convert", "cvt"), lambda found: " ".join(found[:2])),
    **dict.fromkeys(("ndash", "spaced ndash", "snd", "mdash"), lambda found: " \u2013 "),
}  # fmt: skip
_LONGEST_WORDS = 300


class Citation(NamedTuple):
    """A cited address, and the index of the heading above the citation (0 for none)."""

    url: str
    heading: int


class Cleaned(NamedTuple):
    """The cleaned text; what it cites, each address once per section; and its categories.

    Citations are in `<ref>`, in templates of works, and between `{{refbegin}}` and `{{refend}}`.
    """

    text: str
    citations: list[Citation]
    categories: list[str]


class _Cited(NamedTuple):
    """The span of a citation, its name, and its addresses."""

    start: int
    end: int
    name: str
    urls: list[str]


def cleaned(text: str) -> Cleaned:
    """Return a wikitext without comments, references, templates, tables, files and categories."""
    text = _without_elements(_without_comments(text))
    headings = [found.start() for found in _HEADING_LINE.finditer(text)]
    references = list(_references(text))
    named = {found.name: found.urls for found in reversed(references) if found.name and found.urls}
    stretches = [(found.start, found.end) for found in references]
    # Replace references by as many spaces, so that their templates are not found again and offsets stay.
    listed = _listed(_without(text, stretches, lambda reference: " " * len(reference)))
    citations = [
        Citation(url, bisect_right(headings, found.start))
        for found in sorted([*references, *listed])
        for url in found.urls or named.get(found.name, [])
    ]
    text = _without(text, stretches, lambda _: "")
    text = _without(text, _pairs(text, _BRACES, "{{"), _words_of_template)
    text = _without(text, _pairs(text, _TABLES, "{|"), lambda _: "\n")
    links = _pairs(text, _BRACKETS, "[[")
    categories = [name for start, end in links if (name := _category(text[start:end]))]
    text = _without(text, links, _link)
    # The remaining braces are unpaired: remove them, so that the parser need not search for their pairs.
    text = text.replace("{{", "").replace("}}", "")
    return Cleaned(text, list(dict.fromkeys(citations)), list(dict.fromkeys(categories)))


def _without_comments(text: str) -> str:
    pieces, done = [], 0
    while (start := text.find("<!--", done)) >= 0:
        pieces.append(text[done:start])
        end = text.find("-->", start)
        done = len(text) if end < 0 else end + 3
    return "".join([*pieces, text[done:]])


def _without_elements(text: str) -> str:
    """Remove elements whose content is not text; of an unclosed one, only its tag."""
    pieces, done = [], 0
    unclosed: set[str] = set()
    for found in _OPENING.finditer(text):
        if found.start() < done:
            continue
        name, end = found[1].lower(), None
        if not found[2].endswith("/") and name not in unclosed:
            end = _ENDS[name].search(text, found.end())
            if end is None:
                unclosed.add(name)
        pieces.append(text[done : found.start()])
        done = end.end() if end else found.end()
    return "".join([*pieces, text[done:]])


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
    stretches = _pairs(text, _BRACES, "{{", _CITE)
    begun: int | None = None
    for mark in _LISTED.finditer(text):
        if begun is not None:
            stretches += [(line.start(), line.end()) for line in _LINE.finditer(text, begun, mark.start())]
        begun = mark.end() if mark[1].lower() == "begin" else None
    for start, end in stretches:
        yield _Cited(start, end, "", list(_urls(text[start:end])))


def _urls(content: str) -> Iterator[str]:
    for found in _URL.finditer(content):
        if not _ARCHIVE.search(content, max(0, found.start() - 20), found.start()):
            yield found.group().rstrip(".,;:)")


def _pairs(
    text: str, marks: re.Pattern[str], opening: str, begin: re.Pattern[str] | None = None
) -> list[tuple[int, int]]:
    """Return the outermost spans between matching opening and closing marks; unmatched marks are ignored.

    With `begin`, only spans that begin with this pattern count.
    """
    waiting: list[int] = []
    found: list[tuple[int, int]] = []
    for mark in marks.finditer(text):
        if mark.group().lstrip(" \t:*#") == opening:
            waiting.append(mark.start())
        elif waiting:
            start = waiting.pop()
            if begin is not None and not begin.match(text, start):
                continue
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, mark.end()))
    return found


def _without(text: str, stretches: list[tuple[int, int]], instead: Callable[[str], str]) -> str:
    pieces, done = [], 0
    for start, end in stretches:
        pieces += [text[done:start], instead(text[start:end])]
        done = end
    return "".join([*pieces, text[done:]])


def _words_of_template(template: str) -> str:
    if len(template) > _LONGEST_WORDS or "{{" in template[2:]:
        return ""
    name, *arguments = template[2:-2].split("|")
    name = name.strip().lower()
    shown = _WORDS.get("lang" if name.startswith("lang-") else name)
    plain = [argument.strip() for argument in arguments if "=" not in argument]
    return shown(plain) if shown and (plain or "dash" in name or name == "snd") else ""


def _category(link: str) -> str:
    """Return the category in a category link, without namespace and sort key; "" for other links."""
    namespace, _, name = link[2:-2].partition(":")
    if namespace.strip().lower() not in _CATEGORIES:
        return ""
    name = fold(name.partition("|")[0].replace("_", " "))
    return name[:1].upper() + name[1:]


def _link(link: str) -> str:
    """Return a link unchanged, or "" if it is to a file, a category or the article in another language."""
    namespace, colon, _ = link[2:].partition(":")
    name = namespace.strip().lower()
    if colon and (name in _FILES or name in _CATEGORIES or _PICTURE.match(link)):
        return ""
    # "[[de:Titel]]" is such a language link; "[[:de:Titel]]" would be an ordinary link in the text.
    return "" if colon and re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", namespace) and "|" not in link else link
