"""Marks of footnotes that became part of a word: "the relevant motivations are12: ...". [ours]

Belongs here: telling them from names such as "word2", by all sentences of a paper. Not here: the text of
footnotes (sentences_rules.py).

A PDF's text has no superscripts, so the mark sticks to the word. So do the numbers of senses, variables and
layers ("drink1", "arg0", "conv4"). What tells them apart: the marks of a paper count upwards in its text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from ops.text.stop_words import STOP_WORDS

#: A word in small letters and a number, with no sign of a name, a formula or a unit around them.
_MARKED = re.compile(r"(?<![\w.\-/@_^$\\*'’\[(])([a-z]{3,40})([1-9]\d?)(?![\w\-/(\[%]|[.,]\w|\s?[=<>+*×|^])")
_PLAIN = re.compile(r"(?<!\w)[a-z]{3,40}(?!\w)")
_NUMBERED = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,40}\d+")
#: "clips from4 speakers", "about3 points": a blank is missing before a number that is part of the text.
_BEFORE_NUMBERS = STOP_WORDS | frozenset(
    {
        "about", "almost", "approximately", "around", "exactly", "least", "most", "nearly", "over", "roughly",
        "within", "first", "second", "third", "one", "two", "three", "four",
    }
)  # fmt: skip
#: What a number counts up: "table3", "step2".
_COUNTED = frozenset(
    {
        "algorithm", "appendix", "chapter", "eq", "equation", "example", "fig", "figs", "figure", "figures",
        "level", "page", "phase", "section", "sections", "step", "table", "tables", "type",
    }
)  # fmt: skip
_END_OF_CLAUSE = re.compile(r"[.,:;)]|\Z")
#: How far apart two marks that follow each other may be: some are lost, or stick to other signs.
_GAP = 3
#: A mark may be there twice: two places refer to one footnote. What is there more often is a name.
_OFTEN = 2

FootnoteMark = tuple[str, int]
"""A word and the number that sticks to it."""


def footnote_marks(sentences: Sequence[str], in_vocabulary: Callable[[str], bool]) -> frozenset[FootnoteMark]:
    """Return the marks of footnotes in the sentences of one paper, which are given in order.

    Numbers behind words are marks if they make a run of two or more that rises by three at most from one to
    the next. The word is in the vocabulary, or in the paper without a number. No mark is what the paper has
    with other numbers, too ("word1", "word2"), what stands beside another numbered word in its sentence, and
    what is a word of the vocabulary with its number.
    """
    words = _PlainWords(sentences, in_vocabulary)
    found: list[FootnoteMark] = []
    times: Counter[FootnoteMark] = Counter()
    numbers: dict[str, set[int]] = defaultdict(set)
    for text in sentences:
        for match in (matches := list(_MARKED.finditer(text))):
            word, number = match[1], int(match[2])
            times[word, number] += 1
            numbers[word].add(number)
        if matches and len(set(_NUMBERED.findall(text))) == 1 and _is_marked(matches[0], words):
            found.append((matches[0][1], int(matches[0][2])))
    return _rising([mark for mark in found if len(numbers[mark[0]]) == 1 and times[mark] <= _OFTEN])


def without_footnote_marks(text: str, marks: Collection[FootnoteMark]) -> tuple[str, list[str]]:
    """Return a sentence without some marks, and the numbers that are gone."""
    gone: list[str] = []

    def word_of(found: re.Match[str]) -> str:
        if (found[1], int(found[2])) not in marks:
            return found[0]
        gone.append(found[2])
        return found[1]

    return (_MARKED.sub(word_of, text), gone) if marks else (text, gone)


class _PlainWords:
    """The words of a vocabulary, and those that a paper has without a number."""

    def __init__(self, sentences: Sequence[str], in_vocabulary: Callable[[str], bool]) -> None:
        self._sentences, self.in_vocabulary = sentences, in_vocabulary

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (self.in_vocabulary(word) or word in self._of_paper)

    @cached_property
    def _of_paper(self) -> frozenset[str]:
        return frozenset(word for text in self._sentences for word in _PLAIN.findall(text))


def _is_marked(match: re.Match[str], words: _PlainWords) -> bool:
    """Tell whether a number behind a word can be a mark, as far as its sentence tells."""
    word = match[1]
    if word in _COUNTED or words.in_vocabulary(match[0]):
        return False
    if word in _BEFORE_NUMBERS:
        return _END_OF_CLAUSE.match(match.string, match.end()) is not None
    return word in words


def _rising(marks: Sequence[FootnoteMark]) -> frozenset[FootnoteMark]:
    """Return the longest run of marks whose numbers rise, the first of several; nothing if it is of one."""
    # The longest run that ends in a number, which has two digits at most.
    runs: dict[int, tuple[FootnoteMark, ...]] = {}
    for mark in marks:
        last = mark[1]
        before = max((runs.get(number, ()) for number in range(last - _GAP, last)), key=len)
        runs[last] = max(runs.get(last, ()), (*before, mark), key=len)
    longest = max(runs.values(), key=len, default=())
    return frozenset(longest) if len(longest) > 1 else frozenset()
