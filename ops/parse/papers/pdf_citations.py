"""Numbered citations of a PDF: the entries of its bibliography, and the marks "[12]" that refer to them.

Belongs here: reading both from the text of a parsed PDF. Not here: where the bibliography is (pdf_parts.py),
marks with names and years, which ParaSCI reads in the sentences themselves (ops/parasci/marks.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from silverloom.ops.parse.papers.paper import BibliographyEntry, Mark, Paper
from silverloom.ops.parse.roles import REFERENCES
from silverloom.ops.text.hyphens import join_lines, words_of
from silverloom.ops.text.words import YEAR, fold

#: A bibliography is numbered if so many entries have the numbers from 1 on.
LEAST_ENTRIES = 5

_ENTRY = re.compile(r"^(?:\[(?P<bracketed>\d{1,3})\]|(?P<plain>\d{1,3})\.)\s+(?=\S)", re.MULTILINE)
_MARK = re.compile(r"\[\s?\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3}){0,30}\s?\]")
_RANGE = re.compile(r"(\d{1,3})(?:\s?[\u2013-]\s?(\d{1,3}))?")
#: Characters of an entry that are read: what follows the last one may belong to no entry.
_LONGEST_ENTRY = 2_000
#: A range of more numbers is no citation.
_LONGEST_RANGE = 30

_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)")
_QUOTED = re.compile(r"[\u201c\"](?P<title>[^\u201c\u201d\"]{10,300}?)[,.]?[\u201d\"]")
_SURNAME = r"[^\W\d_][\w'\u2019-]+(?: [\w'\u2019-]+)?"
#: Authors whose last initial ends the list: "Himanen, L. & Rinke, P. Title", "Bone RC, Fisher CJ. Title".
_INVERTED = re.compile(
    rf"(?:(?:{_SURNAME},(?: ?[A-Z]\.(?:-[A-Z]\.)?)+(?:[,;]? (?:and|&) |[,;] (?:and |& )?|[.:]? ))+"
    rf"|(?:{_SURNAME} [A-Z]{{1,3}}[,;] )+(?:and )?{_SURNAME} [A-Z]{{1,3}}[.:] )(?:et al\.?,? )?"
)
#: Authors and the year behind them: "Upadhyay, V. and S. Prasad, 2010a. Title", "Jane Doe. 2010. Title".
_DATED = re.compile(rf"(?P<names>[^\d]{{3,600}}?)[.,]? \(?(?P<year>{YEAR})[a-z]?\)?[.,:] ")
#: The end of a part of an entry, but not an initial.
_END = re.compile(r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?:[.?!]|(?<=\.):)\s+(?=\S)")
_NO_TITLE = re.compile(r"In\b|[Hh]ttps?:|www\.|[Aa]r[Xx]iv|Proc|[A-Z]\.")
#: A word in lower case, which a list of names has not.
_LOWER = re.compile(r"(?:^|\s)(?!(?:and|et|al|de|da|di|la|le|van|von|der|den|zu)\b)[a-z]{2,}")
_LEAST_WORDS = 3


def with_citations(paper: Paper) -> Paper:
    """Return a paper with its numbered entries and the marks that refer to them, if it has such entries."""
    entries = numbered_entries(paper)
    if len(entries) < LEAST_ENTRIES:
        return paper
    return replace(paper, bibliography=tuple(entries.values()), marks=tuple(_marks(paper, entries)))


def numbered_entries(paper: Paper) -> dict[str, BibliographyEntry]:
    """Return the entries of the bibliography that have the numbers from 1 on, by number."""
    sentences = [one for one in paper.sentences if paper.sections[one.section].role == REFERENCES]
    if not sentences:
        return {}
    start, end = sentences[0].start, max(one.end for one in sentences)
    heads: list[re.Match[str]] = []
    for head in _ENTRY.finditer(paper.text, start, end):
        if int(head["bracketed"] or head["plain"]) == len(heads) + 1:
            heads.append(head)
    known = words_of(paper.text)
    entries = {}
    stops = [*(head.start() for head in heads[1:]), end]
    for number, (head, stop) in enumerate(zip(heads, stops, strict=False), 1):
        stop = min(stop, head.end() + _LONGEST_ENTRY)
        text = fold(join_lines(paper.text[head.end() : stop].rstrip(), known))
        entries[str(number)] = BibliographyEntry(str(number), text, printed_title(text), _year(text))
    return entries


def printed_title(entry: str) -> str:
    """Return the title in a printed entry, or "" if none is recognised.

    It is in quotes, or the first part behind the authors and a year; a part ends with a full stop.
    """
    if quoted := _QUOTED.search(entry):
        return quoted["title"]
    authors = _behind_authors(entry)
    if authors is None:
        return ""
    end = _END.search(entry, authors)
    title = entry[authors : end.start() if end else len(entry)].rstrip(" .")
    named = _LOWER.search(title) or "," not in title
    return title if named and len(title.split()) >= _LEAST_WORDS and not _NO_TITLE.match(title) else ""


def _behind_authors(entry: str) -> int | None:
    """Return where the authors of an entry, and the year behind them, end."""
    dated = _DATED.match(entry)
    if dated and not _LOWER.search(dated["names"]):
        return dated.end()
    authors = _INVERTED.match(entry) or _END.search(entry)
    return authors.end() if authors else None


def _year(entry: str) -> str:
    """Return the year behind the authors, else the last one of the entry, or ""."""
    dated = _DATED.match(entry)
    return dated["year"] if dated else next(iter(_YEAR.findall(entry)[::-1]), "")


def _marks(paper: Paper, entries: Mapping[str, BibliographyEntry]) -> list[Mark]:
    """Return the marks outside of the bibliography; one for each entry that a mark names."""
    marks = {
        mark
        for one in paper.sentences
        if paper.sections[one.section].role != REFERENCES
        for printed in _MARK.finditer(paper.text, one.start, one.end)
        for mark in _named(printed)
        if mark.entry in entries
    }
    return sorted(marks, key=lambda mark: (mark.start, mark.end, int(mark.entry)))


def _named(mark: re.Match[str]) -> Iterator[Mark]:
    for first, last in _RANGE.findall(mark[0]):
        numbers = range(int(first), int(last or first) + 1)
        for number in numbers if len(numbers) <= _LONGEST_RANGE else ():
            yield Mark(*mark.span(), str(number))
