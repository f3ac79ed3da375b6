"""Running text in lines: what is page furniture, what is one paragraph, and where sentences are.

Belongs here: the way from the lines of a section to the spans of its sentences. Not here: rules for
recognising footnotes (ops/parse/sentences_rules.py), headings (plain.py), the cleaned text of a sentence
(paper.py).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from silverloom.ops.parse.head import line_spans
from silverloom.ops.parse.sentences_rules import (
    COPYRIGHT,
    CORRESPONDENCE,
    EQUAL_CONTRIBUTION,
    FOOTNOTE,
    PAGE_NUMBER,
    PROCEEDINGS,
    is_equation,
    running_head,
    start_reason,
)
from silverloom.ops.text.sentences import Span, is_ended, sentence_spans

_HYPHEN = ("-", "\u00ad", "\u2010")
_LONGEST_FOOTER = 600
_HEAD_REPEATS = 3
_SHORTEST_WORD = 4
#: The sign of an item, with which two lines of a block begin.
_ITEM = re.compile(r"[-*\u2013] +(?=\S)")

Lines = Sequence[Span]


def repeated_heads(text: str, lines: Lines) -> frozenset[str]:
    """Return a document's running heads: lines that occur alone three times, ignoring digits."""
    alone = [block[0] for block in _blocks(lines) if len(block) == 1]
    forms = Counter(form for start, end in alone if (form := running_head(text[start:end])) is not None)
    return frozenset(form for form, count in forms.items() if count >= _HEAD_REPEATS)


def body_spans(
    text: str, start: int, end: int, wrapped: bool = True, heads: frozenset[str] = frozenset()
) -> list[tuple[Span, ...]]:
    """Return the sentences of text[start:end] in order; each is one span, or several if it is interrupted.

    Furniture (footnotes, copyright and proceedings lines, page numbers, running heads) is taken out before
    the rest is split into sentences, and becomes sentences of its own. A blank line ends a sentence, unless
    the text before it has no final punctuation and the text after it starts in lower case: that is a sentence
    across a page break. If `wrapped`, lines are as wide as the page, and a footnote is the whole block of
    lines that it begins. Otherwise (ScienceParse) line breaks are rare: a footnote is one line, and so is a
    displayed equation. Every character except white space is in exactly one of the spans.
    """
    sentences: list[tuple[Span, ...]] = []
    flow: list[Span] = []
    for block, furniture in _marked(text, line_spans(text, start, end), wrapped, heads):
        if furniture:
            sentences.append(((block[0][0], block[-1][1]),))
            continue
        if flow and not _goes_on(text, flow[-1], block[0]):
            sentences += _split(text, flow)
            flow = []
        flow.append((block[0][0], block[-1][1]))
    sentences += _split(text, flow)
    return sorted(sentences)


def _blocks(lines: Lines) -> Iterator[list[Span]]:
    """Yield the runs of lines between blank lines."""
    return (list(block) for full, block in groupby(lines, lambda line: line[0] < line[1]) if full)


def _marked(
    text: str, lines: Lines, wrapped: bool, heads: frozenset[str]
) -> Iterator[tuple[list[Span], bool]]:
    """Yield runs of lines, each with whether it is page furniture."""
    for block in _blocks(lines):
        first = text[slice(*block[0])]
        size = block[-1][1] - block[0][0]
        if len(block) == 1 and running_head(first) in heads:
            yield block, True
            continue
        reason = start_reason(first)
        if wrapped and size <= _LONGEST_FOOTER and reason not in (None, PAGE_NUMBER):
            yield block, True
            continue
        run: list[Span] = []
        items = {line for line in block if _ITEM.match(text, line[0])}
        for index, line in enumerate(block):
            if run and len(items) > 1 and line in items:
                yield run, False
                run = []
            content, before = text[slice(*line)], text[slice(*block[index - 1])] if index else ""
            if _is_furniture(content, before, index, len(block)) or (not wrapped and _is_display(content)):
                if run:
                    yield run, False
                    run = []
                yield [line], True
            else:
                run.append(line)
        if run:
            yield run, False


def _is_display(line: str) -> bool:
    """Say whether a line is a displayed equation: signs and hardly any words."""
    return is_equation(line, lambda word: len(word) >= _SHORTEST_WORD and word.isalpha())


def _is_furniture(line: str, before: str, index: int, lines: int) -> bool:
    """Say whether a line of a block is furniture; inside a block the evidence must be stronger."""
    reason = start_reason(line)
    if index == 0 or reason is None:
        return reason is not None
    if reason == PAGE_NUMBER:
        # The last line of a page may be its number; or this is a number after its footnotes.
        return index == lines - 1 or start_reason(before) == FOOTNOTE
    if reason == PROCEEDINGS:
        return line.startswith("P") and not before.endswith((" In", " in", " the"))
    if reason == FOOTNOTE:
        return not line.startswith(("http", "www"))
    return reason in (COPYRIGHT, CORRESPONDENCE, EQUAL_CONTRIBUTION)


def _goes_on(text: str, before: Span, after: Span) -> bool:
    """Say whether a sentence may continue from one run of lines to the next."""
    if _ITEM.match(text, after[0]):
        return False
    between = text[before[1] : after[0]]
    if "\f" not in between and between.count("\n") + between.count("\r") - between.count("\r\n") < 2:
        return True
    end = text[max(before[0], before[1] - 5) : before[1]]
    return text[after[0]].islower() and (end.endswith(_HYPHEN) or not is_ended(end))


def _split(text: str, flow: Sequence[Span]) -> list[tuple[Span, ...]]:
    """Return the sentences of a sequence of spans, each as the parts of spans that it covers."""
    if not flow:
        return []
    runs = _merged(text, flow)
    joined = "\n".join(text[start:end] for start, end in runs)
    offsets = [0]
    for start, end in runs[:-1]:
        offsets.append(offsets[-1] + end - start + 1)
    sentences = []
    for first, last in sentence_spans(joined):
        parts = []
        for index in range(bisect_right(offsets, first) - 1, bisect_right(offsets, last - 1)):
            start, end = runs[index]
            shift = start - offsets[index]
            part = (max(start, first + shift), min(end, last + shift))
            if part[0] < part[1]:
                parts.append(part)
        sentences.append(tuple(parts))
    return sentences


def _merged(text: str, flow: Sequence[Span]) -> list[Span]:
    """Join neighbouring spans that only white space separates."""
    runs = [flow[0]]
    for start, end in flow[1:]:
        if text[runs[-1][1] : start].strip():
            runs.append((start, end))
        else:
            runs[-1] = (runs[-1][0], end)
    return runs
