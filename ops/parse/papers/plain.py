"""Plain text: a title, some `key: value` lines, then headings and hard-wrapped running text.

Belongs here: this format. Not here: title and metadata (ops/parse/head.py), the text between headings
(body.py).

The first non-blank line is the title, without a leading "# ". The lines directly below it are metadata (date,
authors, licence, doi, ...) as long as they read `key: value`; `subjects` are separated by semicolons.
Headings are the lines that start with one to six "#" and a space. Without such lines, headings are the lines
that are numbered ("2.1 Data", "A Appendix") or have a known name ("Abstract"), mostly between blank lines.
"Abstract: ..." may begin a line. Offsets count characters of the decoded file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.head import head_of
from silverloom.ops.parse.papers.body import body_spans, repeated_heads
from silverloom.ops.parse.papers.metadata import categories_in, doi_of, subjects_of
from silverloom.ops.parse.papers.paper import Paper, Placed, assemble
from silverloom.ops.parse.roles import (
    ABSTRACT,
    ACKNOWLEDGMENTS,
    APPENDIX,
    BIBLIOGRAPHY,
    CONCLUSION,
    REFERENCES,
    Heading,
    role_of,
    unspaced,
)
from silverloom.ops.parse.source import Only, Raw, Source
from silverloom.ops.text.sentences import Span

_HASHES = re.compile(r"(?P<hashes>#{1,6})[ \t]+(?P<title>\S.*)\Z")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.)\s+(?![^\w\"'(])(?=[A-Z\"'(])")
_NUMBER = re.compile(r"[\dIVX.]{1,12}\s+")
_LETTERED = re.compile(r"[A-H](?:\.\d{1,2}){0,3}\.?\s+(?=[A-Z])")
_NAMES = re.compile(
    r"(?:abstract|introduction|background|related works?|previous works?|data(?:sets?)?|methods?|"
    r"methodology|materials and methods|experiments?|experimental setup|results?|results and discussion|"
    r"evaluation|analysis|discussion|limitations|conclusions?|conclusions? and future works?|future work|"
    rf"discussion and conclusions?|acknowledge?ments?|{BIBLIOGRAPHY}|appendix|appendices|"
    r"supplementary materials?|ethics statement|ethical considerations|broader impact)\.?",
    re.IGNORECASE,
)
_ABSTRACT_LABEL = re.compile(r"(?P<name>Abstract|ABSTRACT|Summary|SUMMARY)\s?[.:\u2013\u2014-]+\s?(?=\S)")
_LONGEST_HEADING = 100
_MOST_WORDS = 12
#: A heading directly above its text has at most this share of the length of the first line.
_SHORT = 0.8
#: A lettered line is a heading only after one of these: earlier, "A ..." begins a sentence.
_BEFORE_APPENDIX = frozenset({ACKNOWLEDGMENTS, APPENDIX, CONCLUSION, REFERENCES})


class PlainText:
    """Reads plain text: every *.txt, *.text and *.md file below the folder is a paper."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its stem."""
        return whole_files(folder, source, (".txt", ".text", ".md"), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document id, and the metadata with lower-case keys."""
        head = head_of(raw.content)
        return {**head.metadata, "title": head.title, "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper; its `text` is the whole file. Raises ParseError."""
        head = head_of(raw.content)
        text, lines = head.text, head.lines
        heads = repeated_heads(text, lines[head.body :])
        headings: list[Heading] = []
        placed: list[Placed] = []
        starts = [line[0] for line in lines]
        for heading, start, end in _sections(text, lines, head.body):
            spans = body_spans(text, start, end, heads=heads)
            if heading.title or spans:
                headings.append(heading)
            for sentence in spans:
                line = bisect_right(starts, sentence[0][0])
                placed.append(Placed(len(headings) - 1, list(sentence), f"line {line}"))
        paper = assemble(head.title, text, headings, placed)
        subjects = subjects_of(categories_in(head.metadata.get("subjects", "")))
        return replace(paper, subjects=subjects, doi=doi_of(head.metadata.get("doi")))


class _Place(NamedTuple):
    """A heading, and where its line begins and its text does."""

    start: int
    end: int
    heading: Heading


def _sections(text: str, lines: Sequence[Span], body: int) -> Iterator[tuple[Heading, int, int]]:
    """Yield heading, start and end of the text of every section; front matter has the title ""."""
    first = lines[body][0] if body < len(lines) else len(text)
    places = _marked(text, lines[body:]) or _printed(text, lines[body:])
    top = min((place.heading.level or 1 for place in places), default=1)
    marks = [_Place(first, first, Heading("")), *places, _Place(len(text), len(text), Heading(""))]
    for place, following in pairwise(marks):
        level = None if place.heading.level is None else place.heading.level - top + 1
        yield Heading(place.heading.title, level), place.end, following.start


def _marked(text: str, lines: Sequence[Span]) -> list[_Place]:
    places = []
    for start, end in lines:
        if match := _HASHES.match(text[start:end]):
            places.append(_Place(start, end, Heading(match["title"].rstrip("# \t"), len(match["hashes"]))))
    return places


def _printed(text: str, lines: Sequence[Span]) -> list[_Place]:
    """Return the headings that are lines, and "Abstract: ..." at the head of a line."""
    places: list[_Place] = []
    roles: set[str] = set()
    blank = (0, 0)
    for before, (start, end), after in zip([blank, *lines], lines, [*lines[1:], blank], strict=False):
        line = text[start:end]
        if not places and (label := _ABSTRACT_LABEL.match(line)):
            places.append(_Place(start, start + label.end(), Heading(label["name"])))
            roles.add(ABSTRACT)
        elif line and _is_heading(line, text[slice(*before)], text[slice(*after)], roles):
            places.append(_Place(start, end, Heading(line)))
            roles.add(role_of(line))
    return places


def _is_heading(line: str, before: str, after: str, roles: Collection[str]) -> bool:
    """Say whether a line, between two others that may be blank, is a heading.

    If text follows directly, it must begin a sentence, and the line must have a usual name; or be numbered,
    clearly shorter than the text, and behind the first heading: affiliations are numbered, too. Between two
    lines of text only "Abstract" and usual names with a number are headings.
    """
    number = _NUMBER.match(line)
    named = is_name_of_section(line[number.end() :] if number else line)
    if before:
        return named and after[:1].isupper() and (number is not None or line.lower() == ABSTRACT)
    if after:
        short = bool(roles) and _is_title(line, _NUMBERED) and len(line) < _SHORT * len(after)
        return (named or short) and not after[0].islower()
    lettered = not _BEFORE_APPENDIX.isdisjoint(roles) and _is_title(line, _LETTERED)
    return named or lettered or _is_title(line, _NUMBERED)


def is_name_of_section(line: str) -> bool:
    """Say whether a line is a usual section name ("Related Work")."""
    return len(line) <= _LONGEST_HEADING and _NAMES.fullmatch(unspaced(line)) is not None


def _is_title(line: str, numbering: re.Pattern[str]) -> bool:
    """Say whether a line is a number and a short title, rather than a sentence or a link."""
    return (
        len(line) <= _LONGEST_HEADING
        and numbering.match(line) is not None
        and len(line.split()) <= _MOST_WORDS
        and not line.endswith((".", ";", ",", ":"))
        and "://" not in line
    )
