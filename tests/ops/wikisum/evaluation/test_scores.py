"""Scores of every lead, their means, tests and categories, compared with a slow version."""

from collections import Counter
from statistics import fmean

import pytest
from pydantic import ValidationError

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.metrics import bertscore
from silverloom.ops.metrics.rouge import rouge
from silverloom.ops.parse.schemas import ARTICLES
from silverloom.ops.wikisum.evaluation.scores import (
    EVALUATION,
    EXTRACTIVE,
    LOG_PERPLEXITY,
    EvaluationParams,
    evaluation,
)
from silverloom.ops.wikisum.models.grid import GRID, NOT_DRAWN
from silverloom.ops.wikisum.schemas import RANKED
from tests.held import bytes_per_row
from tests.ops.wikisum.evaluation.score_cases import SPLITS, TESTS, TITLES, lead_of, made, written

ROWS = [
    *(written(title, "t_d", nats=4.0 + number, tokens=2 + number % 3) for number, title in enumerate(TESTS)),
    *(written(title, "t_ed", prediction="a town") for title in TESTS),
]


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    return made(tmp_path_factory.mktemp("evaluation"), ROWS)


def test_every_test_article_has_a_row_for_each_model_and_each_ranking(evaluated):
    kept, dropped, _ = evaluated
    assert len(TESTS) > 6
    systems = Counter((row["system"], row["model"]) for row in kept)
    assert systems == {
        ("t_d", "tf_idf-combined-8"): len(TESTS),
        ("t_ed", "tf_idf-combined-8"): len(TESTS),
        (EXTRACTIVE, "tf_idf-combined"): len(TESTS),
        (EXTRACTIVE, "identity-combined"): len(TESTS),
    }
    assert {row["title"] for row in kept} == set(TESTS)
    assert len(dropped) == len(TITLES) - len(TESTS)
    assert {row["reason"] for row in dropped} == {"split_train", "split_validation"}


def test_a_test_article_without_a_summary_says_so(tmp_path):
    rows = [row for row in ROWS if row["title"] not in TESTS[:2]]
    _, dropped, _ = made(tmp_path, rows, not_drawn=TESTS[1:2])
    lost = {row["id"]: row["reason"] for row in dropped if not row["reason"].startswith("split_")}
    assert lost == {
        f"ranked-{TITLES.index(TESTS[0])}": "nothing_written",
        f"ranked-{TITLES.index(TESTS[1])}": "not_drawn",
    }


def test_extraction_is_scored_against_the_lead_and_has_no_likelihood(evaluated):
    kept, _, _ = evaluated
    for row in kept:
        assert row["target"] == lead_of(row["title"])
        assert row["rougeL_f"] == rouge(row["prediction"], row["target"])["rougeL"].f
        if row["system"] == EXTRACTIVE:
            assert len(row["prediction"].split()) == len(row["target"].split())
            assert row["nats"] is row["tokens"] is row["length"] is None


def test_rouge_l_of_the_released_code_and_bertscore_are_next_to_rouge_l(evaluated):
    kept, _, table = evaluated
    for row in kept:
        precision, recall = row["rougeL_precision"], row["rougeL_recall"]
        beta = precision / (recall + 1e-12)
        slow = (1 + beta**2) * recall * precision / (recall + beta**2 * precision + 1e-12)
        assert row["rougeL_f_tensor2tensor"] == pytest.approx(slow, abs=6e-6)
        [f1] = bertscore([row["prediction"]], [row["target"]]).f1
        assert row["bertscore_f"] == pytest.approx(f1, abs=6e-5)
    assert {"rougeL_f", "rougeL_f_tensor2tensor", "bertscore_f"} <= {*table["metrics"]}
    assert all({*table["metrics"][1:]} <= {*system["scores"]} for system in table["systems"])


