"""Single scores: language, personal data, quality."""

import importlib
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.filters.language import languages
from silverloom.ops.filters.personal_data import MASKS, counts, masked, personal_data
from silverloom.ops.filters.quality import RULES, measures

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "ru")


def sentences_of(language):
    return importlib.import_module(f"spacy.lang.{language}.examples").sentences


def test_short_sentences_of_ten_languages_are_distinguished():
    texts = [(language, text) for language in LANGUAGES for text in sentences_of(language)]
    found = languages([text for _, text in texts], "en")
    right = sum(score.likeliest == language for score, (language, _) in zip(found, texts, strict=True))
    assert right >= 0.95 * len(texts)
    assert [score.likeliest == "en" for score in found] == [language == "en" for language, _ in texts]


def test_a_text_without_letters_has_no_language():
    assert languages(["12, 34!", ""], "en") == [(None, None), (None, None)]


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'english' is not known; known: .*en"):
        languages(["text"], "english")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to gwen.pryce+mill@corrow.example.org.", {"emails": 1}),
        ("An at-sign alone @corrow is none.", {}),
        ("From 8.8.8.8 to 192.168.0.1 and 127.0.0.1.", {"network_addresses": 1}),
        ("From 2001:4860:4860::8888 to fe80::1.", {"network_addresses": 1}),
        ("Version 1.2.3.4.5 at 12:30:15 is no address.", {}),
        ("Call (212) 555-2368 or +44 20 7946 0958.", {"telephones": 2}),
        ("Card 4111 1111 1111 1111, and 4111 1111 1111 1112.", {"credit_cards": 1}),
        ("In 1841, 1842 and 1903 it cost 12,000.", {}),
    ],
)
def test_personal_data_are_found(text, expected):
    assert counts(text, "US") == dict.fromkeys(MASKS, 0) | expected


def test_masks_replace_personal_data():
    text = "Ask ann@b.org at 8.8.8.8."
    assert masked(text, None) == "Ask email@example.com at 192.0.2.1."
    assert masked("Nobody is here.", "US") == "Nobody is here."


@given(
    st.lists(st.sampled_from(["a@b.org", "8.8.8.8", "+1 212 555 2368", "4111111111111111", " ", "x", "."]))
)
def test_personal_data_never_overlap(pieces):
    found = personal_data("".join(pieces), "US")
    assert all(one.end <= other.start for one, other in pairwise(found))


ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
EMAIL = re.compile(rf"\b{ATOM}(?:\.{ATOM})*@(?:{LABEL}\.)+{LABEL}")


@given(st.text(st.sampled_from("ab9.@-+ \u00e9_"), max_size=40))
def test_addresses_are_those_that_datatrove_finds(text):
    found = [(datum.start, datum.end) for datum in personal_data(text, None) if datum.kind == "emails"]
    assert found == [match.span() for match in EMAIL.finditer(text)]


def test_addresses_respect_the_length_limits():
    assert counts(f"Write to {'a' * 64}@b.org.", None)["emails"] == 1
    assert counts(f"Write to {'a' * 65}@b.org.", None)["emails"] == 0


@pytest.mark.parametrize("text", ["a." * 300_000 + " @", "a@" * 300_000, "a@b.org " * 75_000, "a!" * 300_000])
def test_personal_data_of_hostile_texts_are_counted(text):
    """Quadratic work on them takes hours: the limit of every test ends it."""
    assert len(list(personal_data(text, None))) in (0, text.count("b.org"))


GOOD = (
    "The tide mill at Corrow is one of four working mills that have stood to this day, and it is open.\n"
    "It stands on a dam of grey stone, which monks built before the town had a wall or a market.\n"
    "The rising water fills a pond behind the gates, and the miller waits until the tide has turned.\n"
)


def breaks(text):
    """The rules that a text violates."""
    return {name for name, value in measures(text).items() if not RULES[name].keeps(value, RULES[name].bound)}


def test_running_text_meets_every_rule():
    assert breaks(GOOD) == set()


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Too short to be of use.", {"gopher_words"}),
        (GOOD + "# " * 30, {"gopher_hashes", "gopher_alphabetic"}),
        (GOOD + "… " * 30, {"gopher_ellipses", "gopher_alphabetic"}),
        ("\n".join(f"- {line}" for line in GOOD.splitlines()), {"gopher_bullets"}),
        ("\n".join(f"{line}.." for line in GOOD.splitlines()), {"gopher_line_ellipses"}),
        (GOOD.replace(".\n", " and\n"), {"fineweb_line_ends"}),
    ],
)
def test_debris_breaks_the_rule_made_for_it(text, rules):
    assert rules <= breaks(text)
    assert breaks(text) - rules <= {name for name in RULES if "most_frequent" in name or "repeated" in name} | {
        "gopher_stop_words", "fineweb_short_lines", "gopher_most_word_length"
    }  # fmt: skip


def test_repeated_lines_and_runs_are_measured():
    found = measures("one two three four five six\n" * 4)
    assert found["gopher_repeated_lines"] == 0.75
    assert found["gopher_repeated_line_characters"] == found["fineweb_repeated_line_characters"] == 0.75
    assert found["gopher_repeated_5"] == 1.0
    assert found["gopher_most_frequent_2"] == round(4 * len("threefour") / (4 * 22), 4)


def test_an_empty_text_is_measured_too():
    assert set(measures("").values()) == {0.0}
