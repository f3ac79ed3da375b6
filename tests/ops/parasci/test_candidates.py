from collections import Counter, defaultdict
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.core.outcome import Outcome, drop
from silverloom.ops.core.parts import temporary_folder
from silverloom.ops.parasci.candidates import groups as of_groups
from silverloom.ops.parasci.candidates.groups import CitationParams, DefinitionParams, citations, definitions
from silverloom.ops.parasci.candidates.pairs import (
    IntraParams,
    Occurrence,
    intra,
    light,
    most_alike,
    neighbour_blocks,
    similar_blocks,
    similar_pairs,
    statements,
)
from silverloom.ops.parasci.schemas import CANDIDATES
from silverloom.ops.parasci.sentences import StatementParams
from tests.ops.parasci.parasci_cases import EMBEDDED, PASSAGES, mention, statement, unit
from tests.parts import dealt, parts


def table(*rows):
    return pa.Table.from_pylist(list(rows), schema=EMBEDDED)


def found_pairs(outcome):
    return {(row["first_id"], row["second_id"]) for row in outcome.kept.to_pylist()}


def fates(outcomes):
    """Return the reason of each dropped unit, None for each unit in a pair; no unit is lost or duplicated."""
    found = {}
    for outcome in outcomes:
        used = {source for row in outcome.kept.to_pylist() for source in row["source_ids"]}
        dropped = {row["id"]: row["reason"] for row in outcome.dropped.to_pylist()}
        for name in outcome.units.to_pylist():
            assert name not in found and (name in used) != (name in dropped)
            found[name] = dropped.get(name)
        assert dropped.keys() <= set(outcome.units.to_pylist())
    return found


@given(st.integers(0, 40), st.integers(1, 8), st.floats(-0.5, 1), st.integers(0, 9), st.integers(1, 50))
def test_all_pairs_are_found_for_any_block_size(count, size, floor, seed, block):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, size))
    rows = np.round(rows / np.linalg.norm(rows, axis=1, keepdims=True), 4).astype(np.float32)
    groups = random.integers(0, 3, count)
    whole = [[round(float(number) * 10_000) for number in row] for row in rows]
    slow = [
        (i, j, sum(a * b for a, b in zip(whole[i], whole[j], strict=True)) / 1e8)
        for i in range(count)
        for j in range(i + 1, count)
        if groups[i] != groups[j]
    ]
    found = similar_pairs(rows, groups, floor, block)
    fast = sorted(zip(found.first.tolist(), found.second.tolist(), found.cosine.tolist(), strict=True))
    assert fast == [pair for pair in slow if pair[2] >= floor]


def test_there_must_be_as_many_groups_as_rows():
    with pytest.raises(ValueError, match="2 embeddings and 1 groups"):
        similar_pairs(np.eye(2, dtype=np.float32), np.zeros(1, np.int64), 0.5)


def test_pairs_within_a_paper_come_from_two_sections_of_the_six_kinds():
    alike = unit(1, 0.1, 0)
    outcome = intra(
        table(
            statement("a", "first", alike, mention("p", 0, "abstract")),
            statement("b", "same section", alike, mention("p", 0, "abstract")),
            statement("c", "later", unit(1, 0, 0.1), mention("p", 5, "conclusion")),
            statement("d", "a method", alike, mention("p", 3, "method")),
            statement("e", "other paper", alike, mention("q", 1, "introduction")),
            statement("f", "unlike", unit(0, 1, 0), mention("p", 5, "conclusion")),
        ),
        IntraParams(floor=0.9),
        StatementParams(),
    )
    assert found_pairs(outcome) == {("a", "c"), ("b", "c")}
    reasons = {"a": None, "b": None, "c": None, "d": "section", "e": "one_section", "f": "unlike"}
    assert fates([outcome]) == reasons
    assert outcome.combinations == {"compared": 4}
    assert outcome.dropped.schema.names[-3:] == ["reason", "score", "detail"]
    assert "embedding" not in outcome.dropped.schema.names


def test_a_paper_without_sections_has_no_pair_and_says_why():
    rows = [statement(name, name, unit(1, 0), mention("p", 0, "other")) for name in "ab"]
    assert fates([intra(table(*rows), IntraParams(), StatementParams())]) == {"a": "section", "b": "section"}


