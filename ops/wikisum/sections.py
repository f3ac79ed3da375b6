"""The sections of an article as targets: their natural text, and its sentences with what they cite.

Belongs here: leaving out sentences with holes, the items of lists, and the references that stand in each
sentence. Not here:
reading an article (ops/parse/wikipedia.py), which pages were crawled, and how much they support (ranked.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from silverloom.ops.core.outcome import Row
from silverloom.ops.crawl.search import NOT_ASKED, asked
from silverloom.ops.text.holes import holes_within
from silverloom.ops.text.sentences import sentence_spans
from silverloom.ops.text.words import fold
from silverloom.ops.wikisum.targets import PARAGRAPH_END

_PARAGRAPH = re.compile(r"[^\n]+")


class CitingSentence(NamedTuple):
    """A sentence of a section."""

    start: int
    end: int
    """The first character in the section's natural text, and the one after the last."""
    marks: list[int]
    """The characters of that text that references follow."""
    citations: list[str]
    """The addresses that these references cite, each once, without fragments."""


class TargetSection(NamedTuple):
    """A section of an article; the first one is the lead."""

    title: str
    natural: str
    """Its text as in the article, a blank line between two paragraphs."""
    sentences: list[CitingSentence]
    left_out: list[Row]
    """The sentences with too many holes: index of the section, number of holes, text."""


def sections_of(article: Row, most: int, lists: bool = False) -> Iterator[TargetSection]:
    """Yield the sections of an article without sentences that have more than `most` holes.

    With `lists`, the items of lists are paragraphs that begin with "* ", and sentences without references.
    Items under headings like "References" are none of the text.
    """
    for index, section in enumerate(article["sections"]):
        with_items = lists and bool(asked([section["title"]], NOT_ASKED))
        items = [item for item in article["lists"] or () if with_items and item["section"] == index]
        yield _section(article, index, most, items)


def cited_address(url: str) -> str:
    """Return a cited address without its fragment: so it is crawled."""
    return url.partition("#")[0]


def _section(article: Row, index: int, most: int, items: Sequence[Row]) -> TargetSection:
    section, holes, marks = article["sections"][index], article["holes"] or (), article["marks"] or ()
    places = [mark["place"] for mark in marks]
    written = _Written(index, most)
    waiting = deque(items)
    done, next_mark = section["start"], bisect_left(places, section["start"])
    for paragraph in _PARAGRAPH.finditer(article["text"], section["start"], section["end"]):
        while waiting and waiting[0]["place"] <= paragraph.start():
            written.add_item(waiting.popleft())
        separator = PARAGRAPH_END
        for first, last in sentence_spans(paragraph.group()):
            start, end = paragraph.start() + first, paragraph.start() + last
            its = marks[next_mark : (next_mark := bisect_right(places, end))]
            separator = separator or (" " if start > done else "")
            done = end
            urls = [article["citations"][place]["url"] for mark in its for place in mark["citations"]]
            cited = list(dict.fromkeys(map(cited_address, urls)))
            stands = [max(mark["place"] - start, 0) for mark in its]
            text, gaps = fold(article["text"][start:end]), holes_within(holes, start, end)
            separator = "" if written.add(separator, text, gaps, stands, cited) else separator or " "
    for item in waiting:
        written.add_item(item)
    return TargetSection(fold(section["title"]), "".join(written.pieces), written.sentences, written.left_out)


class _Written:
    """The natural text of a section, as it grows."""

    def __init__(self, section: int, most: int) -> None:
        self.pieces: list[str] = []
        self.sentences: list[CitingSentence] = []
        self.left_out: list[Row] = []
        self._section, self._most, self._length = section, most, 0

    def add_item(self, item: Row) -> None:
        """Add an item of a list as a paragraph."""
        self.add(PARAGRAPH_END, f"* {fold(item['text'])}", item["holes"], [], [])

    def add(self, separator: str, text: str, holes: int, stands: Sequence[int], cited: list[str]) -> bool:
        """Add a sentence that `stands` follow and that cites addresses; return whether it is in the text."""
        if holes > self._most:
            self.left_out.append({"section": self._section, "holes": holes, "text": text})
            return False
        if text:
            self.pieces += [separator if self.pieces else "", text]
            start = self._length + len(self.pieces[-2])
            self._length = start + len(text)
            marks = [start + min(place, len(text)) for place in stands]
            self.sentences.append(CitingSentence(start, self._length, marks, cited))
        return bool(text)
