"""The candidate papers of each talk: those that its metadata name, or those of the nearest titles.

Belongs here: collecting and scoring candidates. Not here: names of papers (paper_names.py), titles that may
be near (near_titles.py), the similarity of two titles (title_similarity.py), choosing a paper (pairing.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.talksumm.near_titles import near_titles
from silverloom.ops.talksumm.paper_names import PAPER, papers_named
from silverloom.ops.talksumm.schemas import MATCHES
from silverloom.ops.talksumm.talk_titles import bare_titles
from silverloom.ops.talksumm.title_similarity import Titles, form

CANDIDATES = 3


def matches(talks: Parts, papers: Parts) -> Outcomes:
    """Yield for each talk its candidates among the papers of all months, best first.

    If the metadata of a talk name papers that are there, these are its candidates, with score 1. If the
    column `paper` names a paper that is not there, the talk has none. Every other talk has those of the
    nearest titles, among the titles found by `near_titles`; its own title is compared with and without venue,
    track and speaker. Papers with the same title (ignoring case, accents and punctuation) are one candidate.
    """
    with talks.engine.scratch() as folder:
        named = papers_named(talks, papers, folder / "named")
        near, titles = near_titles(talks, papers, _letters, _versions, folder / "near")
        yield from talks.map(match_talks, titles, beside=[near, named])


def match_talks(talks: pa.Table, near: pa.Table, named: pa.Table, titles: int) -> Outcome:
    """Return the candidates of the talks of one part, given papers of near titles, and papers by name."""
    compared: dict[str, list[Sequence[Row]]] = defaultdict(list)
    for row in near.to_pylist():
        compared[row["talk_id"]].append(row["papers"])
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in named.to_pylist():
        by_name[row["name"]].append(row)
    kept = []
    shown = unnamed = 0
    for talk in talks.select(["id", "licence", "title", "paper_names"]).to_pylist():
        columns, candidates = _named(talk["paper_names"] or (), by_name)
        if columns is None:
            candidates = _nearest_titles(talk["title"] or "", compared[talk["id"]])
            shown, unnamed = shown + len(candidates), unnamed + 1
        kept.append(_row(talk, columns, candidates))
    farther = {"titles_stored": shown, "titles_farther_off": unnamed * titles - shown}
    return Outcome.of(MATCHES, talks["id"].to_pylist(), kept, combinations=farther)


def _named(given: Sequence[Row], by_name: Mapping[str, Sequence[Row]]) -> tuple[str | None, list[Row]]:
    """Return the columns that name papers, and the papers; (None, []) if titles are to decide."""
    named_papers = [(entry["column"], paper) for entry in given for paper in by_name.get(entry["name"], ())]
    columns = list(dict.fromkeys(column for column, _ in named_papers))
    if PAPER not in columns and any(entry["column"] == PAPER for entry in given):
        return PAPER, []
    of_title: dict[str, dict[str, str]] = defaultdict(dict)
    for _, paper in named_papers:
        of_title[_letters(paper["title"]) or paper["id"]][paper["id"]] = paper["title"]
    several = sorted(of_title.values(), key=lambda papers: min(papers))[:CANDIDATES]
    candidates: list[Row] = [
        {"title": papers[min(papers)], "score": 1.0, "paper_ids": sorted(papers)} for papers in several
    ]
    return ", ".join(columns) or None, candidates


def _versions(title: str) -> list[str]:
    return [version.title for version in bare_titles(title)]


def _letters(title: str) -> str:
    return form(title).letters


def _nearest_titles(title: str, compared: Sequence[Sequence[Row]]) -> list[Row]:
    titles = Titles([paper["title"] for papers in compared for paper in papers])
    versions = [version.weight * titles.similarities(version.title) for version in bare_titles(title)]
    scores = iter(np.max(versions, axis=0).round(6))
    best = [(max(float(next(scores)) for _ in papers), papers) for papers in compared]
    nearest = sorted(best, key=lambda pair: -pair[0])[:CANDIDATES]
    return [
        {"title": papers[0]["title"], "score": score, "paper_ids": [paper["id"] for paper in papers]}
        for score, papers in nearest
        if score > 0
    ]


def _row(talk: Row, named_by: str | None, candidates: list[Row]) -> Row:
    return {
        **made_from(talk, "match"),
        "talk_id": talk["id"],
        "talk_title": talk["title"],
        "named_by": named_by,
        "candidates": candidates,
    }
