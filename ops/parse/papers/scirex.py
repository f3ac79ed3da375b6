"""SciREX: one tokenised paper per line, with spans of sections and sentences.

Belongs here: this format, and turning tokens back into text. Not here: its entities and relations, which are
annotations.

A record is {"doc_id", "words", "sections": [[first, last + 1]], "sentences": [[first, last + 1]], ...}. The
first sentence of a section is its heading ("section : Introduction", "subsection : ..."). The first section
begins with the title ("document : ..." or the title alone).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unicodedata import category

from silverloom.ops.parse.decoding import json_object, list_at, scalars, text_at
from silverloom.ops.parse.files import JSON_LINES
from silverloom.ops.parse.lines import lines_of_files
from silverloom.ops.parse.papers.paper import Paper, PaperBuilder
from silverloom.ops.parse.source import Only, ParseError, Raw, Source
from silverloom.ops.text.sentences import Span, goes_on, is_ended

_LEVELS = {
    "document": 1, "section": 1, "bibliography": 1, "appendix": 1, "subsection": 2, "subsubsection": 3,
    "paragraph": 4, "subparagraph": 5,
}  # fmt: skip
_STOPS = frozenset(".!?")
#: The remains of tables and drawings would never end: sentences longer than this are not extended.
_LONGEST_MENDED = 150
#: So many words on each side of a boundary tell whether the sentence goes on.
_TAIL = 12
#: How citations appear in SciREX's words. Their keys are masked.
_CITATION = re.compile(r"[\[\]]{1,4}|reference|\[reference\]")


class SciRex:
    """Reads SciREX: every line of every file of JSON lines below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every non-blank line; the document id is its doc_id."""
        return lines_of_files(folder, source, JSON_LINES, only, _document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return doc_id (also as document), title, and other short strings and numbers of the record."""
        record = json_object(raw.content)
        words, sections, sentences = _spans(record)
        title = _heading(words, _first(sections[0], sentences))[1] if sections else ""
        return {"title": title, **scalars(record), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError that names the key, or a span outside the words."""
        words, sections, sentences = _spans(json_object(raw.content))
        if not sections:
            raise ParseError("sections is empty")
        of_section = _assigned(sections, sentences)
        titles = [_heading(words, spans[0]) if spans else (1, "") for spans in of_section]
        paper = PaperBuilder(titles[0][1])
        has_abstract = any(title.lower().startswith("abstract") for _, title in titles[1:])
        for index, (spans, (level, title)) in enumerate(zip(of_section, titles, strict=True)):
            if index == 0:
                # In papers from LaTeX, the abstract follows the title without a heading.
                if len(spans) > 1:
                    paper.section("" if has_abstract else "Abstract", 1)
            else:
                paper.section(title, level)
            for start, end in _joined(words, spans[1:]):
                paper.sentence(detokenised(words[start:end]), f"words[{start}:{end}]")
        return paper.finish()


def _document(record: Mapping[str, Any]) -> str | None:
    document = record.get("doc_id")
    return document if isinstance(document, str) else None


def _spans(record: Mapping[str, Any]) -> tuple[list[str], list[Span], list[Span]]:
    for key in ("doc_id", "words", "sections", "sentences"):
        if key not in record:
            raise ParseError(f"no key {key}: not a record of SciREX")
    if not text_at(record["doc_id"], "doc_id"):
        raise ParseError("doc_id is empty")
    words = list_at(record["words"], "words")
    for index, word in enumerate(words):
        if not isinstance(word, str):
            raise ParseError(f"words[{index}] must be text")
    sections = _pairs(record["sections"], "sections", words)
    return words, sections, _pairs(record["sentences"], "sentences", words)


def _pairs(value: Any, key: str, words: list[str]) -> list[Span]:
    spans: list[Span] = []
    for index, pair in enumerate(list_at(value, key)):
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(bound) is int for bound in pair)):
            raise ParseError(f"{key}[{index}] must be two numbers, first word and last word + 1")
        start, end = pair
        if not 0 <= start <= end <= len(words):
            raise ParseError(f"{key}[{index}] = {pair} is outside the {len(words)} words")
        if spans and start < spans[-1][1]:
            raise ParseError(f"{key}[{index}] = {pair} begins before {key}[{index - 1}] ends")
        spans.append((start, end))
    return spans


def _assigned(sections: list[Span], sentences: list[Span]) -> list[list[Span]]:
    """Return the sentences that start in each section. Raises ParseError if one starts in no section."""
    of_section: list[list[Span]] = [[] for _ in sections]
    index = 0
    for start, end in sentences:
        while index < len(sections) - 1 and start >= sections[index][1]:
            index += 1
        if not sections[index][0] <= start < max(sections[index][1], sections[index][0] + 1):
            raise ParseError(f"the sentence {[start, end]} begins in no section")
        of_section[index].append((start, end))
    return of_section


def _first(section: Span, sentences: list[Span]) -> Span:
    return next((span for span in sentences if span[0] >= section[0]), section)


def _heading(words: list[str], span: Span) -> tuple[int, str]:
    """Return level and text of a heading."""
    tokens = words[span[0] : span[1]]
    level = 1
    while len(tokens) > 1 and tokens[1] == ":" and tokens[0] in _LEVELS:
        level = _LEVELS[tokens[0]]
        tokens = tokens[2:]
    return level, detokenised(tokens)


def _joined(words: list[str], spans: list[Span]) -> Iterator[Span]:
    """Yield the sentences, with wrongly split ones rejoined.

    SciREX splits after "Fig ." and "et al .", before "[ reference ] . Next sentence", and, although the first
    part has no final punctuation, before words that cannot begin a sentence, such as those in lower case.
    """
    before: Span | None = None
    for start, end in spans:
        if before is None:
            before = (start, end)
            continue
        tail = detokenised(words[max(before[0], before[1] - _TAIL) : before[1]])
        cited = start if is_ended(tail) else _behind_citations(words, start, end)
        if start < cited < end and words[cited - 1] in _STOPS:
            yield before[0], cited
            before = (cited, end)
        elif (
            goes_on(tail, detokenised(words[start : min(end, start + _TAIL)]))
            or cited > start
            or (before[1] - before[0] <= _LONGEST_MENDED and _cannot_begin(tail, words[start:end]))
        ):
            before = (before[0], end)
        else:
            yield before
            before = (start, end)
    if before is not None:
        yield before


def _behind_citations(words: list[str], start: int, end: int) -> int:
    """Return the index after the citations at the start of words[start:end], and after their full stop."""
    index = start
    while index < end and _CITATION.fullmatch(words[index]):
        index += 1
    if not any("reference" in word for word in words[start:index]):
        return start
    return index + (index < end and words[index] in _STOPS)


def _cannot_begin(before: str, words: list[str]) -> bool:
    """Say whether words cannot begin a sentence: some never can, some only after final punctuation."""
    sign = words[0][:1] if words else ""
    if not sign:
        return False
    if sign in ",;:!?%" or category(sign) == "Pe":
        return True
    return (sign in ".-" or category(sign) in ("Ll", "Pf", "Sm")) and not is_ended(before)


_ENDINGS = ("s", "m", "re", "ve", "ll", "d")
_NO_SPACE_BEFORE = frozenset(
    (*",.;:?!)]}%’”…", "..", "...", "),", ").", ")-", "n't", "n’t", *("'" + ending for ending in _ENDINGS))
) | frozenset("’" + ending for ending in _ENDINGS)
_NO_SPACE_AFTER = frozenset((*"([{“‘$#§", ")-"))
_TIGHT = frozenset((*"-/_", "][", ")("))
_DIGITS = re.compile(r"\d+")
_THOUSANDS = re.compile(r"\d{3}")


def detokenised(tokens: Sequence[str]) -> str:
    """Return tokens as text: "Full - Resolution ( FRRN ) , 45 , 000" gives "Full-Resolution (FRRN), 45,000".

    Straight quotation marks alternately open and close.
    """
    pieces: list[str] = []
    tight = True
    quoted = False
    for index, word in enumerate(tokens):
        links = word == "//" and index > 0 and tokens[index - 1].endswith(("http:", "https:"))
        before_is_number = index > 0 and _DIGITS.fullmatch(tokens[index - 1]) is not None
        closes = word == '"' and quoted
        if not (tight or closes or links or word in _NO_SPACE_BEFORE or word in _TIGHT):
            pieces.append(" ")
        pieces.append(word)
        thousands = (
            word == ","
            and before_is_number
            and index + 1 < len(tokens)
            and _THOUSANDS.fullmatch(tokens[index + 1]) is not None
        )
        if word == '"':
            quoted = not quoted
            tight = quoted
        else:
            tight = links or word in _NO_SPACE_AFTER or word in _TIGHT or thousands
    return "".join(pieces)
