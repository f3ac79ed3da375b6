from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.choose import Length
from silverloom.ops.talksumm import Budget, SummaryParams, summaries, summarize
from silverloom.ops.talksumm.schemas import ALIGNMENTS, PAIRS, SUMMARIES
from tests.ops.talksumm.pair_cases import EVIDENCE

papers = st.lists(
    st.tuples(st.integers(0, 12).map(lambda words: " ".join(["word"] * words)), st.integers(0, 6)),
    min_size=1,
    max_size=15,
)
budgets = st.one_of(
    st.builds(Budget, words=st.integers(1, 80)),
    st.builds(Budget, ratio=st.floats(0.01, 1)),
    st.builds(Budget, sentences=st.integers(1, 20)),
)


def size(sentences, budget):
    return len(sentences) if budget.sentences else sum(len(text.split()) for text in sentences)


def allowed(sentences, budget):
    return budget.words or budget.sentences or Fraction(str(budget.ratio)) * size(sentences, budget)


@given(papers, budgets)
def test_a_summary_fits_its_budget_and_the_next_sentence_would_not(paper, budget):
    sentences, counts = [text for text, _ in paper], [count for _, count in paper]
    chosen = summarize(sentences, counts, budget)
    assert chosen == sorted(set(chosen)) and all(counts[index] > 0 for index in chosen)
    assert bool(chosen) == any(counts)
    ranked = sorted(
        (index for index in range(len(counts)) if counts[index]), key=lambda index: -counts[index]
    )
    assert chosen == sorted(ranked[: len(chosen)])
    limit = allowed(sentences, budget)
    if len(chosen) > 1:
        assert size([sentences[index] for index in chosen], budget) <= limit
    if len(chosen) < len(ranked):
        assert size([sentences[index] for index in ranked[: len(chosen) + 1]], budget) > limit


@given(papers, budgets)
def test_a_filled_budget_passes_over_what_does_not_fit_and_has_no_room_left_for_another(paper, budget):
    sentences, counts = [text for text, _ in paper], [count for _, count in paper]
    chosen = summarize(sentences, counts, Budget(fill=Length(**budget.model_dump(exclude={"fill"}))))
    limit, slow = allowed(sentences, budget), []
    for index in sorted(range(len(counts)), key=lambda index: -counts[index]):
        fits = size([sentences[place] for place in [*slow, index]], budget) <= limit
        if counts[index] and (fits or not slow):
            slow.append(index)
    assert chosen == sorted(slow)
    assert set(summarize(sentences, counts, budget)) <= set(chosen)


def test_a_summary_has_at_least_one_sentence():
    assert summarize(["one two three"], [1], Budget(words=1)) == [0]


def test_a_share_is_computed_exactly_as_written():
    assert summarize(["word"] * 100, [1] * 100, Budget(ratio=0.29)) == list(range(29))


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="2 sentences, 1 counts"):
        summarize(["a", "b"], [1], Budget(words=1))


@pytest.mark.parametrize(
    "measures",
    [
        {},
        {"words": 1, "ratio": 0.5},
        {"words": 0},
        {"ratio": 1.5},
        {"lines": 3},
        {"words": 1, "fill": {"words": 1}},
        {"fill": {}},
        {"fill": {"fill": {"words": 1}}},
    ],
)
def test_a_budget_has_exactly_one_valid_measure(measures):
    with pytest.raises(ValueError):
        Budget(**measures)


def test_the_default_budgets_are_the_papers():
    budgets = SummaryParams().budgets
    assert {name: (b.words, b.ratio, b.sentences) for name, b in budgets.items()} == {
        "words_150": (150, None, None),
        "words_250": (250, None, None),
        "ratio_30": (None, 0.3, None),
        "ratio_40": (None, 0.4, None),
        "sentences_30": (None, None, 30),
    }


def alignments(counts, pair="pair-1", holes=()):
    row = dict.fromkeys(ALIGNMENTS.kept.names) | EVIDENCE
    rows = [
        row
        | {
            "id": f"{pair}-{state}",
            "source_ids": [pair],
            "licence": "MIT",
            "pair_id": pair,
            "talk_id": "talk",
            "paper_id": "paper",
            "sentence_id": f"sentence-{state}",
            "position": state + 10,
            "state": state,
            "text": f"Sentence {state}.",
            "count": count,
            "holes": int(state in holes),
        }
        for state, count in enumerate(counts)
    ]
    return pa.Table.from_pylist(rows, schema=ALIGNMENTS.kept)


def pairs(*names):
    row = dict.fromkeys(PAIRS.kept.names)
    rows = [
        row | {"id": name, "source_ids": [], "licence": "MIT", "paper_title": f"T {name}"} for name in names
    ]
    return pa.Table.from_pylist(rows, schema=PAIRS.kept)


