"""Summaries of a length: the most talked-about sentences of a paper up to a budget.

Belongs here: budgets, the choice of sentences, and the table of talksumm/summaries.
Not here: what a sentence's count is (hmm.py), training sets (training.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Row, drop
from ops.params import Params
from ops.parts import Parts
from ops.talksumm.schemas import SUMMARIES
from ops.thresholds import at_most, scored


class Budget(Params):
    """How long a summary may be, in exactly one of three measures.

    `words`: words; `ratio`: words as a share of the paper's, in (0, 1]; `sentences`: sentences. A word is
    what stands between white space: what a reader counts. (The released code counts NLTK tokens,
    so that punctuation uses up its budget.)
    """

    words: int | None = Field(None, ge=1)
    ratio: float | None = Field(None, gt=0, le=1)
    sentences: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _one_measure(self) -> Budget:
        given = [name for name in ("words", "ratio", "sentences") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a budget has exactly one of words, ratio, sentences; given: {given or 'none'}")
        return self

    @property
    def limit(self) -> Fraction:
        """The most that a summary may need, in the budget's own measure."""
        # As written: 0.29 of 100 words is 29, not the 28 that binary fractions make of it.
        return Fraction(str(self.words or self.sentences or self.ratio))

    def order(self, sentences: Sequence[str], counts: Sequence[int]) -> Iterator[tuple[int, Fraction]]:
        """Yield the sentences that may be taken, first one first, with what a summary up to each one needs.

        By falling count, ties by position; a sentence of count 0 is never taken. The first is always taken:
        it needs nothing.
        """
        sizes = [1 if self.sentences else word_count(text) for text in sentences]
        whole = 1 if self.ratio is None else sum(sizes) or 1
        used = 0
        for place, index in enumerate(sorted(range(len(counts)), key=lambda index: (-counts[index], index))):
            if counts[index] <= 0:
                return
            used += sizes[index]
            yield index, Fraction(used, whole) if place else Fraction(0)


class SummaryParams(Params, section="talksumm.summaries"):
    """The budgets by name: those of the paper's four training sets (4.1) and of its human evaluation."""

    budgets: dict[str, Budget] = Field(
        {
            "words_150": Budget(words=150),
            "words_250": Budget(words=250),
            "ratio_30": Budget(ratio=0.3),
            "ratio_40": Budget(ratio=0.4),
            "sentences_30": Budget(sentences=30),
        },
        min_length=1,
    )


def word_count(text: str) -> int:
    """Return the number of words of a text, divided at white space."""
    return len(text.split())


def summarize(sentences: Sequence[str], counts: Sequence[int], budget: Budget) -> list[int]:
    """Return the indices of the sentences of a summary, in the order of the paper.

    Sentences are taken by falling count, ties by position, until the next would pass the budget; the first
    is taken even if it passes it alone. A sentence of count 0 is never taken. Raises ValueError if the
    lengths differ.
    """
    if len(sentences) != len(counts):
        raise ValueError(f"{len(sentences)} sentences, {len(counts)} counts")
    return sorted(index for index, need in budget.order(sentences, counts) if at_most(need, budget.limit))


def needs(alignments: Parts, params: SummaryParams, name: str) -> Iterator[pa.Table]:
    """Yield the sentences by what one budget is asked of: what a summary that takes them needs.

    A paper's first sentence is always taken, and one that the talk never has in mind never.
    """
    budget = params.budgets[name]
    for table in alignments:
        units: list[tuple[str, float | None, str]] = []
        for _, states in _by_pair(table.to_pylist()):
            order = budget.order([unit["text"] for unit in states], [unit["count"] for unit in states])
            need = {index: float(value) if value else -math.inf for index, value in order}
            units += [(unit["id"], need.get(index), unit["text"]) for index, unit in enumerate(states)]
        yield scored(units)


def sentences_of(summaries: pa.Table, name: str) -> int:
    """Return how many sentences the summaries of one budget have, in a table of talksumm/summaries."""
    chosen = summaries.filter(pc.equal(summaries["budget"], name))
    return int(pc.sum(pc.list_value_length(chosen["sentence_ids"])).as_py() or 0)


def _by_pair(units: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    ordered = sorted(units, key=lambda unit: (str(unit["pair_id"]), int(unit["state"])))
    for pair_id, group in groupby(ordered, key=lambda unit: str(unit["pair_id"])):
        yield pair_id, list(group)


def summaries(alignments: pa.Table, pairs: pa.Table, params: SummaryParams) -> Outcome:
    """Return a summary of every pair for every budget; the units are the sentences of `alignments`.

    All sentences of a pair must stand in the one table. `pairs` gives the papers' titles. A sentence in
    no summary is dropped, its count being the score: `zero_count` (the talk never has it in mind) or
    `beyond_every_budget`. Raises KeyError for an alignment whose pair is not in `pairs`.
    """
    titles = dict(zip(pairs["id"].to_pylist(), pairs["paper_title"].to_pylist(), strict=True))
    units = alignments.to_pylist()
    kept: list[Row] = []
    used: set[str] = set()
    for pair_id, states in _by_pair(units):
        if pair_id not in titles:
            raise KeyError(f"alignments name the pair {pair_id!r}, which is not in the table of pairs")
        for name, budget in sorted(params.budgets.items()):
            row = _summary(states, name, budget, titles[pair_id])
            if row is not None:
                kept.append(row)
                used.update(row["source_ids"])
    dropped = [
        drop(unit, "beyond_every_budget" if unit["count"] else "zero_count", score=float(unit["count"]))
        for unit in units
        if unit["id"] not in used
    ]
    return Outcome.of(SUMMARIES, [unit["id"] for unit in units], kept, dropped)


def _summary(states: Sequence[Row], name: str, budget: Budget, title: str | None) -> Row | None:
    chosen = summarize([unit["text"] for unit in states], [unit["count"] for unit in states], budget)
    if not chosen:
        return None
    used = [states[index] for index in chosen]
    text = " ".join(unit["text"] for unit in used)
    return {
        "id": row_id("summary", used[0]["pair_id"], name),
        "source_ids": [unit["id"] for unit in used],
        "licence": joint_licence(unit["licence"] for unit in used),
        "pair_id": used[0]["pair_id"],
        "talk_id": used[0]["talk_id"],
        "paper_id": used[0]["paper_id"],
        "paper_title": title,
        "budget": name,
        "sentence_ids": [unit["sentence_id"] for unit in used],
        "positions": [unit["position"] for unit in used],
        "counts": [unit["count"] for unit in used],
        "text": text,
        "words": word_count(text),
        "paper_words": sum(word_count(unit["text"]) for unit in states),
    }
