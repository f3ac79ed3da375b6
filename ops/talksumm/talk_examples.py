"""Pairs of texts that a talk gives for training: talk and abstract, talk and summary, segment and section.

Belongs here: making them from the talks of the training sets. Not here: the training sets (summarise.py), the
alignment (ops/talksumm/align), the files of the release (ops/core/release.py). [ours] The paper has only
extractive sets.

A segment is a run of the talk's words that the alignment puts in one section, with its times. Talks whose
examples were left out of the training sets, such as those of a test set, have none here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.joins import matches
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.parse.roles import ABSTRACT
from silverloom.ops.talksumm.schemas import EVIDENCE, TALK_EXAMPLES
from silverloom.ops.talksumm.summarise import TrainingSetParams, is_holed, sections

#: The kinds of examples, which are configurations of the release.
ABSTRACTS, SUMMARIES, SECTIONS = "talk_abstract", "talk_summary", "segment_section"

_PAIR = ("id", "licence", "talk_id", "words", "sentences")
_STATE = ("pair_id", "state", "count", "spans", "section_title", "text", "holes")


class TalkExampleParams(Params, section="talksumm.talk_examples"):
    """Which summaries and segments become examples."""

    set: str | None = Field(
        None, description="training set with the summaries for talk_summary; null: the first of its list"
    )
    segment_words: int = Field(
        20, ge=1, description="words of a segment at least; [ours] about a sentence of speech"
    )
    holes: int = Field(
        0,
        ge=0,
        description="a sentence from which more was taken out that cannot be rendered is in no target",
    )


class _Segment(NamedTuple):
    """A run of words within one section: first and last word (both included), and number of the section."""

    first: int
    last: int
    section: int


def talk_examples(
    training_sets: Parts,
    pairs: Parts,
    alignments: Parts,
    summaries: Parts,
    sets: TrainingSetParams,
    params: TalkExampleParams,
) -> Outcomes:
    """Yield the examples of the talks in one training set; the units are the rows of all training sets.

    Rows of other training sets are dropped as `other_set`. Shorter segments are counted as `short_segment`,
    and the sentences that a target lacks because of holes as `sentence_with_holes`.
    Raises ValueError for a set that is not among the training sets. Raises KeyError for a row whose pair or
    summary is missing.
    """
    name = params.set or sets.sets[0]
    if name not in sets.sets:
        raise ValueError(
            f"talksumm.talk_examples.set in params.yaml: {name!r} is none of talksumm.training_sets.sets: "
            f"{', '.join(sets.sets)}"
        )
    with training_sets.engine.scratch() as folder:
        wanted = [part.read(["pair_id"])["pair_id"] for part in training_sets.parts]
        beside = [
            matches(pairs, "id", wanted, folder / "pairs", _PAIR),
            matches(alignments, "pair_id", wanted, folder / "states", _STATE),
            matches(summaries, "pair_id", wanted, folder / "summaries"),
        ]
        yield from training_sets.map(examples, name, params, beside=beside)


def examples(
    training_sets: pa.Table,
    pairs: pa.Table,
    states: pa.Table,
    summaries: pa.Table,
    name: str,
    params: TalkExampleParams,
) -> Outcome:
    """Return the examples of one table of training sets, given pairs, states and summaries of its talks."""
    talks = {row["id"]: row for row in pairs.to_pylist()}
    of_pair: dict[str, list[Row]] = defaultdict(list)
    for row in states.to_pylist():
        of_pair[row["pair_id"]].append(row)
    evidence = {(row["pair_id"], row["budget"]): row for row in summaries.to_pylist()}
    units = training_sets.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    lost: Counter[str] = Counter()

    def target(sentences: Sequence[Row]) -> str:
        whole = [row["text"] for row in sentences if not is_holed(row, params.holes)]
        lost["sentence_with_holes"] += len(sentences) - len(whole)
        return " ".join(whole)

    for unit in units:
        if unit["set"] != name:
            dropped.append(drop(unit, "other_set", detail=unit["set"]))
            continue
        pair = talks[unit["pair_id"]]
        aligned = sorted(of_pair[unit["pair_id"]], key=lambda row: int(row["state"]))
        sources, about = (unit, pair), _about(unit, pair, evidence[unit["pair_id"], name])
        spoken = [word["text"] for word in pair["words"]]
        whole = " ".join(spoken)
        kept.append(_example(sources, about, SUMMARIES, whole, unit["summary"]))
        if abstract := target([row for row in pair["sentences"] if row["role"] == ABSTRACT]):
            kept.append(_example(sources, about, ABSTRACTS, whole, abstract))
        numbers = sections([row["section_title"] for row in aligned])
        for segment in segments(aligned, numbers):
            if segment.last - segment.first + 1 < params.segment_words:
                lost["short_segment"] += 1
                continue
            inside = [row for row, number in zip(aligned, numbers, strict=True) if number == segment.section]
            text = " ".join(spoken[segment.first : segment.last + 1])
            place = {
                "section": inside[0]["section_title"],
                "first_word": segment.first,
                "last_word": segment.last,
                "start": pair["words"][segment.first]["start"],
                "end": pair["words"][segment.last]["end"],
            }
            if section := target(inside):
                kept.append(_example(sources, about, SECTIONS, text, section, place))
    return Outcome.of(TALK_EXAMPLES, [unit["id"] for unit in units], kept, dropped, combinations=+lost)


def segments(states: Sequence[Row], numbers: Sequence[int]) -> Iterator[_Segment]:
    """Yield the longest runs of words within one section, in the order of the talk.

    `numbers` are the sections of the states. Words that no state got, such as stop words, belong to the run
    around them; between two runs, to none.
    """
    spans = sorted(
        (span["first"], span["last"], number)
        for row, number in zip(states, numbers, strict=True)
        for span in row["spans"]
    )
    for number, run in groupby(spans, key=lambda span: span[2]):
        inside = list(run)
        yield _Segment(inside[0][0], max(last for _, last, _ in inside), number)


def _about(unit: Row, pair: Row, summary: Row) -> Mapping[str, Any]:
    return {
        **{name: unit[name] for name in ("split", "pair_id", "paper_id", "title")},
        "talk_id": pair["talk_id"],
        **{name: summary[name] for name, *_ in EVIDENCE},
    }


def _example(
    sources: Sequence[Row],
    about: Mapping[str, Any],
    kind: str,
    source: str,
    target: str,
    place: Mapping[str, Any] | None = None,
) -> Row:
    place = place or dict.fromkeys(("section", "first_word", "last_word", "start", "end"))
    first = "" if place["first_word"] is None else str(place["first_word"])
    return {
        **made_from_several(sources, "talk_example", about["pair_id"], kind, first),
        **about,
        **place,
        "set": kind,
        "source": source,
        "target": target,
    }
