"""Summaries of a length: the most talked-about sentences of a paper up to a budget.

Belongs here: the budgets of params.yaml, and the table of talksumm/summaries. Not here: what a budget is
(ops/rank/budget.py), what a sentence's count is (ops/talksumm/align), training sets (training_sets.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Row, drop
from ops.params import Params
from ops.parts import Parts
from ops.rank.budget import Budget, summarize, word_count
from ops.talksumm.schemas import SUMMARIES
from ops.thresholds import scored


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
    `beyond_every_budget`. A summary is exhausted where it has all sentences that the talk has in mind: those
    of larger budgets are the same. Raises KeyError for an alignment whose pair is not in `pairs`.
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
        "exhausted": len(chosen) == sum(unit["count"] > 0 for unit in states),
    }
