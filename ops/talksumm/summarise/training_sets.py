"""The four training sets of Lev et al. (2019), section 4.1: papers with a 0/1 label on every sentence.

Belongs here: which summaries are training sets, labels, the split by paper.
Not here: how long a summary is (budgets.py), the models that are trained (extractor.py).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import accumulate, pairwise

import pyarrow as pa
from pydantic import Field

from ops.core.sampling import unit_interval
from ops.core.splits import Split, split_at
from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Outcomes, Row, drop
from ops.params import Params
from ops.parts import Parts
from ops.talksumm.schemas import TRAINING_SETS

_STATE_COLUMNS = ("pair_id", "sentence_id", "state", "section_title", "role", "text", "licence")


class TrainingSetParams(Params, section="talksumm.training_sets"):
    """Which budgets become training sets (the paper's four), and how papers are split.

    A paper falls into validation by a hash of `seed` and its id: whatever else is in the corpus, and in
    every set, with all its talks. The share is therefore met on average only: of 10 papers at 0.1, one
    time in three none is in validation; then raise the share, or take another seed. (The paper itself
    validates on CL-SciSumm 2018; a share of its own set is ours.)
    """

    sets: tuple[str, ...] = Field(("words_150", "words_250", "ratio_30", "ratio_40"), min_length=1)
    validation: float = Field(0.1, ge=0, lt=1)
    seed: int = 0


def split(paper_id: str, params: TrainingSetParams) -> Split:
    """Return "train" or "validation" for a paper, from its id alone."""
    return split_at(place_of_paper(paper_id, params.seed), params.validation)


def place_of_paper(paper_id: str, seed: int) -> float:
    """Return a number from 0 to 1, from a paper's id and a seed alone.

    It is not ops.core.sampling's, which would put papers into other splits than they have always been in.
    """
    return unit_interval(hashlib.blake2b(f"{seed}:{paper_id}".encode(), digest_size=8).digest())


def sections(headings: Sequence[Hashable]) -> list[int]:
    """Return the number of the section that each sentence stands in; a changed heading begins a new one."""
    return list(accumulate((heading != following for heading, following in pairwise(headings)), initial=0))[
        : len(headings)
    ]


def training_sets(summaries: Parts, alignments: Parts, params: TrainingSetParams) -> Outcomes:
    """Yield the examples of each part of `summaries`; the units are the summaries.

    An example holds all of the paper's states in order, with label 1 where a sentence is in the summary. A
    summary whose budget is not in `params.sets` is dropped as `not_a_training_set`. Raises KeyError if
    a summary's pair is not in `alignments`, and ValueError if there are summaries, but none of one of the
    sets: every paper has one of every budget.
    """
    budgets = set(summaries.read(["budget"])["budget"].to_pylist())
    if budgets and (missing := [name for name in params.sets if name not in budgets]):
        raise ValueError(
            f"talksumm.training_sets.sets in params.yaml: {missing[0]!r} is no budget of talksumm.summaries, "
            f"which has {', '.join(sorted(budgets))}"
        )
    for table in summaries:
        wanted = sorted({str(pair) for pair in table["pair_id"].to_pylist()})
        states = alignments.read(_STATE_COLUMNS, where=("pair_id", wanted))
        yield examples(table, states, params)


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
            "id": row_id("example", unit["id"]),
            "source_ids": [unit["id"]],
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
