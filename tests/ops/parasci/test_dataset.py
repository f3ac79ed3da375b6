import json
import random
from itertools import product
from unittest.mock import patch

import pytest
from datasets import load_dataset
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import FilesFolder, temporary_folder
from silverloom.ops.metrics.bertscore import bertscore
from silverloom.ops.metrics.bleu import self_bleu
from silverloom.ops.metrics.rouge import porter_stem
from silverloom.ops.parasci.candidates.pairs import CoarseParams, length_rate
from silverloom.ops.parasci.dataset import paraphrases as paraphrases_module
from silverloom.ops.parasci.dataset import scored as scored_module
from silverloom.ops.parasci.dataset.filtered import FilterParams, Limits, filtered
from silverloom.ops.parasci.dataset.paraphrases import (
    ParaphraseParams,
    clusters,
    draw,
    near_duplicates,
    paraphrases,
    split_of_clusters,
)
from silverloom.ops.parasci.dataset.release import (
    content_words,
    covered_words,
    documents,
    released,
    released_form,
)
from silverloom.ops.parasci.dataset.scored import ScoredParams, confidences, cosines, scored, within_papers
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.dataset.statistics import TABLE_2, statistics
from silverloom.ops.parasci.dataset.threshold_scores import (
    scores_consistency,
    scores_length_rate,
    scores_of_both,
    scores_self_bleu,
    scores_well_formed,
)
from silverloom.ops.parasci.partial.partial import PARTIAL
from silverloom.ops.parasci.schemas import CANDIDATES, FILTERED, NEAR_MISSES, PARAPHRASES, SCORED
from silverloom.ops.parse.schemas import PAPERS
from tests.ops.parasci.parasci_cases import candidate, filtered_pair, scored_pair
from tests.parts import dealt, in_memory, parts

A, B, C = (
    "We find the sense of a word.",
    "The sense of a word is found by us today.",
    "Trees are parsed from text.",
)

SCORER = ScorerParams(intercept=1.0, weights={"f1": 2.0, "numbers": 0.5})


def run_scored(folder, intra=(), definitions=(), citations=(), partial=(), cosine=0.79, **knobs):
    inputs = [
        dealt(folder / name, CANDIDATES.kept, list(rows))
        for name, rows in (("intra", intra), ("definitions", definitions), ("citations", citations))
    ]
    inputs.append(dealt(folder / "partial", PARTIAL.kept, list(partial)))
    return list(scored(*inputs, CoarseParams(cosine=cosine), ScoredParams(**knobs), SCORER, True))


def rows_of(outcomes, table):
    return [row for outcome in outcomes for row in getattr(outcome, table).to_pylist()]


def combinations(outcomes):
    return {reason: count for outcome in outcomes for reason, count in outcome.combinations.items()}


def test_a_pair_found_by_two_methods_or_swapped_is_one_row_with_its_origins(tmp_path):
    outcomes = run_scored(
        tmp_path,
        [candidate("i1", A, B, key="p"), candidate("i2", B, A, key="q", cosine=0.95)],
        [candidate("d1", A, B, key="sense", papers=("x", "y"))],
        [candidate("c1", f" {A.upper()}", B, key="doi:1")],
    )
    (row,) = rows_of(outcomes, "kept")
    assert row["origins"] == ["citations", "definitions", "intra"]
    assert row["keys"] == ["citations:doi:1", "definitions:sense", "intra:p", "intra:q"]
    assert row["papers"] == ["p", "x", "y"] and row["cosine"] == 0.95
    assert set(row["source_ids"]) == {"i1", "i2", "d1", "c1"}
    assert sorted(unit for outcome in outcomes for unit in outcome.units.to_pylist()) == ["i1", "i2"]
    assert combinations(outcomes) == {"merged": 3}


def test_identical_pairs_and_those_below_the_threshold_are_dropped_with_their_reason(tmp_path):
    outcomes = run_scored(
        tmp_path,
        [
            candidate("same", A, f"{A.lower()} "),
            candidate("signs", "A graph-based method, that works.", "A graphbased method (that works) ."),
            candidate("low", A, B, cosine=0.7799),
            candidate("kept", A, B, cosine=0.78),
        ],
        [candidate("d", A, C, cosine=0.1)],
        cosine=0.78,
    )
    lost = {row["id"]: (row["reason"], row["score"]) for row in rows_of(outcomes, "dropped")}
    assert lost == {
        "same": ("identical", None), "signs": ("identical", None), "low": ("cosine", 0.7799),
    }  # fmt: skip
    assert combinations(outcomes) == {"definitions: cosine": 1, "merged": 0}
    assert sorted(unit for outcome in outcomes for unit in outcome.units.to_pylist()) == [
        "kept",
        "low",
        "same",
        "signs",
    ]


