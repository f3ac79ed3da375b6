"""The cells of a grid, the training data and summaries of each, and the choice of the best."""

import json
import math
import re

import pytest
import yaml

from silverloom.assets.declare.params_file import document, raw_section
from silverloom.assets.declare.project import checkout
from silverloom.ops.wikisum.models.grid import CHEATING, GRID, Cell, GridParams, grid
from silverloom.ops.wikisum.models.summarizer import SummarizerParams
from silverloom.ops.wikisum.models.summarizer_training import SIZES
from tests.checkpoints import Memory
from tests.ops.wikisum.models.grid_cases import given, rows_of
from tests.ops.wikisum.models.summarizer_cases import (
    NAMES,
    examples,
    tokenizer,
)


def made(folder, rows, grid_params):
    artifact, _ = tokenizer(folder / "tokenizer")
    outcomes = list(grid(examples(folder / "examples", rows), artifact, grid_params, Memory(), True))
    assert all(outcome.kept.schema == GRID.kept for outcome in outcomes)
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    dropped = {row["id"]: row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()}
    files = {name: content for outcome in outcomes for name, content in outcome.files.items()}
    return kept, dropped, files


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grid")
    rows = rows_of(folder, given())
    return rows, *made(folder, rows, given())


def test_a_cell_of_two_slices_is_trained_once_and_cells_of_one_set_are_together():
    assert given().cells() == [
        Cell("cheating", "combined", 8, "t_d"),
        Cell("tf_idf", "combined", 8, "seq2seq"),
        Cell("tf_idf", "combined", 8, "t_d"),
        Cell("tf_idf", "combined", 8, "t_dmca_moe"),
    ]
    assert {name: (kind.ranker, kind.corpus, kind.tokens) for name, kind in given().sets().items()} == {
        "cheating-combined-8": ("cheating", "combined", 8),
        "tf_idf-combined-8": ("tf_idf", "combined", 8),
    }


def test_every_cell_summarises_every_test_example_of_its_set(trained):
    rows, kept, dropped, _ = trained
    tests = {row["id"] for row in rows if row["split"] == "test"}
    assert {(row["ranker"], row["length"], row["architecture"], row["model"]) for row in kept} == {
        ("cheating", 8, "t_d", "t_d-cheating-combined-8"),
        ("tf_idf", 8, "t_d", "t_d-tf_idf-combined-8"),
        ("tf_idf", 8, "seq2seq", "seq2seq-tf_idf-combined-8"),
        ("tf_idf", 8, "t_dmca_moe", "t_dmca_moe-tf_idf-combined-8"),
    }
    assert {row["example_id"] for row in kept} == tests
    of_tf_idf = [row for row in rows if row["id"] in tests and row["set"].startswith("tf_idf")]
    assert len(kept) == len(tests) + 2 * len(of_tf_idf)
    assert {row["id"]: f"split_{row['split']}" for row in rows if row["split"] != "test"} == dropped


def test_scores_of_a_cell_are_those_of_its_summaries(trained):
    _, kept, _, files = trained
    for report in json.loads(files["models.json"]):
        own = [row for row in kept if row["model"] == report["model"]]
        nats, tokens = sum(row["nats"] for row in own), sum(row["tokens"] for row in own)
        assert report["test_log_perplexity"] == pytest.approx(nats / tokens, abs=1e-6)
        assert report["test_rougeL_f"] == pytest.approx(
            math.fsum(row["rougeL_f"] for row in own) / len(own), abs=1e-6
        )
        assert report["test_rougeL_f_low"] <= report["test_rougeL_f"] <= report["test_rougeL_f_high"]
        assert report["length"] == "8"  # a text: MLflow treats it as a param


def test_the_best_cell_on_validation_that_does_not_cheat_is_chosen_and_keeps_its_weights(trained):
    _, _, _, files = trained
    reports = json.loads(files["models.json"])
    honest = [report for report in reports if report["ranker"] != CHEATING]
    [chosen] = [report for report in reports if report["chosen"]]
    assert chosen["best"] == min(report["best"] for report in honest)
    assert {name.split("/")[0] for name in files} == {"models.json", "not_drawn.json", chosen["model"]}
    assert f"{chosen['model']}/model.safetensors" in files


