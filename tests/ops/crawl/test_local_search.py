"""The local index returns the same results as scoring every page."""

import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.crawl import local_search
from silverloom.ops.crawl.local_search import LocalIndex

WORDS = st.sampled_from(["salt", "bread", "river", "sea", "honey", "the", "x", "Ärger", "word_1"])
TEXTS = st.lists(st.lists(WORDS, max_size=60).map(" ".join), max_size=12)


def obvious(pages, query, k):
    """The best k of all pages, scored one by one."""

    def words(text):
        stop = local_search.STOP_WORDS
        return [word for word in text.lower().split() if len(word) > 1 and word not in stop]

    counts = {url: Counter(words(text)) for url, text in pages.items()}
    average = sum(count.total() for count in counts.values()) / max(len(counts), 1)
    pages_with = Counter(word for count in counts.values() for word in count)
    scores = {}
    for url, count in counts.items():
        score = np.float32(0)
        for word in words(query):
            if count[word]:
                idf = np.float32(
                    math.log(1 + (len(counts) - pages_with[word] + 0.5) / (pages_with[word] + 0.5))
                )
                norm = 1.5 * (1 - 0.75 + 0.75 * count.total() / average)
                score += np.float32(float(idf) * (count[word] / (norm + count[word])))
        if score > 0:
            scores[url] = float(score)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


def found(index, query, k):
    return [(hit.url, hit.score) for hit in index.search(query, k)]


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.lists(WORDS, max_size=4).map(" ".join), st.integers(0, 4), st.randoms())
def test_the_result_equals_scoring_every_page(tmp_path_factory, texts, query, k, random):
    pages = {f"http://{number:02}": text for number, text in enumerate(texts)}
    shuffled = list(pages.items())
    random.shuffle(shuffled)
    index = LocalIndex.of(shuffled, tmp_path_factory.mktemp("index") / "index")
    assert found(index, query, k) == obvious(pages, query, k)


@pytest.fixture(scope="module")
def many():
    """Pages whose lengths tantivy rounds, with word frequencies as in natural language."""
    random = np.random.default_rng(0)
    return {
        f"http://{number}": " ".join(
            f"w{word}" for word in random.zipf(1.3, size=random.integers(1, 900)) if word < 5000
        )
        for number in range(1500)
    }


def test_few_candidates_are_enough_for_the_best_of_many_pages(tmp_path, many, monkeypatch):
    monkeypatch.setattr(local_search, "FIRST", 1)
    index = LocalIndex.of(many.items(), tmp_path / "index")
    for query in ("w1", "w2 w3", "w900", "w7 w7 w12", "w1 w2 w3 w4 w5 w6 w7 w8", "w50 w4000 w3"):
        assert found(index, query, 10) == obvious(many, query, 10)
    scored = index.scores([("w7", index.rarity("w7")), ("w12", index.rarity("w12"))], 10)
    assert 10 <= len(scored) < 500


def test_segments_and_their_order_do_not_change_results(tmp_path, many, monkeypatch):
    one = LocalIndex.of_distinct(many.items(), tmp_path / "one")
    monkeypatch.setattr(local_search, "HEAP", 30_000_000)
    monkeypatch.setattr(local_search, "THREADS", 1)
    other = LocalIndex.of_distinct(reversed(many.items()), tmp_path / "other")
    for query in ("w1 w2", "w40 w41 w42"):
        assert found(one, query, 25) == found(other, query, 25)


def test_pages_with_equal_scores_are_ordered_by_url_even_if_there_are_more_than_candidates(tmp_path):
    pages = {f"http://{number:03}": "salt bread" for number in range(300)}
    index = LocalIndex.of(reversed(pages.items()), tmp_path / "index")
    assert [url for url, _ in found(index, "salt", 3)] == ["http://000", "http://001", "http://002"]


def test_the_last_of_two_pages_with_one_url_wins(tmp_path):
    index = LocalIndex.of([("a", "salt"), ("b", "bread"), ("a", "honey")], tmp_path / "index")
    assert not index.search("salt", 3)
    assert found(index, "honey bread", 3) == obvious({"a": "honey", "b": "bread"}, "honey bread", 3)


def test_an_index_is_passed_to_other_processes_by_its_path(tmp_path):
    index = LocalIndex.of([("a", "salt")], tmp_path / "index")
    index.search("salt", 1)
    sent = pickle.dumps(index)
    assert len(sent) < 1000 and found(pickle.loads(sent), "salt", 1) == found(index, "salt", 1)


def test_a_word_too_long_for_the_index_is_found(tmp_path):
    index = LocalIndex.of([("a", "salt " + "x" * 100_000), ("b", "bread")], tmp_path / "index")
    assert [url for url, _ in found(index, "x" * 100_000, 2)] == ["a"]


def test_a_folder_without_an_index_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no index of pages"):
        LocalIndex.load(tmp_path)
