"""Tables 5 and 6: means by system, Welch's t-test, preferences by pair, compared with hand-computed numbers."""

import csv
import io
import json
import math

import pytest

from silverloom.ops.evaluation.answers import ANSWERS, FORMATS, parse_answers
from silverloom.ops.evaluation.human_evaluation import Judged
from silverloom.ops.evaluation.table import welch
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, Source
from silverloom.ops.wikisum.evaluation.human_evaluation import human_evaluation, tables
from silverloom.ops.wikisum.evaluation.people import (
    HUMAN_EVALUATION,
    PREFERENCE,
    QUALITY,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from tests.ops.wikisum.evaluation import sheet_cases as sheets
from tests.parts import parts

OURS, THEIRS = "t_d (x)", "extractive (y)"
ASKED = RatingSheetParams(systems=(OURS, THEIRS), pairs=((OURS, THEIRS),))
PARAMS = HumanEvaluationParams(resamples=100)


def rated(system, article, mean, question="focus", raters=3):
    return {
        "question": question, "article_id": article, "system": system, "system_a": None, "system_b": None,
        "mean": mean, "raters": raters, "answers": [],
    }  # fmt: skip


def judged(rows):
    return Judged(rows, None, None, ASKED)


def preferred(a, b, *values):
    answers = [{"rater": str(at), "value": value} for at, value in enumerate(values)]
    return {
        "question": "preferred", "article_id": "x", "system": None, "system_a": a, "system_b": b, "answers": answers,
    }  # fmt: skip


def test_t_and_degrees_of_freedom_equal_welchs():
    first, second = [1.0, 2.0, 4.0], [5.0, 5.5, 7.0, 6.5]
    # Variances 7/3 and 5/6: squared errors of the means 7/9 and 5/24.
    errors = 7 / 9, 5 / 24
    found = welch(first, second)
    assert found.t == pytest.approx((7 / 3 - 6) / math.sqrt(sum(errors)), abs=1e-6)
    assert found.degrees == pytest.approx(
        sum(errors) ** 2 / (errors[0] ** 2 / 2 + errors[1] ** 2 / 3), abs=1e-6
    )


def test_p_for_two_degrees_of_freedom_equals_its_closed_form():
    # Samples of two with equal variances: 2 degrees of freedom, p = 1 - t / sqrt(2 + t^2).
    found = welch([4.0, 6.0], [1.0, 3.0])
    assert found.degrees == pytest.approx(2.0)
    assert found.t == pytest.approx(3 / math.sqrt(2), abs=1e-6)
    assert found.p == pytest.approx(1 - found.t / math.sqrt(2 + found.t**2), abs=1e-6)


@pytest.mark.parametrize(
    ("first", "second"), [([1.0], [2.0, 3.0]), ([], [2.0, 3.0]), ([2.0, 2.0], [3.0, 3.0])]
)
def test_welch_is_undefined_for_samples_without_variance(first, second):
    assert welch(first, second) == (None, None, None)


def test_a_lead_counts_by_the_mean_of_its_raters_and_the_first_system_is_the_reference():
    rows = [
        *(rated(OURS, name, mean) for name, mean in zip("abcd", (5.0, 4.0, 5.0, 4.0), strict=True)),
        *(rated(THEIRS, name, mean) for name, mean in zip("abcd", (1.0, 1.5, 1.0, 1.5), strict=True)),
    ]
    ours, theirs = tables(judged(rows), PARAMS)["quality"]
    assert (ours["articles"], ours["scores"]["focus"]["mean"], ours["scores"]["focus"]["test"]) == (
        4,
        4.5,
        None,
    )
    assert (theirs["scores"]["focus"]["mean"], theirs["scores"]["focus"]["ratings"]) == (1.25, 12)
    test = theirs["scores"]["focus"]["test"]
    assert test["t"] < 0
    assert test["significant"] == (test["p"] < 0.001) is True
    assert set(ours["scores"]) == {"focus"}  # no one was asked about the other four


def test_preferences_are_turned_to_the_side_that_each_lead_was_on():
    # Values above 0 prefer B. As (OURS, THEIRS): -2 and 1; turned round: -1 and 0.
    rows = [preferred(OURS, THEIRS, "-2", "1"), preferred(THEIRS, OURS, "-1", "0")]
    [found] = tables(judged(rows), PARAMS)["preference"]
    assert (found["prefer_first"], found["prefer_second"], found["neither"]) == (1, 2, 1)
    assert (found["ratio"], found["ratings"], found["articles"]) == (2.0, 4, 2)


def test_a_ratio_is_undefined_if_no_one_prefers_the_first():
    [found] = tables(judged([preferred(OURS, THEIRS, "2", "2")]), PARAMS)["preference"]
    assert (found["prefer_second"], found["ratio"]) == (2, None)


def filled(folder, files, answer):
    """Fill in sheets as raters do; `answer` gives the answer to a question about a row."""
    for name, content in files.items():
        if not name.startswith("sheets/"):
            continue
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        rows = [
            {key: answer(key.removeprefix("answer: "), row) if key.startswith("answer: ") else cell
             for key, cell in row.items()}
            for row in reader
        ]  # fmt: skip
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, reader.fieldnames)
            writer.writeheader()
            writer.writerows(rows)
    month = MonthRule(constant="2018-06")
    source = Source(kind="rating_sheets", path=str(folder), month=month, licence="CC0-1.0")
    records = [
        Record(record_id("people", raw), "people", source.kind, source.licence, "2018-06", raw)
        for raw in FORMATS[source.kind].split(folder, source)
    ]
    return parse_answers(records).kept


def test_filled_sheets_become_tables(tmp_path):
    sent = sheets.made(tmp_path / "evaluation")

    def answer(question, row):
        if question != PREFERENCE.questions[0].name:
            return "5" if row["text"].startswith("t_d") else "2"
        return "-2" if row["text_a"].startswith("t_d") else "2 (B much better)"

    answers = filled(tmp_path / "filled", sent.files, answer)
    [outcome] = human_evaluation(
        parts(tmp_path / "ratings", ANSWERS.kept, answers),
        parts(tmp_path / "sent", RATING_SHEETS.kept, sent.kept),
        sheets.PARAMS,
        PARAMS,
    )
    assert outcome.kept.schema == HUMAN_EVALUATION.kept
    assert not outcome.dropped.num_rows and not outcome.rejected.num_rows
    assert outcome.kept.num_rows == 6 * 2 * len(QUALITY.questions) + 6
    table = json.loads(outcome.files["table.json"])
    means = {row["system"]: {score["mean"] for score in row["scores"].values()} for row in table["quality"]}
    assert means == {sheets.SYSTEMS[0]: {5.0}, sheets.SYSTEMS[1]: {2.0}}
    [pair] = table["preference"]
    assert (pair["prefer_first"], pair["prefer_second"], pair["ratings"]) == (12, 0, 12)
    assert {row["question"] for row in table["agreement"]} == {
        *(question.name for question in QUALITY.questions), "preferred",
    }  # fmt: skip
