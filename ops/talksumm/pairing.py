"""Pair each talk with the paper that it presents, by title.

Belongs here: the similarity of two titles, the nearest titles of every talk with scores, thresholds for a
match that is good and clear enough, and the content of a pair. Moving a threshold does not compare titles
again. Not here: which sentences are states (align/alignments.py).

Titles are compared by their letters and digits only, ignoring case, accents, punctuation and white space:
speech recognisers split words ("code switching", "sem eval"), and scanners lose hyphens. The similarity is
one minus the Levenshtein distance divided by the greater length, with two rules of our own:

- If only one of the titles has a subtitle, its main title is compared as well, with the result multiplied by
  `MAIN_TITLE`. So equal main titles are similar, but less than equal titles.
- If each title has a number that the other lacks, the similarity is multiplied by `OTHER_NUMBERS`. "Task 4"
  is not "Task 8", and titles of shared tasks from different years differ only in the year.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from ops.core.identity import joint_licence, row_id
from ops.core.joins import matches as matched
from ops.core.outcome import Outcome, Outcomes, Row, drop
from ops.core.params import Params
from ops.core.parts import Parts
from ops.core.thresholds import at_least, scored
from ops.talksumm.near_titles import near_titles
from ops.talksumm.schemas import MATCHES, PAIRS

_PAPER_COLUMNS = ("id", "title", "month", "licence")
_SENTENCE_COLUMNS = ("id", "paper_id", "position", "section_title", "role", "text")


class PairParams(Params, section="talksumm.pairs"):
    """When a paper's title is similar enough to a talk's.

    Measured with 5,805 copies of 600 of the 18,224 titles of the ACL Anthology, with simulated errors of
    typing, scanning and speech recognition. With the defaults, all exact and unpunctuated copies find their
    paper, 97 of 100 bare main titles (the rest are ambiguous), 98 of 100 with 8 % of the characters misread,
    and 91 of 100 with 20 % of the words misheard. None finds another paper. If the right paper is
    missing, 8 of 1,000 exact titles and 29 of 1,000 bare main titles find a wrong one.
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


CANDIDATES = 3

MAIN_TITLE = 0.9
OTHER_NUMBERS = 0.75

#: A main title ends at a colon, a question mark or a free-standing dash.
_END_OF_MAIN = re.compile(r"[:?]|\s[-–—]+\s|—")
_NO_LETTER = re.compile(r"[^\w+]+|_+")  # keep "+": TVQA+ is not TVQA
#: Without single digits inside words, which are often misread letters.
_NUMBER = re.compile(r"\d{2,}|(?<!\w)\d(?!\w)")

TitleScores: TypeAlias = npt.NDArray[np.float64]


class Form(NamedTuple):
    """The compared form of a title, or of its main title."""

    letters: str
    numbers: frozenset[str]


class Titles:
    """Many titles, for comparison with one title at a time (18,000 in about 10 ms).

    `forms` has the forms of the whole titles.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        mains = [main_form(title) for title in titles]
        self.forms = [form(title) for title in titles]
        self._wholes = _Forms(self.forms)
        self._with_subtitle = np.array([main is not None for main in mains], bool)
        self._mains = _Forms([main or Form("", frozenset()) for main in mains])

    def similarities(self, title: str) -> TitleScores:
        """Return the similarity of every title to this one, rounded to six decimals."""
        whole, main = form(title), main_form(title)
        scores = self._wholes.similarities(whole)
        if main is None:
            by_main = np.where(self._with_subtitle, self._mains.similarities(whole), 0)
        else:
            by_main = np.where(self._with_subtitle, 0, self._wholes.similarities(main))
        best: TitleScores = np.maximum(scores, MAIN_TITLE * by_main)
        return best.round(6)


class _Forms:
    """Forms in parallel arrays, with the distinct sets of numbers that occur in them."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._letters = [form.letters for form in forms]
        known: dict[frozenset[str], int] = {}
        self._codes = np.array([known.setdefault(form.numbers, len(known)) for form in forms], np.int64)
        self._numbers = list(known)

    def similarities(self, to: Form) -> TitleScores:
        measure = Levenshtein.normalized_similarity
        table = process.cdist([to.letters], self._letters, scorer=measure, dtype=np.float64)
        worth = [
            OTHER_NUMBERS if numbers - to.numbers and to.numbers - numbers else 1.0
            for numbers in self._numbers
        ]
        return np.asarray(table[0] * np.array(worth)[self._codes], np.float64)


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

    texts = _sentences(sentences)
    known = {paper["id"]: paper for paper in papers.to_pylist()}
    kept: list[Row] = []
    for talk, match in chosen:
        choice = _choose(match, texts)
        if choice.reason:
            dropped.append(drop(talk, choice.reason, match["score"], choice.detail))
        else:
            kept.append(_pair(talk, known[choice.paper], match["score"], texts[choice.paper]))
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


