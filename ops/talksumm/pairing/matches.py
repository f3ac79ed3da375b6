"""Score the titles of all papers against each talk's: the evidence that pairs are chosen by.

Belongs here: the nearest titles of every talk, with scores. Not here: how alike two titles are
(titles.py), and which match is good enough (pairs.py): to move a threshold compares no title again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pyarrow as pa

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parts import Parts
from ops.talksumm.pairing.titles import Titles
from ops.talksumm.schemas import MATCHES

CANDIDATES = 3


def match_talks(talks: pa.Table, papers: Parts) -> Outcome:
    """Return for each talk its nearest titles among the papers of all months, best first.

    Papers of one title (but for case, accents and punctuation) are one candidate. A talk that no title is
    like at all keeps an empty list.
    """
    known = papers.read(["id", "title"]).sort_by("id").to_pylist()
    titles = Titles([paper["title"] or "" for paper in known])
    alike: dict[str, list[int]] = defaultdict(list)
    for index, form in enumerate(titles.forms):
        if form.letters:  # a title without letters or digits is no title
            alike[form.letters].append(index)
    groups = list(alike.values())
    listed = talks.select(["id", "licence", "title"]).to_pylist()
    kept = [_row(talk, _nearest(talk["title"] or "", known, titles, groups)) for talk in listed]
    shown = sum(len(row["candidates"]) for row in kept)
    compared = {"titles_stored": shown, "titles_farther_off": len(listed) * len(groups) - shown}
    return Outcome.of(MATCHES, talks["id"].to_pylist(), kept, combinations=compared)


def _nearest(title: str, known: Sequence[Row], titles: Titles, groups: Sequence[Sequence[int]]) -> list[Row]:
    scores = titles.similarities(title)
    best = ((float(max(scores[index] for index in group)), group) for group in groups)
    nearest = sorted(best, key=lambda pair: (-pair[0], pair[1]))[:CANDIDATES]
    return [
        {
            "title": known[group[0]]["title"],
            "score": score,
            "paper_ids": [known[index]["id"] for index in group],
        }
        for score, group in nearest
        if score > 0
    ]


def _row(talk: Row, candidates: list[Row]) -> Row:
    return {
        "id": row_id("match", talk["id"]),
        "source_ids": [talk["id"]],
        "licence": talk["licence"],
        "talk_id": talk["id"],
        "talk_title": talk["title"],
        "candidates": candidates,
    }
