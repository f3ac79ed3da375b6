"""Which summaries are sent to raters, and the content of their sheets."""

import csv
import io
import json

import pytest
from pydantic import ValidationError

from silverloom.ops.talksumm.evaluation.human_evaluation import rating_sheets
from silverloom.ops.talksumm.evaluation.people import PEOPLE, RATING_SHEETS, RatingSheetParams
from silverloom.ops.talksumm.schemas import ALIGNMENTS, SUMMARIES, TALKS
from tests.parts import dealt

PARAMS = RatingSheetParams(budget="thirty", papers=2, raters=("ann", "bob"))


def talk(number, month):
    return {"id": f"talk{number}", "source_ids": ["raw"], "licence": "MIT", "month": month}


def state(number, index):
    return {
        "id": f"state{number}-{index}", "source_ids": ["raw"], "licence": "MIT", "pair_id": f"pair{number}",
        "sentence_id": f"sentence{number}-{index}", "text": f"=Sentence {index} of {number}.",
    }  # fmt: skip


def summary(number, budget="thirty", sentences=(0, 2)):
    return {
        "id": f"summary{number}-{budget}", "licence": "MIT", "pair_id": f"pair{number}", "talk_id": f"talk{number}",
        "paper_id": f"paper{number}", "paper_title": f"Paper {number}", "budget": budget,
        "source_ids": [f"state{number}-{index}" for index in sentences],
        "sentence_ids": [f"sentence{number}-{index}" for index in sentences],
        "positions": [10 + index for index in sentences],
        "text": " ".join(f"=Sentence {index} of {number}." for index in sentences),
    }  # fmt: skip


def made(folder, params=PARAMS, months=("2018-06",) * 4, rows=None, talks=None):
    numbers = range(len(months))
    rows = [summary(n, budget) for n in numbers for budget in ("thirty", "short")] if rows is None else rows
    talks = [talk(n, month) for n, month in enumerate(months)] if talks is None else talks
    states = [state(n, index) for n in numbers for index in range(3)]
    [outcome] = rating_sheets(
        dealt(folder, SUMMARIES.kept, rows),
        dealt(folder, ALIGNMENTS.kept, states),
        dealt(folder, TALKS.kept, talks),
        params,
    )
    return outcome


def papers(outcome):
    return sorted(set(outcome.kept["paper_id"].to_pylist()))


def cells(outcome, rater, questionnaire):
    text = outcome.files[f"sheets/{rater}/{questionnaire}.csv"].decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_each_drawn_summary_gives_one_row_per_sentence_and_one_for_the_whole(tmp_path):
    outcome = made(tmp_path)
    assert outcome.kept.schema == RATING_SHEETS.kept
    rows = outcome.kept.to_pylist()
    first = rows[0]["paper_id"][-1]
    assert [(row["questionnaire"], row["sentence_id"], row["position"], row["text"]) for row in rows[:3]] == [
        ("talksumm_sentences", f"sentence{first}-0", 10, f"=Sentence 0 of {first}."),
        ("talksumm_sentences", f"sentence{first}-2", 12, f"=Sentence 2 of {first}."),
        ("talksumm_summaries", None, None, f"=Sentence 0 of {first}. =Sentence 2 of {first}."),
    ]
    assert rows[0]["source_ids"] == [f"summary{first}-thirty", f"state{first}-0"]
    assert rows[2]["source_ids"] == [f"summary{first}-thirty"]
    assert len({row["id"] for row in rows}) == len(rows) == 6


def test_a_summary_is_rated_or_dropped_as_of_another_budget_or_not_drawn(tmp_path):
    outcome = made(tmp_path)
    drawn = {row["summary_id"] for row in outcome.kept.to_pylist()}
    reasons = {row["id"]: row["reason"] for row in outcome.dropped.to_pylist()}
    assert len(drawn) == 2 and not drawn & set(reasons)
    assert sorted([*drawn, *reasons]) == sorted(outcome.units.to_pylist())
    expected = {name: "other_budget" if name.endswith("short") else "not_drawn" for name in reasons}
    assert reasons == expected and list(reasons.values()).count("not_drawn") == 2


def test_only_the_first_talk_of_a_paper_by_id_may_be_drawn(tmp_path):
    rows = [{**summary(n), "paper_id": "shared" if n in (1, 3) else f"paper{n}"} for n in (3, 2, 1, 0)]
    outcome = made(tmp_path, PARAMS.model_copy(update={"papers": 15}), rows=rows)
    assert sorted(set(outcome.kept["summary_id"].to_pylist())) == [f"summary{n}-thirty" for n in (0, 1, 2)]
    assert [(one["id"], one["reason"]) for one in outcome.dropped.to_pylist()] == [
        ("summary3-thirty", "other_talk")
    ]


def test_each_month_gives_its_share_of_the_talks(tmp_path):
    months = ("2018-06",) * 6 + ("2018-07",) * 3
    for seed in range(5):
        outcome = made(tmp_path, PARAMS.model_copy(update={"papers": 3, "seed": seed}), months)
        drawn = {(row["month"], row["paper_id"]) for row in outcome.kept.to_pylist()}
        assert sorted(month for month, _ in drawn) == ["2018-06", "2018-06", "2018-07"]


def test_every_rater_gets_all_rows_of_each_questionnaire_in_both_forms(tmp_path):
    outcome = made(tmp_path)
    for questionnaire in PEOPLE.questionnaires:
        name = questionnaire.name
        wanted = {row["id"]: row["text"] for row in outcome.kept.to_pylist() if row["questionnaire"] == name}
        for rater in ("ann", "bob"):
            sheet = cells(outcome, rater, name)
            assert {row["row_id"]: row["text"].removeprefix("'") for row in sheet} == wanted
            assert {row["rater"] for row in sheet} == {rater}
            tasks = [task["data"] for task in json.loads(outcome.files[f"label_studio/{rater}/{name}.json"])]
            assert {task["row_id"]: task["text"] for task in tasks} == wanted
            assert [task["row_id"] for task in tasks] == [row["row_id"] for row in sheet]
        assert (
            f'name="{questionnaire.questions[0].name}"' in outcome.files[f"label_studio/{name}.xml"].decode()
        )


def test_the_readme_has_the_questions_and_the_numbers_of_rows(tmp_path):
    text = made(tmp_path).files["README.md"].decode()
    assert "`talksumm_sentences` (4 rows): Did you consider this sentence" in text and "[yes | no]" in text
    assert "`talksumm_summaries` (2 rows): What is the quality of the summary?" in text
    assert "Raters: ann, bob." in text


def test_without_summaries_the_sheets_have_a_header_only(tmp_path):
    outcome = made(tmp_path, rows=[])
    assert outcome.kept.num_rows == 0 and cells(outcome, "ann", "talksumm_sentences") == []
    assert "(0 rows)" in outcome.files["README.md"].decode()


def test_a_summary_of_an_unknown_talk_is_refused(tmp_path):
    with pytest.raises(KeyError, match="talk0"):
        made(tmp_path, talks=[talk(number, "2018-06") for number in (1, 2, 3)])


@pytest.mark.parametrize(
    "raters", [(), ("ann", "ann"), ("../ann",), ("Ann",), ("an n",), ("",)], ids=lambda names: "+".join(names)
)
def test_rater_names_must_be_distinct_and_valid_file_names(raters):
    with pytest.raises(ValidationError):
        RatingSheetParams(raters=raters)
