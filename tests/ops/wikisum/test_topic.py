"""How similar pages are to the title of an article, with embeddings made up."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.wikisum.topic import (
    RESULTS,
    WORDS,
    passage_embeddings,
    passages_by_page,
    topic_score,
    topic_similarities,
    with_rivals,
)

WORD = st.sampled_from(["salt", "bread", "sea", "rye"])
TEXTS = st.lists(WORD, min_size=1, max_size=3 * WORDS).map(" ".join)


class Counted:
    """Embeds a text by its shares of words; notes the texts."""

    def __init__(self, *known):
        self.known, self.asked = known, []

    def __call__(self, texts):
        self.asked += texts
        counts = np.array([[text.split().count(word) for word in self.known] for text in texts], float)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def similarities(titles, texts, embed):
    return topic_similarities(titles, passage_embeddings(texts, embed), embed)


def test_the_first_and_the_last_words_of_a_page_are_read():
    about, other = "bread " * WORDS, "sea " * WORDS
    pages = [about, about + other, other + about + other, "bread"]
    found = similarities(["bread"] * 4, pages, Counted("bread", "sea"))
    assert found.tolist() == [1.0, 0.5, 0.0, 1.0]


def test_each_text_is_embedded_once():
    embed = Counted("bread", "sea")
    similarities(["bread", "bread", "sea"], ["sea bread", "sea bread", "sea bread"], embed)
    assert sorted(embed.asked) == ["bread", "sea", "sea bread"]


def test_a_negative_similarity_counts_as_none_and_no_page_gives_none():
    opposite = lambda texts: np.array([[1.0 if text == "bread" else -1.0] for text in texts])  # noqa: E731
    assert similarities(["bread"], ["sea"], opposite).tolist() == [0.0]
    assert similarities([], [], opposite).tolist() == []


@given(st.lists(st.tuples(WORD, TEXTS), max_size=5))
def test_it_is_the_mean_cosine_of_both_passages(pairs):
    embed = Counted("salt", "bread", "sea", "rye")
    titles, pages = [title for title, _ in pairs], [page for _, page in pairs]
    expected = []
    for title, page in pairs:
        words = page.split()
        passages = {" ".join(words[:WORDS]), " ".join(words[-WORDS:])} if len(words) > WORDS else {page}
        cosines = [float(embed([passage])[0] @ embed([title])[0]) for passage in passages]
        expected.append(sum(cosines) / len(cosines))
    assert similarities(titles, pages, embed).tolist() == pytest.approx(expected, abs=1e-4)


@given(st.lists(st.tuples(TEXTS, st.uuids()), max_size=5, unique_by=lambda pair: pair[1]))
def test_embeddings_are_the_same_after_they_were_stored(pages):
    embed = Counted("salt", "bread", "sea", "rye")
    texts, names = [text for text, _ in pages], [str(name) for _, name in pages]
    embeddings = [page.astype(np.float32) for page in passage_embeddings(texts, embed)]
    stored = pa.table(
        [names, pa.array([page.tolist() for page in embeddings], pa.list_(pa.list_(pa.float32())))],
        ["page_id", "passages"],
    )
    found = passages_by_page(stored)
    assert [*found] == names
    assert all(np.array_equal(found[name], page) for name, page in zip(names, embeddings, strict=True))


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from([0.0, 0.2, 0.5, 0.9])),
        max_size=12,
    )
)
def test_a_rival_is_the_most_similar_other_article_of_the_page(results):
    rows = [{"article_id": article, "page_id": page, "similarity": value} for article, page, value in results]
    expected = [
        max((value for other, of, value in results if of == page and other != article), default=None)
        for article, page, _ in results
    ]
    found = with_rivals(pa.Table.from_pylist(rows, RESULTS)).kept
    assert found["rival"].to_pylist() == expected
    assert found.select(RESULTS.names[:3]).to_pylist() == rows


def test_half_of_a_rivals_similarity_is_taken_away():
    assert topic_score(0.3, 0.4) == pytest.approx(0.1)
    assert (topic_score(0.3, None), topic_score(0.1, 0.9), topic_score(None, None)) == (0.3, 0, None)
