"""Which papers the simulated talks are about."""

import gzip
import json

import pytest

from benchmarks.talk_simulation import TUNED, Paper, papers_of

WORDS = ["river", "garden", "engine", "letter", "window"]


def sentences(paper: str, count: int) -> list[str]:
    return [f"The {WORDS[at % 5]} of the {paper} stands near the old bridge of stone." for at in range(count)]


def unarxive(paper: str, count: int) -> dict[str, object]:
    text = " ".join(sentences(paper, count))
    section = {"section": "Introduction", "sec_number": "1", "sec_type": "section", "text": text}
    metadata = {"title": paper, "license": "CC", "versions": [], "update_date": "2023-01-01"}
    return {
        "paper_id": paper,
        "metadata": metadata,
        "abstract": {"section": "Abstract", "text": "It is old."},
        "body_text": [section],
        "bib_entries": {},
        "ref_entries": {},
    }


def scirex(paper: str, count: int) -> dict[str, object]:
    words, spans = [], []
    for sentence in [paper, "It is old .", "section : Introduction", *sentences(paper, count)]:
        spans.append([len(words), len(words) + len(sentence.split())])
        words += sentence.split()
    sections = [[0, spans[1][1]], [spans[2][0], len(words)]]
    return {"doc_id": paper, "words": words, "sections": sections, "sentences": spans}


@pytest.fixture
def data(tmp_path):
    """Five papers of arXiv, one of them short, and four of SciREX, the first of which chose the defaults."""
    assert "scirex/0" in TUNED
    assert "scirex/1" not in TUNED
    folder = tmp_path / "science_fulltext"
    folder.mkdir()
    sets = {
        "unarXive_sample": [unarxive(f"planet{at}", 50 if at == 2 else 120) for at in range(5)],
        "scirex": [scirex(f"metal{at}", 120) for at in range(4)],
    }
    for name, papers in sets.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "wt") as lines:
            lines.writelines(json.dumps(paper) + "\n" for paper in papers)
    return tmp_path


ACL = [Paper(sentences(f"house{at}", size), [0], "") for at, size in enumerate((120, 40, 130, 140, 150))]


def names(papers):
    return [paper.texts[0].split()[4] for paper in papers]


def test_as_many_papers_of_each_set_are_taken_in_turn_without_those_that_chose_the_defaults(data):
    expected = ["planet0", "metal1", "house0", "planet1", "metal2", "house2", "planet3", "metal3", "house3"]
    assert names(papers_of(data, ACL)) == expected


def test_the_same_papers_are_taken_each_time(data):
    assert papers_of(data, ACL) == papers_of(data, ACL)
