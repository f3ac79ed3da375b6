"""Which pairs are sent to raters, and what their sheets show and hide."""

import csv
import io

import pytest
from pydantic import ValidationError

from silverloom.ops.parasci.dataset.release import released_form
from silverloom.ops.parasci.evaluation.human_evaluation import rating_sheets
from silverloom.ops.parasci.evaluation.people import (
    EXAMPLES,
    PAIRS,
    PHENOMENA,
    RATING_SHEETS,
    RatingSheetParams,
)
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PARAPHRASES
from tests.parts import dealt

PARAMS = RatingSheetParams(pairs=4, phenomena=2, raters=("ann", "bob"))


def pair(number, origin, sources=("acl", "acl")):
    return {
        "first_source": sources[0], "second_source": sources[1],
        "id": f"{origin}-{number}", "source_ids": ["scored"], "licence": "CC-BY-4.0", "origin": origin, "f1": 0.87654,
        "first": f"First of {origin} {number}.", "second": f"Second of {origin} {number}.", "cluster": "cluster",
    }  # fmt: skip


INTRA = [pair(number, "intra") for number in range(20)]
FEW = [pair(number, "definitions") for number in range(3)]


def made(folder, rows, params=PARAMS, several=2, others=()):
    ours = dealt(folder / "ours", PARAPHRASES.kept, rows, several)
    external = dealt(folder / "others", PARAPHRASE_PAIRS.kept, list(others))
    outcomes = list(rating_sheets(ours, external, params))
    assert all(outcome.kept.schema == RATING_SHEETS.kept for outcome in outcomes)
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    dropped = [row for outcome in outcomes for row in outcome.dropped.to_pylist()]
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    return kept, dropped, units, outcomes[-1].files


def asked(rows, questionnaire, origin):
    return {
        row["paraphrase_id"]
        for row in rows
        if (row["questionnaire"], row["origin"]) == (questionnaire.name, origin)
    }


def test_each_origin_gives_the_configured_number_of_pairs_and_every_pair_has_one_fate(tmp_path):
    kept, dropped, units, _ = made(tmp_path, INTRA + FEW)
    assert len(asked(kept, PAIRS, "intra")) == 4 and len(asked(kept, PAIRS, "definitions")) == 3
    assert len(asked(kept, PHENOMENA, "intra")) == len(asked(kept, PHENOMENA, "definitions")) == 2
    assert asked(kept, PHENOMENA, "intra") < asked(kept, PAIRS, "intra")
    lost = {row["id"] for row in dropped}
    assert {row["reason"] for row in dropped} == {"not_drawn"}
    assert sorted(lost | {row["paraphrase_id"] for row in kept}) == sorted(units)
    assert not lost & {row["paraphrase_id"] for row in kept}


def test_the_sample_depends_only_on_the_seed(tmp_path):
    kept, *_ = made(tmp_path / "a", INTRA + FEW)
    again, *_ = made(tmp_path / "b", FEW[::-1] + INTRA[::-1], several=3)
    alone, *_ = made(tmp_path / "c", INTRA)
    other, *_ = made(tmp_path / "d", INTRA + FEW, PARAMS.model_copy(update={"seed": 1}))
    assert sorted(map(repr, kept)) == sorted(map(repr, again))
    assert asked(alone, PAIRS, "intra") == asked(kept, PAIRS, "intra") != asked(other, PAIRS, "intra")


def test_raters_see_two_sentences_in_random_order_and_nothing_else_of_a_pair(tmp_path):
    kept, _, _, files = made(tmp_path, INTRA, PARAMS.model_copy(update={"pairs": 20}))
    text = files["sheets/ann/parasci_pairs.csv"].decode("utf-8-sig")
    assert not any(hidden in text for hidden in ("intra-", "0.87654", "cluster", "scored"))
    head, *lines = csv.reader(io.StringIO(text, newline=""))
    assert head[3:5] == ["sentence_1", "sentence_2"] and len(lines) == 20
    orders = {(row["sentence_1"].split()[0], row["sentence_2"].split()[0]) for row in kept}
    assert orders == {("First", "Second"), ("Second", "First")}
    other = files["sheets/bob/parasci_pairs.csv"].decode("utf-8-sig")
    rows = [[line[2] for line in csv.reader(io.StringIO(sheet, newline=""))] for sheet in (text, other)]
    assert sorted(rows[0]) == sorted(rows[1]) and rows[0] != rows[1]


