"""Which leads are sent to raters, and what their sheets show and hide."""

import csv
import io

import pytest

from silverloom.ops.wikisum.evaluation.people import PREFERENCE, QUALITY
from tests.ops.wikisum.evaluation.sheet_cases import PARAMS, SYSTEMS, leads, made


def test_the_leads_of_all_systems_are_of_the_same_articles(tmp_path):
    rows = made(tmp_path).kept.to_pylist()
    of_quality = [row for row in rows if row["questionnaire"] == QUALITY.name]
    articles = {
        system: {row["article_id"] for row in of_quality if row["system"] == system} for system in SYSTEMS
    }
    assert len(articles[SYSTEMS[0]]) == 6
    assert articles[SYSTEMS[0]] == articles[SYSTEMS[1]]
    assert {row["article_id"] for row in rows if row["questionnaire"] == PREFERENCE.name} == articles[
        SYSTEMS[0]
    ]


def test_the_side_of_a_lead_is_drawn_by_the_seed(tmp_path):
    rows = [row for row in made(tmp_path).kept.to_pylist() if row["questionnaire"] == PREFERENCE.name]
    assert {(row["system_a"], row["system_b"]) for row in rows} == {SYSTEMS, SYSTEMS[::-1]}
    for row in rows:
        number = row["article_id"].removeprefix("article-")
        assert row["text_a"] == f"{row['system_a'].split()[0]} of {number}"
        assert row["text_b"] == f"{row['system_b'].split()[0]} of {number}"
        assert len(row["source_ids"]) == 2
    other = made(tmp_path / "other", PARAMS.model_copy(update={"seed": 5})).kept.to_pylist()
    assert {row["id"]: row["system_a"] for row in other} != {row["id"]: row["system_a"] for row in rows}


def test_raters_do_not_see_which_system_wrote_a_lead(tmp_path):
    files = made(tmp_path).files
    for name, questionnaire in ((QUALITY.name, QUALITY), (PREFERENCE.name, PREFERENCE)):
        sheet = csv.DictReader(io.StringIO(files[f"sheets/ann/{name}.csv"].decode("utf-8-sig"), newline=""))
        rows = list(sheet)
        asked = [
            f"{kind}: {question.name}"
            for question in questionnaire.questions
            for kind in ("question", "answer")
        ]
        assert sheet.fieldnames == ["questionnaire", "rater", "row_id", *questionnaire.shown, *asked]
        assert not any("combined" in cell for row in rows for cell in row.values())
    assert len(QUALITY.questions) == 5


def test_every_lead_is_rated_or_dropped_with_its_reason(tmp_path):
    outcome = made(tmp_path)
    used = {unit for row in outcome.kept.to_pylist() for unit in row["source_ids"]}
    reasons = {row["id"]: row["reason"] for row in outcome.dropped.to_pylist()}
    assert used.isdisjoint(reasons)
    assert used | reasons.keys() == {row["id"] for row in leads()}
    assert {reasons[row["id"]] for row in leads() if row["system"] == "t_ed"} == {"other_system"}
    assert set(reasons.values()) == {"other_system", "not_drawn"}


def test_an_article_without_a_lead_of_each_system_is_not_drawn(tmp_path):
    rows = [row for row in leads(4) if row["id"] != "score-2-extractive"]
    drawn = {row["article_id"] for row in made(tmp_path, rows=rows).kept.to_pylist()}
    assert drawn == {"article-0", "article-1", "article-3"}


def test_the_sheets_do_not_depend_on_the_parts(tmp_path):
    found = [made(tmp_path / str(several), several=several) for several in (1, 3)]
    assert found[0].files == found[1].files
    assert found[0].kept == found[1].kept


def test_an_unknown_system_is_an_error_that_names_the_known_ones(tmp_path):
    own = PARAMS.model_copy(update={"systems": ("t_rex (tf_idf-combined-8)",)})
    with pytest.raises(
        LookupError, match=r"t_rex \(tf_idf-combined-8\), but .* has extractive \(tf_idf-combined\), t_d"
    ):
        made(tmp_path, own)


def test_without_leads_there_are_empty_sheets(tmp_path):
    outcome = made(tmp_path, rows=[])
    assert outcome.kept.num_rows == 0
    assert "README.md" in outcome.files
