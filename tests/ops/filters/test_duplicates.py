"""Which documents are duplicates, compared with every pair, for any bound."""

from itertools import combinations

import networkx
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.filters import schemas
from silverloom.ops.filters.duplicates import SimilarPair, content, duplicates, repeats
from silverloom.ops.filters.params import BoundParams
from silverloom.ops.text.minhash import runs, signature
from tests.parts import parts

NUMBERS = st.integers(0, 7)
PAIRS = st.lists(
    st.builds(SimilarPair, NUMBERS, NUMBERS, st.sampled_from([0.7, 0.8, 0.9, 1.0])), max_size=16
).map(lambda pairs: sorted(pairs, key=lambda pair: -pair.similarity))


@given(PAIRS, st.sampled_from([0.65, 0.75, 0.85, 0.95, 1.0]))
def test_the_first_of_every_connected_group_stays_for_any_bound(pairs, bound):
    graph = networkx.Graph()
    graph.add_nodes_from(range(8))
    graph.add_edges_from((pair.first, pair.second) for pair in pairs if pair.similarity >= bound)
    stay = {min(group) for group in networkx.connected_components(graph)}
    dropped = {row["document"] for row in repeats(pairs, 8).to_pylist() if row["similarity"] >= bound}
    assert {*range(8)} - dropped == stay


@given(PAIRS)
def test_the_order_of_pairs_and_within_a_pair_does_not_matter(pairs):
    turned = sorted(
        (SimilarPair(b, a, score) for a, b, score in reversed(pairs)), key=lambda pair: -pair.similarity
    )
    assert repeats(pairs, 8) == repeats(turned, 8)


def score_rows(texts, near=True):
    return [
        {
            "id": f"scores-{name}",
            "document_id": name,
            "content": content(text),
            "signature": signature(text, 128, 3) if near and text.split() else None,
        }
        for name, text in texts.items()
    ]


def found(folder, texts, floor=0.6, near=True, several=3):
    rows = score_rows(texts, near)
    scores = parts(folder, schemas.scores(PROSE).kept, *(rows[number::several] for number in range(several)))
    (outcome,) = duplicates(scores, floor, BoundParams())
    return {row["document_id"]: row for row in outcome.kept.to_pylist()}


PROSE = schemas.Shape(unit=pa.schema([]), kept=schemas.columns(("text", pa.string())))

WORDS = [f"w{number}" for number in range(40)]


def jaccard(one, other):
    return len(one & other) / len(one | other)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.lists(st.integers(0, 39), max_size=3), st.booleans()),
        min_size=2,
        max_size=8,
    )
)
def test_near_duplicates_equal_those_of_all_pairs_up_to_the_error_of_the_estimate(tmp_path_factory, changes):
    base = [[WORDS[(step * start + start) % 40] for step in range(60)] for start in (1, 7, 11)]
    texts = {}
    for number, (which, places, doubled) in enumerate(changes):
        words = [*base[which]]
        for place in places:
            words[place] = f"other{place}"
        texts[f"page-{number}"] = " ".join(words * (2 if doubled else 1))
    rows = found(tmp_path_factory.mktemp("scores"), texts)
    sets = {name: runs(text, 3) for name, text in texts.items()}
    sure = networkx.Graph()
    sure.add_nodes_from(texts)
    possible = sure.copy()
    for one, other in combinations(texts, 2):
        similarity = jaccard(sets[one], sets[other])
        if similarity >= 0.85:  # with 128 hashes, the estimate is mostly 0.04 off
            sure.add_edge(one, other)
        if similarity >= 0.4:
            possible.add_edge(one, other)
    for graph, holds in ((sure, set.issuperset), (possible, set.issubset)):
        expected = {name for group in networkx.connected_components(graph) for name in group - {min(group)}}
        assert holds(set(rows), expected)


def test_equal_texts_with_different_white_space_are_exact_duplicates(tmp_path):
    texts = {
        "page-c": "The tide  mill\nat Corrow.",
        "page-b": "The tide mill at Corrow.",
        "page-a": "Another.",
    }
    rows = found(tmp_path, texts, near=False)
    assert {name: (row["first_id"], row["similarity"], row["exact"]) for name, row in rows.items()} == {
        "page-c": ("page-b", 1.0, True)
    }


def test_empty_texts_are_never_duplicates(tmp_path):
    assert found(tmp_path, {"page-a": "", "page-b": " \n"}) == {}


def test_different_texts_are_never_as_similar_as_equal_ones(tmp_path):
    text = "the miller could work twice a day and often rose in the night "
    rows = found(tmp_path, {"page-a": text * 40, "page-b": text * 41})
    assert rows["page-b"]["similarity"] == 0.9999 and not rows["page-b"]["exact"]


def test_a_large_group_is_compared_in_linear_time(tmp_path):
    text = " ".join(WORDS)
    texts = {f"page-{number:03}": f"{text} end{number % 3}" for number in range(150)}
    rows = score_rows(texts)
    scores = parts(tmp_path, schemas.scores(PROSE).kept, rows)
    (outcome,) = duplicates(scores, 0.6, BoundParams())
    assert len(outcome.kept) == 149
    assert outcome.combinations["pairs compared"] < 2 * 150


@pytest.mark.parametrize("several", [1, 2, 5])
def test_duplicates_do_not_depend_on_parts(tmp_path, several):
    texts = {f"page-{number}": " ".join(WORDS[number % 3 :]) for number in range(10)}
    one = found(tmp_path / "one", texts, several=1)
    assert found(tmp_path / "several", texts, several=several) == one and one


def test_many_duplicates_come_in_several_outcomes_in_the_order_of_their_ids(tmp_path):
    rows = score_rows({f"page-{number:04}": "The tide mill." for number in range(5000)}, near=False)
    scores = parts(tmp_path, schemas.scores(PROSE).kept, rows[::2], rows[1::2])
    outcomes = list(duplicates(scores, 0.6, BoundParams()))
    assert [len(outcome.kept) for outcome in outcomes] == [4096, 903]
    assert [name for outcome in outcomes for name in outcome.kept["document_id"].to_pylist()] == [
        f"page-{number:04}" for number in range(1, 5000)
    ]