class OneScore:
    """Gives every pair the same score, at once."""

    def __init__(self, *_):
        self.tokens = self

    def match(self, firsts, seconds):
        return [[0.5] * len(firsts)] * 4

    def truncated(self, texts):
        return [False] * len(texts)


SIDES = st.sampled_from(["a", "A ", "b", "é f", "c d", "c  D"])
FOUND = st.lists(st.tuples(SIDES, SIDES, st.sampled_from([0.5, 0.9, 0.95])), max_size=9)


@given(FOUND, FOUND, FOUND, st.integers(1, 5))
def test_pairs_are_merged_in_parts_as_they_are_by_a_dict(intra, definitions, citations, together):
    methods = {"intra": intra, "definitions": definitions, "citations": citations}
    rows = {
        origin: [candidate(f"{origin}{n}", *row[:2], cosine=row[2]) for n, row in enumerate(several)]
        for origin, several in methods.items()
    }
    slow = {}
    for origin, several in rows.items():
        for row in several[::2] + several[1::2]:  # the order in which two parts receive them
            pair = tuple(sorted(" ".join(row[side].lower().split()) for side in ("first", "second")))
            if pair[0] != pair[1] and row["cosine"] >= 0.79:
                slow.setdefault(pair, []).append((origin, row))
    with (
        temporary_folder() as folder,
        patch.object(scored_module, "BertScorer", OneScore),
        patch.object(scored_module, "_PAIRS", together),
    ):
        outcomes = run_scored(folder, *rows.values())
    found = rows_of(outcomes, "kept")
    assert [
        (row["source_ids"], row["first"], row["second"], row["origins"], row["cosine"]) for row in found
    ] == [
        (
            [row["id"] for _, row in several],
            several[0][1]["first"],
            several[0][1]["second"],
            sorted({origin for origin, _ in several}),
            max(row["cosine"] for _, row in several),
        )
        for several in slow.values()
    ]
    assert all(len(outcome.kept) <= together for outcome in outcomes)
    assert combinations(outcomes)["merged"] == sum(map(len, slow.values())) - len(slow)
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    assert sorted(units) == sorted(row["id"] for row in rows["intra"])


def part(name, first, second, whole, confidence=0.5, key="p"):
    return {**candidate(name, first, second, key, cosine=0.6), "whole": whole, "start": 0, "end": 1,
            "confidence": confidence}  # fmt: skip


def test_a_partial_sentence_is_kept_by_its_confidence_and_merged_like_others(tmp_path):
    outcomes = run_scored(
        tmp_path,
        [candidate("i", A, C)],
        citations=[candidate("c", A, C, key="doi")],
        partial=[
            part("p1", A, B, f"So {B}"),
            part("p2", A, C, f"Or {C}"),
            part("p3", A, C, f"Yet {C}", 0.29),
            part("p4", A, A, f"And {A}"),
        ],
        confidence=0.3,
    )
    found = {row["second"]: row for row in rows_of(outcomes, "kept")}
    assert (found[B]["origins"], found[B]["wholes"], found[B]["cosine"]) == (["partial"], [f"So {B}"], 0.6)
    assert found[C]["origins"] == ["citations", "intra", "partial"]
    assert (found[C]["wholes"], found[C]["keys"]) == (
        [f"Or {C}"],
        ["citations:doi", "intra:paper", "partial:p"],
    )
    assert combinations(outcomes) == {"partial: confidence": 1, "partial: identical": 1, "merged": 2}
    assert [unit for outcome in outcomes for unit in outcome.units.to_pylist()] == ["i"]


def test_parts_of_the_dataset_have_the_configured_size_and_the_same_rows(tmp_path):
    rows = [
        filtered_pair(
            str(n), first=f"a{n // 2}", second=f"b{n}", self_bleu=20.0 + n % 3 * 9, keys=[f"intra:{n}"]
        )
        for n in range(9)
    ]
    sources = dealt(tmp_path / "filtered", FILTERED.kept, rows, 4)
    (whole,) = paraphrases(sources, ParaphraseParams())
    with patch.object(paraphrases_module, "_ROWS_OF_PART", 1):
        several = list(paraphrases(sources, ParaphraseParams()))
    assert len(several) == 4
    assert Outcome.joined(several) == whole


