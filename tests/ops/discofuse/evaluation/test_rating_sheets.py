"""Which examples and fusions are sent to raters, and what their sheets show and hide."""

import csv
import io
import json

import pytest
from pydantic import ValidationError

from silverloom.ops.discofuse.evaluation.alignment import CONNECTIVES, SENSE_NAMES, SENSES
from silverloom.ops.discofuse.evaluation.human_evaluation import gold_decisions, offers, rating_sheets
from silverloom.ops.discofuse.evaluation.people import PEOPLE, RATING_SHEETS, RatingSheetParams
from silverloom.ops.discofuse.models.fusions import FUSIONS as FUSION_ROWS
from silverloom.ops.discofuse.schemas import EXAMPLES
from tests.parts import dealt

PARAMS = RatingSheetParams(
    examples=2, errors=0, splits=("validation", "train"), fusions=3, raters=("ann", "bob")
)
CLARITY, DECISIONS, ERRORS, DETECTION = PEOPLE.names


def example(name, domain="sports", split="validation", kind="SINGLE_S_COORD", connective=", but", **change):
    return {
        "id": f"example-{name}", "source_ids": [f"sentence-{name}"], "licence": "MIT", "domain": domain, "split": split,
        "incoherent_first_sentence": f"Ann of {name} came .", "incoherent_second_sentence": f"Bob of {name} left .",
        "fused": f"Ann of {name} came , but Bob left .", "discourse_type": kind, "connective_string": connective, "has_coref_type_pronoun": 0.0,
        "has_coref_type_nominal": 0.0, **change,
    }  # fmt: skip


def fusion(name, prediction="and", domain="sports", model="sports"):
    return {
        "id": f"fusion-{name}-{model}", "source_ids": [f"example-{name}"], "licence": "CC0-1.0",
        "example_id": f"example-{name}", "system": "model", "model": model, "domain": domain,
        "target": f"Ann of {name} came , but Bob left .", "prediction": f"Ann of {name} came , {prediction} Bob left .",
    }  # fmt: skip


VALIDATION = [example(f"v{number}", "sports" if number < 5 else "wikipedia") for number in range(8)]
TEST = [example(f"t{number}", split="test") for number in range(5)]
FUSIONS = [
    *(fusion(f"t{number}", "but" if number == 0 else "and") for number in range(4)),
    fusion("t1", model="wikipedia"),
]


def made(folder, params=PARAMS, examples=(*VALIDATION, *TEST), fusions=FUSIONS, several=2):
    folder.mkdir(exist_ok=True)
    outcomes = list(
        rating_sheets(
            dealt(folder, EXAMPLES.kept, list(examples), several),
            dealt(folder, FUSION_ROWS.kept, list(fusions), several),
            params,
        )
    )
    rows = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    dropped = {row["id"]: row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()}
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    assert all(outcome.kept.schema == RATING_SHEETS.kept for outcome in outcomes)
    return rows, dropped, outcomes[-1].files, units


def of(rows, questionnaire):
    return [row for row in rows if row["questionnaire"] == questionnaire]


def cells(files, rater, questionnaire):
    text = files[f"sheets/{rater}/{questionnaire}.csv"].decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_configured_number_of_examples_of_each_domain_appears_twice(tmp_path):
    rows, dropped, _, units = made(tmp_path)
    clarity, decisions = of(rows, CLARITY), of(rows, DECISIONS)
    assert sorted(row["domain"] for row in clarity) == ["sports"] * 2 + ["wikipedia"] * 2
    assert [row["example_id"] for row in clarity] == [row["example_id"] for row in decisions]
    assert clarity[0]["sentence_1"].startswith("Ann of v") and clarity[0]["sentence_2"].startswith("Bob of v")
    used = {row["example_id"] for row in rows}
    assert sorted([*used, *dropped]) == sorted(units) and not used & set(dropped)
    reasons = {name[8]: reason for name, reason in dropped.items()}
    assert reasons == {"v": "not_drawn", "t": "other_split"}
    assert len({row["id"] for row in rows}) == len(rows)


def test_each_discourse_type_of_a_domain_gives_its_share(tmp_path):
    kinds = ["PAIR_CONN"] * 30 + ["SINGLE_S_COORD"] * 10 + ["PAIR_NONE"] * 4
    many = [example(f"v{number}", kind=kind) for number, kind in enumerate(kinds)]
    rows, _, _, _ = made(tmp_path, PARAMS.model_copy(update={"examples": 11}), many, [])
    drawn = [row["discourse_type"] for row in of(rows, CLARITY)]
    assert {kind: drawn.count(kind) for kind in kinds} == {
        "PAIR_CONN": 8,
        "SINGLE_S_COORD": 2,
        "PAIR_NONE": 1,
    }


def test_errors_are_analysed_next_to_the_original_text(tmp_path):
    rows, _, files, _ = made(tmp_path, PARAMS.model_copy(update={"errors": 3}), fusions=[])
    analysed = of(rows, ERRORS)
    assert sorted(row["domain"] for row in analysed) == ["sports"] * 3 + ["wikipedia"] * 3
    assert {row["example_id"] for row in of(rows, CLARITY)} < {row["example_id"] for row in analysed}
    shown = {row["row_id"]: row["text"] for row in cells(files, "bob", ERRORS)}
    assert shown == {row["id"]: row["text"] for row in analysed}
    assert all(text.startswith("Ann of v") and ", but" in text for text in shown.values())


