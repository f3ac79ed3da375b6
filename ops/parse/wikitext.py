"""Wikitext as an article: sections and paragraphs of running text, and cited addresses.

Belongs here: recognising kinds of pages; removing nested markup that is not running text (comments,
references, tables, files) in one pass each, so that time is linear in the length of any text; the addresses
cited by references; categories. Not here: templates (wikitext_templates.py), closing what was taken out
(wikitext_marks.py), dumps, and the XML around a page (wikipedia.py).

List items are not paragraphs, but are counted. mwparserfromhell resolves links and formatting. What cannot be
rendered is marked as a hole (ops/text/holes.py).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

import mwparserfromhell

from ops.parse.wikitext_marks import finished, has_word
from ops.parse.wikitext_templates import rendered
from ops.parse.wikitext_values import MARKS, NOTHING, power
from ops.text.holes import HOLE, closed
from ops.text.words import fold

REDIRECT, DISAMBIGUATION, LIST, NO_PROSE = "redirect", "disambiguation", "list", "no_prose"

_REDIRECT = re.compile(r"\s*#(?:redirect|weiterleitung|redirection|redirección)\b", re.IGNORECASE)
#: The template of the page, at the beginning of a line; "{{disambiguation needed}}" marks a link.
_DISAMBIGUATION = re.compile(
    r"(?:^|\}\})[ \t]*\{\{\s*(?:disambig(?:uation(?: page| cleanup)?)?|dab|disamb|hndis|hndab|geodis|"
    r"mathdab|roaddis|mil-unit-dis|schooldis|hospitaldis|numberdis|letter-numbercombdisambig|begriffsklärung|"
    r"homonymie|desambiguación|disambigua|doorverwijspagina|ujednoznacznienie|неоднозначность|"
    r"[a-z -]{2,40} disambiguation)\s*(?:\|[^{}]{0,200})?\}\}",
    re.IGNORECASE | re.MULTILINE,
)
_LIST = re.compile(r"(?:list|lists|index|outline|glossary|timeline) of\b", re.IGNORECASE)
_HEADING = re.compile(r"(={1,6})\s*([^=\s].*?)\s*=+\s*")
_NO_PARAGRAPH = ("|", "!", "{|", "----", "__")
_ITEM = ("*", "#", ":", ";")
#: Markup without its other half, and switches. Of three apostrophes before an "s", one is kept.
_UNPAIRED = re.compile(r"'+(?='s\b)|'{2,}(?!s\b)|__[A-Z]{3,30}__")
#: A space that an editor left before a full stop, which is then none of a name (".NET").
_SPACED = re.compile(r"(?<=[\w)\"\u2019\u201d'%]) (?=[,.;](?:\s(?!\.)|\Z))")
_MARKUP = re.compile(r"[\[\]<>&]|''|https?:")
_BREAKS = re.compile(r"(?:<br\b[^<>]*>\s*){2,}", re.IGNORECASE)
_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
#: An address without words shows a number only: behind a word it is part of the sentence, else a reference.
_UNNAMED = re.compile(r"(?P<word>[a-z] )?\[(?:https?:|ftp:)?//[^\s\[\]]{1,2000}\s*\]")
_RAISED = re.compile(r"<sup\b[^<>]*>\s*([-+−]?\d{1,6})\s*</sup\s*>", re.IGNORECASE)
#: Elements that are blocks: "*" begins an item, and "|" a line of a table, which is no text.
_BLOCK = re.compile(
    r"<(/?)(p|div|center|blockquote|h[1-6]|hr|ul|ol|dl|li|dt|dd|poem|section|tr|td|th|caption)\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_BEGINS = {"li": "\n*", "dt": "\n*", "dd": "\n*", "tr": "\n|", "td": "\n|", "th": "\n|", "caption": "\n|"}
_CONTINUED = re.compile(rf"[{MARKS}'\[\s]*[a-z,;]")
_ENDED = re.compile(rf"[.!?\u2026][\"')\]\u2019\u201d\s{MARKS}]*\Z")


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
    if title.endswith("(disambiguation)") or _DISAMBIGUATION.search(_without_comments(wikitext)):
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
                content = line.lstrip(" \t*#:;")
                is_formula = HOLE in content and not has_word(content)
                items += not is_formula
                line = content if is_formula else ""
            lines.append("" if line.lstrip().startswith(_NO_PARAGRAPH) else line)
            continue
        sections[-1].paragraphs.extend(_paragraphs("\n".join(_with_formulas(lines))))
        lines.clear()
        title, _ = closed(finished(_plain(heading[2])))
        sections.append(ArticleSection(title, len(heading[1]), []))
    return sections[:-1], items


def _with_formulas(lines: list[str]) -> list[str]:
    """Return lines; a hole on a line of its own goes into the unfinished sentence around it."""
    joined: list[str] = []
    last, formula = -1, False
    for line in lines:
        is_text = has_word(line)
        if HOLE in line and not is_text:
            if last >= 0 and not _ENDED.search(joined[last]):
                joined[last:] = [f"{joined[last]} {line.strip()}"]
            formula = last >= 0
            continue
        if is_text:
            line = f"{HOLE} {line}" if formula and _CONTINUED.match(line) else line
            last, formula = len(joined), False
        joined.append(line)
    return joined


def _paragraphs(text: str) -> Iterator[str]:
    text = _BREAK.sub("\n", _BREAKS.sub("\n\n", text))
    for block in re.split(r"\n[^\S\n]*\n", _plain(text)):
        paragraph = _SPACED.sub("", finished(fold(_UNPAIRED.sub("", block))))
        if has_word(paragraph):
            yield paragraph


def _plain(text: str) -> str:
    """Return a text without the markup of links, formatting, tags and entities."""
    if not _MARKUP.search(text):
        return text.strip()
    code = mwparserfromhell.parse(text, skip_style_tags=False)
    return str(code.strip_code(normalize=True, collapse=False)).strip()


#: Elements whose content is not text, and those whose content cannot always be rendered.
_OPAQUE = (
    "gallery", "timeline", "imagemap", "graph", "mapframe", "maplink", "templatedata", "pre", "noinclude",
    "includeonly",
)  # fmt: skip
_FORMULAS = ("math", "chem", "ce", "score", "hiero", "syntaxhighlight", "source")
_ELEMENTS = (*_OPAQUE, *_FORMULAS, "nowiki")
#: A formula that shows what it is written with.
_PLAIN_FORMULA = re.compile(r"[A-Za-z0-9 .,;:=+*/()|<>!'-]{1,200}")
_ESCAPED = {ord(sign): f"&#{ord(sign)};" for sign in "[]{}|<>'=*#:;_-!"}
#: `(?ai:`: names are ASCII. Without "a", case folding would also match "ſ" and "ı".
_OPENING = re.compile(rf"<((?ai:{'|'.join(_ELEMENTS)}))\b([^<>]{{0,2000}})>")
_ENDS = {name: re.compile(rf"</(?ai:{name})\s*>") for name in _ELEMENTS}
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
_BRACKETS = re.compile(r"\[\[|\]\]")
_MARK = re.compile(f"[{MARKS}]")
_HTML_TABLES = re.compile(r"</?table\b[^<>]{0,2000}>", re.IGNORECASE)
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
    """Return a wikitext without comments, references, templates, tables, files and categories, with marks."""
    text = _without_elements(_without_comments(_MARK.sub("", text)))
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
    text = rendered(_without(text, stretches, _reference))
    text = _without(text, _pairs(text, _HTML_TABLES, "<table"), lambda _: "\n\n")
    text = _without(text, _pairs(text, _TABLES, "{|"), lambda _: "\n")
    text = _BLOCK.sub(_block, _UNNAMED.sub(_address_mark, _RAISED.sub(_raised, text)))
    links = _pairs(text, _BRACKETS, "[[")
    categories = [name for start, end in links if (name := _category(text[start:end]))]
    text = _without(text, links, _link, lambda outside: _BRACKETS.sub(HOLE, outside))
    return Cleaned(text, list(dict.fromkeys(citations)), list(dict.fromkeys(categories)))


def _without_comments(text: str) -> str:
    pieces, done = [], 0
    while (start := text.find("<!--", done)) >= 0:
        pieces.append(text[done:start])
        end = text.find("-->", start)
        done = len(text) if end < 0 else end + 3
    return "".join([*pieces, text[done:]])


def _without_elements(text: str) -> str:
    """Remove elements whose content is not text; an unclosed one becomes a hole."""
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
        content = text[found.end() : end.start()] if end else None
        pieces += [text[done : found.start()], _element(name, content, found[2].endswith("/"))]
        done = end.end() if end else found.end()
    return "".join([*pieces, text[done:]])


def _element(name: str, content: str | None, is_empty: bool) -> str:
    """Return what an element shows: of its content, or of its tag alone."""
    if content is None:
        return NOTHING if is_empty else HOLE
    if name == "nowiki":
        return content.translate(_ESCAPED)
    if name in _FORMULAS:
        return content.strip() if name in _FORMULAS[:3] and _PLAIN_FORMULA.fullmatch(content) else HOLE
    return NOTHING


def _reference(text: str) -> str:
    return NOTHING if text.endswith("/>") or _REF_END.search(text) else HOLE


def _address_mark(address: re.Match[str]) -> str:
    return f"{address['word']}{HOLE}" if address["word"] else NOTHING


def _raised(tag: re.Match[str]) -> str:
    return power(tag[1])


def _block(tag: re.Match[str]) -> str:
    return "\n\n" if tag[1] else _BEGINS.get(tag[2].lower(), "\n\n")


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
    content = content.replace("{{=}}", "=")
    for found in _URL.finditer(content):
        if not _ARCHIVE.search(content, max(0, found.start() - 20), found.start()):
            yield _address(found.group().replace("&amp;", "&"))


def _address(url: str) -> str:
    """Return an address without the punctuation of the text behind it; brackets in it have both halves."""
    while url[-1] in ".,;:" or (url[-1] == ")" and url.count(")") > url.count("(")):
        url = url[:-1]
    return url


def _pairs(
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


def _without(
    text: str,
    stretches: list[tuple[int, int]],
    instead: Callable[[str], str],
    outside: Callable[[str], str] = str,
) -> str:
    pieces, done = [], 0
    for start, end in stretches:
        pieces += [outside(text[done:start]), instead(text[start:end])]
        done = end
    return "".join([*pieces, outside(text[done:])])


def _category(link: str) -> str:
    """Return the category in a category link, without namespace and sort key; "" for other links."""
    namespace, _, name = link[2:-2].partition(":")
    if namespace.strip().lower() not in _CATEGORIES:
        return ""
    name = fold(name.partition("|")[0].replace("_", " "))
    return "" if HOLE in name else name[:1].upper() + name[1:]


def _link(link: str) -> str:
    """Return a link unchanged; a mark if it is to a file, a category or the article in another language."""
    if link.startswith("[[:"):
        return f"[[{link[3:]}"
    namespace, colon, _ = link[2:].partition(":")
    name = namespace.strip().lower()
    if colon and (name in _FILES or name in _CATEGORIES or _PICTURE.match(link)):
        return NOTHING
    # "[[de:Titel]]" is such a language link; "[[:de:Titel]]" would be an ordinary link in the text.
    return NOTHING if colon and re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", namespace) and "|" not in link else link