def test_a_partial_sentence_is_in_the_split_of_its_paper_and_of_its_whole_sentence(tmp_path):
    rows = [scored_pair(str(n), f"a{n}", f"b{n}", keys=[f"intra:p{n}"]) for n in range(9)]
    rows.append(scored_pair("part", "x", "y", keys=["partial:p1"], origins=["partial"], wholes=["B2"]))
    names = {row_id("filtered", row["id"]): row["id"] for row in rows}
    kept = {names[row["source_ids"][0]]: row for row in run_paraphrases(tmp_path, rows).kept.to_pylist()}
    assert kept["part"]["cluster"] == kept["1"]["cluster"] == kept["2"]["cluster"] != kept["3"]["cluster"]
    assert kept["part"]["origin"] == "partial"


def test_pairs_are_scored_by_bertscore_and_their_lengths(tmp_path):
    (_, outcome) = run_scored(tmp_path, [candidate("a", A, B)])
    (row,) = outcome.kept.to_pylist()
    expected = bertscore([A], [B], layer=ScoredParams().layer)
    assert [row[name] for name in ("precision", "recall", "f1")] == pytest.approx(
        [float(values[0]) for values in expected], abs=1e-4
    )
    assert (row["first_words"], row["second_words"], row["length_rate"]) == (7, 10, round(3 / 7, 4))
    assert row["truncated"] is False
    assert row["self_bleu"] == round(self_bleu([released_form(A)], [released_form(B)]), 2) > 0
    assert (row["first_well_formed"], row["second_well_formed"], row["well_formed"]) == (0.9, 0.9, 0.9)
    assert row["covered_words"] == round(covered_words(A, B), 4) > 0
    assert row["least"] == min(row["precision"], row["recall"]) > row["weakest"] > 0
    assert (row["numbers"], row["negation"], row["names"], row["direction"]) == (1, 1, 1, 1)
    assert row["consistency"] == round(1 + 2 * row["f1"] + 0.5, 2)


def test_a_pair_that_bertscore_truncates_says_so(tmp_path):
    (_, outcome) = run_scored(tmp_path, [candidate("a", A, "a word of text " * 300)])
    assert outcome.kept["truncated"].to_pylist() == [True]


@given(st.integers(1, 500), st.integers(1, 500))
def test_the_length_rate_is_symmetric_and_below_1_under_twice_as_long(first, second):
    assert length_rate(first, second) == length_rate(second, first) >= 0
    assert (length_rate(first, second) < 1) == (max(first, second) < 2 * min(first, second))


def test_a_length_rate_needs_words():
    with pytest.raises(ValueError, match="without words"):
        length_rate(0, 3)


def test_the_effect_of_another_cosine_is_computed_from_stored_ones(tmp_path):
    rows = [candidate("same", A, A), candidate("a", A, B, cosine=0.6)]
    (found,) = [table.to_pylist() for table in cosines(parts(tmp_path, CANDIDATES.kept, rows))]
    assert {row["id"]: row["score"] for row in found} == {"same": None, "a": 0.6}
    rows = [part("same", A, A, B), part("a", A, B, C, 0.3)]
    (found,) = [table.to_pylist() for table in confidences(parts(tmp_path / "p", PARTIAL.kept, rows))]
    assert {row["id"]: row["score"] for row in found} == {"same": None, "a": 0.3}


def test_a_pair_of_two_papers_counts_once_by_its_greatest_score(tmp_path):
    rows = [
        candidate("a", A, B, cosine=0.8),
        candidate("b", B, A, cosine=0.85),
        candidate("c", A, C, cosine=0.81),
    ]
    found = [row for table in cosines(parts(tmp_path, CANDIDATES.kept, rows)) for row in table.to_pylist()]
    assert sorted((row["id"], row["score"]) for row in found) == [("b", 0.85), ("c", 0.81)]
    (kept,) = [outcome for outcome in run_scored(tmp_path / "scored", intra=rows) if len(outcome.kept)]
    assert within_papers(kept.kept) == len(found)


#: Thresholds of the paper's kind, and no bound that it does not have.
PAPER = {
    "origins": {
        "intra": Limits(consistency=3.5), "partial": Limits(consistency=3.5), "citations": Limits(consistency=3.5),
        "definitions": Limits(consistency=3.0, length_rate=2.0),
    },
    "self_bleu": 100,
}  # fmt: skip


def run_filtered(folder, rows, **knobs):
    return Outcome.joined(list(filtered(dealt(folder, SCORED.kept, rows), FilterParams(**PAPER | knobs))))


def run_paraphrases(folder, rows, **knobs):
    kept = run_filtered(folder / "scored", rows).kept.to_pylist()
    params = ParaphraseParams(**{"mean_self_bleu": 100} | knobs)
    (outcome,) = paraphrases(dealt(folder / "filtered", FILTERED.kept, kept), params)
    return outcome


