"""Align each pair of a talk and a paper: the table of talksumm/alignments.

Belongs here: which sentences are states, and rows with counts, seconds and spans. Not here: the model
(hmm.py), pairing talks and papers (ops/talksumm/pairing.py), choosing summaries (ops/talksumm/summarise.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from silverloom.ops.core.identity import made_of
from silverloom.ops.core.outcome import Outcome, Row, drop
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, at_most, scored
from silverloom.ops.models.word_vectors import WordVectors, word_vectors
from silverloom.ops.parse.roles import INTRODUCTION, PREAMBLE
from silverloom.ops.talksumm.align.emission import observe, says_anything
from silverloom.ops.talksumm.align.evidence import Evidence, evidence
from silverloom.ops.talksumm.align.hmm import Alignment, HmmParams, Trellis, trellis
from silverloom.ops.talksumm.schemas import ALIGNMENTS

WordSpan = tuple[int, int]


def align(pairs: pa.Table, params: HmmParams) -> Outcome:
    """Return which paper sentence each spoken word describes, and how many words each sentence got.

    The units are the sentences of the pairs. Every sentence that is a state is kept, even with count 0. The
    others are dropped: `role_<role>` (its section is not aligned), `short` (under
    `params.minimum_characters`; score: its number of characters), `talk_without_words` (the talk has no word
    to align), `too_large` (the pair has more cells than `params.cells`; score: their number).
    """
    vectors = word_vectors(params.vectors)
    units: list[str] = []
    kept: list[Row] = []
    dropped: list[Row] = []
    for pair in pairs.to_pylist():
        units += [sentence["id"] for sentence in pair["sentences"]]
        states, lost = divide(pair, params)
        dropped += lost
        size = cells(pair, states)
        if not at_most(size, params.cells):
            detail = f"{len(pair['words'])} words, {len(states)} sentences"
            dropped += [drop(unit, "too_large", float(size), detail) for unit in states]
        elif (model := trellis_of(pair, states, vectors, params)) is None:
            detail = f"{len(pair['words'])} words"
            dropped += [drop(unit, "talk_without_words", detail=detail) for unit in states]
        else:
            alignment = model.decode(params)
            kept += _rows(states, alignment, evidence(model, alignment, params), pair["words"])
    return Outcome.of(ALIGNMENTS, units, kept, dropped)


def divide(pair: Row, params: HmmParams) -> tuple[list[Row], list[Row]]:
    """Return the sentences of a pair that are states, in the paper's order, and the others as dropped rows.

    If all sections would be excluded, the preamble is kept: in a paper without recognised sections it is the
    paper.
    """
    excluded = set(params.excluded_roles)
    if {sentence["role"] for sentence in pair["sentences"]} <= excluded:
        excluded.discard(PREAMBLE)
    states: list[Row] = []
    dropped: list[Row] = []
    for sentence in sorted(pair["sentences"], key=lambda sentence: int(sentence["position"])):
        unit = _unit(pair, sentence)
        if sentence["role"] in excluded:
            dropped.append(drop(unit, f"role_{sentence['role'].replace(' ', '_')}"))
        elif not at_least(len(sentence["text"]), params.minimum_characters):
            dropped.append(drop(unit, "short", score=float(len(sentence["text"]))))
        else:
            states.append(unit)
    return states, dropped


def lengths(pairs: Parts, params: HmmParams) -> Iterator[pa.Table]:
    """Yield the sentences with the number that `params.minimum_characters` limits: their characters."""
    of_any_length = params.model_copy(update={"minimum_characters": 0})
    for table in pairs:
        units: list[tuple[str, float | None, str]] = []
        for pair in table.to_pylist():
            states, lost = divide(pair, of_any_length)
            words = [word["text"] for word in pair["words"]]
            alignable = says_anything(words) and at_most(cells(pair, divide(pair, params)[0]), params.cells)
            units += [
                (unit["id"], float(len(unit["text"])) if alignable else None, unit["text"]) for unit in states
            ]
            units += [(unit["id"], None, unit["text"]) for unit in lost]
        yield scored(units)


def cells(pair: Row, states: Sequence[Row]) -> int:
    """Return the number of time steps of a talk times the number of states."""
    return len(observe([word["text"] for word in pair["words"]])[0]) * len(states)


def trellis_of(pair: Row, states: Sequence[Row], vectors: WordVectors, params: HmmParams) -> Trellis | None:
    """Return the trellis of a pair over its states; None if there is no state or no word to align."""
    words = [word["text"] for word in pair["words"]]
    if not states or not says_anything(words):
        return None
    introduction = [k for k, unit in enumerate(states) if unit["role"] == INTRODUCTION]
    return trellis(words, [unit["text"] for unit in states], vectors, params, introduction or None)


def spans(alignment: Alignment) -> list[list[WordSpan]]:
    """Return, for each state, its runs: first and last index of the words spoken while it was in mind."""
    runs: list[list[WordSpan]] = [[] for _ in alignment.counts]
    steps = zip(alignment.states.tolist(), alignment.origins.tolist(), strict=True)
    for state, run in groupby(steps, key=lambda step: step[0]):
        words = [word for _, word in run]
        runs[state].append((words[0], words[-1]))
    return runs


def seconds(runs: Sequence[WordSpan], words: Sequence[Row]) -> float | None:
    """Return the summed durations of runs, from first to last word; None if a time is missing."""
    total = 0.0
    for first, last in runs:
        start, end = words[first]["start"], words[last]["end"]
        if start is None or end is None:
            return None
        # Recognisers may give two words in the wrong order.
        total += max(0.0, end - start)
    return round(total, 3)


def _unit(pair: Row, sentence: Row) -> dict[str, Any]:
    return {
        **made_of(sentence["id"], [pair["id"], sentence["sentence_id"]], pair["licence"]),
        "pair_id": pair["id"],
        "talk_id": pair["talk_id"],
        "paper_id": pair["paper_id"],
        "sentence_id": sentence["sentence_id"],
        "position": sentence["position"],
        "section_title": sentence["section_title"],
        "role": sentence["role"],
        "text": sentence["text"],
        "holes": sentence["holes"],
    }


def _rows(states: Sequence[Row], alignment: Alignment, of_pair: Evidence, words: Sequence[Row]) -> list[Row]:
    timed = any(word["start"] is not None for word in words)
    rows: list[Row] = []
    for state, (unit, runs) in enumerate(zip(states, spans(alignment), strict=True)):
        row = {
            **unit,
            "state": state,
            "count": int(alignment.counts[state]),
            "seconds": seconds(runs, words) if timed else None,
            "spans": [{"first": first, "last": last} for first, last in runs],
            # Six decimals: coarser than rounding errors of sums, finer than differences between paths.
            "log_probability": round(alignment.log_probability, 6),
            **of_pair._asdict(),
        }
        rows.append(row)
    return rows