def test_means_are_over_rows_and_log_perplexity_is_over_all_tokens(evaluated):
    kept, _, table = evaluated
    for system in table["systems"]:
        own = [row for row in kept if (row["system"], row["model"]) == (system["system"], system["model"])]
        assert system["articles"] == len(own)
        score = system["scores"]["rougeL_f"]
        assert score["mean"] == pytest.approx(fmean(row["rougeL_f"] for row in own), abs=1e-6)
        assert score["low"] <= score["mean"] <= score["high"]
        assert (LOG_PERPLEXITY in system["scores"]) == (system["system"] != EXTRACTIVE)
        if system["system"] != EXTRACTIVE:
            nats, tokens = (sum(row[name] for row in own) for name in ("nats", "tokens"))
            assert system["scores"][LOG_PERPLEXITY]["mean"] == pytest.approx(nats / tokens, abs=1e-6)


def test_the_chosen_model_is_tested_against_every_other_system(evaluated):
    _, _, table = evaluated
    chosen = {"system": "t_d", "model": "tf_idf-combined-8"}
    assert [test["first"] for test in table["tests"]] == [chosen] * 3
    others = [(test["second"]["system"], test["second"]["model"]) for test in table["tests"]]
    assert others == [
        (EXTRACTIVE, "identity-combined"), (EXTRACTIVE, "tf_idf-combined"), ("t_ed", "tf_idf-combined-8"),
    ]  # fmt: skip
    means = {row["system"]: row["scores"]["rougeL_f"]["mean"] for row in table["systems"]}
    difference = table["tests"][2]["scores"]["rougeL_f"]["difference"]
    assert difference == pytest.approx(means["t_d"] - means["t_ed"], abs=2e-6)


def test_categories_are_those_of_the_lead_and_count_only_the_chosen_model(evaluated):
    kept, _, table = evaluated
    people = [title for title in TESTS if "was an actor" in lead_of(title)]
    assert [(row["category"], row["articles"]) for row in table["categories"]] == [
        ("all", len(TESTS)), ("people", len(people)), ("rivers", 0),
    ]  # fmt: skip
    own = [row for row in kept if row["system"] == "t_d" and row["title"] in people]
    for name in ("rouge1_recall", "rouge1_precision", "rouge1_f"):
        found = table["categories"][1]["scores"][name]["mean"]
        assert found == pytest.approx(fmean(row[name] for row in own), abs=1e-6)
    assert table["categories"][2]["scores"] == {}


def test_without_a_chosen_model_nothing_is_tested_and_there_are_no_categories(tmp_path):
    _, _, table = made(tmp_path, ROWS, chosen=None)
    assert (table["tests"], table["categories"]) == ([], [])


def test_the_tables_take_little_memory_for_each_lead(evaluated, tmp_path):
    kept, _, _ = evaluated
    outcome = Outcome.of(EVALUATION, [], kept)
    (tmp_path / "models.json").write_text('[{"model": "m", "chosen": true}]')
    (tmp_path / NOT_DRAWN).write_text("[]")

    def outcomes(engine):
        ranked, articles, written = (Parts(shape.kept, (), engine) for shape in (RANKED, ARTICLES, GRID))
        grid, ranker = (Artifact(rows, tmp_path) for rows in (written, None))
        return evaluation(ranked, articles, grid, ranker, SPLITS, EvaluationParams(resamples=1))

    assert bytes_per_row(outcome, outcomes) < 300


def test_without_models_there_are_no_rows(tmp_path):
    kept, dropped, table = made(tmp_path, [])
    assert (kept, len(dropped), table["systems"]) == ([], len(TITLES), [])


@pytest.mark.parametrize(
    ("name", "group", "cause"),
    [
        ("all", "x", "all articles"),
        ("odd", "(", r"categories\.odd\.lead\n.*regular expression"),
        ("odd", {"category": "("}, r"categories\.odd\.category\n.*regular expression"),
        ("odd", {}, "give the pattern of a category, or of the lead"),
    ],
)
def test_an_invalid_category_is_refused(name, group, cause):
    with pytest.raises(ValidationError, match=cause):
        EvaluationParams(categories={name: group})


@pytest.mark.long
def test_an_article_may_be_in_several_categories(tmp_path):
    own = EvaluationParams(categories={"people": "actor", "north": "north"}, resamples=100)
    kept, _, _ = made(tmp_path, ROWS, params=own)
    assert {tuple(row["categories"]) for row in kept} == {(), ("people", "north")}
