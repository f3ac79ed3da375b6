"""Plain text: a title, some `key: value` lines, then headings and hard-wrapped running text.

Belongs here: this format. Not here: title and metadata (ops/parse/head.py), the text between headings
(body.py).

The first non-blank line is the title, without a leading "# ". The lines directly below it are metadata (date,
authors, licence, ...) as long as they read `key: value`; `subjects` are separated by semicolons. Headings are
the lines that start with one to six "#" and a space. Without such lines, headings are the single
lines between blank lines that are numbered ("2.1 Data", "A Appendix") or have a known name ("Abstract").
Offsets count characters of the decoded file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from ops.parse.files import whole_files
from ops.parse.head import head_of
from ops.parse.papers.body import body_spans, repeated_heads
from ops.parse.papers.paper import Paper, Placed, assemble, categories_in, subjects_of
from ops.parse.roles import ACKNOWLEDGMENTS, APPENDIX, CONCLUSION, REFERENCES, Heading, role_of
from ops.parse.source import Only, Raw, Source
from ops.text.sentences import Span

_HASHES = re.compile(r"(?P<hashes>#{1,6})[ \t]+(?P<title>\S.*)\Z")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.)\s+(?![^\w\"'(])(?=[A-Z\"'(])")
_LETTERED = re.compile(r"[A-H](?:\.\d{1,2}){0,3}\.?\s+(?=[A-Z])")
_NAMES = re.compile(
    r"(?:abstract|introduction|background|related works?|previous works?|data(?:sets?)?|methods?|"
    r"methodology|materials and methods|experiments?|experimental setup|results?|results and discussion|"
    r"evaluation|analysis|discussion|limitations|conclusions?|conclusions? and future works?|future work|"
    r"discussion and conclusions?|acknowledge?ments?|references|bibliography|appendix|appendices|"
    r"supplementary materials?|ethics statement|ethical considerations|broader impact)\.?",
    re.IGNORECASE,
)
_LONGEST_HEADING = 100
_MOST_WORDS = 12
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
        for heading, first, last in _sections(text, lines, head.body):
            start, end = (lines[first][0], lines[last - 1][1]) if first < last else (0, 0)
            spans = body_spans(text, start, end, heads=heads)
            if heading.title or spans:
                headings.append(heading)
            for found in spans:
                line = bisect_right(starts, found[0][0])
                placed.append(Placed(len(headings) - 1, list(found), f"line {line}"))
        paper = assemble(head.title, text, headings, placed)
        return replace(paper, subjects=subjects_of(categories_in(head.metadata.get("subjects", ""))))


def _sections(text: str, lines: Sequence[Span], body: int) -> Iterator[tuple[Heading, int, int]]:
    """Yield heading, first line and last line + 1 of every section; front matter has the title ""."""
    headings = _marked(text, lines, body) or _alone(text, lines, body)
    top = min((heading.level or 1 for _, heading in headings), default=1)
    marks = [(body - 1, Heading("")), *headings, (len(lines), Heading(""))]
    for (index, heading), (following, _) in pairwise(marks):
        level = None if heading.level is None else heading.level - top + 1
        yield Heading(heading.title, level), index + 1, following


def _marked(text: str, lines: Sequence[Span], body: int) -> list[tuple[int, Heading]]:
    found = []
    for index in range(body, len(lines)):
        if match := _HASHES.match(text[slice(*lines[index])]):
            found.append((index, Heading(match["title"].rstrip("# \t"), len(match["hashes"]))))
    return found


def _alone(text: str, lines: Sequence[Span], body: int) -> list[tuple[int, Heading]]:
    found: list[tuple[int, Heading]] = []
    roles: set[str] = set()
    for index in range(body, len(lines)):
        if not (_blank(lines, index - 1, body) and _blank(lines, index + 1, body)):
            continue
        line = text[slice(*lines[index])]
        if (
            is_name_of_section(line)
            or _is_numbered(line)
            or (roles & _BEFORE_APPENDIX and _is_title(line, _LETTERED))
        ):
            found.append((index, Heading(line)))
            roles.add(role_of(line))
    return found


def _blank(lines: Sequence[Span], index: int, body: int) -> bool:
    return index < body or index >= len(lines) or lines[index][0] == lines[index][1]


def is_name_of_section(line: str) -> bool:
    """Say whether a line is a usual section name ("Related Work")."""
    return len(line) <= _LONGEST_HEADING and _NAMES.fullmatch(line) is not None


def _is_numbered(line: str) -> bool:
    if _is_title(line, _NUMBERED):
        return True
    number = re.match(r"[\dIVX.]{1,12}\s+", line)
    return number is not None and is_name_of_section(line[number.end() :])


def _is_title(line: str, numbering: re.Pattern[str]) -> bool:
    """Say whether a line is a number and a short title, rather than a sentence or a link."""
    return (
        len(line) <= _LONGEST_HEADING
        and numbering.match(line) is not None
        and len(line.split()) <= _MOST_WORDS
        and not line.endswith((".", ";", ",", ":"))
        and "://" not in line
    )
