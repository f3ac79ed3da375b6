"""Summaries of a given length, and the training sets made from them.

Belongs here: the sentences of a paper that a talk spends most words on, up to a budget in params.yaml; which
of these summaries form the four training sets of Lev et al. (2019), section 4.1 (papers with a 0/1 label on
every sentence); the split by paper. Not here: budgets (ops/rank/choose.py), counts of sentences
(ops/talksumm/align), training models (models.py).
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.identity import joint_licence, made_from, made_from_several
from silverloom.ops.core.joins import matches
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import Split, split_at, unit_interval
from silverloom.ops.core.thresholds import at_least, at_most, scored
from silverloom.ops.filters.contamination import ContaminationParams
from silverloom.ops.rank.choose import Budget, summarize, word_count
from silverloom.ops.talksumm.schemas import EVIDENCE, SUMMARIES, TRAINING_SETS


class SummaryParams(Params, section="talksumm.summaries"):
    """The budgets by name: those of the paper's four training sets (4.1) and of its human evaluation.

    A summary ends before the first sentence that does not fit; `{fill: {words: 150}}` passes over it instead.
    `explained` and `last_three` decide which alignments are good enough (benchmarks/talk_simulation.py).
    """

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
    """By name: how long a summary may be."""
    explained: float = Field(0.44, ge=0, le=1, json_schema_extra={"paper": "0"})
    """A talk with a smaller mean probability that its words come from the paper is about another paper. With
    `talksumm.hmm.model: paper` this number is always 1."""
    last_three: float = Field(0.3, ge=0, le=1, json_schema_extra={"paper": "1"})
    """An alignment with a larger share of its words on the paper's last three sentences has collapsed. A
    paper with fewer than 12 sentences, of which three are more than a quarter, cannot collapse."""
    holes: int = Field(
        0,
        ge=0,
        description="a sentence from which more was taken out that cannot be rendered is in no summary",
    )


#: The least number of sentences of a paper on which an alignment can collapse.
_LONG = 12

_STATE_COLUMNS = ("pair_id", "sentence_id", "state", "section_title", "role", "text", "licence")


class TrainingSetParams(Params, section="talksumm.training_sets"):
    """Which budgets become training sets (the paper's four), and how papers are split.

    A hash of `seed` and a paper's id decides whether it is in validation. So the split of a paper, with all
    its talks, is the same in every set and for any corpus. The share therefore holds on average only: with 10
    papers and a share of 0.1, there is no validation paper one time in three; then raise the share, or change
    the seed. (The paper itself validates on CL-SciSumm 2018; a share of the training set is ours.)
    """

    sets: tuple[str, ...] = Field(("words_150", "words_250", "ratio_30", "ratio_40"), min_length=1)
    """Budgets whose summaries become a training set, by name."""
    validation: float = Field(0.1, ge=0, lt=1, json_schema_extra={"paper": "0; CL-SciSumm 2018"})
    """Share of papers that judge a model during training."""
    seed: int = 0
    """Another one splits in another way."""


class CleanParams(ContaminationParams, section="filters.contamination.talksumm"):
    """How much an example may share with a test set."""


def needs(alignments: Parts, params: SummaryParams, name: str) -> Iterator[pa.Table]:
    """Yield the sentences with the size that one budget limits: that of a summary up to this sentence.

    A paper's first sentence in order of choice is always taken. A sentence that the talk never has in mind is
    never taken, and neither is one with too many holes.
    """
    budget = params.budgets[name]
    for table in alignments:
        units: list[tuple[str, float | None, str]] = []
        for _, states in _by_pair(table.to_pylist()):
            if fault(states[0], params):
                units += [(unit["id"], None, unit["text"]) for unit in states]
                continue
            order = budget.order([unit["text"] for unit in states], _counts(states, params))
            need = {index: float(value) if value else -math.inf for index, value in order}
            units += [(unit["id"], need.get(index), unit["text"]) for index, unit in enumerate(states)]
        yield scored(units)


def fault(state: Row, params: SummaryParams) -> tuple[str, float] | None:
    """Return why a pair's alignment is not good enough, with the number that shows it; None if it is."""
    if not at_least(state["explained"], params.explained):
        return "other_paper", state["explained"]
    if state["states"] >= _LONG and not at_most(state["last_three"], params.last_three):
        return "collapsed", state["last_three"]
    return None


def explained(alignments: Parts, params: SummaryParams) -> Iterator[pa.Table]:
    """Yield the pairs with the number that `params.explained` limits."""
    every = params.model_copy(update={"explained": 0.0})
    for table in alignments:
        pairs = [states[0] for _, states in _by_pair(table.to_pylist())]
        yield scored(
            (pair["pair_id"], None if fault(pair, every) else pair["explained"], pair["text"])
            for pair in pairs
        )


def last_three(alignments: Parts, params: SummaryParams) -> Iterator[pa.Table]:
    """Yield the pairs with the number that `params.last_three` limits."""
    every = params.model_copy(update={"last_three": 1.0})
    for table in alignments:
        pairs = [states[0] for _, states in _by_pair(table.to_pylist())]
        yield scored(
            (
                pair["pair_id"],
                None if fault(pair, every) else pair["last_three"] if pair["states"] >= _LONG else -math.inf,
                pair["text"],
            )
            for pair in pairs
        )


def pairs_of(summaries: pa.Table) -> int:
    """Return the number of pairs with summaries, in a table of talksumm/summaries."""
    return int(pc.count_distinct(summaries["pair_id"]).as_py())


def sentences_of(summaries: pa.Table, name: str) -> int:
    """Return the number of sentences in the summaries of one budget, in a table of talksumm/summaries."""
    chosen = summaries.filter(pc.equal(summaries["budget"], name))
    return int(pc.sum(pc.list_value_length(chosen["sentence_ids"])).as_py() or 0)


def all_summaries(alignments: Parts, pairs: Parts, params: SummaryParams) -> Outcomes:
    """Yield the summaries of every part of the alignments; `pairs` has all pairs."""
    with alignments.engine.scratch() as folder:
        wanted = (part.read(["pair_id"])["pair_id"] for part in alignments.parts)
        titles = matches(pairs, "id", wanted, folder / "titles", ["id", "paper_title"])
        yield from alignments.map(summaries, params, beside=[titles])


def summaries(alignments: pa.Table, pairs: pa.Table, params: SummaryParams) -> Outcome:
    """Return a summary of every pair for every budget; the units are the sentences of `alignments`.

    All sentences of a pair must be in the table. `pairs` has the papers' titles. A pair without a summary
    drops its sentences: `other_paper` (the paper does not explain the words; score: the mean probability that
    it does) or `collapsed` (score: share of the words on the last three sentences). Any other sentence in no
    summary is dropped: `zero_count` (the talk never has it in mind), `holes` (score: their number), or
    `beyond_every_budget` (score: its count). A summary is exhausted if it has all sentences that the talk has
    in mind and that may be in it; then summaries of larger budgets are the same. Raises KeyError for an
    alignment whose pair is not in `pairs`.
    """
    titles = dict(zip(pairs["id"].to_pylist(), pairs["paper_title"].to_pylist(), strict=True))
    units = alignments.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for pair_id, states in _by_pair(units):
        if failure := fault(states[0], params):
            dropped += [drop(unit, failure[0], score=failure[1]) for unit in states]
            continue
        used: set[str] = set()
        for name, budget in sorted(params.budgets.items()):
            row = _summary(states, _counts(states, params), name, budget, titles[pair_id])
            if row is not None:
                kept.append(row)
                used.update(row["source_ids"])
        dropped += [_left_out(unit, params) for unit in states if unit["id"] not in used]
    return Outcome.of(SUMMARIES, [unit["id"] for unit in units], kept, dropped)


def _counts(states: Sequence[Row], params: SummaryParams) -> list[int]:
    """Return the words spent on each sentence, 0 for one with too many holes, which no summary takes."""
    return [0 if is_holed(unit, params.holes) else unit["count"] for unit in states]


def is_holed(sentence: Row, most: int) -> bool:
    """Say whether a sentence has more than `most` holes (ops/text/holes.py)."""
    return not at_most(sentence["holes"] or 0, most)


def _left_out(unit: Row, params: SummaryParams) -> Row:
    if not unit["count"]:
        return drop(unit, "zero_count", score=0.0)
    if is_holed(unit, params.holes):
        return drop(unit, "holes", score=float(unit["holes"]))
    return drop(unit, "beyond_every_budget", score=float(unit["count"]))


def split(paper_id: str, params: TrainingSetParams) -> Split:
    """Return "train" or "validation" for a paper, which depends on its id alone."""
    return split_at(place_of_paper(paper_id, params.seed), params.validation)


def place_of_paper(paper_id: str, seed: int) -> float:
    """Return a number from 0 to 1 that depends only on a paper's id and a seed.

    This differs from the hash in silverloom.ops.core.sampling, which would change the splits of papers.
    """
    return unit_interval(hashlib.blake2b(f"{seed}:{paper_id}".encode(), digest_size=8).digest())


def sections(headings: Sequence[Hashable]) -> list[int]:
    """Return the section number of each sentence; a changed heading starts a new section."""
    return list(accumulate((heading != following for heading, following in pairwise(headings)), initial=0))[
        : len(headings)
    ]


def training_sets(summaries: Parts, alignments: Parts, params: TrainingSetParams) -> Outcomes:
    """Yield the examples of each part of `summaries`; the units are the summaries.

    An example has all of the paper's states in order, with label 1 for sentences of the summary. A summary
    whose budget is not in `params.sets` is dropped as `not_a_training_set`. Raises KeyError if a summary's
    pair is not in `alignments`. Raises ValueError if there are summaries, but none for one of the sets, since
    every paper has one for every budget.
    """
    budgets = {name for part in summaries.parts for name in part.read(["budget"])["budget"].to_pylist()}
    if budgets and (missing := [name for name in params.sets if name not in budgets]):
        raise ValueError(
            f"talksumm.training_sets.sets in params.yaml: {missing[0]!r} is no budget of talksumm.summaries, "
            f"which has {', '.join(sorted(budgets))}"
        )
    with summaries.engine.scratch() as folder:
        wanted = (part.read(["pair_id"])["pair_id"] for part in summaries.parts)
        states = matches(alignments, "pair_id", wanted, folder / "states", _STATE_COLUMNS)
        yield from summaries.map(examples, params, beside=[states])


def examples(summaries: pa.Table, states: pa.Table, params: TrainingSetParams) -> Outcome:
    """Return the examples of one table of summaries, given the states (alignment rows) of their pairs."""
    of_pair: dict[str, list[Row]] = defaultdict(list)
    for state in states.select(list(_STATE_COLUMNS)).to_pylist():
        of_pair[state["pair_id"]].append(state)
    units = summaries.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit in units:
        if unit["budget"] not in params.sets:
            dropped.append(drop(unit, "not_a_training_set", detail=unit["budget"]))
            continue
        if unit["pair_id"] not in of_pair:
            raise KeyError(f"summary {unit['id']!r}: no alignment of its pair {unit['pair_id']!r}")
        paper = sorted(of_pair[unit["pair_id"]], key=lambda state: int(state["state"]))
        chosen = set(unit["sentence_ids"])
        example = {
            **made_from(unit, "example"),
            "licence": joint_licence([unit["licence"], *(state["licence"] for state in paper)]),
            "set": unit["budget"],
            "split": split(unit["paper_id"], params),
            "pair_id": unit["pair_id"],
            "paper_id": unit["paper_id"],
            "title": unit["paper_title"],
            "sentences": [state["text"] for state in paper],
            "roles": [state["role"] for state in paper],
            "sections": sections([state["section_title"] for state in paper]),
            "labels": [int(state["sentence_id"] in chosen) for state in paper],
            "summary": unit["text"],
            "exhausted": unit["exhausted"],
        }
        kept.append(example)
    return Outcome.of(TRAINING_SETS, [unit["id"] for unit in units], kept, dropped)


def _by_pair(units: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    ordered = sorted(units, key=lambda unit: (str(unit["pair_id"]), int(unit["state"])))
    for pair_id, group in groupby(ordered, key=lambda unit: str(unit["pair_id"])):
        yield pair_id, list(group)


def _summary(
    states: Sequence[Row], counts: Sequence[int], name: str, budget: Budget, title: str | None
) -> Row | None:
    chosen = summarize([unit["text"] for unit in states], counts, budget)
    if not chosen:
        return None
    used = [states[index] for index in chosen]
    text = " ".join(unit["text"] for unit in used)
    return {
        **made_from_several(used, "summary", used[0]["pair_id"], name),
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
        "exhausted": len(chosen) == sum(count > 0 for count in counts),
        **{name: used[0][name] for name, *_ in EVIDENCE},
    }