def pair_of(row):
    """Return the name of the scored pair that a row of parasci/paraphrases came from."""
    return row["first"], row["second"]


def test_thresholds_are_those_of_the_origin(tmp_path):
    rows = [
        scored_pair("low", "a", "b", consistency=3.49),
        scored_pair("long", "c", "d", consistency=3.5, length_rate=1.0),
        scored_pair("good", "e", "f", consistency=3.5, length_rate=0.99),
        scored_pair("definition", "g", "h", consistency=3.01, length_rate=1.9, origins=["definitions"]),
        scored_pair(
            "both", "i", "j", consistency=3.01, length_rate=1.9, origins=["citations", "definitions"]
        ),
    ]
    outcome = run_filtered(tmp_path, rows)
    assert {row["source_ids"][0]: (row["origin"], row["surplus"]) for row in outcome.kept.to_pylist()} == {
        "good": ("intra", 0.0), "definition": ("definitions", 0.01), "both": ("definitions", 0.01),
    }  # fmt: skip
    assert {(row["id"], row["reason"], row["score"]) for row in outcome.dropped.to_pylist()} == {
        ("low", "consistency", 3.49), ("long", "length_rate", 1.0),
    }  # fmt: skip


def test_near_copies_are_dropped_if_a_bound_is_set(tmp_path):
    rows = [
        scored_pair("copy", "a", "b", self_bleu=65.1),
        scored_pair("other words", "c", "d", self_bleu=65.0),
        scored_pair("unlike", "e", "f", consistency=1.0, self_bleu=90.0),
    ]
    outcome = run_filtered(tmp_path / "bound", rows, self_bleu=65)
    assert [row["source_ids"] for row in outcome.kept.to_pylist()] == [["other words"]]
    assert {(row["id"], row["reason"], row["score"]) for row in outcome.dropped.to_pylist()} == {
        ("copy", "self_bleu", 65.1), ("unlike", "consistency", 1.0),
    }  # fmt: skip
    kept = run_filtered(tmp_path, rows).kept["source_ids"].to_pylist()
    assert kept == [["copy"], ["other words"]], "the paper has no such bound"


def slow_draw(rows, mean):
    """Return the names of the kept pairs, by plain sorting."""
    budget = sum(mean - row["self_bleu"] for row in rows if row["self_bleu"] <= mean)
    stay = {row["id"] for row in rows if row["self_bleu"] <= mean}
    others = [row for row in rows if row["self_bleu"] > mean]
    for row in sorted(others, key=lambda row: -row["surplus"] / (row["self_bleu"] - mean)):
        budget -= row["self_bleu"] - mean
        if budget < -1e-6:
            break
        stay.add(row["id"])
    return stay


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(0, 400).map(lambda n: n / 5), st.integers(0, 100)), max_size=40),
    st.sampled_from([10, 26.5, 50, 100]),
)
def test_pairs_are_drawn_to_a_mean_as_by_plain_sorting(scores, mean):
    rows = [
        filtered_pair(str(number), self_bleu=copied, surplus=surplus / 100)
        for number, (copied, surplus) in enumerate(scores)
    ]
    with temporary_folder() as folder:
        sources = dealt(folder / "filtered", FILTERED.kept, rows, 3)
        in_order = list(sources.rows())
        stays = draw(sources, mean).stays(mean)
        found = [row for row in in_order if stays(row)]
    assert {row["id"] for row in found} == slow_draw(in_order, mean)
    assert not found or sum(row["self_bleu"] for row in found) / len(found) <= mean + 1e-9


def test_pairs_that_are_not_drawn_say_so_and_the_rest_meets_the_mean(tmp_path):
    rows = [
        filtered_pair("varied", first="a", second="b", self_bleu=10.0, keys=["intra:1"]),
        filtered_pair("good", first="c", second="d", self_bleu=42.0, surplus=1.0, keys=["intra:2"]),
        filtered_pair("poor", first="e", second="f", self_bleu=41.0, surplus=0.1, keys=["intra:3"]),
    ]
    (outcome,) = paraphrases(parts(tmp_path, FILTERED.kept, rows), ParaphraseParams(mean_self_bleu=26.5))
    assert [pair_of(row) for row in outcome.kept.to_pylist()] == [("a", "b"), ("c", "d")]
    assert [(row["id"], row["reason"], row["score"]) for row in outcome.dropped.to_pylist()] == [
        ("filtered poor", "not_drawn", 0.1)
    ]


