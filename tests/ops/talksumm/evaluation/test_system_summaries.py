import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.choose import hybrid, only
from silverloom.ops.rank.rankers import best_first, content_words, sum_basic, text_rank
from silverloom.ops.talksumm.evaluation.gold_papers import GOLD_PAPERS, greedy
from silverloom.ops.talksumm.evaluation.system_summaries import (
    BASELINES,
    SYSTEM_SUMMARIES,
    SystemSummaryParams,
    baseline,
    system_summaries,
)
from silverloom.ops.talksumm.extractors.paper import Extraction, take_words
from tests.ops.talksumm.summary_cases import gold, text
from tests.parts import parts

PARAMS = SystemSummaryParams(words=20)
MODELS = [("transformer/short", True), ("pointer/short", False)]


class Backwards:
    """Takes a paper's sentences in reverse order."""

    def extract(self, paper, words=150):
        order = range(len(paper) - 1, -1, -1)
        count = take_words(order, [len(one.split()) for one in paper.sentences], words)
        return Extraction(tuple(order[:count]), (1.0,) * count)


@pytest.fixture(autouse=True)
def no_training(monkeypatch):
    found = [(*model, Backwards()) for model in MODELS]
    monkeypatch.setattr(
        "silverloom.ops.talksumm.evaluation.system_summaries.trained", lambda artifact, strict: iter(found)
    )


def made(folder, *tables, params=PARAMS):
    outcomes = list(system_summaries(parts(folder, GOLD_PAPERS.kept, *tables), None, params))
    assert all(one.kept.schema == SYSTEM_SUMMARIES.kept for one in outcomes)
    assert [one.units.to_pylist() for one in outcomes] == [[row["id"] for row in rows] for rows in tables]
    return outcomes


def by_system(folder, unit, params=PARAMS):
    [outcome] = made(folder, [unit], params=params)
    return {(row["system"], row["model"]): row for row in outcome.kept.to_pylist()}


LONG = gold(
    "long", "test", text(40, 1), references=[text(3, 2), text(3, 3)], abstract=["w1 w2 w3 w4.", "w5."]
)


def test_test_papers_get_a_summary_by_each_system_and_others_are_dropped_by_their_split(tmp_path):
    first, second = made(
        tmp_path,
        [{**LONG, "licence": "CC0"}, gold("v", "validation")],
        [gold("t", "train"), gold("bare", "test")],
    )
    assert [(row["system"], row["model"], row["chosen"]) for row in first.kept.to_pylist()] == [
        *((name, None, True) for name in BASELINES),
        *((system, *model) for model in MODELS for system in ("only", "hybrid")),
    ]
    assert {row["licence"] for row in first.kept.to_pylist()} == {"CC0"}
    assert {(row["gold_id"], *row["source_ids"]) for row in first.kept.to_pylist()} == {("long", "long")}
    assert len(set(first.kept["id"].to_pylist())) == first.kept.num_rows
    dropped = [(row["id"], row["reason"]) for one in (first, second) for row in one.dropped.to_pylist()]
    assert dropped == [("v", "split_validation"), ("t", "split_train")]
    assert "abstract" not in second.kept["system"].to_pylist() and second.kept.num_rows == 9


def test_a_paper_that_is_long_enough_gives_exactly_the_words_and_rows_have_their_text(tmp_path):
    found = by_system(tmp_path, LONG)
    for (system, _), row in found.items():
        assert row["text"] == " ".join(row["sentences"]) and row["words"] == len(row["text"].split())
        assert row["positions"] == sorted(row["positions"])
        if system not in ("abstract", "oracle"):
            assert row["words"] == 20, system
    assert found["oracle", None]["words"] <= 20