TWO_BUDGETS = SummaryParams(budgets={"one": Budget(sentences=1), "two": Budget(words=4)})


def test_every_sentence_is_in_a_summary_or_dropped_with_its_count():
    outcome = summaries(alignments([1, 0, 5, 3]), pairs("pair-1"), TWO_BUDGETS)
    assert outcome.kept.schema == SUMMARIES.kept
    rows = outcome.kept.to_pylist()
    assert [row["budget"] for row in rows] == ["one", "two"]
    assert [row["source_ids"] for row in rows] == [["pair-1-2"], ["pair-1-2", "pair-1-3"]]
    assert rows[1]["text"] == "Sentence 2. Sentence 3." and rows[1]["positions"] == [12, 13]
    assert (rows[1]["words"], rows[1]["paper_words"], rows[1]["paper_title"]) == (4, 8, "T pair-1")
    assert [row["exhausted"] for row in rows] == [False, False]
    dropped = {row["id"]: (row["reason"], row["score"]) for row in outcome.dropped.to_pylist()}
    assert dropped == {"pair-1-0": ("beyond_every_budget", 1.0), "pair-1-1": ("zero_count", 0.0)}


def test_summaries_with_budgets_beyond_what_the_talk_covers_are_the_same_and_exhausted():
    budgets = {name: Budget(ratio=ratio) for name, ratio in (("a", 0.25), ("b", 0.5), ("c", 0.9))}
    outcome = summaries(alignments([1, 0, 5, 0]), pairs("pair-1"), SummaryParams(budgets=budgets))
    rows = [(row["text"], row["exhausted"]) for row in outcome.kept.to_pylist()]
    assert rows == [("Sentence 2.", False), *[("Sentence 0. Sentence 2.", True)] * 2]


def test_a_sentence_with_a_hole_is_in_no_summary_unless_allowed():
    table = alignments([1, 0, 5, 3], holes=(1, 2))
    outcome = summaries(table, pairs("pair-1"), TWO_BUDGETS)
    assert [row["text"] for row in outcome.kept.to_pylist()] == ["Sentence 3.", "Sentence 0. Sentence 3."]
    assert [row["exhausted"] for row in outcome.kept.to_pylist()] == [False, True]
    dropped = {row["id"]: (row["reason"], row["score"]) for row in outcome.dropped.to_pylist()}
    assert dropped == {"pair-1-1": ("zero_count", 0.0), "pair-1-2": ("holes", 1.0)}
    lenient = TWO_BUDGETS.model_copy(update={"holes": 1})
    plain = summaries(alignments([1, 0, 5, 3]), pairs("pair-1"), TWO_BUDGETS)
    assert summaries(table, pairs("pair-1"), lenient).kept.equals(plain.kept)


def test_a_paper_all_of_whose_described_sentences_have_holes_has_no_summary():
    outcome = summaries(alignments([0, 2], holes=(1,)), pairs("pair-1"), TWO_BUDGETS)
    assert outcome.kept.num_rows == 0
    assert outcome.dropped["reason"].to_pylist() == ["zero_count", "holes"]


def test_the_order_of_rows_does_not_matter():
    table = pa.concat_tables([alignments([1, 2, 3]), alignments([3, 2, 1], "pair-2")])
    turned = table.take(list(reversed(range(table.num_rows))))
    titles = pairs("pair-1", "pair-2")
    assert summaries(table, titles, TWO_BUDGETS).kept.equals(summaries(turned, titles, TWO_BUDGETS).kept)


def test_an_alignment_without_its_pair_is_refused():
    with pytest.raises(KeyError, match="pair-1"):
        summaries(alignments([1]), pairs("pair-2"), TWO_BUDGETS)


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ({"explained": 0.43}, "other_paper"),
        ({"last_three": 0.31}, "collapsed"),
        ({"explained": 0.43, "last_three": 0.31}, "other_paper"),
        ({"last_three": 1.0, "states": 11}, None),
    ],
)
def test_a_pair_with_a_bad_alignment_has_no_summary(evidence, reason):
    rows = [row | evidence for row in alignments([2, 0]).to_pylist()]
    outcome = summaries(pa.Table.from_pylist(rows, schema=ALIGNMENTS.kept), pairs("pair-1"), SummaryParams())
    assert bool(outcome.kept.num_rows) == (reason is None)
    if reason:
        assert outcome.dropped["reason"].to_pylist() == [reason] * 2
        column = "explained" if reason == "other_paper" else "last_three"
        assert outcome.dropped["score"].to_pylist() == [evidence[column]] * 2
