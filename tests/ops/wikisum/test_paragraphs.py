"""The paragraph filter, as in the released code."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum import keep_paragraph
from silverloom.ops.wikisum.ranked import paragraph_fault

TEXT = st.lists(st.sampled_from(["The", "sea", "is", "3", "é", ",", ".", "...", "a.b"]), max_size=14).map(
    " ".join
)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "few_tokens"),
        ("Home | About | Us", "few_tokens"),
        ("The sea is salt.", "few_tokens"),  # 5 tokens
        ("1 2 3 4 5 6 7 .", "no_letter"),
        ("море солёное и очень большое, правда.", "no_letter"),
        ("The sea is salt and very large", "no_sentence"),
        ("a . b . c . d . e .", "no_sentence"),
        ("The sea, 3.5 km, 4.", "no_sentence"),
        ("The sea is very salt.", None),
        ("Ltd. The sea is very salt.", None),
        ("x 1 2 sea salt. y", None),
        ("x 1 2 3 4 . sea salt big .", None),
    ],
)
def test_a_paragraph_is_dropped_for_its_reason(text, fault):
    assert paragraph_fault(normalised(text)) == fault
    assert keep_paragraph(text) == (fault is None)


def released(text):
    tokens = text.split()
    if len(tokens) < 6 or not re.search(r"[A-Za-z]+", text):
        return False
    last = words = 0
    for place, token in enumerate(tokens):
        if token == ".":
            if place - last > 3 and words >= 3:
                return True
            last, words = place, 0
        if re.match(r"^[A-Za-z]*$", token):
            words += 1
    return False


@given(TEXT)
def test_the_filter_equals_one_written_directly_from_its_description(text):
    assert keep_paragraph(text) == released(normalised(text))