def test_a_sentence_that_occurs_500_times_in_a_paper_makes_one_pair_with_another():
    often = [mention("p", number % 2, "abstract", sentence=str(number)) for number in range(500)]
    rows = [
        statement("a", "often", unit(1, 0.1), *often),
        statement("b", "once", unit(1, 0), mention("p", 7, "conclusion")),
    ]
    outcome = intra(table(*rows), IntraParams(floor=0.9), StatementParams())
    assert found_pairs(outcome) == {("a", "b")}
    assert outcome.combinations == {"compared": 3, "identical": 1}


def group_rows(kind, count=3, paper="paper {}", area="", embedding=None):
    more = {"term": "word sense"} if kind == "definitions" else {"cited": ["doi:10/1"]}
    return [
        statement(
            f"{kind}{number}",
            f"text {number}",
            embedding or unit(1, number / 10),
            mention(paper.format(number), **more),
            area=area,
        )
        for number in range(count)
    ]


def run_groups(folder, kind, rows, passages=(), **knobs):
    op, params = (definitions, DefinitionParams) if kind == "definitions" else (citations, CitationParams)
    sentences = dealt(Path(folder) / "sentences", EMBEDDED, rows)
    others = parts(Path(folder) / "passages", PASSAGES, list(passages))
    return list(op(sentences, others, params(**{"floor": 0.5, **knobs})))


@pytest.mark.parametrize("kind", ["definitions", "citations"])
def test_sentences_of_one_group_are_paired_across_papers_and_parts(tmp_path, kind):
    none = statement("none", "neither", unit(1, 0), mention("x"))
    outcomes = run_groups(tmp_path, kind, [*group_rows(kind), none])
    pairs = {frozenset(pair) for outcome in outcomes for pair in found_pairs(outcome)}
    assert pairs == {frozenset({f"{kind}{i}", f"{kind}{j}"}) for i in range(3) for j in range(i)}
    reason = "no_definition" if kind == "definitions" else "no_citation"
    assert fates(outcomes) == {**{f"{kind}{number}": None for number in range(3)}, "none": reason}


@pytest.mark.parametrize("kind", ["definitions", "citations"])
def test_a_paper_is_not_paired_with_itself_but_passages_are_paired_with_papers(tmp_path, kind):
    rows = group_rows(kind, 2, paper="one")
    assert set(fates(run_groups(tmp_path / "a", kind, rows)).values()) == {"alone"}
    other = {**group_rows(kind, 1, paper="other")[0], "id": "passage", "text": "of an abstract"}
    outcomes = run_groups(tmp_path / "b", kind, rows, [other])
    assert {frozenset(pair) for pair in found_pairs(outcomes[-1])} == {
        frozenset({f"{kind}{number}", "passage"}) for number in range(2)
    }


@pytest.mark.parametrize("kind", ["definitions", "citations"])
def test_fates_of_passages_are_counted_by_reason(tmp_path, kind):
    """Units are the sentences of papers; without a paper, the passages are everything."""
    paired = group_rows(kind, 2)
    another = mention("q", **({"term": "x"} if kind == "definitions" else {"cited": ["x"]}))
    unlike = group_rows(kind, 1, paper="far", embedding=unit(-1, 0))
    passages = [
        *paired,
        statement("alone", "an only one", unit(1, 0), another),
        {**unlike[0], "id": "unlike", "text": "another thing"},
        statement("neither", "in no group", unit(1, 0), mention("x")),
    ]
    (outcome,) = run_groups(tmp_path, kind, [], passages)[-1:]
    assert len(outcome.kept) == 1
    reason = "no_definition" if kind == "definitions" else "no_citation"
    assert outcome.combinations == {
        "groups": 1, "compared": 3,
        "passages: alone": 1, "passages: unlike": 1, f"passages: {reason}": 1,
    }  # fmt: skip


def test_definitions_of_two_areas_are_not_paired(tmp_path):
    rows = [
        {**row, "id": area + row["id"], "text": area + row["text"]}
        for area in ("law", "physics")
        for row in group_rows("definitions", 1, paper=f"{area} {{}}", area=area)
    ]
    assert set(fates(run_groups(tmp_path, "definitions", rows)).values()) == {"alone"}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 30), st.integers(1, 40), st.integers(0, 9), st.integers(1, 300))