@pytest.mark.parametrize(
    "first, second, share",
    [
        ("We parse the trees.", "The trees were parsed", 1),
        ("We parse the trees.", "The tree is parsed, and its leaves are counted.", 0.5),
        ("It was so.", "We parse trees.", 0),
        ("...", "!", 0),
    ],
)
def test_the_sentence_with_more_of_its_own_decides_how_many_words_are_covered(first, second, share):
    assert covered_words(first, second) == covered_words(second, first) == share


@given(
    st.lists(st.sampled_from(["parsed", "parsing", "trees", "tree", "of", "the", "leaves"])),
    st.text("aeinrst "),
)
def test_covered_words_are_counted_stem_by_stem(words, second):
    first = " ".join(words)
    one, other = ([porter_stem(word) for word in content_words(side)] for side in (first, second))
    shares = [
        sum(stem in theirs for stem in set(mine)) / max(1, len(set(mine)))
        for mine, theirs in ((one, other), (other, one))
    ]
    assert covered_words(first, second) == covered_words(second, first) == min(shares)


@pytest.mark.parametrize("bound", [100, 45])
def test_the_scores_predict_the_effect_of_another_bound_on_self_bleu(tmp_path, bound):
    rows = pairs_of_all((2.5, 3.2, 4.0), (0.5, 1.5))
    stored = parts(tmp_path / "scored", SCORED.kept, rows)
    params = FilterParams(**PAPER | {"self_bleu": bound})
    judged = [row for table in scores_self_bleu(stored, params) for row in table.to_pylist()]
    for value in (20, 45, 89, 100):
        (outcome,) = filtered(stored, params.model_copy(update={"self_bleu": value}))
        kept = {row["id"] for row in judged if row["score"] is not None and row["score"] <= value}
        assert kept == {row["source_ids"][0] for row in outcome.kept.to_pylist()}


def pairs_of_all(ratings, rates):
    """Return scored pairs with all these scores, found by one method or two; every other one is a near copy."""
    return [
        scored_pair(
            str(number),
            f"a{number}",
            f"b{number}",
            consistency=consistency,
            length_rate=rate,
            origins=origins,
            self_bleu=number % 2 * 90,
        )
        for number, (consistency, rate, origins) in enumerate(
            product(ratings, rates, (["intra"], ["definitions"], ["definitions", "intra"]))
        )
    ]


@pytest.mark.parametrize("bound", [100, 45])
def test_stored_scores_predict_the_effect_of_other_thresholds(tmp_path, bound):
    rows = pairs_of_all((2.5, 3.2, 4.0, 4.5), (0.5, 1.5, 2.5))
    stored = parts(tmp_path / "scored", SCORED.kept, rows)
    params = FilterParams(**PAPER | {"self_bleu": bound})
    for name in ("intra", "definitions"):
        for column, scores, values in (
            ("consistency", scores_consistency, (2.0, 3.2, 4.2)),
            ("length_rate", scores_length_rate, (1.0, 2.0, 3.0)),
        ):
            judged = [row for table in scores(stored, params, name) for row in table.to_pylist()]
            for value in values:
                kept = {
                    row["id"]
                    for row in judged
                    if row["score"] is not None
                    and (row["score"] >= value if column == "consistency" else row["score"] < value)
                }
                limits = {**params.origins, name: params.origins[name].model_copy(update={column: value})}
                (outcome,) = filtered(stored, params.model_copy(update={"origins": limits}))
                assert kept == {row["source_ids"][0] for row in outcome.kept.to_pylist()}


@pytest.mark.parametrize("bound", [100, 45])
def test_stored_scores_predict_the_effect_of_both_thresholds_together(tmp_path, bound):
    rows = pairs_of_all((2.5, 3.5, 4.5), (0.5, 1.0, 2.5))
    stored = dealt(tmp_path / "scored", SCORED.kept, rows, 3)
    params = FilterParams(**PAPER | {"self_bleu": bound})
    for name in ("intra", "definitions"):
        judged = [row for table in scores_of_both(stored, params, name) for row in table.to_pylist()]
        for consistency in (2.0, 3.5, 4.0):
            for rate in (0.5, 1.0, 3.0):
                limits = {**params.origins, name: Limits(consistency=consistency, length_rate=rate)}
                outcomes = filtered(stored, params.model_copy(update={"origins": limits}))
                kept = sum(name in row["origins"] for row in rows_of(outcomes, "kept"))
                assert kept == sum(
                    row["consistency"] >= consistency and row["length_rate"] < rate for row in judged
                )


