"""Targets of articles, and natural texts cut where their normalised form is cut."""

from hypothesis import given
from hypothesis import strategies as st

from ops.text.word_numbers import normalised
from ops.text.words import fold
from ops.wikisum.targets import Target, beginning, target_of

UNIT = {
    "lead": "a lead .",
    "natural_lead": "A lead.",
    "sections": [
        {"title": "use", "text": "b .", "natural_title": "Use", "natural": "B."},
        {"title": "past", "text": "c , d .", "natural_title": "Past", "natural": "C,\n\nd."},
    ],
}

TEXT = st.lists(
    st.sampled_from(["The", "İs", "sea", "Σς", "é", "3.5", "--", ",", "\n\n", " "]), max_size=12
).map(" ".join)


def test_an_article_is_its_lead_and_its_sections_with_their_headings():
    assert target_of(UNIT, "lead") == Target("a lead .", "A lead.")
    assert target_of(UNIT, "article") == Target(
        "a lead . == use == b . == past == c , d .", "A lead.\n\n== Use ==\n\nB.\n\n== Past ==\n\nC,\n\nd."
    )
    assert target_of({**UNIT, "lead": "", "natural_lead": ""}, "article") == Target("", "")


@given(TEXT, st.integers(0, 60))
def test_a_natural_text_is_cut_where_its_normalised_form_is(text, length):
    prefix = normalised(text)[:length].rstrip()
    size = len(prefix.replace(" ", ""))
    found = beginning(text, prefix)
    assert text.startswith(found)
    slow = [
        text[:place].rstrip()
        for place in range(len(text) + 1)
        if len(normalised(text[:place]).replace(" ", "")) <= size
    ]
    assert found == slow[-1]
    assert normalised(beginning(fold(text), normalised(text))) == normalised(text)


def test_half_a_character_at_the_end_of_a_prefix_is_left_out():
    assert beginning("Salt café, and more", "salt caf\ufffd") == "Salt caf"
