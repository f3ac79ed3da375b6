"""Pair each talk with the paper that it presents: the one that its metadata name, or else the nearest title.

Belongs here: thresholds for a match that is good and clear enough, and the content of a pair. Moving a
threshold does not compare titles again. Not here: the candidates of a talk and their scores (matching.py),
which sentences are states (align/alignments.py).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from_several, row_id
from silverloom.ops.core.joins import matches as matched
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, scored
from silverloom.ops.talksumm.paper_names import PAPER
from silverloom.ops.talksumm.schemas import PAIRS

_PAPER_COLUMNS = ("id", "title", "month", "licence")
_SENTENCE_COLUMNS = ("id", "paper_id", "position", "section_title", "role", "text", "holes")


class PairParams(Params, section="talksumm.pairs"):
    """When a paper's title is similar enough to a talk's.

    Measured with 5,805 copies of 600 of the 18,224 titles of the ACL Anthology, with simulated errors of
    typing, scanning and speech recognition. With the defaults, all exact and unpunctuated copies find their
    paper, 97 of 100 bare main titles (the rest are ambiguous), 98 of 100 with 8 % of the characters misread,
    and 91 of 100 with 20 % of the words misheard. None finds another paper. If the right paper is
    missing, 8 of 1,000 exact titles and 29 of 1,000 bare main titles find a wrong one.

    With a venue and year around them, 149 of 150 titles find their paper and none another one, and with a
    speaker 149, too (127 and 128 if titles are compared only whole). If the right paper is missing, 3 and 1
    find a wrong one (2 and 1).
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


class _Choice(NamedTuple):
    """The chosen paper among those with one title, or the reason why none was chosen."""

    paper: str = ""
    reason: str | None = None
    detail: str | None = None


def pairs(talks: Parts, matches: Parts, papers: Parts, sentences: Parts, params: PairParams) -> Outcomes:
    """Yield the talks with their papers' sentences; talks without a clear paper are dropped.

    `matches` has the scores. Among papers with the same title (ignoring case, accents and punctuation), those
    without sentences are ignored. If the rest have identical sentences, the one with the lowest id is chosen;
    otherwise the talk is ambiguous. Raises KeyError for a talk that is not in `matches`.
    """
    with talks.engine.scratch() as folder:
        scores, texts = _beside(talks, matches, sentences, folder, params.threshold)
        wanted = _best_papers(scores, params.threshold)
        known = matched(papers, "id", wanted, folder / "papers", _PAPER_COLUMNS)
        yield from talks.map(pair_talks, params, beside=[scores, known, texts])


def pair_talks(
    talks: pa.Table, matches: pa.Table, papers: pa.Table, sentences: pa.Table, params: PairParams
) -> Outcome:
    """Return the pairs of the talks of one part, given their matches and the matched papers."""
    ids = talks["id"].to_pylist()
    candidates = _candidates(matches)
    named = dict(zip(matches["talk_id"].to_pylist(), matches["named_by"].to_pylist(), strict=True))
    dropped: list[Row] = []
    chosen: list[tuple[Row, Row]] = []
    for talk in talks.select(PAIRS.unit.names).to_pylist():
        best, rival = _nearest(candidates[talk["id"]])
        if best is None and named[talk["id"]]:
            dropped.append(drop(talk, "no_such_paper", detail=_missing(talk)))
        elif best is None:
            dropped.append(drop(talk, "unmatched", 0.0, "no paper has a title at all like it"))
        elif not at_least(best["score"], params.threshold):
            dropped.append(drop(talk, "unmatched", best["score"], _named(best)))
        elif rival is not None and not _clear(_lead(best, rival), params.margin):
            close = [row for row in candidates[talk["id"]] if not _clear(_lead(best, row), params.margin)]
            dropped.append(drop(talk, "ambiguous", best["score"], ", ".join(map(_named, close))))
        else:
            chosen.append((talk, best))

    texts = _sentences(sentences)
    known = {paper["id"]: paper for paper in papers.to_pylist()}
    kept: list[Row] = []
    for talk, match in chosen:
        choice = _choose(match, texts)
        if choice.reason:
            dropped.append(drop(talk, choice.reason, match["score"], choice.detail))
        else:
            by = named[talk["id"]]
            kept.append(pair_of(talk, known[choice.paper], by, match["score"], texts[choice.paper]))
    return Outcome.of(PAIRS, ids, kept, dropped)


