"""The stored scores predict the op's result with another threshold."""

from __future__ import annotations

import tempfile

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.core.thresholds import above, at_least, at_most, below, scored
from silverloom.ops.parse.schemas import PAPERS, SENTENCES
from silverloom.ops.rank.choose import Budget
from silverloom.ops.talksumm.align.alignments import divide, lengths
from silverloom.ops.talksumm.align.hmm import HmmParams
from silverloom.ops.talksumm.pairing import PairParams, leads, pairs, similarities
from silverloom.ops.talksumm.schemas import ALIGNMENTS, MATCHES, PAIRS, TALKS
from silverloom.ops.talksumm.summarise import (
    SummaryParams,
    explained,
    last_three,
    needs,
    pairs_of,
    summaries,
)
from tests.ops.talksumm.pair_cases import EVIDENCE, paper, sentence, talk
from tests.parts import parts

#: Scores as stored: rounded to six decimals.
SCORE = st.integers(0, 1_000_000).map(lambda number: number / 1_000_000)
NEAR = st.sampled_from([0.5, 0.6, 0.7, 0.78, 0.8, 0.95])


def would_keep(tables, rule, value):
    scores = np.concatenate([table["score"].to_numpy() for table in tables])
    return int(np.sum(rule(scores, value)))


@st.composite
def talks_with_matches(draw):
    """Talks whose nearest title belongs to a paper with sentences, without any, or to two different papers."""
    cases = draw(st.lists(st.tuples(st.lists(SCORE | NEAR, max_size=3), st.integers(0, 2)), max_size=8))
    talks, matches, papers, sentences = [], [], [], []
    for number, (scores, versions) in enumerate(cases):
        names = [f"paper-{number}-{version}" for version in range(max(1, versions))]
        papers += [paper(name, "T") for name in names]
        sentences += [sentence(name, 0, f"Text of {name}.") for name in names[:versions]]
        talks.append(talk("T", f"talk-{number}"))
        ranked = sorted(scores, reverse=True)
        candidates = [{"title": "T", "score": score, "paper_ids": names} for score in ranked]
        matches.append(
            {
                "id": f"match-{number}",
                "source_ids": [f"talk-{number}"],
                "licence": "CC0-1.0",
                "talk_id": f"talk-{number}",
                "talk_title": "T",
                "named_by": None,
                "candidates": candidates,
            }
        )
    return talks, matches, papers, sentences


@settings(max_examples=10)
@given(talks_with_matches(), SCORE | NEAR, SCORE | NEAR, SCORE | st.just(0.0))
def test_pairs_under_another_threshold_or_margin_are_as_the_scores_predict(rows, threshold, value, margin):
    value = max(value, 1e-6)
    params = PairParams(threshold=max(threshold, 1e-6), margin=margin)
    with tempfile.TemporaryDirectory() as folder:
        talks, matches, papers, sentences = (
            parts(folder, shape.kept, table)
            for table, shape in zip(rows, (TALKS, MATCHES, PAPERS, SENTENCES), strict=True)
        )
        by_title = list(similarities(talks, matches, sentences, params))
        by_lead = list(leads(talks, matches, sentences, params))

        def kept(params):
            return sum(len(outcome.kept) for outcome in pairs(talks, matches, papers, sentences, params))

        assert would_keep(by_title, at_least, params.threshold) == kept(params)
        assert would_keep(by_title, at_least, value) == kept(params.model_copy(update={"threshold": value}))
        assert would_keep(by_lead, at_least, margin) == kept(params)
        assert would_keep(by_lead, at_least, value) == kept(params.model_copy(update={"margin": value}))


ROLES = st.sampled_from(["introduction", "method", "abstract", "preamble"])