def test_a_method_without_thresholds_is_an_error_that_names_it(tmp_path):
    with pytest.raises(ValueError, match="'clauses'"):
        run_filtered(tmp_path, [scored_pair("a", origins=["clauses"])])


def test_splits_that_leave_nothing_to_train_on_are_refused():
    with pytest.raises(ValueError, match="leave nothing"):
        ParaphraseParams(validation=0.5, test=0.5)


def slow_clusters(links):
    groups = [set(several) for several in links]
    labels = list(range(len(groups)))
    for _ in groups:
        for i, first in enumerate(groups):
            for j, second in enumerate(groups):
                if first & second:
                    labels[i] = labels[j] = min(labels[i], labels[j])
    order = {}
    return [order.setdefault(label, len(order)) for label in labels]


@given(st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=10))
def test_clusters_are_connected_components(links):
    assert clusters(links) == slow_clusters(links)


@given(st.lists(st.integers(0, 8), min_size=1, max_size=60), st.integers(0, 5))
def test_splits_miss_their_shares_by_at_most_the_largest_cluster(numbers, seed):
    names = [f"cluster-{number}" for number in numbers]
    shares = {"train": 0.6, "validation": 0.2, "test": 0.2}
    splits = split_of_clusters(names, shares, seed)
    assert splits == split_of_clusters(names[::-1], shares, seed)
    largest = max(names.count(name) for name in names)
    for split, share in shares.items():
        assert sum(splits[name] == split for name in names) <= share * len(names) + largest


def test_pairs_that_share_a_sentence_or_a_key_are_in_one_split(tmp_path):
    rows = [scored_pair(str(n), f"a{n}", f"b{n}", keys=[f"intra:{n // 3}"]) for n in range(60)]
    rows += [scored_pair("link", "a0", "A59".lower(), keys=["citations:x"])]
    kept = run_paraphrases(tmp_path, rows).kept.to_pylist()
    seen = {}
    for row in kept:
        for link in [*row["keys"], row["first"], row["second"]]:
            assert seen.setdefault(link, row["split"]) == row["split"]
    sizes = [sum(row["split"] == split for row in kept) for split in ("train", "validation", "test")]
    assert sizes == pytest.approx([36.6, 12.2, 12.2], abs=3)


def slow_near(sets, least):
    return {
        (i, j)
        for j in range(len(sets))
        for i in range(j)
        if sets[i] and sets[j] and len(sets[i] & sets[j]) / len(sets[i] | sets[j]) >= least
    }


@given(
    st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=8), max_size=25),
    st.sampled_from([0.1, 0.3, 0.6, 0.7, 0.75, 1.0]),
)
def test_near_duplicates_are_all_sufficiently_similar_pairs(sets, least):
    found = list(near_duplicates(sets, least))
    assert len(found) == len(set(found)) and set(found) == slow_near(sets, least)


def test_near_duplicates_do_not_depend_on_how_many_sets_are_compared_at_once(monkeypatch):
    chance = random.Random(0)
    sets = [{*chance.choices("abcdefghij", k=5)} for _ in range(60)]
    at_once = {*near_duplicates(sets, 0.6)}
    monkeypatch.setattr(paraphrases_module, "COMPARED", 40)
    assert {*near_duplicates(sets, 0.6)} == at_once == slow_near(sets, 0.6)


def test_near_duplicates_are_in_one_split_as_far_as_params_say(tmp_path):
    """Pairs of 30 papers; each has a near-duplicate in another paper, which differs in one content word."""
    topics = ["parser", "tagger", "chunker", "lexicon", "corpus", "grammar", "ontology", "treebank", "stemmer", "aligner",
              "decoder", "encoder", "ranker", "splitter", "indexer", "crawler", "thesaurus", "segmenter", "classifier",
              "summariser", "translator", "recogniser", "annotator", "concordance", "spellchecker", "transducer",
              "analyser", "generator", "planner", "extractor"]  # fmt: skip
    rows = [
        scored_pair(
            f"{topic}{side}",
            f"The {topic} of {topic}-{number} {changed} forty {topic}s from {topic}land.",
            f"{topic}a {topic}b {side}",
            keys=[f"intra:{topic}{side}"],
        )
        for number, topic in enumerate(topics)
        for side, changed in enumerate(["reads", "learns"])
    ]
    names = {row_id("filtered", row["id"]): row["id"] for row in rows}
    for near, together in ((0.6, True), (1.0, False)):
        kept = run_paraphrases(tmp_path / str(near), rows, near_duplicate=near).kept.to_pylist()
        splits = {names[row["source_ids"][0]]: row["split"] for row in kept}
        assert all(splits[f"{topic}0"] == splits[f"{topic}1"] for topic in topics) is together