def similarities(talks: Parts, matches: Parts, sentences: Parts, params: PairParams) -> Iterator[pa.Table]:
    """Yield the talks with the score that `params.threshold` limits: the similarity of the nearest title."""

    def score(best: Row, rival: Row | None) -> float | None:
        return float(best["score"]) if _clear(_lead(best, rival), params.margin) else None

    return _scored(talks, matches, sentences, score)


def leads(talks: Parts, matches: Parts, sentences: Parts, params: PairParams) -> Iterator[pa.Table]:
    """Yield the talks with the score that `params.margin` limits: the lead of the nearest title."""

    def score(best: Row, rival: Row | None) -> float | None:
        lead = _lead(best, rival)
        return lead if at_least(best["score"], params.threshold) and _clear(lead, 0) else None

    return _scored(talks, matches, sentences, score)


def _scored(
    talks: Parts, matches: Parts, sentences: Parts, score: Callable[[Row, Row | None], float | None]
) -> Iterator[pa.Table]:
    with talks.engine.scratch() as folder:
        scores, best_sentences = _beside(talks, matches, sentences, folder)
        for part, of_talks, rows in zip(talks.parts, scores, best_sentences, strict=True):
            candidates, texts = _candidates(of_talks), _sentences(rows)
            units = []
            for talk in part.read(["id", "title"]).to_pylist():
                best, rival = _nearest(candidates[talk["id"]])
                usable = best is not None and not _choose(best, texts).reason
                seen = f"{talk['title'] or '(no title)'} → {best['title'] if best else '(nothing like it)'}"
                units.append((talk["id"], score(best, rival) if best is not None and usable else None, seen))
            yield scored(units)


def _beside(
    talks: Parts, matches: Parts, sentences: Parts, folder: Path, least: float = 0
) -> tuple[Parts, Parts]:
    """Return the matches of each part's talks, and the sentences of the best-matching papers."""
    ids = (part.read(["id"])["id"] for part in talks.parts)
    scores = matched(matches, "talk_id", ids, folder / "matches", ["talk_id", "named_by", "candidates"])
    return scores, matched(
        sentences, "paper_id", _best_papers(scores, least), folder / "sentences", _SENTENCE_COLUMNS
    )


def _best_papers(matches: Parts, least: float) -> Iterator[set[str]]:
    """Yield, for each part, the papers of its talks' best matches with a score of at least `least`."""
    for table in matches:
        best = (_nearest(candidates)[0] for candidates in _candidates(table).values())
        yield {
            paper
            for match in best
            if match and at_least(match["score"], least)
            for paper in match["paper_ids"]
        }


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


def _candidates(matches: pa.Table) -> Mapping[str, Sequence[Row]]:
    return dict(zip(matches["talk_id"].to_pylist(), matches["candidates"].to_pylist(), strict=True))


def _named(match: Row) -> str:
    return f"{match['title']!r} ({match['score']:.3f})"


def _lead(best: Row, rival: Row | None) -> float:
    return math.inf if rival is None else float(np.round(best["score"] - rival["score"], 6))


def _clear(lead: float, margin: float) -> bool:
    return bool(at_least(lead, margin) and lead > 0)


def _sentences(sentences: pa.Table) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return sentences by paper, in the paper's order."""
    texts: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in sentences.sort_by([("position", "ascending"), ("id", "ascending")]).to_pylist():
        texts[row["paper_id"]].append(row)
    return texts


def _missing(talk: Row) -> str:
    names = (entry["name"] for entry in talk["paper_names"] if entry["column"] == PAPER)
    return f"no paper is called {next(names).partition(':')[2]!r}, as the column {PAPER} of its metadata says"


def pair_of(talk: Row, paper: Row, named_by: str | None, score: float, sentences: Sequence[Row]) -> Row:
    """Return the row of a talk and its paper, with the sentences of the paper in its order."""
    pair = made_from_several([talk, paper], "pair", talk["id"], paper["id"])
    return {
        **pair,
        "talk_id": talk["id"],
        "paper_id": paper["id"],
        "talk_title": talk["title"],
        "paper_title": paper["title"],
        "paper_month": paper["month"],
        "named_by": named_by,
        "similarity": score,
        "words": talk["words"],
        "sentences": [
            {
                "id": row_id("state", pair["id"], sentence["id"]),
                "sentence_id": sentence["id"],
                "position": sentence["position"],
                "section_title": sentence["section_title"],
                "role": sentence["role"],
                "text": sentence["text"],
                "holes": sentence["holes"],
            }
            for sentence in sentences
        ],
    }
