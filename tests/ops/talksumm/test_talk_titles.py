"""A talk finds its paper whatever a conference or a video site writes around the title."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.talksumm.talk_titles import GUESS, LONGEST, VAGUE, bare_titles
from silverloom.ops.talksumm.title_similarity import similarity

ATTENTION = "Attention Is All You Need"
VECTOR = "What you can cram into a single vector: Probing sentence embeddings for linguistic properties"


def best(title, paper):
    """Return the greatest similarity of a talk's title, as it is and bare, to a paper's title."""
    return max(version.weight * similarity(version.title, paper) for version in bare_titles(title))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", " | Oral | NeurIPS 2017"),
        ("NIPS 2017: ", ""),
        ("[NIPS 2017] ", ""),
        ("", " (NeurIPS 2017 Oral)"),
        ("", " (Long Paper, ACL 2018, Melbourne)"),
        ("ACL 2018 - Session 3A: ", ""),
        ("NeurIPS 2017 ", ""),
        ("", ", NIPS 2017"),
        ("", " at ICML'18"),
        ("Long Paper #123 | ", ""),
        ("EMNLP'18: ", ""),
        ("NAACL-HLT 2019 Best Paper: ", ""),
        ("", " [Best Paper Award]"),
        ("Poster 12: ", ""),
        ("", " — talk at ICLR 2019"),
        ("", " @ NeurIPS"),
        ("Main Conference · Session 2 · ", ""),
        ("Proceedings of ACL 2018 // ", " // video"),
        ("", " - ICML 2018 - Invited Talk"),
    ],
)
@pytest.mark.parametrize("paper", [ATTENTION, VECTOR])
def test_venue_year_and_track_do_not_count(before, after, paper):
    assert best(f"{before}{paper}{after}", paper) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ashish Vaswani: ", ""),
        ("Vaswani et al.: ", ""),
        ("", " by Ashish Vaswani"),
        ("", " - Ashish Vaswani, Google Brain - NIPS 2017"),
        ("Jane Doe and John Q. Public | ", ""),
        ("Oral Session 2 · ", " · Ashish Vaswani (Google)"),
        ("AI Seminar | ", " | Google"),
        ("NIPS 2017 | Ashish Vaswani | ", ""),
        ("", ", presented by Jan van der Berg"),
        ("Dr. Ana de la Cruz — ", " — EMNLP 2019"),
        ("ACL 2018, Melbourne - Ana Cruz and Bo Li - ", ""),
    ],
)
@pytest.mark.parametrize("paper", [ATTENTION, VECTOR])
def test_a_title_without_its_speaker_counts_a_little_less(before, after, paper):
    assert best(f"{before}{paper}{after}", paper) == GUESS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Presentation of ", ""),
        ("P18-1001: ", ""),
        ("[P18-1001] ", ""),
        ("2017-12-05 ", ""),
        ("", " (12-minute video)"),
        ("[FAIR] ", ""),
        ("", " explained"),
        ("", " (Vaswani et al., 2017)"),
        ("NLP with Friends: ", ""),
        ("Vaswani, Shazeer: ", ""),
        ("56th ACL, Melbourne - ", ""),
    ],
)
@pytest.mark.parametrize("paper", [ATTENTION, VECTOR])
def test_anything_else_around_a_title_leaves_a_vague_guess(before, after, paper):
    assert VAGUE <= best(f"{before}{paper}{after}", paper) < 1


def test_the_speaker_is_behind_the_last_by():
    paper = "Neural Machine Translation by Jointly Learning to Align and Translate"
    assert best(f"{paper} by A. Vaswani and N. Shazeer", paper) == GUESS


@pytest.mark.parametrize(
    "title",
    [
        ATTENTION,
        "BERT: Pre-training of Deep Bidirectional Transformers",
        "SemEval-2018 Task 4: Character Identification on Multiparty Dialogues",
        "Findings of the WMT 2018 Shared Task on Parallel Corpus Filtering",
        "Deep Learning: A Survey",
        "Parsing as Language Modeling",
        "",
        "ICML 2018",
    ],
)
def test_a_title_of_a_paper_is_only_itself(title):
    assert [version.title for version in bare_titles(title) if version.weight > VAGUE] == [title]


@given(st.text(alphabet="Abé :|-2,()[]", max_size=20) | st.text(max_size=12))
def test_the_whole_title_is_first_and_counts_most(title):
    versions = bare_titles(title)
    assert (versions[0].title, versions[0].weight) == (title.strip(), 1.0)
    assert len({version.title for version in versions}) == len(versions)
    assert all(version.title in title or "(" in title or "[" in title for version in versions)


@pytest.mark.parametrize("unit", ["a: ", "| ", "ACL 2018 ", "(x) ", "Ab Cd | ", "by A B ", "- "])
def test_a_text_that_is_too_long_for_a_title_is_only_itself(unit):
    assert len(bare_titles(unit * 100_000)) == 1
    assert len(bare_titles((unit * 200)[:LONGEST])) < LONGEST
