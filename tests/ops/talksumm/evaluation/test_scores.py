import json
from itertools import combinations

import pytest

from silverloom.ops.metrics import interval, paired_bootstrap, rouge
from silverloom.ops.metrics.rouge import ROUGE, rouge_of_references
from silverloom.ops.talksumm.evaluation.gold_papers import GOLD_PAPERS
from silverloom.ops.talksumm.evaluation.scores import (
    EVALUATION,
    SCORES,
    TABLE,
    TABLE_2,
    EvaluationParams,
    evaluation,
)
from silverloom.ops.talksumm.evaluation.system_summaries import SYSTEM_SUMMARIES
from tests.ops.talksumm.summary_cases import gold, text
from tests.parts import parts

PARAMS = EvaluationParams(resamples=60, seed=3)


def summary(system, paper, sentences, model=None, chosen=True):
    joined = " ".join(sentences)
    return {
        "id": f"{system}-{model}-{paper}", "gold_id": paper, "system": system, "model": model,
        "chosen": chosen, "sentences": sentences, "text": joined, "words": len(joined.split()),
    }  # fmt: skip


PAPERS = [
    gold(f"g{number}", "test", references=[text(3, number), text(4, 50 + number)]) for number in range(5)
]
SUMMARIES = [
    *(summary("lead", f"g{number}", text(3, 100 + number)) for number in range(5)),
    *(summary("abstract", f"g{number}", text(4, 200 + number)) for number in (1, 3)),
    *(summary("only", f"g{number}", text(3, number)[:2], "pointer/a") for number in range(5)),
    *(summary("only", f"g{number}", text(3, 300 + number), "pointer/b", False) for number in range(5)),
]


def made(folder, summaries=SUMMARIES, papers=PAPERS, params=PARAMS):
    tables = parts(folder, SYSTEM_SUMMARIES.kept, summaries), parts(folder, GOLD_PAPERS.kept, papers)
    [outcome] = evaluation(*tables, params)
    assert outcome.kept.schema == EVALUATION.kept
    assert outcome.units.to_pylist() == [row["id"] for row in summaries]
    return outcome


def table_of(outcome):
    return json.loads(outcome.files[TABLE])


def scores_of(row):
    return {name: tuple(row[f"{name}_{field}"] for field in ("precision", "recall", "f")) for name in ROUGE}


def test_a_summary_gets_the_scores_of_the_metric(tmp_path):
    papers = [gold("g", "test", references=[["w1 w2 w3 w4.", "w5 w6."]])]
    params = EvaluationParams(resamples=1)
    [row] = made(tmp_path, [summary("lead", "g", ["w1 w2 w3.", "w6 w5."])], papers, params).kept.to_pylist()
    assert scores_of(row) == rouge(["w1 w2 w3.", "w6 w5."], ["w1 w2 w3 w4.", "w5 w6."])
    assert (row["rouge1_recall"], row["rouge1_precision"]) == (pytest.approx(5 / 6, abs=1e-5), 1.0)
    # Bigrams cross sentences, as in ROUGE-1.5.5: 2 of 5, and 2 of the 4 in the summary.
    assert (row["rouge2_recall"], row["rouge2_precision"]) == (0.4, 0.5)
    assert (row["reference"], row["references"], row["text"]) == (
        "w1 w2 w3 w4. w5 w6.",
        1,
        "w1 w2 w3. w6 w5.",
    )


@pytest.mark.parametrize("combine", ["average", "best"])
def test_several_references_count_together_or_only_the_best(tmp_path, combine):
    found = made(tmp_path, params=PARAMS.model_copy(update={"references": combine})).kept.to_pylist()
    for row, unit in zip(found, SUMMARIES, strict=True):
        paper = next(one for one in PAPERS if one["id"] == unit["gold_id"])
        references = [one["sentences"] for one in paper["references"]]
        assert scores_of(row) == rouge_of_references(unit["sentences"], references, combine, words=150)
        if combine == "best":
            single = [rouge(unit["sentences"], one, words=150)["rouge2"].recall for one in references]
            assert row["rouge2_recall"] == max(single)
        assert row["references"] == 2


@pytest.mark.parametrize(
    ("knob", "options"),
    [
        ({"words": 4}, {"words": 4}),
        ({"words": None}, {}),
        ({"stem": True}, {"stem": True, "words": 150}),
        ({"stop_words": True}, {"stop_words": True, "words": 150}),
    ],
)
def test_the_params_are_those_of_the_metric(tmp_path, knob, options):
    said, reference = ["The parsers are parsing the talks."], ["A parser parses the talks.", "It is good."]
    papers, units = [gold("g", "test", references=[reference])], [summary("lead", "g", said)]
    [row] = made(tmp_path, units, papers, PARAMS.model_copy(update=knob)).kept.to_pylist()
    assert scores_of(row) == rouge(said, reference, **options) != rouge(said, reference, words=5)


def test_rows_are_marked_if_they_concern_only_the_chosen_extractor(tmp_path):
    rows = made(tmp_path).kept.to_pylist()
    assert {(row["system"], row["model"]) for row in rows if row["only"]} == {("only", "pointer/a")}
    assert all(row["source_ids"] == [row["summary_id"]] for row in rows)