def test_the_most_similar_pairs_are_kept_once_each_for_any_block_size(count, most, seed, block):
    random = np.random.default_rng(seed)
    rows = random.integers(-2, 3, (count, 3)).astype(np.float32)  # many ties
    groups = random.integers(0, 4, count)
    whole = similar_pairs(rows, groups, -1e9)
    slow = sorted(zip(-whole.cosine, whole.first, whole.second, strict=True))[:most]
    blocks = list(similar_blocks(rows, groups, -1e9, block))
    found = most_alike([*blocks, *blocks], most)
    assert list(zip(*found, strict=True)) == sorted((i, j, -cosine) for cosine, i, j in slow)


@pytest.mark.parametrize("count", [2, 4096, 4097])
def test_an_index_is_queried_for_every_row(count):
    random = np.random.default_rng(0)
    rows = random.standard_normal((count, 8)).astype(np.float32)
    rows[-1] = rows[0]
    rows = np.round(rows / np.linalg.norm(rows, axis=1, keepdims=True), 4)
    pairs = most_alike(neighbour_blocks(rows, np.arange(count), 0.9999, 3), 10)
    assert [0, count - 1] in np.stack([pairs.first, pairs.second], axis=1).tolist()


def test_all_sentences_citing_a_paper_are_compared_and_the_most_similar_pairs_kept(tmp_path):
    rows = group_rows("citations", 60)
    whole = run_groups(tmp_path / "whole", "citations", rows)[-1]
    assert whole.combinations == {"groups": 1, "compared": 60 * 59 // 2}
    best = sorted(whole.kept.to_pylist(), key=lambda row: -row["cosine"])
    outcomes = run_groups(tmp_path / "a", "citations", rows, most=45)
    kept = outcomes[-1].kept.to_pylist()
    assert sorted(row["cosine"] for row in kept) == sorted(row["cosine"] for row in best[:45])
    assert outcomes[-1].combinations == {
        "groups": 1, "compared": 60 * 59 // 2, "beyond_most": whole.kept.num_rows - 45,
    }  # fmt: skip
    assert {*fates(outcomes).values()} == {None, "beyond_most"}
    again = run_groups(tmp_path / "b", "citations", rows[::-1], most=45)
    assert again[-1].kept.equals(outcomes[-1].kept)


def test_the_one_paraphrase_among_a_thousand_citances_is_found(tmp_path):
    random = np.random.default_rng(5)
    rows = random.standard_normal((1000, 384))
    rows[-1] = rows[0] + 0.1 * random.standard_normal(384)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    units = [
        {**row, "embedding": np.round(vector, 4).tolist()}
        for row, vector in zip(group_rows("citations", 1000), rows, strict=True)
    ]
    with_384 = pa.schema(
        [
            field if field.name != "embedding" else field.with_type(pa.list_(pa.float32(), 384))
            for field in EMBEDDED
        ]
    )
    sentences = dealt(tmp_path / "sentences", with_384, units)
    for compare_all in (1000, 999):
        params = CitationParams(floor=0.7, compare_all=compare_all, neighbours=10)
        *_, last = citations(sentences, parts(tmp_path / "passages", PASSAGES, []), params)
        assert found_pairs(last) == {("citations0", "citations999")}
        name = "compared" if compare_all == 1000 else "by_index"
        assert last.combinations == {"groups": 1, name: 1000 * 999 // 2}


@pytest.mark.parametrize("compare_all", [40, 39])
def test_pairs_within_one_paper_are_neither_counted_nor_found(tmp_path, compare_all):
    """40 sentences of 20 papers, two each: 20 pairs are within one paper."""
    rows = [
        {**row, "id": f"{side}{row['id']}", "text": f"{side} {row['text']}"}
        for side in "ab"
        for row in group_rows("citations", 20)
    ]
    outcome = run_groups(tmp_path, "citations", rows, compare_all=compare_all, neighbours=39, floor=-1)[-1]
    name = "compared" if compare_all == 40 else "by_index"
    assert outcome.combinations == {"groups": 1, name: 40 * 39 // 2 - 20}
    assert outcome.kept.num_rows == 40 * 39 // 2 - 20


def test_a_sentence_of_several_papers_is_paired_once_with_each_other_sentence(tmp_path):
    cited = {"cited": ["doi:10/1"]}
    rows = [
        statement("a", "often", unit(1, 0), mention("p", **cited), mention("q", **cited)),
        statement("b", "once", unit(1, 0.1), mention("p", **cited)),
        statement("c", "also often", unit(1, 0.2), mention("p", **cited), mention("q", **cited)),
    ]
    outcome = run_groups(tmp_path, "citations", rows)[-1]
    papers = {
        (row["first_id"], row["second_id"]): (row["first_paper"], row["second_paper"])
        for row in outcome.kept.to_pylist()
    }
    assert papers == {("a", "b"): ("q", "p"), ("a", "c"): ("p", "q"), ("b", "c"): ("p", "q")}
    assert outcome.combinations == {"groups": 1, "compared": 6, "identical": 2}


def test_the_same_text_in_two_parts_is_not_a_pair(tmp_path):
    rows = [{**row, "text": "the same"} for row in group_rows("citations", 2)]
    outcomes = run_groups(tmp_path, "citations", rows)
    assert outcomes[-1].combinations["identical"] == 1
    assert set(fates(outcomes).values()) == {"unlike"}


def all_at_once(kind, sentences, passages, params):
    """Return kept and dropped rows and counts of groups that one process holds by key."""
    keys, outside = of_groups.KEYS[kind], of_groups.OUTSIDE[kind]
    groups, reasons, units, others, lost = defaultdict(dict), {}, {}, [], []
    for parts_of, noted in ((sentences, units), (passages, None)):
        for table_of in parts_of:
            for row in statements(table_of):
                found = [(key, place) for place in row["mentions"] for key in keys(row, place)]
                for key, place in found:
                    known = (place[name] for name in ("paper_id", "section", "role", "source", "doi"))
                    there = Occurrence(row, *known)
                    groups[key].setdefault((row["id"], there.paper), there)
                reasons[row["id"]] = "alone" if found else outside
                if noted is None:
                    others.append(row["id"])
                elif found:
                    noted[row["id"]] = row
                else:
                    lost.append(drop(light(row), outside))
    counts = Counter()
    kept = list(of_groups.rows_of_groups(kind, groups, params, counts, reasons))
    used = {source for row in kept for source in row["source_ids"]}
    lost += [drop(light(row), reasons[name]) for name, row in units.items() if name not in used]
    counts.update(f"passages: {reasons[name]}" for name in others if name not in used)
    whole = Outcome.of(CANDIDATES, [], kept, lost)
    return whole.kept, whole.dropped, +counts


PLACES = st.builds(
    mention,
    st.sampled_from("pqr"),
    section=st.integers(0, 2),
    term=st.sampled_from([None, "a term", "é"]),
    cited=st.lists(st.sampled_from(["x", "y", "é", "z"]), max_size=3, unique=True),
)
STATED = st.tuples(
    st.sampled_from(["one", "two", "three", "four"]),
    st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(1, 2)),
    st.lists(PLACES, min_size=1, max_size=3),
    st.sampled_from(["", "law"]),
)


@settings(max_examples=10)
@given(
    st.sampled_from(["definitions", "citations"]),
    st.lists(STATED, max_size=14),
    st.lists(STATED, max_size=6),
    st.integers(1, 4),
    st.integers(1, 8),
    st.integers(1, 12),
)
def test_groups_in_parts_give_the_same_as_all_at_once(kind, stated, others, most, members, rows):
    """A sentence of several groups has one fate in any part, and the rows keep their order."""
    params = (DefinitionParams if kind == "definitions" else CitationParams)(floor=0.2, most=most)
    of_papers, of_passages = (
        [
            statement(f"{name}{number}", text, unit(*vector), *places, area=area)
            for number, (text, vector, places, area) in enumerate(several)
        ]
        for name, several in (("s", stated), ("p", others))
    )
    with temporary_folder() as folder:
        sentences = dealt(folder / "sentences", EMBEDDED, of_papers, 3)
        passages = dealt(folder / "passages", PASSAGES, of_passages)
        with patch.multiple(of_groups, MEMBERS_OF_PART=members, ROWS_OF_PART=rows):
            op = definitions if kind == "definitions" else citations
            outcomes = list(op(sentences, passages, params))
        kept, dropped, counts = all_at_once(kind, sentences, passages, params)
    assert pa.concat_tables(one.kept for one in outcomes).equals(kept)
    assert pa.concat_tables(one.dropped for one in outcomes).equals(dropped)
    assert sum((Counter(one.combinations) for one in outcomes), Counter()) == counts
    assert fates(outcomes).keys() == {row["id"] for row in of_papers}