def test_in_domain_fusions_are_drawn_and_rated_if_they_differ_from_the_gold_text(tmp_path):
    rows, _, files, _ = made(tmp_path, PARAMS.model_copy(update={"fusions": 10}))
    detections = of(rows, DETECTION)
    assert sorted(row["fusion_id"] for row in detections) == [
        f"fusion-t{number}-sports" for number in range(4)
    ]
    assert {row["example_id"]: row["asked"] for row in detections} == {
        "example-t0": False, "example-t1": True, "example-t2": True, "example-t3": True,
    }  # fmt: skip
    assert len(cells(files, "ann", DETECTION)) == 3
    assert detections[0]["source_ids"] == [detections[0]["example_id"], detections[0]["fusion_id"]]
    assert detections[0]["licence"] == "CC0-1.0 AND MIT"


def test_the_gold_text_is_on_the_recorded_side_and_overall_on_both_sides(tmp_path):
    many = [example(f"t{number}", split="test") for number in range(60)]
    fusions = [fusion(f"t{number}") for number in range(60)]
    params = PARAMS.model_copy(update={"fusions": 60})
    rows, _, files, _ = made(tmp_path, params, many, fusions)
    sides = []
    for row in of(rows, DETECTION):
        [gold] = row["gold"]
        sides.append(gold["value"])
        other = "b" if gold["value"] == "a" else "a"
        assert ", but" in row[f"fusion_{gold['value']}"] and ", and" in row[f"fusion_{other}"]
    assert 15 < sides.count("a") < 45
    again, _, _, _ = made(tmp_path, params.model_copy(update={"seed": 1}), many, fusions)
    assert [row["gold"] for row in of(again, DETECTION)] != [row["gold"] for row in of(rows, DETECTION)]
    shown = set(cells(files, "ann", DETECTION)[0]) | set(
        json.loads(files[f"label_studio/ann/{DETECTION}.json"])[0]["data"]
    )
    assert not shown & {"gold", "connective_string", "discourse_type", "example_id", "fusion_id"}


def test_sheets_and_rows_do_not_depend_on_parts_or_order(tmp_path):
    one = made(tmp_path / "one", several=1)
    three = made(tmp_path / "three", examples=(*TEST, *VALIDATION)[::-1], fusions=FUSIONS[::-1], several=3)
    assert one[2] == three[2] and one[1] == three[1]
    assert sorted(one[0], key=lambda row: row["id"]) == sorted(three[0], key=lambda row: row["id"])


@pytest.mark.parametrize(
    ("change", "gold"),
    [
        ({"kind": "SINGLE_S_COORD", "connective": ", and"},
         {"merge": "single", "anaphor": "no", "connective": "expansion"}),
        ({"kind": "PAIR_CONN_ANAPHORA", "connective": "however ,", "has_coref_type_pronoun": 1.0},
         {"merge": "pair", "anaphor": "yes", "connective": "comparison"}),
        ({"kind": "PAIR_ANAPHORA", "connective": "", "has_coref_type_nominal": 1.0},
         {"merge": "pair", "anaphor": "yes", "connective": "none"}),
        ({"kind": "SINGLE_CATAPHORA", "connective": ""},
         {"merge": "single", "anaphor": "yes", "connective": "none"}),
        ({"kind": "SINGLE_CONN_INNER", "connective": ", because"},
         {"merge": "single", "anaphor": "no", "connective": "contingency"}),
        ({"kind": "PAIR_CONN", "connective": "obviously ,"}, {"merge": "pair", "anaphor": "no"}),
    ],
)  # fmt: skip
def test_gold_decisions_by_hand(change, gold):
    assert gold_decisions(example("x", **change)) == gold


def test_the_gold_connective_is_one_of_four_with_different_senses():
    for connective in [*sorted(CONNECTIVES), ""]:
        unit = example("x", connective=connective)
        offered = offers(unit, 0)
        assert tuple(offered) == SENSE_NAMES
        assert all(SENSES[name] == sense for sense, name in offered.items())
        assert connective in offered.values() or connective not in SENSES
    drawn = {tuple(offers(example(str(number), connective=""), 0).values()) for number in range(30)}
    assert len(drawn) > 5


def test_for_a_connective_without_a_sense_only_clarity_is_rated(tmp_path):
    odd = [example("v1", connective="obviously ,", kind="PAIR_CONN")]
    rows, _, _, _ = made(tmp_path, examples=odd, fusions=[])
    assert [row["questionnaire"] for row in rows] == [CLARITY]


def test_duplicate_raters_and_unknown_splits_are_refused():
    for wrong in ({"raters": ("ann", "ann")}, {"raters": ("../ann",)}, {"splits": ("dev",)}, {"splits": ()}):
        with pytest.raises(ValidationError):
            RatingSheetParams(**wrong)