def test_the_scales_are_those_of_the_paper():
    consistency, *variations = PAIRS.questions
    assert [question.name for question in variations] == ["lexical", "phrasal", "sentential"]
    assert consistency.scale.shown("5") == "5 (exactly the same meaning with all the same details)"
    assert all(question.scale.shown("3") == "3 (two or three)" for question in variations)
    assert len(PHENOMENA.questions) == 6 and PHENOMENA.questions[0].scale.value_of("0") == "0"


def test_without_pairs_the_sheets_have_no_rows(tmp_path):
    kept, dropped, units, files = made(tmp_path, [])
    assert not kept and not dropped and not units
    assert files["sheets/ann/parasci_pairs.csv"].decode("utf-8-sig").count("\r\n") == 1


def test_a_duplicate_rater_is_refused():
    with pytest.raises(ValidationError, match="twice"):
        RatingSheetParams(raters=("ann", "ann"))


def test_raters_see_a_sample_pair_for_each_value_of_consistency(tmp_path):
    *_, files = made(tmp_path, INTRA)
    readme = files["README.md"].decode()
    assert [value for value, *_ in EXAMPLES] == list(PAIRS.question("consistency").scale.values)
    for value, first, second in EXAMPLES:
        assert f"| {value} | {first} | {second} |\n" in readme


def external(number, corpus):
    return {
        "id": f"{corpus}-{number}", "source_ids": ["file"], "licence": "CC0-1.0", "corpus": corpus, "document": "d",
        "month": "2018", "first": f"first of {corpus} {number} .", "second": f"Second, of {corpus} {number}.",
    }  # fmt: skip


def test_pairs_of_other_corpora_are_rated_among_ours_in_the_same_form(tmp_path):
    others = [external(number, corpus) for corpus in ("authors", "quora") for number in range(9)]
    params = PARAMS.model_copy(update={"corpora": ("authors",)})
    kept, dropped, units, files = made(tmp_path, INTRA, params, others=others)
    assert {(row["origin"], row["corpus"]) for row in kept} == {("intra", "acl"), ("external", "authors")}
    assert len(asked(kept, PAIRS, "external")) == len(asked(kept, PAIRS, "intra")) == 4
    assert asked(kept, PHENOMENA, "external") < asked(kept, PAIRS, "external") < {row["id"] for row in others}
    assert {*units} == {row["id"] for row in INTRA} and len(dropped) == len(INTRA) - 4
    texts = {row[side] for row in kept for side in ("sentence_1", "sentence_2")}
    assert all(text == released_form(text) for text in texts) and not all(text.isalnum() for text in texts)
    assert files["sheets/ann/parasci_pairs.csv"].decode("utf-8-sig").count("\r\n") == 1 + 8
    alone, *_ = made(tmp_path / "alone", INTRA)
    assert asked(alone, PAIRS, "intra") == asked(kept, PAIRS, "intra")


def test_a_corpus_without_pairs_is_refused(tmp_path):
    params = PARAMS.model_copy(update={"corpora": ("authors",)})
    with pytest.raises(
        ValueError, match=r"corpora in params.yaml names 'authors', but .* has no pairs of it"
    ):
        made(tmp_path, INTRA, params, others=[external(1, "quora")])


def test_a_row_names_the_source_of_both_sentences(tmp_path):
    rows = [pair(1, "intra"), pair(2, "citations", ("acl", "arxiv"))]
    kept, *_ = made(tmp_path, rows)
    assert {(row["paraphrase_id"], row["corpus"]) for row in kept} == {
        ("intra-1", "acl"),
        ("citations-2", None),
    }