@given(
    st.lists(
        st.tuples(st.lists(st.tuples(ROLES, st.integers(0, 60)), max_size=8), st.booleans()), max_size=4
    ),
    st.integers(0, 60),
)
def test_sentences_under_another_minimum_are_as_the_scores_predict(papers, value):
    pairs = []
    for number, (sentences, speaks) in enumerate(papers):
        words = ["the", "of", "parsing" if speaks else "and"] if speaks or number % 2 else []
        pairs.append(
            {
                "id": f"pair-{number}",
                "source_ids": [],
                "licence": "CC0-1.0",
                "talk_id": "t",
                "paper_id": "p",
                "talk_title": None,
                "paper_title": None,
                "paper_month": "2018-06",
                "similarity": 1.0,
                "words": [{"text": word, "offset": 0, "start": None, "end": None} for word in words],
                "sentences": [
                    {"id": f"s-{number}-{at}", "sentence_id": "s", "position": at, "section_title": "", "role": role, "text": "x" * size, "holes": 0}
                    for at, (role, size) in enumerate(sentences)
                ],
            }
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        tables = list(lengths(parts(folder, PAIRS.kept, pairs), HmmParams()))
    params = HmmParams(minimum_characters=value)
    spoken = [pair for pair in pairs if any(word["text"] == "parsing" for word in pair["words"])]
    assert would_keep(tables, at_least, value) == sum(len(divide(pair, params)[0]) for pair in spoken)
    assert sum(len(table) for table in tables) == sum(len(pair["sentences"]) for pair in pairs)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 12)), max_size=12),
    st.sampled_from(["words", "ratio", "sentences"]),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_sentences_of_summaries_of_another_size_are_as_the_scores_predict(states, measure, now, value):
    def size(number):
        return min(1.0, number / 40) if measure == "ratio" else number

    rows = [
        {
            "id": f"state-{at}",
            "source_ids": [],
            "licence": "CC0-1.0",
            "pair_id": f"pair-{pair}",
            "talk_id": "t",
            "paper_id": "p",
            "sentence_id": f"s-{at}",
            "position": at,
            "section_title": "",
            "role": "method",
            "text": " ".join(["word"] * words),
            "state": at,
            "count": count,
            "seconds": None,
            "spans": [],
            "log_probability": 0.0,
            **EVIDENCE,
        }
        for at, (pair, count, words) in enumerate(states)
    ]
    titles = pa.table({"id": [f"pair-{pair}" for pair in range(3)], "paper_title": ["T"] * 3})

    def taken(number):
        params = SummaryParams(budgets={"one": Budget(**{measure: size(number)})})
        made = summaries(pa.Table.from_pylist(rows, schema=ALIGNMENTS.kept), titles, params)
        return sum(len(row["sentence_ids"]) for row in made.kept.to_pylist())

    with tempfile.TemporaryDirectory() as folder:
        params = SummaryParams(budgets={"one": Budget(**{measure: size(now)})})
        tables = list(needs(parts(folder, ALIGNMENTS.kept, rows), params, "one"))
    assert would_keep(tables, at_most, size(now)) == taken(now)
    assert would_keep(tables, at_most, size(value)) == taken(value)


SHARES = st.sampled_from([0.0, 0.1, 0.3, 0.44, 0.5, 1.0])


@given(st.lists(st.tuples(SHARES, SHARES, st.sampled_from([3, 11, 12, 90])), max_size=6), SHARES, SHARES)
def test_pairs_under_other_thresholds_of_evidence_are_as_the_scores_predict(pairs, now, value):
    rows = [
        {
            **dict.fromkeys(ALIGNMENTS.kept.names),
            **EVIDENCE,
            **{"id": f"state-{at}", "source_ids": [], "licence": "MIT", "pair_id": f"pair-{at}"},
            **{"sentence_id": f"s-{at}", "position": 0, "state": 0, "text": "A word.", "count": 1},
            **{"explained": share, "last_three": end, "states": states},
        }
        for at, (share, end, states) in enumerate(pairs)
    ]
    table = pa.Table.from_pylist(rows, schema=ALIGNMENTS.kept)
    titles = pa.table({"id": [row["pair_id"] for row in rows], "paper_title": ["T"] * len(rows)})
    params = SummaryParams(explained=now, last_three=now)
    for name, scores, rule in (("explained", explained, at_least), ("last_three", last_three, at_most)):
        with tempfile.TemporaryDirectory() as folder:
            tables = list(scores(parts(folder, ALIGNMENTS.kept, rows), params))
        changed = params.model_copy(update={name: value})
        assert would_keep(tables, rule, value) == pairs_of(summaries(table, titles, changed).kept)


def test_each_rule_keeps_its_side_of_the_threshold_and_a_missing_score_is_on_neither():
    scores = scored([("a", 1.0, ""), ("b", 2.0, ""), ("c", 3.0, ""), ("d", None, "")])["score"].to_numpy()
    kept = {rule.__name__: int(np.sum(rule(scores, 2))) for rule in (at_least, above, at_most, below)}
    assert kept == {"at_least": 2, "above": 1, "at_most": 2, "below": 1}
    assert len(scored([])) == 0
