"""Sections as targets: natural text, sentences, and what these cite."""

from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum.sections import sections_of
from tests.ops.wikisum.encyclopedia import article

URLS = ("http://a/1#top", "http://a/2")


def cited(lead, sections, *marks):
    """An article; marks are texts that references stand behind, each with the places of what they cite."""
    found = article("Bread", lead, sections, URLS)
    places = [(found["text"].index(text) + len(text), list(urls)) for text, urls in marks]
    return {**found, "marks": [{"place": place, "citations": urls} for place, urls in places]}


def test_a_sentence_has_the_references_behind_its_words():
    bread = cited(
        "Bread is flat, they say. It is salt.\n\nIt is sold.",
        [("Use", "It is eaten.")],
        ("flat,", [0]),
        ("say.", []),
        ("say.", [1, 0]),
        ("It is eaten.", [1]),
    )
    lead, use = sections_of(bread, 0)
    assert (lead.title, lead.natural) == ("", "Bread is flat, they say. It is salt.\n\nIt is sold.")
    assert [(lead.natural[found.start : found.end], found.citations) for found in lead.sentences] == [
        ("Bread is flat, they say.", ["http://a/1", "http://a/2"]),
        ("It is salt.", []),
        ("It is sold.", []),
    ]
    assert [lead.natural[:place] for place in lead.sentences[0].marks] == [
        "Bread is flat,", "Bread is flat, they say.", "Bread is flat, they say.",
    ]  # fmt: skip
    assert (use.title, use.natural) == ("Use", "It is eaten.")
    assert use.sentences == [(0, 12, [12], ["http://a/2"])]


def test_a_reference_before_the_first_word_belongs_to_the_first_sentence():
    bread = cited("Bread is flat.", [("Use", "It is eaten. It is sold.")], ("\n\n", [1]))
    _, use = sections_of(bread, 0)
    assert [(found.marks, found.citations) for found in use.sentences] == [([0], ["http://a/2"]), ([], [])]


def test_references_of_a_sentence_that_is_left_out_go_with_it():
    bread = cited("Bread was baked in. It is flat.", [], ("in.", [0]), ("flat.", [1]))
    bread["holes"] = [bread["text"].index(".")]
    [lead] = sections_of(bread, 0)
    assert lead.natural == "It is flat."
    assert lead.sentences == [(0, 11, [11], ["http://a/2"])]
    assert lead.left_out == [{"section": 0, "holes": 1, "text": "Bread was baked in."}]


@given(
    st.lists(st.sampled_from(["It is flat.", "Salt!", " ", "  ", "\n\n", "e.g. 3.5 (”", "“A.”"])).map("".join)
)
def test_the_sentences_are_the_text(text):
    [lead] = sections_of(article("Bread", text.strip()), 0)
    assert normalised(lead.natural) == normalised(text)
    bare = [lead.natural[found.start : found.end] for found in lead.sentences]
    assert "".join("".join(bare).split()) == "".join(text.split())


def test_items_of_lists_are_paragraphs_where_they_are_wanted():
    bread = cited("Bread is flat.", [("Kinds", "It has kinds:\n\nAll are sold."), ("references", "")])
    ends = {text: bread["text"].index(text) + len(text) for text in ("flat.", "kinds:")}
    bread["lists"] = [
        {"section": 0, "place": 0, "text": "first", "holes": 0},
        {"section": 1, "place": ends["kinds:"], "text": "salt bread", "holes": 0},
        {"section": 1, "place": ends["kinds:"], "text": "of", "holes": 1},
        {"section": 1, "place": len(bread["text"]), "text": "rye bread", "holes": 0},
        {"section": 2, "place": len(bread["text"]), "text": "A book", "holes": 0},
    ]
    lead, kinds, references = sections_of(bread, 0, lists=True)
    assert (lead.natural, references.natural) == ("* first\n\nBread is flat.", "")
    assert kinds.natural == "It has kinds:\n\n* salt bread\n\nAll are sold.\n\n* rye bread"
    assert kinds.left_out == [{"section": 1, "holes": 1, "text": "* of"}]
    assert [kinds.natural[found.start : found.end] for found in kinds.sentences] == kinds.natural.split(
        "\n\n"
    )
    assert [section.natural for section in sections_of(bread, 0)] == [
        "Bread is flat.", "It has kinds:\n\nAll are sold.", "",
    ]  # fmt: skip
