"""A parsed paper, and how formats build it.

Belongs here: the dataclasses that every format returns, and checks that hold for all formats. Not here:
formats, subjects and DOIs in one form (metadata.py), rows of tables (table.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from silverloom.ops.parse.decoding import check_characters
from silverloom.ops.parse.papers.body import body_spans
from silverloom.ops.parse.roles import ACKNOWLEDGMENTS, Heading, roles_of
from silverloom.ops.parse.source import ParseError
from silverloom.ops.text.holes import HOLE, closed
from silverloom.ops.text.hyphens import join_lines, words_of
from silverloom.ops.text.sentences import Span, is_ended, with_marks_attached
from silverloom.ops.text.words import fold

#: A heading of acknowledgments at the start of a sentence, but not "Acknowledgments are ...".
_ACKNOWLEDGMENTS = re.compile(
    r"(?P<title>(?:\d{1,2}\.? )?(?:[Aa]cknowledge?ments?|ACKNOWLEDGE?MENTS?))[.:]?(?: [^\Wa-z\d_]|$)"
)

#: So much of the last sentence tells whether it goes on.
_LONGEST_TAIL = 200
#: Marks of citations that no sentence begins with: numbers.
_NUMERIC = re.compile(r"[\[(]?\d")
#: Raised numbers behind a word, which may be powers behind these.
_GLUED = re.compile(r"(?<=[a-z]{3})\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3}){0,30}(?!\w)")
_WITH_POWERS = (
    "chi",
    "cos",
    "exp",
    "feet",
    "foot",
    "inch",
    "log",
    "meter",
    "metre",
    "min",
    "mol",
    "rad",
    "sin",
    "tan",
)
_ENDED = re.compile(r"[.!?][\"')\]\u2019\u201d]*\s*$")
#: Signs that begin no sentence, and the number of a formula with what goes on behind it.
_SIGN = re.compile(r"[,;:.)\]]+(?=\s|\Z)")
_FORMULA_NUMBER = re.compile(r"\([A-H]?\.?\d{1,3}(?:\.\d{1,2})?[a-z]?\)(?=\s*(?:[a-z,;:.]|\Z))")


class Section(NamedTuple):
    """A section: its heading as printed ("" for front matter) and its role (ops/parse/roles.py)."""

    title: str
    role: str


class Sentence(NamedTuple):
    """A sentence of a section; `start` and `end` are character offsets into the paper's `text`.

    `text` is the text of this span, with line-end hyphens resolved and white space collapsed. A footer or
    footnote that interrupts a sentence is inside its span, is a sentence of its own, and is not part of its
    text.
    """

    section: int
    start: int
    end: int
    locator: str
    text: str
    holes: int = 0
    """How many signs of holes (ops/text/holes.py) the span has; `text` is without them."""


class Mark(NamedTuple):
    """A citation mark in the paper's `text`, and the key of its entry ("" if unknown)."""

    start: int
    end: int
    entry: str = ""


class BibliographyEntry(NamedTuple):
    """An entry of the bibliography, as far as the format provides its parts."""

    key: str
    """The key that marks refer to."""
    text: str = ""
    """As printed."""
    title: str = ""
    year: str = ""
    authors: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    """Ids of the cited paper, with their schemes: "doi:10.1000/1", "arxiv:2104.06921", "s2orc:7229756"."""


@dataclass(frozen=True)
class Paper:
    """A parsed record; sentences and marks are sorted by `start`."""

    title: str
    text: str
    sections: tuple[Section, ...]
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...] = ()
    bibliography: tuple[BibliographyEntry, ...] = ()
    subjects: tuple[str, ...] = ()
    """The paper's subjects according to its source; empty if the format has no subjects."""
    doi: str = ""
    """The paper's DOI according to its source (metadata.py); empty if it is unknown."""


class Placed(NamedTuple):
    """A sentence before its text is cleaned: section, the spans that it consists of, locator."""

    section: int
    spans: list[Span]
    locator: str


def assemble(
    title: str, text: str, headings: Sequence[Heading], placed: Sequence[Placed], spaces: bool = False
) -> Paper:
    """Return the paper of a text whose headings and sentences are known.

    Set `spaces` if the source has turned line breaks into spaces, so that a hyphen before a space may be a
    line-end hyphen. Raises ParseError if there is no sentence, or a character that is not text.
    """
    check_characters(text, "the text")
    check_characters("\n".join([title, *(heading.title for heading in headings)]), "a title")
    if not placed:
        raise ParseError("no sentences")
    known = words_of(text)
    sentences = []
    for section, spans, locator in placed:
        sentence = "\n".join(text[start:end] for start, end in spans)
        folded, holes = closed(fold(join_lines(sentence, known, spaces)))
        if folded:
            sentences.append(Sentence(section, spans[0][0], spans[-1][1], locator, folded, len(holes)))
    roles = roles_of(headings)
    sections = [Section(heading.title, role) for heading, role in zip(headings, roles, strict=True)]
    _part_acknowledgments(sections, sentences)
    return Paper(fold(title), text, tuple(sections), tuple(sentences))