def test_the_drawn_articles_are_the_same_for_every_cell(tmp_path):
    own = given(test_articles=1)
    rows = [
        {**row, "split": "test" if "-1" in row["id"][-3:] else row["split"]} for row in rows_of(tmp_path, own)
    ]
    kept, dropped, files = made(tmp_path, rows, own)
    assert len({row["article_id"] for row in kept}) == 1
    tests = {row["article_id"] for row in rows if row["split"] == "test"}
    assert json.loads(files["not_drawn.json"]) == sorted(tests - {kept[0]["article_id"]}) != []
    assert len(kept) == 4
    assert {reason for reason in dropped.values() if not reason.startswith("split")} == {"not_drawn"}


def test_a_set_without_training_examples_has_no_model(tmp_path):
    rows = [
        row
        for row in rows_of(tmp_path, given())
        if row["set"] != "cheating-combined-8" or row["split"] != "train"
    ]
    kept, dropped, files = made(tmp_path, rows, given())
    assert {row["ranker"] for row in kept} == {"tf_idf"}
    assert {
        dropped[row["id"]] for row in rows if row["set"].startswith("cheating") and row["split"] == "test"
    } == {"no_model"}
    assert len(json.loads(files["models.json"])) == 3


def test_without_examples_there_is_no_model(tmp_path):
    kept, dropped, files = made(tmp_path, [], given())
    assert (kept, dropped, json.loads(files.get("models.json", b"[]"))) == ([], {}, [])


def test_an_architecture_that_the_size_lacks_is_an_error_that_names_it(tmp_path):
    own = given({"odd": {"lengths": [8], "architectures": ["t_rex"]}})
    with pytest.raises(
        LookupError, match=r"t_rex, but the size tiny has seq2seq, t_d, t_dmca, t_dmca_moe, t_ed"
    ):
        made(tmp_path, rows_of(tmp_path, own, len(NAMES)), own)


def test_a_mixture_of_experts_is_trained_with_its_balancing_loss(trained):
    _, _, _, files = trained
    [report] = [
        report for report in json.loads(files["models.json"]) if report["architecture"] == "t_dmca_moe"
    ]
    assert (report["config"]["experts"], report["config"]["balance"]) == (4, 0.01)
    assert math.isfinite(report["best"]) and report["test_log_perplexity"] > 0


def test_the_documented_grid_has_every_model_of_the_papers_tables():
    text = (checkout() / "docs/explanation/wikisum.md").read_text()
    [block] = re.findall(r"```yaml\n(  grid:\n.*?)```", text, re.DOTALL)
    asked = yaml.safe_load(block)["grid"]
    documented = GridParams.model_validate(raw_section(document(), "wikisum.grid") | asked)
    cells = {cell[:] for cell in documented.cells()}
    assert f"These are {len(cells)} trainings" in text
    architectures = documented.sizes["paper"].architectures
    assert {cell[3] for cell in cells} <= architectures.keys()
    assert {(name, kind.experts) for name, kind in architectures.items() if getattr(kind, "experts", 0)} == {
        ("t_dmca_moe", 128),
        ("t_dmca_moe_256", 256),
    }
    table_3 = {("cheating", "combined"), ("tf_idf", "combined"), ("tf_idf", "citations"), ("tf_idf", "search"),
               ("identity", "combined")}  # fmt: skip
    table_4 = {("seq2seq", 500), ("t_ed", 500), ("t_d", 4000), ("t_dmca", 11_000), ("t_dmca_moe", 11_000),
               ("t_dmca_moe_256", 7_500)}  # fmt: skip
    assert {(*place, 500, "t_ed") for place in table_3} <= cells
    assert {("tf_idf", "combined", length, name) for name, length in table_4} <= cells


def test_the_documented_pretrained_model_is_trained_beside_a_default_architecture():
    text = (checkout() / "docs/explanation/summarizers.md").read_text()
    [block] = re.findall(r"```yaml\n(wikisum:.*?)```", text, re.DOTALL)
    asked = yaml.safe_load(block)["wikisum"]
    documented = GridParams.model_validate(asked["grid"])
    assert SummarizerParams.model_validate(asked["summarizer"]).sizes == documented.sizes
    size, default = documented.sizes[documented.size], SIZES[documented.size]
    assert set(documented.trained()) == set(size.architectures) == {"t_dmca", "led"}
    assert size.architectures["t_dmca"] == default.architectures["t_dmca"]
    assert size.training_of("t_dmca") == default.training_of("t_dmca")
    assert documented.models() == ["allenai/led-base-16384"]
    assert documented.training_of("led").batch_size == 16
