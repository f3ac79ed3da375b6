"""Sentence boundaries: exceptions, offsets, linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.text.sentences import ends_in_abbreviation, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "abbreviation",
    ["Fig.", "et al.", "Sec.", "i.e.", "e.g.", "cf.", "Eq.", "Figs.", "Eqs.", "Tab.", "vs.", "w.r.t."],
)
def test_no_sentence_ends_after_an_abbreviation(abbreviation):
    text = f"We follow what was shown ({abbreviation} Brown and others) before. It works."
    assert sentences(text) == [text[:-10], "It works."]


@pytest.mark.parametrize("text", ["See Fig.\n3 for more.", "Smith et al. We do.", "It is (cf. Jones 2001)."])
def test_an_abbreviation_at_a_line_end_or_before_a_capital_ends_nothing(text):
    assert sentences(text) == [text]


def test_a_word_that_looks_like_an_abbreviation_ends_a_sentence():
    assert sentences("We built the app. Then we left.") == ["We built the app.", "Then we left."]
    assert not ends_in_abbreviation("of metal.")
    assert not ends_in_abbreviation("fined by the SEC.")
    assert sentences("It helps finer-grained IE. While it is slow, we do.") == [
        "It helps finer-grained IE.",
        "While it is slow, we do.",
    ]


def test_a_sentence_ends_before_the_number_of_a_footnote():
    assert sentences("Parsing is hard. 2The code is there.") == ["Parsing is hard.", "2The code is there."]
    assert sentences("We see Fig. 3A here.") == ["We see Fig. 3A here."]


def test_empty_and_blank_text_has_no_sentence():
    assert sentence_spans("") == sentence_spans(" \n\t ") == []


@given(st.text(st.sampled_from("aB .?!\n\"'()1-\u2026é"), max_size=300) | st.text(max_size=200))
def test_every_character_except_white_space_is_in_exactly_one_sentence(text):
    spans = sentence_spans(text)
    covered = 0
    for start, end in spans:
        assert covered <= start < end
        assert not text[covered:start].strip()
        assert text[start:end] == text[start:end].strip()
        covered = end
    assert not text[covered:].strip()
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_texts_longer_than_a_piece_are_split_alike():
    text = "This is one sentence of many. " * 5_000
    assert set(sentences(text)) == {"This is one sentence of many."}
    assert len(sentences("a" * 120_001)) == 3


@pytest.mark.parametrize("seed", ["?", "?!", "a", ". ", "Fig. ", "a. 1A ", " ", "("])
def test_no_line_of_a_megabyte_takes_endless_time(seed):
    text = seed * (1_000_000 // len(seed))
    spans = sentence_spans(text)
    assert not spans or text[spans[0][0] : spans[-1][1]] == text.strip()
