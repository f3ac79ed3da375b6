"""Pair each talk with the paper that it presents, by title.

Belongs here: which match is good enough and clear enough, and what goes into a pair.
Not here: scoring titles (matches.py), which sentences are states (alignments.py).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Row, drop
from ops.params import Params
from ops.parts import Parts
from ops.talksumm.schemas import PAIRS
from ops.thresholds import at_least, scored

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


def pair_talks(
    talks: pa.Table, matches: Parts, papers: Parts, sentences: Parts, params: PairParams
) -> Outcome:
    """Return the talks with their papers' sentences; talks without a clear paper are dropped.

    `matches` has the scores. Of papers with one title (but for case, accents and punctuation) those without
    sentences do not count, and if the rest have the same sentences, the one with the lowest id is taken; if
    not, the talk is ambiguous. Raises KeyError for a talk that is not in `matches`.
    """
    ids = talks["id"].to_pylist()
    candidates = _candidates(matches, ids)
    dropped: list[Row] = []
    chosen: list[tuple[Row, Row]] = []
    for talk in talks.select(PAIRS.unit.names).to_pylist():
        best, rival = _nearest(candidates[talk["id"]])
        if best is None:
            dropped.append(drop(talk, "unmatched", 0.0, "no paper has a title at all like it"))
        elif not at_least(best["score"], params.threshold):
            dropped.append(drop(talk, "unmatched", best["score"], _named(best)))
        elif rival is not None and not _clear(_lead(best, rival), params.margin):
            dropped.append(drop(talk, "ambiguous", best["score"], f"{_named(best)}, {_named(rival)}"))
        else:
            chosen.append((talk, best))

    wanted = {paper for _, match in chosen for paper in match["paper_ids"]}
    texts = _sentences(sentences, wanted)
    found = papers.read(["id", "title", "month", "licence"], where=("id", wanted))
    known = {paper["id"]: paper for paper in found.to_pylist()}
    kept: list[Row] = []
    for talk, match in chosen:
        choice = _choose(match, texts)
        if choice.reason:
            dropped.append(drop(talk, choice.reason, match["score"], choice.detail))
        else:
            kept.append(_pair(talk, known[choice.paper], match["score"], texts[choice.paper]))
    return Outcome.of(PAIRS, ids, kept, dropped)


def similarities(talks: Parts, matches: Parts, sentences: Parts, params: PairParams) -> Iterator[pa.Table]:
    """Yield the talks by what `params.threshold` is asked of: how alike the nearest title is."""

    def score(best: Row, rival: Row | None) -> float | None:
        return float(best["score"]) if _clear(_lead(best, rival), params.margin) else None

    return _scored(talks, matches, sentences, score)


def leads(talks: Parts, matches: Parts, sentences: Parts, params: PairParams) -> Iterator[pa.Table]:
    """Yield the talks by what `params.margin` is asked of: the lead of the nearest title."""

    def score(best: Row, rival: Row | None) -> float | None:
        lead = _lead(best, rival)
        return lead if at_least(best["score"], params.threshold) and _clear(lead, 0) else None

    return _scored(talks, matches, sentences, score)


def _scored(
    talks: Parts, matches: Parts, sentences: Parts, score: Callable[[Row, Row | None], float | None]
) -> Iterator[pa.Table]:
    for part in talks.parts:
        listed = part.read(["id", "title"]).to_pylist()
        candidates = _candidates(matches, [talk["id"] for talk in listed])
        nearest = {talk["id"]: _nearest(candidates[talk["id"]]) for talk in listed}
        texts = _sentences(
            sentences, {name for best, _ in nearest.values() if best for name in best["paper_ids"]}
        )
        units = []
        for talk in listed:
            best, rival = nearest[talk["id"]]
            usable = best is not None and not _choose(best, texts).reason
            seen = f"{talk['title'] or '(no title)'} → {best['title'] if best else '(nothing like it)'}"
            units.append((talk["id"], score(best, rival) if best is not None and usable else None, seen))
        yield scored(units)


class _Choice(NamedTuple):
    """Which paper of a title is taken, or the reason why none is."""

    paper: str = ""
    reason: str | None = None
    detail: str | None = None


def _choose(match: Row, texts: Mapping[str, Sequence[Mapping[str, Any]]]) -> _Choice:
    names = [paper for paper in match["paper_ids"] if texts[paper]]
    versions = {tuple(row["text"] for row in texts[paper]) for paper in names}
    if not versions:
        return _Choice(reason="paper_without_sentences", detail=_named(match))
    if len(versions) > 1:
        detail = f"{_named(match)}; papers of this title differ in text: {', '.join(names)}"
        return _Choice(reason="ambiguous", detail=detail)
    return _Choice(names[0])


def _nearest(candidates: Sequence[Row]) -> tuple[Row | None, Row | None]:
    best, rival = [*candidates, None, None][:2]
    return best, rival


def _candidates(matches: Parts, talks: Sequence[str]) -> Mapping[str, Sequence[Row]]:
    table = matches.read(["talk_id", "candidates"], where=("talk_id", talks))
    return dict(zip(table["talk_id"].to_pylist(), table["candidates"].to_pylist(), strict=True))


def _named(match: Row) -> str:
    return f"{match['title']!r} ({match['score']:.3f})"


def _lead(best: Row, rival: Row | None) -> float:
    return math.inf if rival is None else float(np.round(best["score"] - rival["score"], 6))


def _clear(lead: float, margin: float) -> bool:
    return bool(at_least(lead, margin) and lead > 0)


def _sentences(sentences: Parts, papers: Collection[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the sentences of some papers, each paper's in its order."""
    texts: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    if not papers:
        return texts
    table = sentences.read(_SENTENCE_COLUMNS, where=("paper_id", papers))
    for row in table.sort_by([("position", "ascending"), ("id", "ascending")]).to_pylist():
        texts[row["paper_id"]].append(row)
    return texts


def _pair(talk: Row, paper: Row, score: float, sentences: Sequence[Row]) -> Row:
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
        "similarity": score,
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
