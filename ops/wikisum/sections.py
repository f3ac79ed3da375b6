"""The sections of an article as targets: their natural text, and its sentences with what they cite.

Belongs here: leaving out sentences with holes, and the references that stand in each sentence. Not here:
reading an article (ops/parse/wikipedia.py), which pages were crawled, and how much they support (ranked.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ops.core.outcome import Row
from ops.text.holes import holes_within
from ops.text.sentences import sentence_spans
from ops.text.words import fold
from ops.wikisum.targets import PARAGRAPH_END

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


def sections_of(article: Row, most: int) -> Iterator[TargetSection]:
    """Yield the sections of an article without sentences that have more than `most` holes."""
    for index in range(len(article["sections"])):
        yield _section(article, index, most)


def cited_address(url: str) -> str:
    """Return a cited address without its fragment: so it is crawled."""
    return url.partition("#")[0]


def _section(article: Row, index: int, most: int) -> TargetSection:
    section, holes, marks = article["sections"][index], article["holes"] or (), article["marks"] or ()
    places = [mark["place"] for mark in marks]
    pieces: list[str] = []
    sentences: list[CitingSentence] = []
    left_out: list[Row] = []
    length, done, next_mark = 0, section["start"], bisect_left(places, section["start"])
    for paragraph in _PARAGRAPH.finditer(article["text"], section["start"], section["end"]):
        separator = PARAGRAPH_END
        for first, last in sentence_spans(paragraph.group()):
            start, end = paragraph.start() + first, paragraph.start() + last
            text = fold(article["text"][start:end])
            its = marks[next_mark : (next_mark := bisect_right(places, end))]
            separator = separator or (" " if start > done else "")
            done = end
            if (count := holes_within(holes, start, end)) > most:
                left_out.append({"section": index, "holes": count, "text": text})
                separator = separator or " "
            elif text:
                pieces += [separator if pieces else "", text]
                length += len(pieces[-2])
                stands = [length + min(max(mark["place"] - start, 0), len(text)) for mark in its]
                urls = [article["citations"][place]["url"] for mark in its for place in mark["citations"]]
                cited = list(dict.fromkeys(map(cited_address, urls)))
                sentences.append(CitingSentence(length, length + len(text), stands, cited))
                length += len(text)
                separator = ""
    return TargetSection(fold(section["title"]), "".join(pieces), sentences, left_out)
