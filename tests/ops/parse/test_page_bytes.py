"""The encoding of web pages that declare none, or a wrong one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.encodings import guessed
from silverloom.ops.parse.page_bytes import html_text

WESTERN = [
    "Jalape\u00f1o sauce is hot in the town.",
    "El ni\u00f1o comi\u00f3 una pi\u00f1a en Le\u00f3n.",
    "Le caf\u00e9 o\u00f9 j\u2019\u00e9tais est tr\u00e8s \u00e0 la mode, \u00e7a va de soi.",
    "Die Br\u00fccke f\u00fchrt \u00fcber den Flu\u00df nach K\u00f6ln.",
    "\u00d8l er godt p\u00e5 sm\u00f8rrebr\u00f8d, synes b\u00f8rn.",
    "\u00c4nnu en g\u00e5ng \u00e5kte vi \u00f6ver \u00e5n.",
    "A\u00e7\u00e3o e emo\u00e7\u00e3o s\u00e3o irm\u00e3s.",
    "Perch\u00e9 la citt\u00e0 \u00e8 cos\u00ec bella?",
    "H\u00e4n ly\u00f6 p\u00f6yt\u00e4\u00e4n.",
    "It\u2019s \u201cold\u201d \u2013 5 \u20ac.",
]
#: Languages, their encodings and two sentences, by lines.
_LINES = Path(__file__).with_name("languages.txt").read_text("utf-8").splitlines()
LANGUAGES = [
    pytest.param(encoding, text, id=f"{language}, {encoding}, {len(text)}")
    for language, encodings, whole in (line.split(" | ") for line in _LINES)
    for encoding in encodings.split()
    for text in (whole, whole[20:80])
]
ENGLISH = "The river rises in the mountains and flows past twenty old mills. "

plain = st.lists(st.sampled_from(["The mill is old.", "<b>Who</b> built it?", "x<br>"]), max_size=5).map(
    " ".join
)


@pytest.mark.parametrize("sentence", WESTERN)
@given(st.integers(1, 5), plain, st.sampled_from(["", "text/html; charset=utf-8"]))
def test_western_letters_of_an_undeclared_page_come_back_whole(sentence, times, before, content_type):
    text = f"<p>{before} {sentence * times}</p>"
    assert html_text(text.encode("cp1252"), content_type) == (text, "cp1252")


@pytest.mark.parametrize(("encoding", "text"), LANGUAGES)
@given(plain, plain, st.sampled_from(["", "text/html; charset=utf-8"]))
def test_a_page_of_any_language_comes_back_whole(encoding, text, before, after, content_type):
    page = f"<p>{before} {text} {after}</p>"
    assert html_text(page.encode(encoding), content_type)[0] == page


@pytest.mark.parametrize(("encoding", "text"), LANGUAGES)
def test_a_passage_within_a_page_of_english_comes_back_whole(encoding, text):
    page = f"<h1>Mills</h1><p>{ENGLISH * 20}</p><p>{text}</p><p>{ENGLISH * 20}</p>"
    assert html_text(page.encode(encoding))[0] == page


@pytest.mark.parametrize(("encoding", "text"), LANGUAGES)
def test_a_text_of_any_language_is_guessed_like_a_page(encoding, text):
    assert guessed(text.encode(encoding)) == (text, html_text(text.encode(encoding))[1])


@pytest.mark.parametrize("encoding", ["cp1250", "iso8859-2"])
@pytest.mark.parametrize("words", ["Zażółć gęślą jaźń", "Lech Wałęsa", "Antonín Dvořák", "Škoda"])
def test_a_few_words_within_a_page_of_english_come_back_whole(encoding, words):
    page = f"<p>{ENGLISH * 9}</p><p>{words}</p><p>{ENGLISH * 9}</p>"
    assert html_text(page.encode(encoding))[0] == page