def paraphrase(name, first, second, split="train", origin="intra"):
    return {
        **scored_pair(name, first, second),
        "origin": origin,
        "cluster": "c",
        "split": split,
        "set": f"set {name}",
    }


PAIRS = [
    paraphrase("a", "We use Moses 2.1, again.", "Moses isn't\u2028used (again)."),
    paraphrase("b", "It works.", "It does work.", "validation", "citations"),
    paraphrase("c", "It fails.", "It does fail.", "test", "definitions"),
]


def no_near_misses():
    return in_memory(NEAR_MISSES.kept.empty_table())


def test_released_pairs_name_their_papers_as_the_sources_do(tmp_path):
    papers = dealt(tmp_path / "papers", PAPERS.kept, [{"id": "row-1", "document": "mine-1"}])
    pairs = dealt(
        tmp_path / "pairs",
        PARAPHRASES.kept,
        [{"id": "a", "papers": ["abstract-7", "row-1"]}, {"id": "b", "papers": ["row-1"]}],
    )
    named = documents(papers, pairs, tmp_path / "scratch")
    assert [row["documents"] for row in named.rows()] == [["abstract-7", "mine-1"], ["mine-1"]]


def test_the_release_files_are_aligned_by_line_and_load_as_a_dataset(tmp_path):
    folder = tmp_path / "out"
    (outcome,) = released(
        dealt(tmp_path / "in", PARAPHRASES.kept, PAIRS), no_near_misses(), FilesFolder(folder)
    )
    assert (folder / "train.src").read_bytes() == b"we use moses 2.1 , again .\n"
    assert (folder / "train.tgt").read_bytes() == b"moses isn't used ( again ) .\n"
    assert sorted(outcome.units.to_pylist()) == ["a", "b", "c"]
    loaded = load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: rows.num_rows for split, rows in loaded.items()} == {
        "train": 1,
        "validation": 1,
        "test": 1,
    }
    assert loaded["train"][0] == {
        "id": "a", "source": PAIRS[0]["first"], "target": PAIRS[0]["second"], "origin": "intra",
        "source_printed": PAIRS[0]["first"], "source_source": "papers", "source_area": "", "source_year": 2018,
        "source_doi": "10.1000/first", "target_doi": "10.1000/second", "source_well_formed": 0.9, "target_well_formed": 0.9,
        "target_printed": PAIRS[0]["second"], "target_source": "papers", "target_area": "", "target_year": 2018,
        "label": 1, "cluster": PAIRS[0]["cluster"], "set": PAIRS[0]["set"],
    }  # fmt: skip
    [of_set] = map(json.loads, (folder / "train.sets.jsonl").read_text().split("\n")[:-1])
    assert of_set == {"set": PAIRS[0]["set"], "sentences": [PAIRS[0]["first"], PAIRS[0]["second"]]}
    assert [row["source_file"] for row in outcome.kept.to_pylist()] == ["train.src", "val.src", "test.src"]


def test_pairs_of_several_sources_have_a_configuration_for_each(tmp_path):
    of_sources = [("acl", "acl"), ("arxiv", "arxiv"), ("acl", "arxiv")]
    pairs = [
        {**pair, "first_source": first, "second_source": second}
        for pair, (first, second) in zip(PAIRS, of_sources, strict=True)
    ]
    stored, folder = dealt(tmp_path / "in", PARAPHRASES.kept, pairs), tmp_path / "out"
    list(released(stored, no_near_misses(), FilesFolder(folder)))
    for source, its in (("acl", pairs[0]), ("arxiv", pairs[1])):
        loaded = load_dataset(str(folder), f"source-{source}", cache_dir=str(tmp_path / "cache"))
        assert {split: list(rows["id"]) for split, rows in loaded.items()} == {its["split"]: [its["id"]]}
    everything = load_dataset(str(folder), "default", cache_dir=str(tmp_path / "cache"))
    assert sum(rows.num_rows for rows in everything.values()) == 3
    (outcome,) = statistics(stored, parts(tmp_path / "scored", SCORED.kept, [scored_pair("x")]))
    found = {row["name"]: row["pairs"] for row in outcome.kept.to_pylist() if not row["published"]}
    assert found["all"] == 3 and (found["source acl"], found["source arxiv"]) == (1, 1)


