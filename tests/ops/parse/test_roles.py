"""Section roles from headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.roles import ROLES, Heading, role_of, roles_of


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Abstract", "abstract"),
        ("MATERIALS AND METHODS", "method"),
        ("2 Materials and experimental methods", "method"),
        ("2.1 Materials", "data"),
        ("1 Introduction", "introduction"),
        ("I. INTRODUCTION", "introduction"),
        ("2.1. Related Work", "related work"),
        ("Comparison to Previous Work", "related work"),
        ("Background and Notation", "background"),
        ("3.1 Corpus", "data"),
        ("Data-driven parsing", "method"),
        ("Our Approach", "method"),
        ("Experimental Setup", "method"),
        ("4 Experiments", "result"),
        ("Results and Discussion", "result"),
        ("4.3 Classification Results", "result"),
        ("Semi-supervised Parsing Experiments.", "result"),
        ("Cross-dataset evaluation", "result"),
        ("Discussion of Results", "discussion"),
        ("Data and Evaluation", "data"),
        ("Discussion and Conclusion", "discussion"),
        ("Conclusion and Future Work", "conclusion"),
        ("Summary", "conclusion"),
        ("Acknowledgements.", "acknowledgments"),
        ("7 ACKNOWLEDGMENT", "acknowledgments"),
        ("References", "references"),
        ("Notes and references", "references"),
        ("References and Notes", "references"),
        ("Literature Cited", "references"),
        ("Literature", "references"),
        ("Literature Review", "related work"),
        ("Literature search", "method"),
        ("R EFERENCES", "references"),
        ("1 I NTRODUCTION", "introduction"),
        ("3 A NALYSIS OF R ESULTS", "result"),
        ("A METHOD", "method"),
        ("Appendix B: Proofs", "appendix"),
        ("Preamble", "preamble"),
        ("ORANGE", "other"),
        ("", "other"),
    ],
)
def test_a_heading_determines_its_role(title, role):
    assert role_of(title) == role


def roles(*titles: str) -> list[str]:
    return roles_of([Heading(title) for title in titles])


def test_a_subsection_without_a_role_inherits_its_parents():
    assert roles("2 Related Work", "2.1 Neural things", "2.1.1 More things", "2.2 Corpora") == [
        "related work", "related work", "related work", "data",
    ]  # fmt: skip
    assert roles("2 Related Work", "3 Zebra", "3.1 Stripes") == ["related work", "other", "other"]


def test_levels_determine_parents_if_there_are_no_numbers():
    headings = [Heading("Related Work", 1), Heading("Neural things", 2), Heading("Zebra", 1)]
    assert roles_of(headings) == ["related work", "related work", "other"]


def test_lettered_sections_are_inside_roman_ones_and_after_the_conclusion_are_appendices():
    assert roles("II. RELATED WORK", "A. Zebras", "III. METHOD", "A. Zebras") == [
        "related work", "related work", "method", "method",
    ]  # fmt: skip
    assert roles("5 Conclusion", "References", "A Data", "A.1 Zebras") == [
        "conclusion", "references", "appendix", "appendix",
    ]  # fmt: skip


def test_the_first_section_without_a_role_is_the_introduction():
    assert roles("1 Zebras", "1 Zebras") == ["introduction", "other"]
    assert roles("1 Introduction", "1 Zebras") == ["introduction", "other"]
    assert roles("1.", "2.") == ["introduction", "other"]


def test_front_matter_is_the_preamble_but_a_paper_without_headings_is_not():
    assert roles("", "1 Introduction", "") == ["preamble", "introduction", "other"]
    assert roles("Abstract", "", "1 Introduction") == ["abstract", "preamble", "introduction"]
    assert roles("") == ["other"]
    assert roles("Abstract", "") == ["abstract", "other"]


@given(st.lists(st.text(max_size=30)))
def test_every_section_gets_a_known_role(titles):
    found = roles(*titles)
    assert len(found) == len(titles)
    assert set(found) <= set(ROLES)