def test_means_and_intervals_are_over_the_papers_of_each_system(tmp_path):
    outcome = made(tmp_path)
    table, rows = table_of(outcome), outcome.kept.to_pylist()
    assert table["metrics"] == list(TABLE_2)
    assert [(one["system"], one["model"], one["chosen"], one["papers"]) for one in table["systems"]] == [
        ("lead", None, True, 5), ("abstract", None, True, 2), ("only", "pointer/a", True, 5),
        ("only", "pointer/b", False, 5),
    ]  # fmt: skip
    for one in table["systems"]:
        own = [row for row in rows if (row["system"], row["model"]) == (one["system"], one["model"])]
        assert one["scores"].keys() == set(SCORES)
        for name, found in one["scores"].items():
            assert found == interval([row[name] for row in own], 60, 3)._asdict()


def test_every_two_chosen_systems_are_tested_on_their_shared_papers(tmp_path):
    outcome = made(tmp_path)
    tests = table_of(outcome)["tests"]
    names = [("lead", None), ("abstract", None), ("only", "pointer/a")]
    assert [(one["first"], one["second"], one["papers"]) for one in tests] == [
        ("lead", "abstract", 2),
        ("lead", "only (pointer/a)", 5),
        ("abstract", "only (pointer/a)", 2),
    ]
    rows = outcome.kept.to_pylist()
    for one, pair in zip(tests, combinations(names, 2), strict=True):
        own = [
            {row["gold_id"]: row for row in rows if (row["system"], row["model"]) == system}
            for system in pair
        ]
        papers = sorted(own[0].keys() & own[1].keys())
        for name in TABLE_2:
            first, second = ([side[paper][name] for paper in papers] for side in own)
            assert one["scores"][name] == paired_bootstrap(first, second, 60, 3)._asdict()


def test_systems_without_a_shared_paper_are_not_compared(tmp_path):
    units = [summary("lead", "g0", text(2, 0)), summary("abstract", "g1", text(2, 1))]
    assert table_of(made(tmp_path, units))["tests"] == []


def test_a_summary_without_words_is_dropped_and_not_compared(tmp_path):
    units = [*SUMMARIES, summary("textrank", "g0", []), summary("textrank", "g1", text(2, 9))]
    outcome = made(tmp_path, units)
    assert [(row["id"], row["reason"], row["detail"]) for row in outcome.dropped.to_pylist()] == [
        ("textrank-None-g0", "empty", "textrank")
    ]
    tests = [one for one in table_of(outcome)["tests"] if "textrank" in (one["first"], one["second"])]
    assert [(one["first"], one["papers"]) for one in tests] == [
        ("lead", 1),
        ("abstract", 1),
        ("only (pointer/a)", 1),
    ]


def test_without_summaries_the_table_is_empty(tmp_path):
    assert table_of(made(tmp_path, [])) == {
        "metrics": list(TABLE_2), "systems": [], "tests": [], "architectures": [],
    }  # fmt: skip


def test_a_summary_whose_paper_is_missing_is_refused(tmp_path):
    with pytest.raises(KeyError, match="g9"):
        made(tmp_path, [summary("lead", "g9", ["w1."])])


def test_the_same_summaries_give_the_same_bytes_in_any_parts(tmp_path):
    tables = parts(tmp_path, SYSTEM_SUMMARIES.kept, SUMMARIES[:4], SUMMARIES[4:])
    [again] = evaluation(tables, parts(tmp_path, GOLD_PAPERS.kept, PAPERS[::-1]), PARAMS)
    assert again.files == made(tmp_path).files
    assert made(tmp_path, params=PARAMS.model_copy(update={"seed": 4})).files != again.files


def test_every_two_architectures_of_one_set_are_compared_by_only(tmp_path):
    names = ["pointer/a", "transformer/a", "pointer/b", "transformer/b", "transformer/c"]
    units = [
        summary(system, f"g{number}", text(3, 10 * place + number), model, model == "pointer/a")
        for place, model in enumerate(names)
        for system in ("only", "hybrid")
        for number in range(5)
    ]
    outcome = made(tmp_path, units)
    rows, table = outcome.kept.to_pylist(), table_of(outcome)
    assert [(one["first"], one["second"], one["papers"]) for one in table["architectures"]] == [
        ("only (pointer/a)", "only (transformer/a)", 5),
        ("only (pointer/b)", "only (transformer/b)", 5),
    ]
    assert [(one["first"], one["second"]) for one in table["tests"]] == [
        ("only (pointer/a)", "hybrid (pointer/a)")
    ]
    for one, model in zip(table["architectures"], "ab", strict=True):
        for name in TABLE_2:
            first, second = (
                [row[name] for row in rows if (row["system"], row["model"]) == ("only", f"{kind}/{model}")]
                for kind in ("pointer", "transformer")
            )
            assert one["scores"][name] == paired_bootstrap(first, second, 60, 3)._asdict()


@pytest.mark.parametrize("combine", ["average", "best"])
def test_rows_have_scores_against_each_reference_and_against_all(tmp_path, combine):
    params = PARAMS.model_copy(update={"references": combine})
    for row, unit in zip(made(tmp_path, params=params).kept.to_pylist(), SUMMARIES, strict=True):
        paper = next(one for one in PAPERS if one["id"] == unit["gold_id"])
        assert [one["reference_id"] for one in row["by_reference"]] == [
            one["id"] for one in paper["references"]
        ]
        for found, reference in zip(row["by_reference"], paper["references"], strict=True):
            alone = rouge(unit["sentences"], reference["sentences"], words=150)
            assert found["annotator"] == reference["annotator"]
            assert [found[name] for name in TABLE_2] == [
                alone["rouge2"].recall, alone["rouge2"].f, alone["rouge3"].f, alone["rougeSU4"].f,
            ]  # fmt: skip
