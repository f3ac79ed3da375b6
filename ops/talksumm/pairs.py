"""Pair each talk with the paper that it presents, by title.

Belongs here: which match is good enough and clear enough, and what goes into a pair.
Not here: how alike two titles are (titles.py), which sentences a paper has (states.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Row, drop
from ops.params import Params
from ops.parts import Parts
from ops.schemas import PAIRS
from ops.talksumm.titles import Titles

_SENTENCE_COLUMNS = ("id", "paper_id", "position", "section_title", "role", "text")


class PairParams(Params, section="talksumm.pairs"):
    """When a paper's title is near enough to a talk's.

    Measured with 5,805 copies of 600 of the 18,224 titles of the ACL Anthology, noise of typing, scanning and
    recognition simulated: at the defaults all exact and unpunctuated copies find their paper, 97 of 100 bare
    main titles (the rest are ambiguous), 98 with 8 % of the characters misread, 91 with 20 % of the words
    misheard; none finds another paper. With the paper taken away, 8 of 1,000 exact titles find a wrong one,
    and 29 of 1,000 bare main titles.
    """

    threshold: float = Field(
        default=0.78, gt=0, le=1, description="least title similarity, 0 to 1, of a talk and its paper"
    )
    margin: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="least lead of the best title over the second-best; a smaller one is ambiguous",
    )


class _Match(NamedTuple):
    """The best title for a talk."""

    papers: Sequence[int]
    """All papers of that title, in the order of their ids."""
    score: float
    runner_up: float | None
    """The best score of another title, if there is one."""
    detail: str


def pair_talks(talks: pa.Table, papers: Parts, sentences: Parts, params: PairParams) -> Outcome:
    """Return the talks with their papers' sentences; talks without a clear paper are dropped.

    Papers of all months are candidates. Papers of one title (but for case, accents and punctuation) are
    one candidate: those without sentences do not count, and if the rest have the same sentences, the one
    with the lowest id is taken; if not, the talk is ambiguous.
    """
    candidates = papers.read(["id", "title", "month", "licence"]).sort_by("id").to_pylist()
    titles = Titles([paper["title"] or "" for paper in candidates])
    alike = defaultdict(list)
    for index, form in enumerate(titles.forms):
        alike[form.letters].append(index)

    dropped: list[Row] = []
    matches: list[tuple[Row, _Match]] = []
    for talk in talks.to_pylist():
        match = _match(talk["title"] or "", candidates, titles, alike)
        if match is None:
            dropped.append(drop(talk, "unmatched", 0.0, "no paper has a title at all like it"))
        elif match.score < params.threshold:
            dropped.append(drop(talk, "unmatched", match.score, match.detail))
        elif match.runner_up is not None and not _clear(match.score, match.runner_up, params.margin):
            dropped.append(drop(talk, "ambiguous", match.score, match.detail))
        else:
            matches.append((talk, match))

    wanted = {candidates[index]["id"] for _, match in matches for index in match.papers}
    texts = _sentences(sentences, wanted)
    kept: list[Row] = []
    for talk, match in matches:
        found = [candidates[index] for index in match.papers if texts[candidates[index]["id"]]]
        versions = {tuple(row["text"] for row in texts[paper["id"]]) for paper in found}
        if not versions:
            dropped.append(drop(talk, "paper_without_sentences", match.score, match.detail))
        elif len(versions) > 1:
            names = ", ".join(paper["id"] for paper in found)
            detail = f"{match.detail}; papers of this title differ in text: {names}"
            dropped.append(drop(talk, "ambiguous", match.score, detail))
        else:
            kept.append(_pair(talk, found[0], match, texts[found[0]["id"]]))
    return Outcome.of(PAIRS, talks["id"].to_pylist(), kept, dropped)


def _match(
    title: str, candidates: Sequence[Row], titles: Titles, alike: Mapping[str, Sequence[int]]
) -> _Match | None:
    scores = titles.similarities(title)
    scores[list(alike.get("", ()))] = 0  # a title without letters or digits is no title
    best = int(scores.argmax()) if len(scores) else 0
    if not len(scores) or scores[best] == 0:
        return None
    same = alike[titles.forms[best].letters]
    others = scores.copy()
    others[list(same)] = -1
    rival = int(others.argmax())
    detail = f"best: {candidates[best]['title']!r} ({scores[best]:.3f})"
    if others[rival] < 0:
        return _Match(same, float(scores[best]), None, detail)
    detail += f", next: {candidates[rival]['title']!r} ({others[rival]:.3f})"
    return _Match(same, float(scores[best]), float(others[rival]), detail)


def _clear(score: float, runner_up: float, margin: float) -> bool:
    lead = np.round(score - runner_up, 6)
    return bool(lead >= margin and lead > 0)


def _sentences(sentences: Parts, papers: Collection[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the sentences of some papers, each paper's in its order."""
    texts: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    if not papers:
        return texts
    table = sentences.read(_SENTENCE_COLUMNS, where=("paper_id", papers))
    for row in table.sort_by([("position", "ascending"), ("id", "ascending")]).to_pylist():
        texts[row["paper_id"]].append(row)
    return texts


def _pair(talk: Row, paper: Row, match: _Match, sentences: Sequence[Row]) -> Row:
    pair = row_id("pair", talk["id"], paper["id"])
    return {
        "id": pair,
        "source_ids": [talk["id"], paper["id"]],
        "licence": joint_licence([talk["licence"], paper["licence"]]),
        "talk_id": talk["id"],
        "paper_id": paper["id"],
        "talk_title": talk["title"],
        "paper_title": paper["title"],
        "paper_month": paper["month"],
        "score": match.score,
        "runner_up": match.runner_up,
        "words": talk["words"],
        "sentences": [
            {
                "id": row_id("state", pair, sentence["id"]),
                "sentence_id": sentence["id"],
                "position": sentence["position"],
                "section_title": sentence["section_title"],
                "role": sentence["role"],
                "text": sentence["text"],
            }
            for sentence in sentences
        ],
    }
