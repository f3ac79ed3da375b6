"""Who rates which row, whose answers count, and what a second round asks: from sheets to tables."""

import csv
import io
import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from silverloom.ops.evaluation.answers import ANSWERS
from silverloom.ops.evaluation.raters import RaterParams
from silverloom.ops.evaluation.table import TABLE
from silverloom.ops.parasci.evaluation.human_evaluation import human_evaluation, rating_sheets
from silverloom.ops.parasci.evaluation.people import (
    PAIRS,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PARAPHRASES
from tests.parts import parts

TWELVE = tuple(f"rater{number:02d}" for number in range(12))
CARELESS = "rater05"
PARAMS = RatingSheetParams(pairs=40, phenomena=0, raters=TWELVE, raters_per_row=3)


def pair(number):
    return {
        "id": f"pair-{number:02d}", "source_ids": [], "licence": "MIT", "origin": "intra", "f1": 0.9,
        "first": f"First {number}.", "second": f"Second {number}.", "cluster": "c",
    }  # fmt: skip


def sheets_of(files, prefix=""):
    """Return the lines of the sheets of consistency, by rater."""
    found = {}
    for name, content in files.items():
        if name.startswith(f"{prefix}sheets/") and name.endswith(f"/{PAIRS.name}.csv"):
            found[name.split("/")[-2]] = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    return found


def filled(sheets, careless=(CARELESS,)):
    """Return answers to the sheets: careful raters agree on every row, careless ones answer anything."""
    by_chance = random.Random(3)
    for rater, lines in sheets.items():
        for line in lines:
            for question in PAIRS.questions:
                value = 1 + int(line["row_id"][-1], 16) % 5
                if rater in careless:
                    value = by_chance.randint(1, 5)
                yield {
                    "id": f"{rater}-{line['row_id']}-{question.name}", "source_ids": ["file"], "licence": "MIT",
                    "file": f"{rater}.csv", "place": "line 2", "questionnaire": PAIRS.name, "rater": rater,
                    "row_id": line["row_id"], "question": question.name, "answer": str(value),
                    "shown": [{"column": name, "text": line[name]} for name in PAIRS.shown],
                }  # fmt: skip


def judged(folder, rows, answers, params=PARAMS):
    [outcome] = human_evaluation(
        parts(folder / "answers", ANSWERS.kept, answers),
        parts(folder / "sheets", RATING_SHEETS.kept, rows),
        params,
        HumanEvaluationParams(resamples=20),
    )
    assert len(outcome.units) == len(answers)
    return outcome, json.loads(outcome.files[TABLE])


@pytest.fixture
def sent(tmp_path):
    ours = parts(tmp_path / "pairs", PARAPHRASES.kept, [pair(i) for i in range(40)])
    outcomes = list(rating_sheets(ours, parts(tmp_path / "others", PARAPHRASE_PAIRS.kept, []), PARAMS))
    rows = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    return rows, sheets_of(outcomes[-1].files)


def test_each_row_goes_to_the_configured_number_of_raters_and_all_get_some(sent):
    rows, sheets = sent
    assert sorted(sheets) == sorted(TWELVE)
    of_row = {}
    for rater, lines in sheets.items():
        assert lines
        for line in lines:
            of_row.setdefault(line["row_id"], set()).add(rater)
    assert of_row.keys() == {row["id"] for row in rows}
    assert {len(raters) for raters in of_row.values()} == {3}


def test_the_raters_of_a_row_do_not_depend_on_other_rows():
    whole, half = PARAMS.assigned("abcdefghij"), PARAMS.assigned("aceg")
    assert {rater: rows & set("aceg") for rater, rows in whole.items()} == half


def test_without_a_number_every_rater_rates_every_row():
    assert RaterParams(raters=("a", "b")).assigned("xyz") == {"a": set("xyz"), "b": set("xyz")}
    with pytest.raises(ValidationError, match="raters_per_row is 3, but there are 2 raters"):
        RaterParams(raters=("a", "b"), raters_per_row=3)


def test_rows_of_a_careless_rater_go_to_the_best_remaining_rater_and_the_careless_answers_stop_counting(
    tmp_path, sent
):
    rows, sheets = sent
    first = list(filled(sheets))
    outcome, table = judged(tmp_path / "first", rows, first)
    raters = {row["rater"]: row for row in table["raters"]}
    assert [name for name in TWELVE if not raters[name]["reliable"]] == [CARELESS]
    assert raters[CARELESS]["kappa"] < 0.4 < min(raters[name]["kappa"] for name in TWELVE if name != CARELESS)
    assert not outcome.dropped.num_rows  # no one else has rated these rows yet

    again = sheets_of(outcome.files, "second_round/")
    asked = [line["row_id"] for lines in again.values() for line in lines]
    assert sorted(asked) == sorted(line["row_id"] for line in sheets[CARELESS])
    for rater, lines in again.items():
        assert not {line["row_id"] for line in lines} & {line["row_id"] for line in sheets[rater]}
    best = max(raters.values(), key=lambda row: (row["kappa"], [-ord(sign) for sign in row["rater"]]))[
        "rater"
    ]
    others = {line["row_id"] for name, lines in again.items() if name != best for line in lines}
    assert others <= {line["row_id"] for line in sheets[best]}

    second = [*first, *filled(again)]
    outcome, table = judged(tmp_path / "second", rows, second)
    lost = outcome.dropped.to_pylist()
    assert {row["reason"] for row in lost} == {"unreliable_rater"}
    assert {row["id"] for row in lost} == {answer["id"] for answer in first if answer["rater"] == CARELESS}
    assert not sheets_of(outcome.files, "second_round/")
    assert {row["raters"] for row in outcome.kept.to_pylist()} == {3}
    assert all(found["kappa"] == 1 for found in table["questions"] if found["question"] == "consistency")


def test_if_everyone_has_rated_everything_nothing_is_asked_again_and_all_answers_count(tmp_path, sent):
    rows, _ = sent
    three = PARAMS.model_copy(update={"raters": TWELVE[3:6], "raters_per_row": None})
    shown = [{"row_id": row["id"], **{name: row[name] for name in PAIRS.shown}} for row in rows]
    outcome, table = judged(tmp_path, rows, list(filled(dict.fromkeys(three.raters, shown))), three)
    assert [row["rater"] for row in table["raters"] if not row["reliable"]] == [CARELESS]
    assert not outcome.dropped.num_rows and not sheets_of(outcome.files, "second_round/")


@given(st.integers(1, 60), st.integers(1, 5), st.integers(1, 7), st.integers(0, 3))
def test_no_sheet_exceeds_the_rows_of_a_rater_if_there_are_enough_raters(rows, per_row, most, spare):
    raters = tuple(f"rater{n}" for n in range(max(per_row, -(-rows * per_row // most)) + spare))
    params = RaterParams(raters=raters, raters_per_row=per_row, rows_per_rater=most)
    names = [f"row-{n}" for n in range(rows)]
    sheets = params.assigned(names)
    assert max(map(len, sheets.values())) <= most
    assert Counter(row for sheet in sheets.values() for row in sheet) == dict.fromkeys(names, per_row)
    assert params.assigned(reversed(names)) == sheets


def test_too_few_raters_for_the_rows_of_a_rater_are_an_error_that_says_how_many_are_needed():
    params = RaterParams(raters=("a", "b", "c"), raters_per_row=2, rows_per_rater=6)
    with pytest.raises(
        ValueError, match=r"10 rows, each for 2 raters of at most 6 rows, need 4 raters, but .* 3$"
    ):
        params.assigned("abcdefghij")
