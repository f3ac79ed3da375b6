"""A talk is compared with only a few of many titles, among them all similar ones."""

import random

from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.parts import temporary_folder
from silverloom.ops.parse.schemas import PAPERS
from silverloom.ops.talksumm import near_titles as of_near_titles
from silverloom.ops.talksumm.near_titles import COMPARED, near_titles
from silverloom.ops.talksumm.schemas import TALKS
from silverloom.ops.talksumm.title_similarity import form
from tests.parts import dealt, parts

WORDS = [
    "parsing",
    "of",
    "neural",
    "graph",
    "models",
    "for",
    "text",
    "with",
    "talks",
    "by",
    "few",
    "words",
    "and",
    "long",
    "short",
    "memory",
    "corpora",
]


def letters(title):
    return form(title).letters


def compared(talks, papers, versions=lambda title: [title]):
    """Return, for each talk, the ids of the papers of each candidate title; and the number of titles."""
    with temporary_folder() as folder:
        listed = [{"id": f"talk-{place}", "title": title} for place, title in enumerate(talks)]
        given = parts(folder / "talks", TALKS.kept, listed[:2], listed[2:])
        known = [{"id": name, "title": title} for name, title in papers]
        near, titles = near_titles(
            given, dealt(folder / "papers", PAPERS.kept, known), letters, versions, folder / "near"
        )
        rows = [table.to_pylist() for table in near]
    assert [len(near.parts), len(rows)] == [2, 2]
    found = {row["talk_id"]: [] for of_part in rows for row in of_part}
    for row in (row for of_part in rows for row in of_part):
        found[row["talk_id"]].append([paper["id"] for paper in row["papers"]])
    return [found.get(f"talk-{place}", []) for place in range(len(talks))], titles


def test_a_small_number_of_titles_is_compared_completely_in_paper_order_with_equal_ones_merged():
    papers = [
        ("p3", "Salt"),
        ("p1", "A Model: of Talks"),
        ("p2", "a model of talks!"),
        ("p0", "..."),
        ("p4", None),
    ]
    assert compared(["Salt", "", None], papers) == ([[["p1", "p2"], ["p3"]], [], []], 2)


@given(st.integers(0, 2**32), st.integers(0, 3))
def test_among_many_titles_equal_and_nearly_equal_ones_are_compared(seed, wrong):
    chance = random.Random(seed)
    titles = [
        f"{' '.join(chance.choices(WORDS, k=8))} {chance.choice('abcdefgh')}{number}" for number in range(80)
    ]
    papers = [(f"p{number:02d}", title) for number, title in enumerate(titles)]
    copies = []
    for title in titles[:4]:
        places = chance.sample(range(len(title)), wrong)
        copies.append("".join("z" if place in places else letter for place, letter in enumerate(title)))
    found, several = compared(copies, papers)
    assert several == 80
    for number, listed in enumerate(found):
        assert [f"p{number:02d}"] in listed
        assert len(listed) <= COMPARED + 1


def test_each_version_of_a_title_has_candidates_of_its_own_and_they_come_once():
    chance = random.Random(0)
    titles = [f"{' '.join(chance.choices(WORDS, k=6))} {number}" for number in range(COMPARED + 30)]
    papers = [(f"p{number:03d}", title) for number, title in enumerate(titles)]
    [found], _ = compared(["whatever this is"], papers, lambda title: [title, titles[7], titles[9]])
    assert [listed for listed in found if listed in (["p007"], ["p009"])] == [["p007"], ["p009"]]
    assert found == sorted(found) and len({name for [name] in found}) == len(found)


def test_talks_that_are_compared_in_batches_get_the_same_titles(monkeypatch):
    chance = random.Random(0)
    papers = [(f"p{number:02d}", " ".join(chance.choices(WORDS, k=6))) for number in range(80)]
    talks = [title for _, title in papers[:5]]
    at_once = compared(talks, papers)
    monkeypatch.setattr(of_near_titles, "TALKS_AT_ONCE", 1)
    assert compared(talks, papers) == at_once


def test_a_talk_finds_its_title_by_rare_runs_when_the_limits_are_reached(monkeypatch):
    for limit in ("COMMON", "LOOKED_AT"):
        monkeypatch.setattr(of_near_titles, limit, 5)
    chance = random.Random(0)
    titles = [f"{' '.join(chance.choices(WORDS, k=8))} {chance.randbytes(4).hex()}" for _ in range(80)]
    papers = [(f"p{number:02d}", title) for number, title in enumerate(titles)]
    copies = [title.replace("a", "z", 1) for title in titles]
    found, _ = compared(copies, papers)
    assert all([f"p{number:02d}"] in listed for number, listed in enumerate(found))
    assert max(map(len, found)) < COMPARED
