"""Talks find their papers by title, or are dropped with the reason and the nearest titles."""

from __future__ import annotations

import pytest

from silverloom.ops.core.identity import row_id
from silverloom.ops.parse.schemas import PAPERS, SENTENCES
from silverloom.ops.talksumm.matching import CANDIDATES, matches
from silverloom.ops.talksumm.pairing import PairParams, pairs
from silverloom.ops.talksumm.schemas import MATCHES, PAIRS, TALKS
from silverloom.ops.talksumm.title_similarity import Titles
from tests.ops.talksumm.pair_cases import paper, sentence, talk
from tests.parts import dealt, parts

PARAMS = PairParams()


@pytest.fixture
def pair(tmp_path):
    """A function that pairs talks with papers, each with one sentence unless others are given."""

    def run(talks, papers, sentences=None, params=PARAMS):
        if sentences is None:
            sentences = [sentence(one["id"], 0) for one in papers]
        given = parts(tmp_path, TALKS.kept, talks)
        known = dealt(tmp_path, PAPERS.kept, papers)
        [scored] = matches(given, known)
        assert scored.kept["talk_id"].to_pylist() == scored.units.to_pylist() == [row["id"] for row in talks]
        assert all(len(row) <= CANDIDATES for row in scored.kept["candidates"].to_pylist())
        [outcome] = pairs(
            given,
            dealt(tmp_path, MATCHES.kept, scored.kept.to_pylist()),
            known,
            dealt(tmp_path, SENTENCES.kept, sentences),
            params,
        )
        assert outcome.kept.schema == PAIRS.kept
        assert outcome.dropped.schema == PAIRS.dropped
        used = outcome.kept["talk_id"].to_pylist()
        assert sorted(used + outcome.dropped["id"].to_pylist()) == sorted(outcome.units.to_pylist())
        return outcome

    return run


def kept(outcome):
    return outcome.kept["paper_id"].to_pylist()


def reasons(outcome):
    return outcome.dropped["reason"].to_pylist()


def test_a_pair_has_everything_that_its_alignment_needs(pair):
    sentences = [sentence("p1", 2, "Third."), sentence("p1", 0, "First."), sentence("p2", 0, "Other.")]
    papers = [paper("p2", "Something else"), paper("p1", "A Model of Talks", "CC0-1.0", "2017-05")]
    (row,) = pair([talk("a model of talks")], papers, sentences).kept.to_pylist()
    name = row_id("pair", "talk-1", "p1")
    assert row == {
        "id": name,
        "source_ids": ["talk-1", "p1"],
        "licence": "CC-BY-4.0 AND CC0-1.0",
        "talk_id": "talk-1",
        "paper_id": "p1",
        "talk_title": "a model of talks",
        "paper_title": "A Model of Talks",
        "paper_month": "2017-05",
        "named_by": None,
        "similarity": 1.0,
        "words": talk("")["words"],
        "sentences": [
            {
                "id": row_id("state", name, f"sentence-p1-{position}"),
                "sentence_id": f"sentence-p1-{position}",
                "position": position,
                "section_title": "1 Introduction",
                "role": "introduction",
                "text": text,
                "holes": 0,
            }
            for position, text in [(0, "First."), (2, "Third.")]
        ],
    }


def test_a_talk_whose_paper_is_absent_is_dropped_as_unmatched_with_the_nearest_title(pair):
    outcome = pair([talk("Parsing Talks")], [paper("p1", "Passing Tasks Around"), paper("p2", "Zebra")])
    (row,) = outcome.dropped.to_pylist()
    assert row["reason"] == "unmatched"
    assert 0.5 < row["score"] < PARAMS.threshold
    assert row["detail"].startswith(f"'Passing Tasks Around' ({row['score']:.3f})")
    assert row["words"] == talk("")["words"]


def test_a_title_that_matches_two_papers_is_dropped_as_ambiguous(pair):
    papers = [
        paper("p1", "Findings of the Shared Task 2018"),
        paper("p2", "Findings of the Shared Task 2019"),
    ]
    outcome = pair([talk("Findings of the Shared Task")], papers)
    assert reasons(outcome) == ["ambiguous"]
    assert "2018" in outcome.dropped["detail"][0].as_py()
    assert "2019" in outcome.dropped["detail"][0].as_py()


GRASP = "GRASP: Rich Patterns for Argumentation Mining"
TASKS = ["Findings of the Shared Task 2018", "Findings of the Shared Task 2019"]
EGREGIOUS = "Detecting Egregious Conversations between Customers and Virtual Agents"


@pytest.mark.parametrize(
    ("title", "papers", "found"),
    [
        (
            EGREGIOUS.replace("Egregious", "we gracious").lower(),
            [EGREGIOUS, "Detecting Sarcasm in Agents"],
            "p0",
        ),
        ("Findings of the shared task 2019", TASKS, "p1"),
        ("GRASP", [GRASP, "Grammar Induction"], "p0"),
        ("Grasp!", ["GRASP", "GRASP: A Corpus of Gestures"], "p0"),
        ("Parsing talks", ["Parsing Talks", "Parsing talks."], "p0"),
        ("GRASP", [GRASP, "GRASP: A Corpus of Gestures"], "ambiguous"),
    ],
    ids=["misheard", "year", "main title", "whole title first", "one text twice", "main title of two"],
)
def test_a_title_finds_the_paper_that_a_person_would_choose(pair, title, papers, found):
    papers = [paper(f"p{number}", name) for number, name in enumerate(papers)]
    for margin in (PARAMS.margin, 0):
        outcome = pair([talk(title)], papers, params=PairParams(margin=margin))
        assert kept(outcome) + reasons(outcome) == [found]


