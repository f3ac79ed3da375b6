"""Statements of leads, and the references that contain them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.rank.rankers import content_words
from silverloom.ops.text.word_numbers import normalised, number_words
from silverloom.ops.wikisum.corpus import CorpusParams
from silverloom.ops.wikisum.dispersion import DispersionParams, held, recalls, statements, support
from silverloom.ops.wikisum.examples import ExampleParams
from silverloom.ops.wikisum.statistics import statistics
from tests.ops.wikisum.encyclopedia import Steps, article, page

LEAD = (
    "Salt bread is a flat bread of Varn, baked on hot stones. It costs 1,500 crowns; in 1841, monks sold it. "
    "Why? It is 4.5 cm thick."
)


def test_statements_are_clauses_with_content():
    assert statements(normalised(LEAD), "Salt bread") == [
        "salt bread is a flat bread of varn",
        "baked on hot stones",
        "it costs 1 , 500 crowns , in 1841",
        "monks sold it",
        "it is 4 . 5 cm thick",
    ]


def test_words_of_the_title_are_not_content():
    lead = normalised("Salt bread is bread. Salt bread is flat bread from Varn.")
    assert statements(lead, "Salt bread") == ["salt bread is flat bread from varn"]
    assert len(statements(lead, "Corrow soup")) == 2
    assert statements("", "Salt bread") == []


def shares(lead, title, *pages):
    """The share of each statement that each page, given as paragraphs, contains."""
    lead, pages = normalised(lead), [[normalised(text) for text in texts] for texts in pages]
    words = number_words([lead, *(text for texts in pages for text in texts)], known=lead)
    names = [str(number) for number, texts in enumerate(pages) for _ in texts]
    return list(recalls(statements(lead, title), title, words, names))


def test_a_page_has_the_share_of_its_best_paragraph():
    lead = "Salt bread is baked on hot stones; monks sold it in old markets."
    first = ["Hot stones were baked.", "Old stones."]
    assert shares(lead, "Salt bread", first, ["Monks of old markets sold salt bread on hot days."]) == [
        [1, 0.25],
        [pytest.approx(1 / 3, abs=1e-6), 1],
    ]
    params = DispersionParams(share=0.25)
    assert held([[1, 0.25], [0.333333, 1], [0.2, 0]], params) == [{0, 1}, {0, 1}, set()]


WORDS = ["İstanbul", "Varn", "monks", "the", "sold", "ſtone", "4", "²", ",", ".", ";", "ñ", "ne\u0301e"]
TEXTS = st.lists(st.sampled_from(WORDS)).map(" ".join)


@given(TEXTS, TEXTS, st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=3))
def test_shares_equal_those_counted_one_by_one(lead, title, pages):
    lead = normalised(lead)
    found = statements(lead, title)
    for of_page, texts in zip(shares(lead, title, *pages), pages, strict=True):
        for statement, share in zip(found, of_page, strict=True):
            words = {*content_words(statement)} - {*content_words(title)}
            best = max(len(words & {*content_words(normalised(text))}) / len(words) for text in texts)
            assert share == pytest.approx(best, abs=1e-6) and len(words) >= 2


@given(TEXTS, st.lists(TEXTS, max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
def test_support_is_the_share_in_the_best_paragraph(title, sentences, paragraphs):
    sentences, paragraphs = [*map(normalised, sentences)], [*map(normalised, paragraphs)]
    for sentence, share in zip(sentences, support(sentences, title, paragraphs), strict=True):
        words = {*content_words(sentence)} - {*content_words(title)}
        best = max(len(words & {*content_words(text)}) for text in paragraphs)
        assert share == (pytest.approx(best / len(words), abs=1e-6) if words else None)


def test_articles_are_counted_with_their_dispersion(tmp_path):
    lead = "Salt bread is baked on hot stones; monks sold it in old markets; nobody measured any crust."
    pages = [
        page("http://a/1", "Salt bread was baked by them on hot stones."),
        page("http://b/1", "In old markets monks sold salt bread."),
    ]
    steps = Steps(
        tmp_path,
        [article("Salt bread", lead, cites=["http://a/1", "http://b/1"])],
        pages,
        corpus=CorpusParams(clone_recall=1, title_similarity=0),
    )
    inputs = [steps.parts(name) for name in ("ranked", "corpus", "references")]
    [outcome] = statistics(*inputs, ExampleParams(), CorpusParams(), DispersionParams(references=4))
    assert isinstance(outcome, Outcome)
    [row] = outcome.kept.to_pylist()
    assert [(of["references"], of["best"]) for of in row["stated"]] == [(1, 1), (1, 1), (0, 0)]
    assert (row["statements"], row["held"], row["needed"]) == (3, 2, 2)
    assert (row["coverage"], row["dispersion"]) == ([0.5, 1, 1, 1], 0.125)
    table = json.loads(outcome.files["tables.json"])["dispersion"]
    assert table["coverage"] == [0.5, 1, 1, 1] and table["score"] == 0.125
    assert (table["articles"], table["of"], table["statements"], table["held"]) == (1, 1, 3, 2)
    assert table["needed"] == [2] * 6
