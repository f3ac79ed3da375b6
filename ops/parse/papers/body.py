"""Running text in lines: what is furniture of the page, what is one paragraph, where sentences lie.

Belongs here: from the lines of a section to the spans of its sentences.
Not here: the rules that tell a footnote (ops/parse/sentences_rules.py), headings (plain.py), what a
sentence's text becomes (paper.py).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from ops.parse.head import lines_of
from ops.parse.sentences_rules import (
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
from ops.text.sentences import Span, is_ended, sentence_spans

_HYPHEN = ("-", "\u00ad", "\u2010")
_LONGEST_FOOTER = 600
_HEAD_REPEATS = 3
_SHORTEST_WORD = 4

Lines = Sequence[Span]


def repeated_heads(text: str, lines: Lines) -> frozenset[str]:
    """Return the running heads of a document: lines that stand alone three times, digits aside."""
    alone = [block[0] for block in _blocks(lines) if len(block) == 1]
    forms = Counter(form for start, end in alone if (form := running_head(text[start:end])) is not None)
    return frozenset(form for form, count in forms.items() if count >= _HEAD_REPEATS)


def body_spans(
    text: str, start: int, end: int, wrapped: bool = True, heads: frozenset[str] = frozenset()
) -> list[tuple[Span, ...]]:
    """Return the sentences of text[start:end], in order; each is one span, or several if interrupted.

    Lines that are furniture (footnotes, copyright and proceedings lines, page numbers, running heads) are
    taken out before the rest is split, and are sentences of their own. A blank line ends a sentence,
    unless the text before it has no final punctuation and the text behind goes on in small letters: a
    sentence over a page break. `wrapped`: lines are as wide as the page, so that a footnote is the whole
    block of lines that it begins; else (ScienceParse) a line break is rare, a footnote is one line, and so
    is a displayed equation.
    Every character that is not white space is in exactly one of the spans.
    """
    found: list[tuple[Span, ...]] = []
    flow: list[Span] = []
    for block, furniture in _marked(text, lines_of(text, start, end), wrapped, heads):
        if furniture:
            found.append(((block[0][0], block[-1][1]),))
            continue
        if flow and not _goes_on(text, flow[-1], block[0]):
            found += _split(text, flow)
            flow = []
        flow.append((block[0][0], block[-1][1]))
    found += _split(text, flow)
    return sorted(found)


def _blocks(lines: Lines) -> Iterator[list[Span]]:
    """Yield the runs of lines between blank lines."""
    return (list(block) for full, block in groupby(lines, lambda line: line[0] < line[1]) if full)


def _marked(
    text: str, lines: Lines, wrapped: bool, heads: frozenset[str]
) -> Iterator[tuple[list[Span], bool]]:
    """Yield runs of lines with whether they are furniture of the page."""
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
        for index, line in enumerate(block):
            found, before = text[slice(*line)], text[slice(*block[index - 1])] if index else ""
            if _is_furniture(found, before, index, len(block)) or (not wrapped and _is_display(found)):
                if run:
                    yield run, False
                    run = []
                yield [line], True
            else:
                run.append(line)
        if run:
            yield run, False


def _is_display(line: str) -> bool:
    """Tell whether a line is a displayed equation: signs, and hardly a word."""
    return is_equation(line, lambda word: len(word) >= _SHORTEST_WORD and word.isalpha())


def _is_furniture(line: str, before: str, index: int, lines: int) -> bool:
    """Tell whether one line of a block is furniture; inside of a block the signs must be clearer."""
    reason = start_reason(line)
    if index == 0 or reason is None:
        return reason is not None
    if reason == PAGE_NUMBER:
        # The last line of a page is its number, or a number behind its footnotes.
        return index == lines - 1 or start_reason(before) == FOOTNOTE
    if reason == PROCEEDINGS:
        return line.startswith("P") and not before.endswith((" In", " in", " the"))
    if reason == FOOTNOTE:
        return not line.startswith(("http", "www"))
    return reason in (COPYRIGHT, CORRESPONDENCE, EQUAL_CONTRIBUTION)


def _goes_on(text: str, before: Span, after: Span) -> bool:
    """Tell whether a sentence may go on from one run of lines to the next."""
    between = text[before[1] : after[0]]
    if "\f" not in between and between.count("\n") + between.count("\r") - between.count("\r\n") < 2:
        return True
    end = text[max(before[0], before[1] - 5) : before[1]]
    return text[after[0]].islower() and (end.endswith(_HYPHEN) or not is_ended(end))


def _split(text: str, flow: Sequence[Span]) -> list[tuple[Span, ...]]:
    """Return the sentences of a flow of spans, each with the spans that it takes a part of."""
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
    """Return the spans of a flow, those joined that have only white space between them."""
    runs = [flow[0]]
    for start, end in flow[1:]:
        if text[runs[-1][1] : start].strip():
            runs.append((start, end))
        else:
            runs[-1] = (runs[-1][0], end)
    return runs