def test_identical_titles_over_different_texts_are_ambiguous(pair):
    papers = [paper("p1", "Parsing Talks"), paper("p2", "Parsing Talks")]
    sentences = [sentence("p1", 0, "One text."), sentence("p2", 0, "Another text.")]
    outcome = pair([talk("Parsing talks")], papers, sentences)
    assert reasons(outcome) == ["ambiguous"]
    assert outcome.dropped["detail"][0].as_py().endswith("papers of this title differ in text: p1, p2")


def test_papers_without_sentences_do_not_count_among_identical_titles(pair):
    papers = [paper("p1", "Parsing Talks"), paper("p2", "Parsing Talks")]
    assert kept(pair([talk("Parsing talks")], papers, [sentence("p2", 0)])) == ["p2"]


def test_a_talk_on_a_paper_without_sentences_is_dropped(pair):
    outcome = pair([talk("Parsing talks")], [paper("p1", "Parsing Talks")], [])
    assert reasons(outcome) == ["paper_without_sentences"]
    assert outcome.dropped["score"].to_pylist() == [1.0]


def by(column, name):
    return {"column": column, "name": name}


def documented(id, title, document):
    return {**paper(id, title), "document": document}


LIBRARY = [
    documented("p1", "Parsing Talks", "P18-1001"),
    documented("p2", "Passing Tasks", "P18-1002"),
    documented("p3", "Parsing talks", "1706.03762"),
]


def test_a_paper_that_the_metadata_name_comes_before_any_title(pair):
    for column in ("paper", "doi", "anthology_id", "url"):
        outcome = pair([talk("Parsing talks", names=[by(column, "acl:p18-1002")])], LIBRARY)
        (row,) = outcome.kept.to_pylist()
        assert (row["paper_id"], row["named_by"], row["similarity"]) == ("p2", column, 1.0)


def test_names_of_two_papers_are_ambiguous_and_both_are_told(pair):
    names = [by("doi", "acl:p18-1001"), by("url", "acl:p18-1002")]
    (row,) = pair([talk("Passing tasks", names=names)], LIBRARY).dropped.to_pylist()
    assert (row["reason"], row["detail"]) == ("ambiguous", "'Parsing Talks' (1.000), 'Passing Tasks' (1.000)")


def test_a_paper_that_is_not_there_is_not_replaced_by_one_of_a_similar_title(pair):
    (row,) = pair(
        [talk("Passing tasks", names=[by("paper", "document:p18-1003")])], LIBRARY
    ).dropped.to_pylist()
    assert row["reason"] == "no_such_paper"
    assert row["detail"] == "no paper is called 'p18-1003', as the column paper of its metadata says"


def test_other_names_that_no_paper_has_leave_the_choice_to_the_title(pair):
    outcome = pair([talk("Passing tasks", names=[by("doi", "doi:10.1_1")])], LIBRARY)
    assert kept(outcome) == ["p2"] and outcome.kept["named_by"].to_pylist() == [None]


def test_a_name_decides_between_papers_of_one_title(pair):
    sentences = [sentence("p1", 0, "One text."), sentence("p3", 0, "Another text.")]
    assert reasons(pair([talk("Parsing talks")], LIBRARY, sentences)) == ["ambiguous"]
    named = talk("Parsing talks", names=[by("url", "arxiv:1706.03762")])
    assert kept(pair([named], LIBRARY, sentences)) == ["p3"]


@pytest.mark.parametrize("written", ["ACL 2018 | Oral | Passing Tasks On", "Ada Lovelace: Passing Tasks On"])
def test_a_title_with_venue_or_speaker_finds_its_paper_among_many(pair, written):
    papers = [
        paper(f"p{number:02d}", f"On the Parsing of {chr(97 + number % 26)}{number}") for number in range(80)
    ]
    assert kept(pair([talk(written)], [*papers, paper("q", "Passing Tasks On")])) == ["q"]


def test_two_talks_may_present_one_paper(pair):
    talks = [talk("Parsing talks"), talk("PARSING TALKS", id="talk-2")]
    assert kept(pair(talks, [paper("p1", "Parsing Talks")])) == ["p1", "p1"]


@pytest.mark.parametrize("papers", [[], [paper("p1", None)], [paper("p1", ""), paper("p2", "***")]])
def test_papers_without_titles_match_no_talk(pair, papers):
    talks = [talk("Parsing talks"), talk("???", id="talk-2"), talk(None, id="talk-3")]
    assert reasons(pair(talks, papers)) == ["unmatched"] * 3


def test_no_talks_give_no_pairs(pair):
    assert len(pair([], [paper("p1", "Parsing Talks")]).units) == 0


def test_the_order_of_papers_and_parts_does_not_matter(pair):
    papers = [paper(f"p{index}", f"Parsing Talks of Kind {'abcdef'[index]}") for index in range(6)]
    talks = [talk("Parsing talks"), talk("Parsing talks of kind c", id="talk-2")]
    one, other = pair(talks, papers), pair(talks, papers[::-1])
    assert one.kept.equals(other.kept)
    assert one.dropped.equals(other.dropped)


def test_each_talk_is_compared_with_all_titles_once(pair, monkeypatch):
    papers = [
        paper(f"p{index}", f"The {index}th way of parsing talks: a study of it") for index in range(20_000)
    ]
    compared = []
    similarities = Titles.similarities
    monkeypatch.setattr(
        Titles, "similarities", lambda titles, title: compared.append(title) or similarities(titles, title)
    )
    outcome = pair([talk("The 777th way of parsing talks", f"talk-{n}") for n in range(20)], papers, [])
    assert outcome.dropped.num_rows == 20
    assert len(compared) <= 2 * 20
