"""Targets of articles, and natural texts cut where their normalised form is cut."""

from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.text.words import fold
from silverloom.ops.wikisum.targets import Target, beginning, target_of, targets_of

UNIT = {
    "lead": "a lead .",
    "natural_lead": "A lead.",
    "sections": [
        {"title": "use", "text": "b .", "natural_title": "Use", "natural": "B."},
        {"title": "past", "text": "c , d .", "natural_title": "Past", "natural": "C,\n\nd."},
    ],
    "sentences": [
        {"section": 0, "start": 0, "end": 7, "marks": [7], "citations": ["http://a/1"]},
        {"section": 1, "start": 0, "end": 2, "marks": [], "citations": []},
        {"section": 2, "start": 4, "end": 6, "marks": [6, 6], "citations": ["http://a/1", "http://a/2"]},
    ],
}

TEXT = st.lists(
    st.sampled_from(["The", "İs", "sea", "Σς", "é", "3.5", "--", ",", "\n\n", " "]), max_size=12
).map(" ".join)


def test_an_article_is_its_lead_and_its_sections_with_their_headings():
    lead, whole = target_of(UNIT, "lead"), target_of(UNIT, "article")
    assert (lead.text, lead.natural) == ("a lead .", "A lead.")
    assert whole.text == "a lead . == use == b . == past == c , d ."
    assert whole.natural == "A lead.\n\n== Use ==\n\nB.\n\n== Past ==\n\nC,\n\nd."
    assert target_of({**UNIT, "lead": "", "natural_lead": "", "sentences": []}, "article") == Target(
        "", "", []
    )


def test_sentences_are_where_the_target_has_them():
    texts = {kind: target_of(UNIT, kind) for kind in ("lead", "article")}
    assert [found["citations"] for found in texts["lead"].sentences] == [["http://a/1"]]
    target = texts["article"]
    assert [target.natural[found["start"] : found["end"]] for found in target.sentences] == [
        "A lead.",
        "B.",
        "d.",
    ]
    assert [[target.natural[:mark][-2:] for mark in found["marks"]] for found in target.sentences] == [
        ["d."], [], ["d.", "d."]
    ]  # fmt: skip


def test_an_article_has_a_target_for_each_section_and_an_outline():
    use, past = targets_of(UNIT, "section")
    assert (use.text, use.natural, use.section, use.heading) == ("b .", "B.", 1, "Use")
    assert (past.section, past.heading) == (2, "Past")
    assert [past.natural[found["start"] : found["end"]] for found in past.sentences] == ["d."]
    [outline] = targets_of(UNIT, "outline")
    assert (outline.text, outline.natural) == ("== use == == past ==", "== Use ==\n== Past ==")
    assert (
        targets_of({**UNIT, "sections": []}, "section")
        == targets_of({**UNIT, "sections": []}, "outline")
        == []
    )
    assert targets_of(UNIT, "lead") == [target_of(UNIT, "lead")]


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