def test_without_pairs_there_are_no_files(tmp_path):
    (outcome,) = released(
        parts(tmp_path, PARAPHRASES.kept, []), no_near_misses(), FilesFolder(tmp_path / "out")
    )
    assert not (tmp_path / "out").exists() and outcome.kept.num_rows == 0


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(5, 8), st.integers(0, 3)), max_size=12),
    st.integers(1, 3),
)
def test_no_sentence_is_in_more_pairs_than_allowed_and_the_best_pairs_stay(drawn_pairs, most):
    rows = [
        filtered_pair(str(number), first=f"A {first}.", second=f"a {second}", surplus=float(surplus), self_bleu=9.0)
        for number, (first, second, surplus) in enumerate(drawn_pairs)
    ]  # fmt: skip
    with temporary_folder() as folder:
        stored = dealt(folder / "rows", FILTERED.kept, rows)
        outcomes = list(paraphrases(stored, ParaphraseParams(most_pairs=most)))
        in_order = list(stored.rows())
    left, expected = [], set()
    for row in sorted(in_order, key=lambda row: -row["surplus"]):
        used = [side for other in left for side in (other["first"], other["second"])]
        if all(used.count(row[side]) < most for side in ("first", "second")):
            left.append(row)
        else:
            expected.add(row["id"])
    lost = {row["id"]: row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()}
    assert lost == dict.fromkeys(expected, "repeated")


def test_pairs_that_share_a_sentence_are_one_set_and_others_are_not(tmp_path):
    rows = [
        filtered_pair("ab", first="A.", second="B.", self_bleu=9.0),
        filtered_pair("cb", first="C.", second="b .", self_bleu=9.0),
        filtered_pair("de", first="D.", second="E.", self_bleu=9.0),
    ]
    (outcome,) = paraphrases(parts(tmp_path, FILTERED.kept, rows), ParaphraseParams())
    first, second, third = (row["set"] for row in outcome.kept.to_pylist())
    assert first == second != third


def test_a_pair_with_a_garbled_sentence_is_dropped_with_its_reason(tmp_path):
    rows = [scored_pair("sound", "a", "b", well_formed=0.8), scored_pair("torn", "c", "d", well_formed=0.79)]
    (outcome,) = filtered(parts(tmp_path, SCORED.kept, rows), FilterParams())
    assert [row["source_ids"] for row in outcome.kept.to_pylist()] == [["sound"]]
    assert [(row["id"], row["reason"], row["score"]) for row in outcome.dropped.to_pylist()] == [
        ("torn", "well_formed", 0.79)
    ]  # fmt: skip


@pytest.mark.parametrize("least", [0.0, 0.85, 1.0])
def test_the_scores_predict_the_effect_of_another_bound_on_well_formedness(tmp_path, least):
    rows = [
        scored_pair(str(number), f"a{number}", f"b{number}", well_formed=number / 10, self_bleu=20.0 * (number % 5))
        for number in range(11)
    ]  # fmt: skip
    stored = parts(tmp_path, SCORED.kept, rows)
    judged = [row for table in scores_well_formed(stored, FilterParams()) for row in table.to_pylist()]
    (outcome,) = filtered(stored, FilterParams(well_formed=least))
    passing = [row["id"] for row in judged if row["score"] is not None and row["score"] >= least]
    assert passing == [row["source_ids"][0] for row in outcome.kept.to_pylist()]


@given(st.text())
def test_the_released_form_is_one_line_of_tokens(text):
    form = released_form(text)
    assert form == " ".join(form.split()) and len(form.splitlines()) <= 1


def test_the_statistics_are_those_of_table_2_next_to_the_papers(tmp_path):
    pairs = parts(tmp_path / "pairs", PARAPHRASES.kept, PAIRS)
    rows = [scored_pair("x", origins=["intra", "citations"]), scored_pair("y", "three", "four")]
    (outcome,) = statistics(pairs, parts(tmp_path / "scored", SCORED.kept, rows))
    found = {row["name"]: row for row in outcome.kept.to_pylist()}
    assert (found["all"]["pairs"], found["all"]["candidates"]) == (3, 2)
    assert (found["intra"]["pairs"], found["intra"]["candidates"]) == (1, 2)
    assert (found["citations"]["pairs"], found["citations"]["candidates"]) == (1, 1)
    assert found["validation"]["candidates"] is None
    assert (found["intra"]["words"], found["intra"]["characters"]) == (7, (26 + 28) / 2)
    forms = [[released_form(pair[side]) for pair in PAIRS] for side in ("first", "second")]
    assert found["all"]["self_bleu"] == round(self_bleu(*forms), 2)
    assert found["ParaSCI-ACL"]["self_bleu"] == 26.52 and found["ParaSCI-ACL"]["published"]
    assert {row.name for row in TABLE_2} < found.keys()
    assert not any(name.startswith("source ") for name in found)  # all pairs are of one source
