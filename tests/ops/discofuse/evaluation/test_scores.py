"""Scores of fusions, and the paper's tables made from them."""

import json
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.parts import Parts
from silverloom.ops.discofuse.evaluation.alignment import OTHER
from silverloom.ops.discofuse.evaluation.scores import (
    EVALUATION,
    TABLE,
    TABLE_9,
    EvaluationParams,
    evaluation,
    scored,
    scores_of,
    table,
)
from silverloom.ops.metrics import exact_match, sari
from tests.held import bytes_per_row
from tests.parts import parts

PARAMS = EvaluationParams(resamples=50, connectives=2)


def fusion(example, prediction=None, model="sports", domain="sports", **change):
    """A fusion of one of two texts: "but" and a pronoun, or a relative clause."""
    source = f"Ann of {example} came . Ann of {example} left ."
    target = f"Ann of {example} came , but she left ."
    row = {
        "id": f"fusion-{example}-{model}", "source_ids": [f"example-{example}"], "licence": "MIT",
        "example_id": f"example-{example}", "system": "model" if model else "copy", "model": model, "domain": domain,
        "split": "test", "balanced": True, "discourse_type": "SINGLE_S_COORD_ANAPHORA", "connective_string": ", but",
        "source": source, "target": target, "prediction": target,
    } | change  # fmt: skip
    row = {"references": [row["target"]]} | row
    return row | {"prediction": row["target"] if prediction is None else prediction.format(example)}


AND = "Ann of {} came , and he left ."
COPY = "Ann of {0} came . Ann of {0} left ."


def made(folder, *groups, params=PARAMS):
    return list(evaluation(parts(folder, EVALUATION.unit, *groups), params))


def told(units, params=PARAMS):
    return table(pa.Table.from_pylist([scored(unit) for unit in units], EVALUATION.kept), params)


def row_of(rows, **wanted):
    [one] = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return one


def test_a_row_has_the_scores_of_the_metrics_and_the_aligned_connectives_and_pronouns():
    unit = fusion("X", AND)
    row = scored(unit)
    expected = sari(unit["source"], unit["prediction"], [unit["target"]])
    assert [row[name] for name in ("keep", "add", "delete", "sari")] == list(expected)
    assert row["exact"] == 0.0 and row["in_domain"]
    assert (row["connective"], row["predicted_connective"]) == ("but", "and")
    assert row["pronouns"] == [{"gold": "she", "predicted": "he"}]
    assert row["source_ids"] == ["fusion-X-sports"] and row["fusion_id"] == "fusion-X-sports"


def test_the_gold_text_in_any_letter_case_is_exact():
    assert scored(fusion("X", "ANN of {} CAME , but she left ."))["exact"] == 1.0


def test_a_fusion_without_a_connective_has_none_to_predict():
    row = scored(fusion("X", connective_string="", target="Ann of X , who came , left .", prediction="Ann ."))
    assert (row["connective"], row["predicted_connective"], row["pronouns"]) == (None, None, [])


