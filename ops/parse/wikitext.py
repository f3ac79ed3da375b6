"""Wikitext as an article: sections and paragraphs of running text, and cited addresses.

Belongs here: recognising kinds of pages; removing nested markup that is not running text (comments,
references, tables, files) in one pass each, so that time is linear in the length of any text; categories. Not
here: the addresses that references cite (wikitext_citations.py), templates (wikitext_templates.py), closing
what was taken out, and which words references follow (wikitext_marks.py), dumps, and the XML around a
page (wikipedia.py).

List items are not paragraphs, but are counted. mwparserfromhell resolves links and formatting. What cannot be
rendered is marked as a hole (ops/text/holes.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, groupby
from typing import NamedTuple

import mwparserfromhell

from silverloom.ops.parse.wikitext_citations import (
    Citation,
    Work,
    cited,
    is_closed,
    is_object,
    pairs,
    replaced,
)
from silverloom.ops.parse.wikitext_marks import ReferenceMark, finished, has_word, marks_of
from silverloom.ops.parse.wikitext_templates import rendered
from silverloom.ops.parse.wikitext_units import power
from silverloom.ops.parse.wikitext_values import LAST_REFERENCE, MARKS, NOTHING, REFERENCE
from silverloom.ops.text.holes import HOLE, closed
from silverloom.ops.text.sentences import is_ended
from silverloom.ops.text.words import fold

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
_TABLE_LINE = ("|", "{|")
#: A line across the page, which parts what is before it from the rest of its line.
_RULE = re.compile(r"^-{4,}", re.MULTILINE)
_SWITCH = re.compile(r"__[A-Z]{3,30}__")
_ITEM = ("*", "#", ":", ";")
#: Markup without its other half. Of three apostrophes before an "s", one is kept.
_UNPAIRED = re.compile(r"'+(?='s\b)|'{2,}(?!s\b)")
#: A space that an editor left before a full stop, which is then none of a name (".NET").
_SPACED = re.compile(r"(?<=[\w)\"\u2019\u201d'%]) (?=[,.;](?:\s(?![.(])|\Z))")
_MARKUP = re.compile(r"[\[\]<>&]|''|https?:")
_BREAKS = re.compile(r"(?:</?br\b[^<>]*>\s*){2,}", re.IGNORECASE)
_BREAK = re.compile(r"</?br\b[^<>]*>", re.IGNORECASE)
#: An address without words shows a number.
_UNNAMED = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]{1,2000}\s*\]")
_RAISED = re.compile(r"<sup\b[^<>]*>\s*([-+−]?\d{1,6})\s*</sup\s*>", re.IGNORECASE)
#: Elements that are blocks: "*" begins an item, and "|" a line of a table, which is no text.
_BLOCK = re.compile(
    r"<(/?)(p|div|center|blockquote|h[1-6]|hr|ul|ol|dl|li|dt|dd|poem|tr|td|th|caption)\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_BEGINS = {"li": "\n*", "dt": "\n*", "dd": "\n*", "tr": "\n|", "td": "\n|", "th": "\n|", "caption": "\n|"}
#: Programs in lines that begin with a space, which wikitext shows as they are.
_CODE = re.compile(r"[←→=<>{};]|^ +\d+ ")
#: A paragraph that begins within a sentence. ("e-mail" and "iPhone" may begin one.)
_CUT = re.compile(r"(?:[a-z]{2,}|a)[ ,;]")
_CLOSED = (")", '"', "\u201d")
_CONTINUED = re.compile(rf"[{MARKS}'\[\s]*[a-z,;]")
_ENDED = re.compile(rf"[.!?\u2026][\"')\]\u2019\u201d\s{MARKS}]*\Z")


class ArticleSection(NamedTuple):
    """A section: its heading ("" for the lead), its level (number of "="; 1 for the lead), its paragraphs."""

    title: str
    level: int
    paragraphs: list[str]
    marks: list[list[ReferenceMark]]
    """The references of each paragraph."""
    items: list[tuple[int, str]]
    """The items of its lists, each with the number of paragraphs before it."""


class Article(NamedTuple):
    """An article, or a page that is not an article: then `reason` says why."""

    title: str
    date: str
    sections: list[ArticleSection]
    citations: list[tuple[Work, int]]
    """A work with an address, and the index of the citing section; each address once per section."""
    references: list[list[str]]
    """The addresses of each reference, which marks number."""
    categories: list[str]
    reason: str = ""
    page: str = ""
    revision: str = ""
    """The numbers of the page and of this revision in the dump."""


def article(title: str, date: str, wikitext: str, redirect: bool = False) -> Article:
    """Return the content of a page in the main namespace."""

    def none(reason: str) -> Article:
        return Article(title, date, [], [], [], [], reason)

    if redirect or _REDIRECT.match(wikitext):
        return none(REDIRECT)
    if title.endswith("(disambiguation)") or _is_disambiguation(wikitext):
        return none(DISAMBIGUATION)
    if _LIST.match(title):
        return none(LIST)
    text, citations, references, categories = cleaned(wikitext)
    sections = _sections(text)
    if not any(section.paragraphs for section in sections):
        return none(NO_PROSE)
    works: dict[tuple[str, int], tuple[Work, int]] = {}
    for work, heading in citations:
        section = min(heading, len(sections) - 1)
        works.setdefault((work.url, section), (work, section))
    return Article(title, date, sections, list(works.values()), references, categories)


def _is_disambiguation(wikitext: str) -> bool:
    """Say whether a page has the template of such pages, outside of comments and examples."""
    if not _DISAMBIGUATION.search(wikitext):
        return False
    return _DISAMBIGUATION.search(_without_elements(_without_comments(wikitext))) is not None


def _sections(text: str) -> list[ArticleSection]:
    """Return the sections, the lead first."""
    sections = [ArticleSection("", 1, [], [], [])]
    lines: list[str] = []
    in_table = False
    for line in [*_without_code(text.split("\n")), "= end ="]:
        heading = _HEADING.fullmatch(line) if line.startswith("=") else None
        is_item = line.lstrip().startswith(_ITEM)
        if is_item and line.lstrip().startswith(":") and _FORMULA.match(line.lstrip(" \t:")):
            line, is_item = line.lstrip(" \t:"), False
        if not is_item and heading is None:
            # A row of headers follows other rows.
            in_table = line.lstrip().startswith((*_TABLE_LINE, "!") if in_table else _TABLE_LINE)
            lines.append("" if in_table else line)
            continue
        in_table = False
        for paragraph, marks in _paragraphs("\n".join(_with_formulas(lines))):
            sections[-1].paragraphs.append(paragraph)
            sections[-1].marks.append(marks)
        lines.clear()
        if heading is not None:
            title, _ = closed(finished(_plain(heading[2])))
            sections.append(ArticleSection(title, len(heading[1]), [], [], []))
        else:
            content = line.lstrip().lstrip("".join(_ITEM))
            its = " ".join(paragraph for paragraph, _ in _paragraphs(content))
            if its:
                sections[-1].items.append((len(sections[-1].paragraphs), its))
    return [_with_cuts(section) for section in sections[:-1]]


def _without_code(lines: list[str]) -> Iterator[str]:
    """Yield lines without those of programs: several that begin with a space, and have signs of programs."""
    for is_indented, run in groupby(lines, lambda line: line[:1] == " " and has_word(line)):
        block = list(run)
        is_code = is_indented and len(block) > 1 and any(map(_CODE.search, block))
        yield from [""] if is_code else block


def _with_cuts(section: ArticleSection) -> ArticleSection:
    """Mark the sentences that begin or end at a list, which is no text, with a hole for the rest of them."""
    listed = {before for before, _ in section.items}
    paragraphs = []
    for place, paragraph in enumerate(section.paragraphs):
        before = f"{HOLE} " if place in listed and _CUT.match(paragraph) else ""
        is_cut = place + 1 in listed and not is_ended(paragraph) and not paragraph.endswith(_CLOSED)
        paragraphs.append(f"{before}{paragraph}{f' {HOLE}' if is_cut else ''}")
    return section._replace(paragraphs=paragraphs)


def _with_formulas(lines: list[str]) -> list[str]:
    """Return lines; a formula or a hole on a line of its own goes into the unfinished sentence around it."""
    joined: list[str] = []
    last, formula = -1, False
    for line in lines:
        if _is_formula(line):
            if last >= 0 and not _ENDED.search(joined[last]):
                joined[last:] = [f"{joined[last]} {line.strip()}"]
            formula = last >= 0
            continue
        if has_word(line):
            line = f"{HOLE} {line}" if formula and _CONTINUED.match(line) else line
            last, formula = len(joined), False
        joined.append(line)
    return joined


def _is_formula(line: str) -> bool:
    return _FORMULA_LINE.fullmatch(line) is not None or (HOLE in line and not has_word(line))


def _paragraphs(text: str) -> Iterator[tuple[str, list[ReferenceMark]]]:
    text = _BREAK.sub("\n", _BREAKS.sub("\n\n", text))
    for block in re.split(r"\n[^\S\n]*\n", _plain(text)):
        paragraph = _SPACED.sub("", finished(fold(_UNPAIRED.sub("", block))))
        if has_word(paragraph):
            yield paragraph, marks_of(block, paragraph)


def _plain(text: str) -> str:
    """Return a text without the markup of links, formatting, tags and entities."""
    if not _MARKUP.search(text):
        return text.strip()
    code = mwparserfromhell.parse(text, skip_style_tags=False)
    return str(code.strip_code(normalize=True, collapse=False)).strip()


#: Elements whose content is not text, and those whose content cannot always be rendered.
_OPAQUE_BLOCKS = ("gallery", "timeline", "imagemap", "graph", "mapframe", "pre")
_OPAQUE = (*_OPAQUE_BLOCKS, "maplink", "templatedata", "noinclude", "includeonly")
_FORMULAS = ("math", "chem", "ce", "score", "hiero", "syntaxhighlight", "source")
_ELEMENTS = (*_OPAQUE, *_FORMULAS, "nowiki")
#: A formula that shows what it is written with.
_PLAIN_FORMULA = re.compile(r"[A-Za-z0-9 .,;:=+*/()|<>!'^_-]{1,200}")
_FORMULA = re.compile(rf"[\s{MARKS}]*{HOLE}|{NOTHING}[^{NOTHING}]+{NOTHING}")
_FORMULA_LINE = re.compile(rf"\s*{NOTHING}[^{NOTHING}]+{NOTHING}\s*[.,;]?\s*")
_ESCAPED = {ord(sign): f"&#{ord(sign)};" for sign in "[]{}|<>'=*#:;_-!"}
#: `(?ai:`: names are ASCII. Without "a", case folding would also match "ſ" and "ı".
_OPENING = re.compile(rf"<((?ai:{'|'.join(_ELEMENTS)}))\b([^<>]{{0,2000}})>")
_ENDS = {name: re.compile(rf"</(?ai:{name})\s*>") for name in _ELEMENTS}
_BRACKETS = re.compile(r"\[\[|\]\]")
_MARK = re.compile(f"[{MARKS}]")
_HTML_TABLES = re.compile(r"</?table\b[^<>]{0,2000}>", re.IGNORECASE)
_TABLES = re.compile(r"^[ \t:*#]*\{\||^[ \t]*\|\}", re.MULTILINE)
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


#: A line of links to the article in other languages, and links to other projects.
_LANGUAGES = re.compile(
    r"^(?:[ \t]*\[\[[a-z]{2,3}(?:-[a-z]+){0,2}:[^\[\]|\n]{1,300}\]\])+[ \t]*$", re.MULTILINE
)
_SISTERS = re.compile(
    "[a-z]{2,3}(?:-[a-z]+)?|wikt|wiktionary|wikisource|wikiquote|wikinews|wikibooks|commons|meta"
)


class Cleaned(NamedTuple):
    """The cleaned text, what it cites, the addresses of each reference, and its categories.

    Citations are in `<ref>`, in templates of works, and between `{{refbegin}}` and `{{refend}}`.
    """

    text: str
    citations: list[Citation]
    references: list[list[str]]
    categories: list[str]


def cleaned(text: str) -> Cleaned:
    """Return a wikitext without comments, references, templates, tables, files and categories, with marks."""
    text = _without_elements(_without_comments(_MARK.sub("", text)))
    citations, references, urls = cited(text)
    numbers = count()
    text = rendered(replaced(text, references, lambda reference: _reference(reference, next(numbers))))
    text = replaced(text, pairs(text, _HTML_TABLES, "<table"), lambda _: "\n\n")
    text = replaced(text, pairs(text, _TABLES, "{|"), lambda _: "\n")
    text = _BLOCK.sub(_block, _UNNAMED.sub(_address_mark, _RAISED.sub(_raised, text)))
    text = _RULE.sub("\n\n", _SWITCH.sub("", _LANGUAGES.sub("", text)))
    links = pairs(text, _BRACKETS, "[[")
    categories = [name for start, end in links if (name := _category(text[start:end]))]
    text = replaced(text, links, _link, lambda outside: _BRACKETS.sub(HOLE, outside))
    return Cleaned(text, citations, urls, list(dict.fromkeys(categories)))


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
    for match in _OPENING.finditer(text):
        if match.start() < done:
            continue
        name, end = match[1].lower(), None
        if not match[2].endswith("/") and name not in unclosed:
            end = _ENDS[name].search(text, match.end())
            if end is None:
                unclosed.add(name)
        content = text[match.end() : end.start()] if end else None
        pieces += [text[done : match.start()], _element(name, content, match[2].endswith("/"))]
        done = end.end() if end else match.end()
    return "".join([*pieces, text[done:]])


def _element(name: str, content: str | None, is_empty: bool) -> str:
    """Return what an element shows: of its content, or of its tag alone."""
    if content is None:
        return NOTHING if is_empty else HOLE
    if name == "nowiki":
        return content.translate(_ESCAPED)
    if name in _FORMULAS:
        is_plain = name in _FORMULAS[:3] and _PLAIN_FORMULA.fullmatch(content)
        return f"{NOTHING}{content.strip()}{NOTHING}" if is_plain else HOLE
    return f" {NOTHING} " if name in _OPAQUE_BLOCKS else NOTHING


def _reference(text: str, number: int) -> str:
    mark = ord(REFERENCE) + number
    return HOLE if not is_closed(text) else chr(mark) if mark <= ord(LAST_REFERENCE) else NOTHING


def _address_mark(address: re.Match[str]) -> str:
    return f" {HOLE if is_object(address.string, address.start()) else NOTHING}"


def _raised(tag: re.Match[str]) -> str:
    return power(tag[1])


def _block(tag: re.Match[str]) -> str:
    return "\n\n" if tag[1] else _BEGINS.get(tag[2].lower(), "\n\n")


def _category(link: str) -> str:
    """Return the category in a category link, without namespace and sort key; "" for other links."""
    namespace, _, name = link[2:-2].partition(":")
    if namespace.strip().lower() not in _CATEGORIES:
        return ""
    name = fold(_MARK.sub("", name.partition("|")[0]).replace("_", " "))
    return "" if HOLE in name else name[:1].upper() + name[1:]


def _link(link: str) -> str:
    """Return a link without the namespace that is not shown; a mark if it is to a file or a category."""
    if link.startswith("[[:"):
        return f"[[{link[3:]}"
    namespace, colon, rest = link[2:].partition(":")
    name = namespace.strip().lower()
    if colon and (name in _FILES or name in _CATEGORIES or _PICTURE.match(link)):
        return NOTHING
    return f"[[{rest}" if colon and _SISTERS.fullmatch(namespace) and "|" not in link else link