def _part_acknowledgments(sections: list[Section], sentences: list[Sentence]) -> None:
    """Make acknowledgments that run on from a section ("Acknowledgments We thank ...") their own section.

    Like TalkSumm's released code, this applies only to papers without such a section. The released code looks
    at the last ten sentences; this looks at the second half ([ours]: in XML papers the references may
    follow), and the new section ends where the old one did.
    """
    if any(section.role == ACKNOWLEDGMENTS for section in sections):
        return
    for index in range(len(sentences) // 2, len(sentences)):
        if match := _ACKNOWLEDGMENTS.match(sentences[index].text):
            parted = sentences[index].section
            sections.insert(parted + 1, Section(match["title"], ACKNOWLEDGMENTS))
            for after in range(index, len(sentences)):
                sentences[after] = sentences[after]._replace(section=sentences[after].section + 1)
            return


def is_rest(text: str, before: str) -> bool:
    """Say whether a text must be the rest of a sentence that a displayed formula interrupts.

    It begins in lower case or with a sign, perhaps behind the number of the formula: "(3) where x is ...".
    """
    return (
        text[:1].islower()
        or _SIGN.match(text) is not None
        or (before.rstrip().endswith(HOLE) and _FORMULA_NUMBER.match(text) is not None)
    )


class PaperBuilder:
    """Builds the text of a structured source, with sections and sentences in the order of the calls."""

    def __init__(self, title: str, spaces: bool = False) -> None:
        self._title = title
        self._spaces = spaces
        self._pieces: list[str] = []
        self._length = 0
        self._last_text = ""
        self._headings: list[Heading] = []
        self._placed: list[Placed] = []
        self._marks: list[Mark] = []
        self._entries: dict[str, BibliographyEntry] = {}
        self.subjects: tuple[str, ...] = ()
        """The subjects of the paper; see `Paper`."""
        self.doi = ""
        """The DOI of the paper; see `Paper`."""
        self._write(title)

    @property
    def sections(self) -> int:
        """The number of sections so far."""
        return len(self._headings)

    def section(self, title: str, level: int | None = None) -> None:
        """Start a section; `level` counts from 1, if the source has levels."""
        self._headings.append(Heading(fold(title), level))
        self._write("")
        self._write(title)

    def sentence(self, text: str, locator: str, marks: Sequence[Mark] = ()) -> None:
        """Add a sentence to the section unless it is blank. `marks` are offsets into `text`."""
        text, marks, _ = _unglued(text, marks)
        offset = len(text) - len(text.lstrip())
        text = text.strip()
        if text:
            start = self._write(text)
            self._last_text = text
            shift = start - offset
            self._marks += [Mark(shift + mark.start, shift + mark.end, mark.entry) for mark in marks]
            self._placed.append(Placed(self.sections - 1, [(start, start + len(text))], locator))

    @property
    def last_text(self) -> str:
        """The last sentence in this section, which was added whole or went on, or ""."""
        if not self._placed or self._placed[-1].section != self.sections - 1:
            return ""
        return self._last_text

    @property
    def last_locator(self) -> str:
        """The locator of the last sentence."""
        return self._placed[-1].locator

    def go_on(self, text: str, locator: str, marks: Sequence[Mark] = ()) -> None:
        """Append the rest of the last sentence, which was cut in two; `locator` is for the whole sentence."""
        text, marks, _ = _unglued(text, marks)
        section, spans, _ = self._placed[-1]
        shift = self._length - (len(text) - len(text.lstrip()))
        text = text.strip()
        start = self._write(text)
        self._marks += [Mark(shift + mark.start, shift + mark.end, mark.entry) for mark in marks]
        self._last_text = f"{self._last_text} {text}"[-_LONGEST_TAIL:]
        self._placed[-1] = Placed(section, [(spans[0][0], start + len(text))], locator)

    def body(
        self,
        text: str,
        locator: str,
        marks: Sequence[Mark] = (),
        notes: Sequence[Span] = (),
        own: bool = False,
    ) -> None:
        """Add a paragraph, which is split into sentences, to the section.

        `marks` of citations and the raised marks of `notes` are offsets into `text`. Unless the paragraph is
        on its `own`, one that starts in lower case or with a sign continues the sentence before it, if that
        has not ended: there was a displayed formula between them (7 % of unarXive's sentences start in lower
        case).
        """
        text, marks, notes = _unglued(text, marks, notes)
        before = len(self._placed)
        inside = bool(before) and self._placed[-1].section == self.sections - 1
        tail = self._pieces[-1][-9:] if inside else ""
        goes_on = inside and not own and is_rest(text, tail) and not _ENDED.search(tail)
        self.flow([(text, locator)], marks, notes, wrapped=False)
        if goes_on and len(self._placed) > before:
            rest = self._placed.pop(before)
            self._placed[before - 1].spans.extend(rest.spans)

    def displayed_formula(self) -> None:
        """Mark the hole that a displayed formula leaves in the last sentence, if that has not ended."""
        if (
            self._placed
            and self._placed[-1].section == self.sections - 1
            and not is_ended(self._pieces[-1].rstrip())
        ):
            start = self._write(HOLE)
            self._placed[-1].spans.append((start, start + 1))

    def flow(
        self,
        pieces: Sequence[tuple[str, str]],
        marks: Sequence[Mark] = (),
        notes: Sequence[Span] = (),
        wrapped: bool = True,
        same: Collection[int] = (),
    ) -> None:
        """Add running text in pieces (text, locator), separated by blank lines; see `body_spans`.

        A sentence may continue from one piece to the next. It has the locator of the piece in which it
        starts. The pieces with an index in `same` belong to the paragraph of the piece before.
        """
        breaks = ["" if not index else "\n" if index in same else "\n\n" for index in range(len(pieces))]
        text = "".join(mark + piece for mark, (piece, _) in zip(breaks, pieces, strict=True))
        lengths = (len(mark) + len(piece) for mark, (piece, _) in zip(breaks, pieces, strict=True))
        starts = list(accumulate(lengths, initial=0))
        offset = self._write(text)
        raised = [(mark.start, mark.end) for mark in marks if _NUMERIC.match(text, mark.start)]
        split = with_marks_attached(text, [*raised, *notes])
        for spans in body_spans(split, 0, len(text), wrapped=wrapped):
            moved = [(offset + start, offset + end) for start, end in spans]
            locator = pieces[bisect_right(starts, spans[0][0]) - 1][1]
            self._placed.append(Placed(self.sections - 1, moved, locator))
        self._marks += [Mark(offset + mark.start, offset + mark.end, mark.entry) for mark in marks]

    def entry(self, entry: BibliographyEntry) -> None:
        """Add an entry to the bibliography; if a key occurs twice, the first entry wins."""
        self._entries.setdefault(entry.key, entry)

    def finish(self) -> Paper:
        """Return the paper. Raises ParseError; see `assemble`."""
        paper = assemble(self._title, "".join(self._pieces), self._headings, self._placed, self._spaces)
        return replace(
            paper,
            marks=tuple(sorted(self._marks)),
            bibliography=tuple(self._entries.values()),
            subjects=self.subjects,
            doi=self.doi,
        )

    def _write(self, text: str) -> int:
        start = self._length
        self._pieces.append(f"{text}\n")
        self._length += len(text) + 1
        return start


def _unglued(
    text: str, marks: Sequence[Mark], notes: Sequence[Span] = ()
) -> tuple[str, Sequence[Mark], Sequence[Span]]:
    """Return a text, marks of citations and notes with brackets around numbers that stick to a word.

    "as others carry2,3 the bags", where 2 and 3 are raised, becomes "as others carry [2,3] the bags".
    """
    spans = [(mark.start, mark.end) for mark in marks] + [*notes]
    ends = {end for _, end in spans}
    places: list[int] = []
    for start in sorted({start for start, _ in spans}):
        run = _GLUED.match(text, start)
        while run and run.end() not in ends:
            run = _GLUED.match(text, start, run.end() - 1)
        if run and not (run.group() in ("2", "3") and text.endswith(_WITH_POWERS, 0, start)):
            places += run.span()
    if not places:
        return text, marks, notes
    signs = [" [", "]"] * (len(places) // 2)
    parts = [text[start:end] for start, end in pairwise([0, *places, len(text)])]
    added = [0, *accumulate(map(len, signs))]

    def moved(start: int, end: int) -> Span:
        return start + added[bisect_right(places, start)], end + added[bisect_left(places, end)]

    return (
        "".join(chain.from_iterable(zip(parts, [*signs, ""], strict=True))),
        [Mark(*moved(mark.start, mark.end), mark.entry) for mark in marks],
        [moved(*note) for note in notes],
    )
