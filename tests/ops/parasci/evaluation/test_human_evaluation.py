"""From filled sheets about pairs to means, counts and agreement, compared with slow obvious versions."""

import json
from collections import Counter
from statistics import fmean, stdev

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silverloom.ops.evaluation.answers import ANSWERS
from silverloom.ops.evaluation.judge.judgements import judgements_shape
from silverloom.ops.evaluation.table import TABLE
from silverloom.ops.parasci.evaluation.human_evaluation import human_evaluation
from silverloom.ops.parasci.evaluation.people import (
    HUMAN_EVALUATION,
    PAIRS,
    PEOPLE,
    PHENOMENA,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from tests.parts import parts

SHEET = {question.name: sheet for sheet in (PAIRS, PHENOMENA) for question in sheet.questions}


def sent(name, origin="intra", questionnaire=PAIRS, corpus="papers"):
    return {
        "id": f"{questionnaire.name}-{name}", "source_ids": [name], "licence": "MIT",
        "questionnaire": questionnaire.name, "paraphrase_id": name, "origin": origin, "corpus": corpus,
        "sentence_1": f"One {name}.", "sentence_2": f"Two {name}.",
    }  # fmt: skip


def answer(row, rater, question, value, **change):
    shown = [{"column": name, "text": row[name]} for name in PAIRS.shown]
    return {
        "id": f"{row['id']}-{rater}-{question}", "source_ids": ["file"], "licence": "MIT", "file": f"{rater}.csv",
        "place": "line 2", "questionnaire": row["questionnaire"], "rater": rater, "row_id": row["id"],
        "question": question, "answer": value, "shown": shown,
    } | change  # fmt: skip


def judged(folder, rows, given, judgements=None, **asked):
    [outcome] = human_evaluation(
        parts(folder / "answers", ANSWERS.kept, given),
        parts(folder / "sheets", RATING_SHEETS.kept, rows),
        RatingSheetParams(**asked),
        HumanEvaluationParams(resamples=20),
        judgements,
    )
    assert outcome.kept.schema == HUMAN_EVALUATION.kept
    return outcome, json.loads(outcome.files[TABLE])


def question(table, name):
    return next(found for found in table["questions"] if found["question"] == name)


ratings = st.dictionaries(
    st.tuples(st.integers(0, 5), st.sampled_from(["ann", "bob", "chi"]), st.sampled_from(sorted(SHEET))),
    st.integers(1, 5),
    max_size=60,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratings)
def test_means_counts_and_deviations_equal_those_of_a_plain_loop(tmp_path_factory, ratings):
    folder = tmp_path_factory.mktemp("rated")
    origins = {number: ("intra", "citations")[number % 2] for number in range(6)}
    rows = {
        (number, sheet.name): sent(str(number), origins[number], sheet)
        for number in range(6)
        for sheet in (PAIRS, PHENOMENA)
    }
    given = [
        answer(rows[number, SHEET[name].name], rater, name, str(value))
        for (number, rater, name), value in ratings.items()
    ]
    _, table = judged(folder, list(rows.values()), given)
    for found in table["questions"]:
        for score in found["scores"]:
            values, raters, pairs = [], set(), set()
            for (number, rater, name), value in ratings.items():
                if name == found["question"] and score["origin"] in ("all", origins[number]):
                    values.append(value)
                    raters.add(rater)
                    pairs.add(number)
            counts = (score["rated"], score["raters"], score["ratings"])
            assert counts == (len(pairs), len(raters), len(values))
            assert score["mean"] == (pytest.approx(fmean(values), abs=1e-6) if values else None)
            assert not values or score["low"] <= score["mean"] <= score["high"]
            assert score["deviation"] == (pytest.approx(stdev(values), abs=1e-6) if len(values) > 1 else None)
            assert {value: count for value, count in score["values"].items() if count} == {
                str(value): count for value, count in Counter(values).items()
            }
        named = {score["origin"] for score in found["scores"]}
        assert named == {"all"} | {origins[n] for n, _, name in ratings if name == found["question"]}


def test_the_average_kappa_is_that_of_each_rater_with_the_majority_of_the_others(tmp_path):
    # ann and bob agree everywhere; chi gives the other value in one of four rows.
    rows = [sent(str(number)) for number in range(4)]
    given = [
        answer(row, rater, "consistency", value)
        for row, values in zip(rows, ("444", "555", "445", "555"), strict=True)
        for rater, value in zip(("ann", "bob", "chi"), values, strict=True)
    ]
    _, table = judged(tmp_path, rows, given)
    kappas = {row["rater"]: row["kappa"] for row in table["agreement"]}
    # Row 3 is tied for ann and bob (4 against 5): of the other three both have kappa 1. For chi: p_o = 3/4,
    # p_e = (2 * 1 + 2 * 3) / 16 = 1/2.
    assert kappas == {"ann": 1.0, "bob": 1.0, "chi": 0.5}
    assert question(table, "consistency")["kappa"] == round(2.5 / 3, 6)
    assert question(table, "consistency")["raters"] == 3
    assert question(table, "lexical")["kappa"] is None


def test_answers_that_do_not_count_are_dropped_or_rejected_and_the_rest_counts(tmp_path):
    row = sent("a")
    given = [
        answer(row, "ann", "consistency", "4 (mostly equivalent, but some unimportant details differ)"),
        answer(row, "bob", "consistency", None),
        answer(row, "chi", "consistency", "7"),
        answer(row, "dan", "consistency", "5", questionnaire="talksumm_summaries"),
        answer(row, "eve", "consistency", "5", row_id="unknown"),
    ]
    outcome, table = judged(tmp_path, [row], given)
    assert question(table, "consistency")["scores"][0]["mean"] == 4.0
    assert [row["reason"] for row in outcome.dropped.to_pylist()] == ["no_answer", "other_questionnaire"]
    errors = [row["error"] for row in outcome.rejected.to_pylist()]
    assert len(errors) == 2 and "'7' is none of 1, 2, 3, 4, 5" in errors[0] and "no such row" in errors[1]
    [kept] = outcome.kept.to_pylist()
    assert (kept["mean"], kept["consistency"], kept["origin"]) == (4.0, 4.0, "intra")


def test_without_ratings_the_counts_are_0_and_the_numbers_missing(tmp_path):
    outcome, table = judged(tmp_path, [sent("a")], [])
    assert outcome.kept.num_rows == 0 and len(table["questions"]) == 10
    [score] = question(table, "synonym")["scores"]
    assert (score["rated"], score["mean"], score["low"]) == (0, None, None)


def judgement(row, question, value):
    return {
        "id": f"{row['id']}-{question}", "source_ids": [row["id"]], "licence": "MIT", "rater": "gpt", "model": "a model",
        "questionnaire": row["questionnaire"], "row_id": row["id"], "question": question, "value": value,
        "answer": "", "request": "",
    }  # fmt: skip


def test_answers_of_a_model_are_next_to_those_of_people_and_never_counted_among_them(tmp_path):
    rows = [sent(str(number)) for number in range(4)]
    given = [
        answer(row, rater, "consistency", value)
        for row, values in zip(rows, ("445", "223", "111", "345"), strict=True)
        for rater, value in zip(("ann", "bob", "chi"), values, strict=True)
    ]
    alone = judged(tmp_path / "alone", rows, given)[1]
    assert alone["judge"] is None
    said = [judgement(row, "consistency", value) for row, value in zip(rows, "4255", strict=True)]
    stored = parts(tmp_path / "judgements", judgements_shape(PEOPLE).kept, said)
    outcome, table = judged(tmp_path / "beside", rows, given, judgements=stored)
    assert {name: found for name, found in table.items() if name != "judge"} == {
        name: found for name, found in alone.items() if name != "judge"
    }
    assert {answer["rater"] for row in outcome.kept.to_pylist() for answer in row["answers"]} == {
        "ann",
        "bob",
        "chi",
    }
    found = table["judge"]
    assert (found["rater"], found["model"]) == ("gpt", "a model")
    compared = found["compared"][0]
    assert compared == {
        "question": "consistency", "people": round(fmean([4, 4, 5, 2, 2, 3, 1, 1, 1, 3, 4, 5]), 6), "judge": 4.0,
        "people_ratings": 12, "judge_ratings": 4,
    }  # fmt: skip
    # People are tied on the last row, so three count: 4 and 4, 2 and 2, 1 and 5.
    [agreement] = found["agreement"]
    assert (agreement["rows"], agreement["left_out"], agreement["observed"]) == (3, 1, pytest.approx(2 / 3))
    # By chance (1 x 1 + 1 x 1 + 1 x 0) of 9.
    assert agreement["kappa"] == pytest.approx((2 / 3 - 2 / 9) / (1 - 2 / 9))
    assert {frozenset((row["rater"], row["other"])) for row in found["pairs"]} == {
        frozenset((person, "gpt")) for person in ("ann", "bob", "chi")
    }
    [all_pairs, *_] = question(found, "consistency")["scores"]
    assert (all_pairs["mean"], all_pairs["ratings"], all_pairs["values"]["5"]) == (4, 4, 2)


def test_a_model_with_the_name_of_a_person_is_refused(tmp_path):
    row = sent("1")
    stored = parts(tmp_path / "said", judgements_shape(PEOPLE).kept, [judgement(row, "consistency", "4")])
    given = [answer(row, "gpt", "consistency", "4")]
    with pytest.raises(ValueError, match="'gpt' is the name of a person who rated"):
        judged(tmp_path, [row], given, judgements=stored)


def test_ratings_are_grouped_by_source_and_those_of_other_corpora_are_apart(tmp_path):
    places = [("intra", "acl"), ("citations", "arxiv"), ("citations", None), ("external", "quora")]
    rows = [sent(str(number), origin, corpus=corpus) for number, (origin, corpus) in enumerate(places)]
    given = [answer(row, "ann", "consistency", value) for row, value in zip(rows, "2451", strict=True)]
    outcome, table = judged(tmp_path, rows, given)
    means = {score["origin"]: score["mean"] for score in question(table, "consistency")["scores"]}
    assert means == {
        "all": round(11 / 3, 6), "citations": 4.5, "intra": 2, "source acl": 2, "source arxiv": 4, "external quora": 1,
    }  # fmt: skip
    assert [row["corpus"] for row in outcome.kept.to_pylist()] == [corpus for _, corpus in places]
    _, table = judged(tmp_path / "one", rows[:1], given[:1])
    assert {score["origin"] for score in question(table, "consistency")["scores"]} == {"all", "intra"}
