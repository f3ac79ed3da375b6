"""The results of filled rating sheets: votes for each row, and the paper's tables."""

import json
import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silverloom.ops.evaluation.answers import ANSWERS
from silverloom.ops.evaluation.table import TABLE
from silverloom.ops.talksumm.evaluation.human_evaluation import human_evaluation
from silverloom.ops.talksumm.evaluation.people import (
    HUMAN_EVALUATION,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from tests.parts import parts

PARAMS = HumanEvaluationParams(resamples=200)
QUESTION = {"talksumm_sentences": "considered", "talksumm_summaries": "quality"}


def sent(name, paper="paper1", questionnaire="talksumm_sentences"):
    return {
        "id": name, "source_ids": ["summary"], "licence": "MIT", "questionnaire": questionnaire,
        "summary_id": f"summary of {paper}", "paper_id": paper, "paper_title": paper.title(), "text": f"Text of {name}.",
    }  # fmt: skip


SENT = [
    *(sent(f"s{number}") for number in range(3)),
    sent("s3", "paper2"),
    sent("q1", questionnaire="talksumm_summaries"),
    sent("q2", "paper2", "talksumm_summaries"),
]


def answer(row, rater, value, **change):
    [own] = [one for one in SENT if one["id"] == row]
    shown = [{"column": name, "text": own[name]} for name in ("paper_title", "text")]
    given = {
        "id": f"answer-{row}-{rater}", "source_ids": ["file"], "licence": "CC0-1.0", "file": f"people/{rater}.csv",
        "place": "line 2", "questionnaire": own["questionnaire"], "rater": rater, "row_id": row,
        "question": QUESTION[own["questionnaire"]], "answer": value, "shown": shown,
    }  # fmt: skip
    return {**given, **change}


def judged(folder, *answers, params=PARAMS):
    [outcome] = human_evaluation(
        parts(folder, ANSWERS.kept, answers),
        parts(folder, RATING_SHEETS.kept, SENT),
        RatingSheetParams(),
        params,
    )
    return outcome


def tables(outcome):
    return json.loads(outcome.files[TABLE])


def question(outcome, name):
    [found] = [one for one in tables(outcome)["questions"] if one["question"] == name]
    return found


def test_a_row_has_the_majority_mean_and_deviation_of_its_answers(tmp_path):
    values = (("ann", "no"), ("bob", "yes"), ("chi", "yes"))
    outcome = judged(
        tmp_path,
        *(answer("s0", rater, value) for rater, value in values),
        *(answer("q1", rater, value) for rater, value in (("bob", "4"), ("ann", "3"))),
    )
    assert outcome.kept.schema == HUMAN_EVALUATION.kept
    sentence, summary = outcome.kept.to_pylist()
    assert (sentence["row_id"], sentence["majority"], sentence["votes"], sentence["raters"]) == (
        "s0",
        "yes",
        2,
        3,
    )
    assert sentence["mean"] == pytest.approx(2 / 3) and sentence["deviation"] == pytest.approx((1 / 3) ** 0.5)
    assert sentence["answers"] == [{"rater": rater, "value": value} for rater, value in values]
    assert sentence["source_ids"] == ["s0", "answer-s0-ann", "answer-s0-bob", "answer-s0-chi"]
    assert (sentence["sentence"], sentence["summary"], sentence["tie"]) == (True, False, False)
    assert (summary["majority"], summary["tie"], summary["mean"], summary["raters"]) == (None, True, 3.5, 2)
    assert summary["answers"] == [{"rater": "ann", "value": "3"}, {"rater": "bob", "value": "4"}]
    assert sentence["licence"] == "CC0-1.0 AND MIT"


def test_every_answer_counts_is_dropped_or_is_rejected_with_its_cause(tmp_path):
    outcome = judged(
        tmp_path,
        answer("s0", "ann", "yes"),
        answer("s1", "ann", None, place="line 3"),
        answer("s2", "ann", "perhaps"),
        answer("s3", "ann", "yes", row_id="s9"),
        answer("q1", "ann", "6"),
        answer("q2", "ann", "4", shown=[]),
        answer("s0", "ann", "no", id="again", place="line 9"),
        answer("s0", "bob", "yes", questionnaire="of_another_system", place="line 4"),
        answer("s0", "chi", None, questionnaire="of_another_system"),
    )
    dropped = {row["id"]: (row["reason"], row["detail"]) for row in outcome.dropped.to_pylist()}
    assert dropped == {
        "answer-s1-ann": ("no_answer", "people/ann.csv, line 3"),
        "answer-s0-bob": ("other_questionnaire", "people/bob.csv, line 4"),
        "answer-s0-chi": ("other_questionnaire", "people/chi.csv, line 2"),
    }
    errors = {row["id"]: row["error"] for row in outcome.rejected.to_pylist()}
    assert set(errors) == {"answer-s2-ann", "answer-s3-ann", "answer-q1-ann", "answer-q2-ann", "again"}
    assert errors["answer-s2-ann"] == (
        "people/ann.csv, line 2: row 's2', question 'considered': 'perhaps' is none of yes, no"
    )
    assert "no such row was sent out" in errors["answer-s3-ann"]
    assert "'6' is none of 1, 2, 3, 4, 5" in errors["answer-q1-ann"]
    assert "is not the one that was sent out" in errors["answer-q2-ann"]
    assert "ann has answered it already: people/ann.csv, line 2" in errors["again"]
    [row] = outcome.kept.to_pylist()
    assert row["source_ids"] == ["s0", "answer-s0-ann"]
    assert sorted(outcome.units.to_pylist()) == sorted(["answer-s0-ann", *dropped, *errors])


def test_the_table_equals_that_computed_by_hand(tmp_path):
    outcome = judged(
        tmp_path,
        *(answer(f"s{number}", "ann", value) for number, value in enumerate(("yes", "yes", "no", "yes"))),
        *(answer(f"s{number}", "bob", value) for number, value in enumerate(("yes", "no", "no"))),
        answer("q1", "ann", "4"),
        answer("q2", "ann", "3"),
        answer("q1", "bob", "5"),
    )
    considered, quality = question(outcome, "considered"), question(outcome, "quality")
    assert considered["mean"] == round(4 / 7, 6) and considered["deviation"] is None
    # Paper 1 has 3 of 6, paper 2 has 1 of 1: the means of two drawn papers are 0.5, 4/7 and 1.
    assert (considered["low"], considered["high"]) == (0.5, 1.0)
    counts = ("papers", "rows", "raters", "ratings", "ties")
    assert [considered[name] for name in counts] == [2, 4, 2, 7, 1]
    assert considered["values"] == [
        {"value": "yes", "ratings": 4, "share": 4 / 7, "majorities": 2},
        {"value": "no", "ratings": 3, "share": 3 / 7, "majorities": 1},
    ]
    assert [quality[name] for name in counts] == [2, 2, 2, 3, 1]
    assert (quality["mean"], quality["deviation"]) == (4.0, 1.0)
    assert (quality["low"], quality["high"]) == (3.0, 4.5)
    assert considered["paper"]["mean"] == 0.73 and quality["paper"] == {"mean": 3.73, "deviation": 0.725}
    found = {(one["question"], one["rater"]): one for one in tables(outcome)["agreement"]}
    # On three sentences ann answers yes yes no, bob yes no no: agreed 2/3, by chance 4/9.
    assert found["considered", "ann"]["kappa"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert (found["considered", "ann"]["rows"], found["considered", "ann"]["left_out"]) == (3, 1)
    assert [one["other"] for one in tables(outcome)["pairs"]] == ["bob", "bob"]


def test_without_filled_sheets_there_are_no_rows_and_the_table_is_empty(tmp_path):
    outcome = judged(tmp_path)
    assert outcome.kept.num_rows == outcome.dropped.num_rows == outcome.rejected.num_rows == 0
    for name in ("considered", "quality"):
        found = question(outcome, name)
        assert [found[count] for count in ("papers", "rows", "raters", "ratings", "ties")] == [0] * 5
        assert [found[number] for number in ("mean", "low", "high", "deviation")] == [None] * 4
        assert found["paper"]["mean"] > 0
    assert tables(outcome)["agreement"] == tables(outcome)["pairs"] == []


RATED = st.dictionaries(
    st.tuples(st.sampled_from([one["id"] for one in SENT]), st.sampled_from(["ann", "bob", "chi"])),
    st.integers(1, 5),
    max_size=18,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RATED, st.randoms())
def test_means_are_those_of_all_answers_and_the_order_of_sheets_does_not_matter(tmp_path, rated, rand):
    def value(row, number):
        return str(number) if row.startswith("q") else ("yes" if number > 2 else "no")

    answers = [answer(row, rater, value(row, number)) for (row, rater), number in rated.items()]
    outcome = judged(tmp_path, *answers)
    assert outcome.rejected.num_rows == 0 and outcome.kept.num_rows == len({row for row, _ in rated})
    quality = [number for (row, _), number in rated.items() if row.startswith("q")]
    considered = [number > 2 for (row, _), number in rated.items() if row.startswith("s")]
    for name, numbers in (("quality", quality), ("considered", considered)):
        found = question(outcome, name)
        assert found["ratings"] == len(numbers)
        if numbers:
            assert found["mean"] == pytest.approx(sum(numbers) / len(numbers), abs=1e-6)
            assert found["low"] <= found["mean"] <= found["high"]
    if len(quality) > 1:
        assert question(outcome, "quality")["deviation"] == pytest.approx(statistics.stdev(quality))
    rand.shuffle(answers)
    again = judged(tmp_path, *answers)
    assert again.kept.equals(outcome.kept) and again.files == outcome.files
