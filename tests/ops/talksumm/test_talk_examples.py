"""A talk of the training sets gives pairs with its abstract, its summary, and its segments' sections."""

from __future__ import annotations

import pytest

from silverloom.ops.talksumm import TrainingSetParams
from silverloom.ops.talksumm.schemas import ALIGNMENTS, PAIRS, SUMMARIES, TALK_EXAMPLES, TRAINING_SETS
from silverloom.ops.talksumm.talk_examples import TalkExampleParams, segments, talk_examples
from tests.ops.talksumm.pair_cases import EVIDENCE
from tests.parts import dealt, parts

SETS = TrainingSetParams(sets=("short", "long"))
PARAMS = TalkExampleParams(segment_words=3)


def unit(of="short", pair="pair-1"):
    return {
        "id": f"{of} of {pair}", "set": of, "split": "train", "pair_id": pair, "paper_id": "p", "title": "T",
        "summary": f"A {of} summary.",
    }  # fmt: skip


def summary(of="short", pair="pair-1"):
    return {"id": f"summary {of} of {pair}", "pair_id": pair, "budget": of, **EVIDENCE}


def pair(
    name="pair-1", words="so we count rare words and then tables show them", abstract=("We count.", "So.")
):
    spoken = [
        {"text": word, "offset": 0, "start": float(at), "end": at + 0.5}
        for at, word in enumerate(words.split())
    ]
    told = [("abstract", text) for text in abstract] + [("method", "Rare words are counted.")]
    return {
        "id": name, "talk_id": f"talk of {name}", "words": spoken, "licence": "CC0-1.0",
        "sentences": [
            {"id": f"{name}-{at}", "sentence_id": f"s{at}", "position": at, "role": role, "text": text}
            for at, (role, text) in enumerate(told)
        ],
    }  # fmt: skip


def states(*told, of="pair-1"):
    """Return the states of a pair from (section, count, spans)."""
    return [
        {
            "id": f"{of}-state-{at}", "pair_id": of, "state": at, "count": count, "section_title": section,
            "text": f"Sentence {at}.", "spans": [{"first": first, "last": last} for first, last in spans],
        }
        for at, (section, count, spans) in enumerate(told)
    ]  # fmt: skip


STATES = states(
    ("2 Words", 3, [(2, 3), (8, 8)]),
    ("2 Words", 1, [(4, 4)]),
    ("3 Tables", 2, [(7, 7), (9, 9)]),
    ("4 End", 0, []),
)


def made(folder, units=None, pairs=None, aligned=None, params=PARAMS):
    units = units if units is not None else [unit(), unit("long")]
    outcomes = list(
        talk_examples(
            parts(folder / "sets", TRAINING_SETS.kept, units),
            dealt(folder / "pairs", PAIRS.kept, pairs or [pair()]),
            dealt(folder / "states", ALIGNMENTS.kept, aligned or STATES),
            dealt(folder / "summaries", SUMMARIES.kept, [summary(), summary("long")]),
            SETS,
            params,
        )
    )
    [outcome] = outcomes
    assert outcome.kept.schema == TALK_EXAMPLES.kept
    assert outcome.units.to_pylist() == [row["id"] for row in units]
    return outcome


def by_kind(outcome):
    rows = {}
    for row in outcome.kept.to_pylist():
        rows.setdefault(row["set"], []).append(row)
    return rows


def test_a_talk_is_paired_with_its_abstract_its_summary_and_the_sections_of_its_segments(tmp_path):
    outcome = made(tmp_path)
    rows = by_kind(outcome)
    whole = "so we count rare words and then tables show them"
    [abstract], [told], [segment] = rows["talk_abstract"], rows["talk_summary"], rows["segment_section"]
    assert (abstract["source"], abstract["target"]) == (whole, "We count. So.")
    assert (told["source"], told["target"]) == (whole, "A short summary.")
    assert (segment["source"], segment["target"]) == ("count rare words", "Sentence 0. Sentence 1.")
    place = ("section", "first_word", "last_word", "start", "end")
    assert [segment[name] for name in place] == ["2 Words", 2, 4, 2.0, 4.5]
    assert [told[name] for name in place] == [None] * 5
    for row in (abstract, told, segment):
        assert {name: row[name] for name in EVIDENCE} == EVIDENCE
        assert (row["split"], row["talk_id"], row["licence"]) == (
            "train",
            "talk of pair-1",
            "CC0-1.0 AND MIT",
        )
        assert row["source_ids"] == ["short of pair-1", "pair-1"]
    assert outcome.combinations == {"short_segment": 3}
    assert outcome.dropped.select(["id", "reason", "detail"]).to_pylist() == [
        {"id": "long of pair-1", "reason": "other_set", "detail": "long"}
    ]


def test_a_target_has_no_sentence_with_a_hole_by_default(tmp_path):
    told, aligned = pair(), [dict(row) for row in STATES]
    told["sentences"][0]["holes"] = aligned[1]["holes"] = 1
    outcome = made(tmp_path / "strict", pairs=[told], aligned=aligned)
    rows = by_kind(outcome)
    assert [rows[kind][0]["target"] for kind in ("talk_abstract", "segment_section")] == [
        "So.",
        "Sentence 0.",
    ]
    assert outcome.combinations == {"short_segment": 3, "sentence_with_holes": 2}
    params = TalkExampleParams(segment_words=3, holes=1)
    rows = by_kind(made(tmp_path / "lenient", pairs=[told], aligned=aligned, params=params))
    assert rows["segment_section"][0]["target"] == "Sentence 0. Sentence 1."


def test_a_segment_of_a_section_whose_sentences_all_have_holes_gives_no_example(tmp_path):
    aligned = [{**row, "holes": int(row["section_title"] == "2 Words")} for row in STATES]
    outcome = made(tmp_path, aligned=aligned)
    assert "segment_section" not in by_kind(outcome)
    assert outcome.combinations == {"short_segment": 3, "sentence_with_holes": 2}


def test_params_name_the_training_set_that_gives_the_summaries(tmp_path):
    rows = by_kind(made(tmp_path, params=TalkExampleParams(set="long")))
    assert [row["target"] for row in rows["talk_summary"]] == ["A long summary."]


def test_a_set_that_is_no_training_set_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"'odd' is none of talksumm.training_sets.sets: short, long"):
        made(tmp_path, params=TalkExampleParams(set="odd"))


def test_a_paper_without_an_abstract_has_no_such_pair(tmp_path):
    assert set(by_kind(made(tmp_path, pairs=[pair(abstract=())]))) == {"talk_summary", "segment_section"}


def test_a_talk_without_an_example_in_the_training_sets_has_none(tmp_path):
    outcome = made(tmp_path, units=[])
    assert outcome.kept.num_rows == 0


def test_segments_are_the_longest_runs_of_one_section():
    aligned = states(("a", 2, [(0, 3), (9, 9)]), ("a", 1, [(5, 6)]), ("b", 1, [(7, 8)]))
    found = [(run.first, run.last, run.section) for run in segments(aligned, [0, 0, 1])]
    assert found == [(0, 6, 0), (7, 8, 1), (9, 9, 0)]
