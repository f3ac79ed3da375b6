"""Which candidates become examples, why the others do not, and what other thresholds would keep."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.sampling import SPLITS, split_of
from silverloom.ops.core.thresholds import above, at_least
from silverloom.ops.discofuse.dataset.examples import (
    ExampleParams,
    certainties,
    controls_kept,
    examples,
    lengths,
)
from silverloom.ops.discofuse.schemas import CANDIDATES, EXAMPLES
from tests.ops.discofuse.example_cases import candidate, made_of
from tests.parts import in_memory, parts

PARAMS = ExampleParams(control=1)


def table(*rows):
    return pa.Table.from_pylist(list(rows), schema=CANDIDATES.kept)


def fate(row, **params):
    outcome = made_of(table(row), ExampleParams(**{"control": 1, **params}))
    if outcome.kept.num_rows:
        return outcome.kept.to_pylist()[0]
    return {name: outcome.dropped[name][0].as_py() for name in ("reason", "score", "detail")}


def test_an_example_is_its_candidate_with_a_split_and_both_texts_on_one_line():
    row = fate(candidate("a"))
    assert set(row) == set(EXAMPLES.kept.names)
    assert row["source_ids"] == ["a"] and row["split"] in SPLITS
    assert row["fused"] == "The first sentence of a . The second sentence of a ."
    alone = candidate("b", coherent_second_sentence="", second_tokens=0)
    assert fate(alone)["fused"] == "The first sentence of b ."


@pytest.mark.parametrize(
    ("more", "least"),
    [
        ({"first_tokens": 6}, 6),
        ({"second_tokens": 3}, 3),
        ({"first_tokens": 5, "second_tokens": 0, "coherent_second_sentence": ""}, 5),
        ({"second_tokens": 0}, 0),
    ],
)
def test_a_sentence_of_six_tokens_is_short(more, least):
    row = candidate("a", **more)
    assert fate(row) == {"reason": "short", "score": least, "detail": "tokens of the shortest sentence"}
    assert "split" in fate(row, short_tokens=least - 1 if least else 0) or not least


def test_an_example_with_a_hole_in_an_original_sentence_is_dropped_unless_params_allow_it():
    row = candidate("a", holes=2)
    assert fate(row) == {"reason": "holes", "score": 2, "detail": None}
    assert "split" in fate(row, holes=2)


def test_a_long_sentence_is_dropped_if_params_say_so():
    row = candidate("a", second_tokens=1000)
    assert "split" in fate(row)
    assert fate(row, long_tokens=200) == {
        "reason": "long", "score": 1000.0, "detail": "tokens of the longest sentence"
    }  # fmt: skip


def test_text_beyond_ascii_is_dropped_and_the_character_is_named():
    row = candidate("a", coherent_second_sentence="He met Zoë there .")
    assert fate(row) == {
        "reason": "non_ascii", "score": None, "detail": "U+00EB LATIN SMALL LETTER E WITH DIAERESIS"
    }  # fmt: skip
    assert fate(candidate("a", incoherent_first_sentence="Well done 🏆 ."))["detail"] == "U+1F3C6 TROPHY"


def test_typography_is_converted_to_ascii_first_unless_the_paper_s_filter_is_asked_for():
    row = candidate("a", coherent_first_sentence="“ Don’t ” – she said … \x93 so \x94 , he\x92s")
    assert fate(row, fold_typography=False)["reason"] == "non_ascii"
    kept = fate(row)
    assert kept["coherent_first_sentence"] == '" Don\'t " - she said ... " so " , he\'s'
    assert kept["fused"].startswith("\" Don't")


def fused(name, **more):
    return candidate(name, discourse_type="SINGLE_S_COORD", **more)


def test_controls_are_their_share_of_the_examples_of_a_domain_on_average():
    rows = [fused(f"f{n}") for n in range(600)] + [candidate(f"c{n}") for n in range(1500)]
    rows += [candidate(f"law{n}", domain="law") for n in range(20)]
    outcome = made_of(table(*rows), ExampleParams(control=0.25))
    controls = outcome.kept["control"].to_pylist().count(True)
    assert 150 < controls < 250 and controls == len(outcome.kept) - 600
    assert set(outcome.kept["domain"].to_pylist()) == {"sports"}
    assert set(outcome.dropped["reason"].to_pylist()) == {"capped_control"}
    assert len(outcome.kept) + len(outcome.dropped) == len(rows)


def test_a_larger_share_of_controls_keeps_those_of_a_smaller_one_and_all_of_one():
    rows = [fused(f"f{n}") for n in range(50)] + [candidate(f"c{n}") for n in range(200)]
    kept = [
        {*made_of(table(*rows), ExampleParams(control=cap)).kept["id"].to_pylist()}
        for cap in (0, 0.2, 0.5, 1)
    ]
    assert kept[0] < kept[1] < kept[2] < kept[3]
    assert (len(kept[0]), len(kept[3])) == (50, 250)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.floats(0, 1))
def test_the_kept_share_of_controls_gives_the_cap_or_keeps_all(others, controls, cap):
    kept = controls * controls_kept(others, controls, cap)
    if kept < controls:
        assert kept == pytest.approx(cap * (others + kept))
    else:
        assert controls <= cap * (others + controls) * (1 + 1e-9)


def test_an_uncertain_link_is_dropped_and_a_candidate_without_links_stays():
    link = {"kind": "pronoun", "mention": "He", "antecedent": "Ruiz", "score": 0.4}
    row = candidate("a", coreference_score=0.4, links=[link])
    assert fate(row, coreference=0.5) == {"reason": "unsure_coreference", "score": 0.4, "detail": "He = Ruiz"}
    assert "split" in fate(row, coreference=0.4)
    assert "split" in fate(candidate("a"), coreference=1)


def test_of_equal_texts_the_most_certain_is_kept_and_the_first_of_those():
    same = {name: candidate("x")[name] for name in candidate("x") if name.endswith("_sentence")}
    rows = [
        candidate(name, **same, coreference_score=score)
        for name, score in zip("abcd", (0.6, 0.9, 0.9, 0.2), strict=True)
    ]
    outcome = made_of(table(*rows, candidate("e")), PARAMS)
    assert outcome.kept["source_ids"].to_pylist() == [["b"], ["e"]]
    assert outcome.dropped.select(["id", "reason", "detail"]).to_pylist() == [
        {"id": name, "reason": "repeated", "detail": "as b"} for name in "acd"
    ]


def test_only_a_candidate_that_is_kept_is_repeated():
    same = {name: candidate("x")[name] for name in candidate("x") if name.endswith("_sentence")}
    unsure = {"coreference_score": 0.2}
    params = PARAMS.model_copy(update={"coreference": 0.5})
    outcome = made_of(table(candidate("a", **same, holes=9), candidate("b", **same)), params)
    assert outcome.kept["source_ids"].to_pylist() == [["b"]]
    assert outcome.dropped.select(["id", "reason"]).to_pylist() == [{"id": "a", "reason": "holes"}]
    outcome = made_of(table(candidate("a", **same, **unsure), candidate("b", **same, **unsure)), params)
    assert outcome.dropped["reason"].to_pylist() == ["unsure_coreference"] * 2


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans(), st.sampled_from([None, 0.4, 0.9]))))
def test_no_fate_depends_on_the_size_of_parts(drawn):
    same = {
        text: {name: candidate(text)[name] for name in candidate(text) if "sentence" in name}
        for text in "abc"
    }
    rows = [
        (candidate if control else fused)(str(n), **same.get(text, {}), coreference_score=score)
        for n, (text, control, score) in enumerate(drawn)
    ]

    def fates(size):
        pieces = [table(*rows[start : start + size]) for start in range(0, len(rows), size)] or [table()]
        whole = Outcome.joined(list(examples(in_memory(*pieces), ExampleParams(control=0.4))))
        return whole.units, whole.kept, whole.dropped

    assert fates(1) == fates(7) == fates(256)


def test_a_text_split_in_two_ways_is_two_examples():
    rows = [candidate("a"), candidate("a") | {"id": "b", "incoherent_second_sentence": "Another end ."}]
    assert made_of(table(*rows), PARAMS).kept.num_rows == 2


def test_all_examples_of_a_document_are_in_one_split_that_only_the_document_decides():
    params = ExampleParams(validation=0.3, test=0.3, control=1)
    rows = [candidate(str(n), document_id=f"d{n % 40}") for n in range(200)]
    kept = made_of(table(*rows), params).kept.to_pylist()
    assert all(row["split"] == split_of(row["document_id"], params) for row in kept)
    alone = made_of(table(rows[7]), params).kept["split"].to_pylist()
    assert alone == [row["split"] for row in kept if row["source_ids"] == ["7"]]


def test_shares_are_met_on_average_and_the_seed_decides():
    params = ExampleParams(validation=0.2, test=0.1)
    splits = [split_of(f"document-{n}", params) for n in range(5000)]
    assert abs(splits.count("validation") - 1000) < 120 and abs(splits.count("test") - 500) < 90
    other = [split_of(f"document-{n}", params.model_copy(update={"seed": 1})) for n in range(5000)]
    assert splits != other
    assert {split_of(f"document-{n}", ExampleParams(validation=0, test=0)) for n in range(500)} == {"train"}
    with pytest.raises(ValidationError, match="leave nothing to train on"):
        ExampleParams(validation=0.5, test=0.5)


rows_of_candidates = st.lists(
    st.tuples(
        st.sampled_from(["same", "other"]),
        st.integers(1, 12),
        st.none() | st.sampled_from([0.1, 0.5, 0.7, 0.9]),
        st.booleans(),
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(rows_of_candidates, st.integers(0, 12), st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]))
def test_scores_predict_what_another_threshold_keeps(tmp_path_factory, drawn, short, coreference):
    rows = [
        candidate(
            str(n), coherent_first_sentence=f"{text} {size} .", coherent_second_sentence="", second_tokens=0,
            incoherent_first_sentence="é" if odd else "e", incoherent_second_sentence="f", first_tokens=size,
            coreference_score=score, discourse_type="SINGLE_S_COORD",
        )
        for n, (text, size, score, odd) in enumerate(drawn)
    ]  # fmt: skip
    given_parts = parts(tmp_path_factory.mktemp("parts"), CANDIDATES.kept, rows[:4], rows[4:])
    base = ExampleParams(short_tokens=4, coreference=0.6)

    def kept(params):
        return sum(outcome.kept.num_rows for outcome in examples(given_parts, params))

    def counted(scores, rule, threshold):
        known = [score for part in scores for score in part["score"].to_pylist() if score is not None]
        return sum(bool(rule(score, threshold)) for score in known)

    assert counted(lengths(given_parts, base), above, short) == kept(
        base.model_copy(update={"short_tokens": short})
    )
    assert counted(certainties(given_parts, base), at_least, coreference) == kept(
        base.model_copy(update={"coreference": coreference})
    )


def test_scores_count_the_controls_that_the_cap_leaves(tmp_path):
    rows = [fused(f"f{n}") for n in range(20)] + [candidate(f"c{n}", first_tokens=4 + n) for n in range(20)]
    params = ExampleParams(control=0.2)
    kept = made_of(table(*rows), params).kept["id"].to_pylist()
    for scores, rule, bound in ((lengths, above, 6), (certainties, at_least, 0.5)):
        [scored] = scores(parts(tmp_path / scores.__name__, CANDIDATES.kept, rows), params)
        assert sum(
            bool(rule(score, bound)) for score in scored["score"].to_pylist() if score is not None
        ) == len(kept)