def test_each_baseline_does_what_its_name_says(tmp_path):
    found = by_system(tmp_path, LONG)
    sentences = LONG["sentences"]
    words = [content_words(one) for one in sentences]
    references = [one["sentences"] for one in LONG["references"]]
    orders = {
        "lead": range(40),
        "textrank": best_first(text_rank(words)),
        "sumbasic": sum_basic(words),
        "oracle": greedy(sentences, references, 20),
    }
    for name, order in orders.items():
        expected = only(sentences, list(order), 20, cut=True)
        assert found[name, None]["positions"] == expected.positions, name
        assert found[name, None]["text"] == expected.text
    assert found["lead", None]["text"] == " ".join(" ".join(sentences).split()[:20])
    assert (
        found["abstract", None]["text"] == "w1 w2 w3 w4. w5." and found["abstract", None]["positions"] == []
    )


def test_an_abstract_over_the_word_limit_is_truncated_and_leaves_hybrid_no_room(tmp_path):
    found = by_system(tmp_path, {**LONG, "abstract": text(9, 5)})
    first = " ".join(" ".join(text(9, 5)).split()[:20])
    assert found["abstract", None]["text"] == first
    assert found["hybrid", "transformer/short"]["text"] == first


def test_random_depends_only_on_seed_and_paper():
    def drawn(paper, seed=0):
        return baseline("random", {**LONG, "paper_id": paper}, SystemSummaryParams(words=20, seed=seed)).text

    assert drawn("p") == drawn("p")
    assert len({drawn("p"), drawn("q"), drawn("p", 1)}) == 3


def test_only_the_oracle_uses_the_references(tmp_path):
    told = {**LONG, "references": [{**LONG["references"][0], "sentences": LONG["sentences"][30:32]}]}
    before, after = by_system(tmp_path, LONG), by_system(tmp_path, told)
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {("oracle", None)}
    assert {30, 31} <= set(after["oracle", None]["positions"])


def test_only_is_the_models_best_sentences_in_the_papers_order_with_the_last_one_truncated(tmp_path):
    unit = gold("t", "test", ["a b c d.", "e f g h i j.", "k l m.", "n o p q r."])
    row = by_system(tmp_path, unit, SystemSummaryParams(words=11))["only", "transformer/short"]
    assert (row["positions"], row["text"]) == ([1, 2, 3], "e f g k l m. n o p q r.")


def test_hybrid_starts_with_the_abstract_and_skips_redundant_sentences(tmp_path):
    unit = gold(
        "t", "test", ["Green birds fly.", "Red fish swim fast.", "Red fish swim.", "We parse talks."],
        abstract=["We parse talks."],
    )  # fmt: skip
    row = by_system(tmp_path, unit)["hybrid", "transformer/short"]
    assert row["sentences"] == ["We parse talks.", "Green birds fly.", "Red fish swim."]
    assert row["positions"] == [0, 2]
    wide = SystemSummaryParams(words=20, redundant=1.0)
    assert by_system(tmp_path, unit, wide)["hybrid", "transformer/short"]["positions"] == [0, 1, 2, 3]


def test_without_an_abstract_hybrid_consists_of_the_papers_own_sentences(tmp_path):
    unit = {**LONG, "abstract": []}
    row = by_system(tmp_path, unit)["hybrid", "pointer/short"]
    expected = hybrid([], unit["sentences"], range(39, -1, -1), 20, True, PARAMS.redundant)
    assert (row["sentences"], row["positions"]) == expected


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 40))
def test_every_system_prints_at_most_the_configured_number_of_words_and_only_the_papers_words(
    seed, count, words
):
    unit = gold("t", "test", text(count, seed), references=[text(2, seed + 1)], abstract=text(2, seed + 2))
    for name in BASELINES:
        summary = baseline(name, unit, SystemSummaryParams(words=words))
        assert len(summary.text.split()) <= words
        for place, sentence in zip(summary.positions, summary.sentences, strict=name != "abstract"):
            assert unit["sentences"][place].startswith(sentence)


def test_an_unknown_baseline_is_refused():
    with pytest.raises(KeyError, match="best"):
        baseline("best", LONG, PARAMS)