def matches(talks: Parts, papers: Parts) -> Outcomes:
    """Yield for each talk its nearest titles among the papers of all months, best first.

    Papers with the same title (ignoring case, accents and punctuation) are one candidate. A talk without any
    similar title has an empty list. Only titles found by `near_titles` are compared.
    """
    with talks.engine.scratch() as folder:
        near, titles = near_titles(talks, papers, _letters, folder / "near")
        yield from talks.map(match_talks, titles, beside=[near])


def match_talks(talks: pa.Table, near: pa.Table, titles: int) -> Outcome:
    """Return the nearest titles for the talks of one part, among their candidates."""
    compared: dict[str, list[Sequence[Row]]] = defaultdict(list)
    for row in near.to_pylist():
        compared[row["talk_id"]].append(row["papers"])
    listed = talks.select(["id", "licence", "title"]).to_pylist()
    kept = [_row(talk, _nearest_titles(talk["title"] or "", compared[talk["id"]])) for talk in listed]
    shown = sum(len(row["candidates"]) for row in kept)
    farther = {"titles_stored": shown, "titles_farther_off": len(listed) * titles - shown}
    return Outcome.of(MATCHES, talks["id"].to_pylist(), kept, combinations=farther)


def form(title: str) -> Form:
    """Return a title's lower-case letters and digits without accents, and its numbers."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", title).casefold())
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    letters = _NO_LETTER.sub("", plain.replace("&", " and "))
    return Form(letters, frozenset(_NUMBER.findall(plain)))


def _letters(title: str) -> str:
    return form(title).letters


def main_form(title: str) -> Form | None:
    """Return the form of the part before the subtitle, or None if there is no subtitle."""
    main, *subtitle = (form(part) for part in _END_OF_MAIN.split(title, maxsplit=1))
    return main if subtitle and subtitle[0].letters and main.letters else None


def similarity(one: str, other: str) -> float:
    """Return the similarity of two titles, from 0 to 1; it is symmetric, and 1 for equal titles."""
    return float(Titles([other]).similarities(one)[0])


def _scored(
    talks: Parts, matches: Parts, sentences: Parts, score: Callable[[Row, Row | None], float | None]
) -> Iterator[pa.Table]:
    with talks.engine.scratch() as folder:
        scores, found = _beside(talks, matches, sentences, folder)
        for part, of_talks, rows in zip(talks.parts, scores, found, strict=True):
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
    scores = matched(matches, "talk_id", ids, folder / "matches", ["talk_id", "candidates"])
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


def _nearest_titles(title: str, compared: Sequence[Sequence[Row]]) -> list[Row]:
    scores = iter(Titles([paper["title"] for papers in compared for paper in papers]).similarities(title))
    best = [(max(float(next(scores)) for _ in papers), papers) for papers in compared]
    nearest = sorted(best, key=lambda pair: -pair[0])[:CANDIDATES]
    return [
        {"title": papers[0]["title"], "score": score, "paper_ids": [paper["id"] for paper in papers]}
        for score, papers in nearest
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