def test_every_fusion_is_kept_whichever_part_it_is_in_and_the_tables_are_next_to_the_last(tmp_path):
    rows = [fusion(str(number)) for number in range(5)]
    (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
    [one] = made(tmp_path / "one", rows)
    first, second = made(tmp_path / "two", rows[:3], rows[3:])
    assert one.kept.schema == EVALUATION.kept and one.kept.num_rows == 5
    assert pa.concat_tables([first.kept, second.kept]).equals(one.kept)
    assert first.units.to_pylist() + second.units.to_pylist() == [row["id"] for row in rows]
    assert not first.files and second.files == one.files


def test_a_fusion_is_scored_against_all_texts_that_fuse_its_sentences():
    unit = fusion("X", AND)
    several = [unit["target"], AND.format("X")]
    one, both = scored(unit), scored(unit | {"references": several})
    assert (one["exact"], both["exact"]) == (0.0, 1.0)
    assert both["sari"] == sari(unit["source"], unit["prediction"], several).score > one["sari"]
    assert both["connective"] == one["connective"] == "but"


def test_the_tables_take_little_memory_for_each_fusion():
    units = [fusion(f"{n} {m}", model=m) for n in range(25) for m in (None, "sports")]
    outcome = scores_of(pa.Table.from_pylist(units, EVALUATION.unit))
    params = EvaluationParams(resamples=1)
    assert bytes_per_row(outcome, lambda engine: evaluation(Parts(EVALUATION.unit, (), engine), params)) < 300


def test_without_fusions_the_table_is_empty(tmp_path):
    [outcome] = made(tmp_path)
    assert outcome.kept.num_rows == 0
    assert not any(rows for rows in json.loads(outcome.files[TABLE]).values())


def test_table_6_by_hand():
    units = [
        fusion("a"), fusion("b", AND), fusion("c", balanced=False),
        fusion("a", COPY, None), fusion("b", COPY, None), fusion("c", COPY, None, balanced=False),
        fusion("d", domain="wikipedia"),
    ]  # fmt: skip
    systems = told(units)["systems"]
    assert [(one["domain"], one["test"], one["system"], one["model"], one["examples"]) for one in systems] == [
        ("sports", "full", "copy", None, 3), ("sports", "full", "model", "sports", 3),
        ("sports", "balanced", "copy", None, 2), ("sports", "balanced", "model", "sports", 2),
        ("wikipedia", "full", "model", "sports", 1), ("wikipedia", "balanced", "model", "sports", 1),
    ]  # fmt: skip
    ours = row_of(systems, domain="sports", test="full", system="model")["scores"]
    assert ours["exact"]["mean"] == round(2 / 3, 6) and ours["exact"]["low"] < 2 / 3 < ours["exact"]["high"]
    wrong = sari(units[1]["source"], units[1]["prediction"], [units[1]["target"]])
    assert ours["sari"]["mean"] == pytest.approx((2 + wrong.score) / 3, abs=1e-6)
    assert row_of(systems, domain="sports", test="balanced", system="model")["scores"]["exact"]["mean"] == 0.5
    copied = row_of(systems, domain="sports", test="full", system="copy")["scores"]
    assert (
        copied["exact"]["mean"] == 0
        and copied["delete"]["mean"] < 1 == copied["keep"]["high"] + 1 - copied["keep"]["high"]
    )


def test_systems_are_compared_on_the_examples_that_both_have():
    units = [*(fusion(name) for name in "abc"), *(fusion(name, COPY, None) for name in "bcd")]
    [full, balanced] = told(units)["tests"]
    assert full["first"] == {"system": "copy", "model": None}
    assert full["second"] == {"system": "model", "model": "sports"}
    assert (full["examples"], full["domain"], full["test"]) == (2, "sports", "full")
    assert full["scores"]["exact"]["difference"] == -1.0 and full["scores"]["exact"]["p"] < 0.05
    assert balanced["test"] == "balanced"
    apart = [fusion("a"), fusion("b", COPY, None)]
    assert told(apart)["tests"] == []


def test_table_7_covers_only_models_in_their_own_domain():
    units = [
        fusion("a"), fusion("b", AND), fusion("c", COPY, discourse_type="PAIR_NONE", connective_string=""),
        fusion("d", domain="wikipedia"), fusion("e", model="mixture"), fusion("f", COPY, None),
    ]  # fmt: skip
    phenomena = told(units)["phenomena"]
    assert [(one["model"], one["discourse_type"], one["examples"]) for one in phenomena] == [
        ("sports", "PAIR_NONE", 1), ("sports", "SINGLE_S_COORD_ANAPHORA", 2),
    ]  # fmt: skip
    assert phenomena[1]["scores"]["exact"]["mean"] == 0.5 and set(phenomena[1]["scores"]) == {"exact", "sari"}


def test_table_9_by_hand():
    so = {"connective_string": ", therefore ,", "target": "Ann came , therefore , she left ."}
    units = [
        fusion("a"), fusion("b", AND), fusion("c", AND), fusion("d", COPY), fusion("e"), fusion("f"),
        fusion("g", **so), fusion("h", model="mixture"),
    ]  # fmt: skip
    connectives = told(units)["connectives"]
    assert [one["connective"] for one in connectives] == [*TABLE_9, "therefore"]
    but = row_of(connectives, connective="but")
    assert but["accuracy"]["mean"] == 0.5 and (but["model"], but["examples"]) == ("sports", 6)
    assert [(one["output"], one["count"]) for one in but["predicted"]] == [("but", 3), ("and", 2), (OTHER, 1)]
    assert row_of(connectives, connective="unless") == {
        "model": "sports", "connective": "unless", "accuracy": None, "examples": 0, "predicted": [],
    }  # fmt: skip


def test_figure_3_by_hand():
    units = [fusion("a"), fusion("b", AND), fusion("c", COPY), fusion("d")]
    [row] = told(units)["pronouns"]
    assert (row["model"], row["pronoun"], row["examples"]) == ("sports", "she", 4)
    assert [(one["output"], one["share"]) for one in row["predicted"]] == [
        ("she", 0.5), (OTHER, 0.25), ("he", 0.25),
    ]  # fmt: skip


PREDICTIONS = st.lists(st.sampled_from([AND, COPY, None, "", "She left ."]), min_size=1, max_size=8)


@given(PREDICTIONS)
def test_means_equal_those_of_the_metrics_and_rows_of_confusions_sum_to_one(predictions):
    units = [fusion(str(number), prediction) for number, prediction in enumerate(predictions)]
    tables = told(units, EvaluationParams(resamples=5))
    scores = row_of(tables["systems"], test="full")["scores"]
    exact = [exact_match(unit["prediction"], [unit["target"]]) for unit in units]
    assert scores["exact"]["mean"] == pytest.approx(sum(exact) / len(units), abs=1e-6)
    parts = [sari(unit["source"], unit["prediction"], [unit["target"]]) for unit in units]
    for name, values in zip(("keep", "add", "delete", "sari"), zip(*parts, strict=True), strict=True):
        assert scores[name]["mean"] == pytest.approx(math.fsum(values) / len(units), abs=1e-6)
    for row in (row_of(tables["connectives"], connective="but"), *tables["pronouns"]):
        assert sum(one["share"] for one in row["predicted"]) == pytest.approx(1)
        assert sum(one["count"] for one in row["predicted"]) == row["examples"] == len(units)
