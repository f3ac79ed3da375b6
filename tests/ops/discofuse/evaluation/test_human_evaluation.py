"""From filled sheets about fusion examples to votes for each row and the paper's tables."""

import json

import pyarrow as pa
import pytest

from silverloom.ops.discofuse.evaluation.human_evaluation import human_evaluation, tables
from silverloom.ops.discofuse.evaluation.people import (
    HUMAN_EVALUATION,
    PEOPLE,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from silverloom.ops.evaluation.answers import ANSWERS
from silverloom.ops.evaluation.human_evaluation import Judged
from silverloom.ops.evaluation.table import TABLE
from tests.parts import parts

CLARITY, DECISIONS, ERRORS, DETECTION = PEOPLE.names
SHOWN = {one.name: one.shown for one in PEOPLE.questionnaires}
QUESTION = {CLARITY: "understandable", DETECTION: "human"}
RATERS = ("ann", "bob", "chi", "dan", "eve")


def sent(name, questionnaire=CLARITY, domain="sports", asked=True, **gold):
    fused = questionnaire == DETECTION
    return {
        "id": f"{questionnaire}-{name}", "source_ids": [name], "licence": "MIT", "questionnaire": questionnaire,
        "example_id": name, "fusion_id": f"fusion-{name}" if fused else None, "domain": domain,
        "sentence_1": f"{name} came .", "sentence_2": f"{name} left .", "asked": asked,
        "gold": [{"question": question, "value": value} for question, value in gold.items()],
    }  # fmt: skip


def decided(name, merge="single", anaphor="no", connective="comparison", **change):
    return sent(name, DECISIONS, merge=merge, anaphor=anaphor, connective=connective, **change)


def answer(row, rater, value, question=None, **change):
    shown = [{"column": name, "text": row.get(name) or ""} for name in SHOWN[row["questionnaire"]]]
    question = question or QUESTION[row["questionnaire"]]
    return {
        "id": f"answer-{row['id']}-{question}-{rater}", "source_ids": ["file"], "licence": "CC0-1.0",
        "file": f"people/{rater}.csv", "place": "line 2", "questionnaire": row["questionnaire"], "rater": rater,
        "row_id": row["id"], "question": question, "answer": value, "shown": shown,
    } | change  # fmt: skip


def answers(row, values, question=None):
    """One answer from each of the first raters."""
    return [answer(row, rater, value, question) for rater, value in zip(RATERS, values, strict=False)]


def judged(folder, rows, given, resamples=100):
    [outcome] = human_evaluation(
        parts(folder, ANSWERS.kept, given),
        parts(folder, RATING_SHEETS.kept, rows),
        RatingSheetParams(),
        HumanEvaluationParams(resamples=resamples),
    )
    assert outcome.kept.schema == HUMAN_EVALUATION.kept
    return outcome


def tables_of(outcome):
    return json.loads(outcome.files[TABLE])


def test_table_2_by_hand(tmp_path):
    rows = [sent("a"), sent("b"), sent("c"), sent("d", domain="wikipedia"), sent("unrated")]
    given = [
        *answers(rows[0], ["yes", "yes", "no", "yes", "no"]),
        *answers(rows[1], ["no", "no", "yes"]),
        *answers(rows[2], ["no", "yes"]),
        *answers(rows[3], ["yes"]),
    ]
    sports, wikipedia = tables_of(judged(tmp_path, rows, given))["clarity"]
    counts = ("domain", "examples", "yes", "no_majority", "no")
    assert [sports[name] for name in counts] == ["sports", 3, 1, 1, 1]
    assert sports["share"]["mean"] == round(1 / 3, 6)
    assert [wikipedia[name] for name in counts] == ["wikipedia", 1, 1, 0, 0]
    assert wikipedia["share"] == {"mean": 1.0, "low": 1.0, "high": 1.0}


def test_table_5_by_hand(tmp_path):
    # Of four examples, the last is not understandable. Gold and majority both add a connective in a and b.
    clarity = [sent(name) for name in "abcd"]
    rows = [
        decided("a"),
        decided("b", "pair", "yes", "temporal"),
        decided("c", connective="none"),
        decided("d"),
    ]
    given = [
        *(one for row in clarity[:3] for one in answers(row, ["yes", "yes", "no"])),
        *answers(clarity[3], ["no"]),
        *answers(rows[0], ["single", "single", "pair"], "merge"),
        *answers(rows[1], ["single"], "merge"),
        *answers(rows[2], ["single", "pair"], "merge"),
        *answers(rows[3], ["pair"], "merge"),
        *answers(rows[0], ["no"], "anaphor"),
        *answers(rows[0], ["comparison", "comparison", "none"], "connective"),
        *answers(rows[1], ["contingency"], "connective"),
        *answers(rows[2], ["none"], "connective"),
        *answers(rows[3], ["comparison"], "connective"),
    ]
    outcome = judged(tmp_path, clarity + rows, given)
    merge, anaphor, connective = tables_of(outcome)["decisions"]
    assert (merge["question"], anaphor["question"], connective["question"]) == (
        "merge",
        "anaphor",
        "connective",
    )
    assert (merge["all"]["examples"], merge["all"]["agreement"]["mean"]) == (3, round(1 / 3, 6))
    assert (merge["with_connectives"]["examples"], merge["with_connectives"]["agreement"]["mean"]) == (2, 0.5)
    assert (anaphor["all"]["examples"], anaphor["all"]["agreement"]["mean"]) == (1, 1.0)
    assert (connective["all"]["examples"], connective["all"]["agreement"]["mean"]) == (3, round(2 / 3, 6))
    assert connective["with_connectives"]["agreement"]["mean"] == 0.5
    last = [row for row in outcome.kept.to_pylist() if row["example_id"] == "d" and row["gold"]]
    assert len(last) == 2 and not any(row["counted"] for row in last)


def test_table_8_by_hand(tmp_path):
    # Two of six fusions equal their gold text. Three of the other four are rated: found, not found, tie.
    rows = [
        *(sent(name, DETECTION, human="a") for name in "wxyz"),
        *(sent(name, DETECTION, asked=False, human="b") for name in "uv"),
        sent("same", DETECTION, "wikipedia", asked=False, human="a"),
        sent("open", DETECTION, "news", human="a"),
    ]
    given = [
        *answers(rows[0], ["a", "a", "b", "b", "a"]),
        *answers(rows[1], ["b"]),
        *answers(rows[2], ["a", "b"]),
    ]
    news, sports, wikipedia = tables_of(judged(tmp_path, rows, given))["detection"]
    assert [sports[name] for name in ("fusions", "same", "rated")] == [6, 2, 3]
    assert sports["differ"]["mean"] == 0.5 and sports["total"]["mean"] == 0.5
    assert sports["total"]["low"] == pytest.approx(1 / 6 + 2 / 3 * sports["differ"]["low"], abs=1e-6)
    assert wikipedia["differ"]["mean"] is None and wikipedia["total"]["mean"] == 0.5
    assert news["differ"]["mean"] is None and news["total"]["mean"] is None


def test_the_analysis_of_errors_by_hand(tmp_path):
    rows = [sent(name, ERRORS) for name in "abcd"]
    given = [
        *answers(rows[0], ["clear", "clear", "text"], "obscurity"),
        *answers(rows[1], ["split", "split"], "obscurity"),
        *answers(rows[2], ["context", "text"], "obscurity"),
        *answers(rows[0], ["none"], "error"),
        *answers(rows[1], ["comma", "comma", "other"], "error"),
        *answers(rows[0], ["no_error"], "harm"),
        *answers(rows[1], ["harmful"], "harm"),
        *answers(rows[2], ["harmless"], "harm"),
        *answers(rows[3], ["harmless", "no_error"], "harm"),
    ]
    [sports] = tables_of(judged(tmp_path, rows, given))["errors"]
    assert (sports["domain"], sports["examples"]) == ("sports", 4)
    assert [sports[name]["mean"] for name in ("no_error", "harmless", "harmful")] == [0.25, 0.25, 0.25]
    assert sports["kinds"] == {"none": 1, "comma": 1, "determiner": 0, "pronoun": 0, "other": 0}
    assert sports["reasons"] == {"clear": 1, "text": 0, "context": 0, "split": 1}


def test_the_total_of_the_papers_numbers_is_the_papers_total():
    """Table 8: 525 of 1000 equal the gold text, and 65 % of the others are detected: 57 % in all."""
    asked = [False] * 525 + [True] * 475
    drawn = pa.table({"domain": ["sports"] * 1000, "fusion_id": ["f"] * 1000, "asked": asked})
    rated = [
        {"question": "human", "domain": "sports", "tie": False, "agrees": number < 309, "counted": True}
        for number in range(475)
    ]
    [detection] = tables(Judged(rated, None, drawn, None), HumanEvaluationParams(resamples=10))["detection"]
    assert (round(detection["differ"]["mean"], 2), round(detection["total"]["mean"], 2)) == (0.65, 0.57)


def test_examples_that_were_not_sent_have_no_row_to_answer(tmp_path):
    row = sent("u", DETECTION, asked=False, human="b")
    [error] = judged(tmp_path, [row], answers(row, ["a"])).rejected["error"].to_pylist()
    assert "no such row was sent out" in error


def test_without_answers_there_are_no_rows(tmp_path):
    outcome = judged(tmp_path, [sent("a"), decided("a")], [])
    told = tables_of(outcome)
    assert outcome.kept.num_rows == 0 and told["clarity"] == told["detection"] == told["errors"] == []
    assert told["agreement"] == []
    assert all(one["all"] == one["with_connectives"] for one in told["decisions"])
    assert told["decisions"][0]["all"]["agreement"]["mean"] is None
