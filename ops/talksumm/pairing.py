"""Pair each talk with the paper that it presents, by title.

Belongs here: how alike two titles are, the nearest titles of every talk with scores, which match is good
enough and clear enough, and what goes into a pair. To move a threshold compares no title again. Not here:
which sentences are states (align/alignments.py).

Titles are compared by their letters and digits alone, without case, accents, punctuation and white space:
recognisers split words ("code switching", "sem eval"), scanners lose hyphens. The measure is one minus the
Levenshtein distance over the longer length. Two rules of our own go with it:

- Where one title has a subtitle and the other has none, its main title may stand for the whole, at
  `MAIN_TITLE` of the worth. Equal main titles are then alike, yet less than equal titles.
- Where each has a number that the other lacks, the worth is `OTHER_NUMBERS`: "Task 4" is not "Task 8",
  and the shared tasks of two years have one title but for the year.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from ops.core.identity import joint_licence, row_id
from ops.core.outcome import Outcome, Row, drop
from ops.core.params import Params
from ops.core.parts import Parts
from ops.core.thresholds import at_least, scored
from ops.talksumm.schemas import MATCHES, PAIRS

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


class _Choice(NamedTuple):
    """Which paper of a title is taken, or the reason why none is."""

    paper: str = ""
    reason: str | None = None
    detail: str | None = None


CANDIDATES = 3

MAIN_TITLE = 0.9
OTHER_NUMBERS = 0.75

#: A colon or a question mark ends a main title, and so does a dash that stands by itself.
_END_OF_MAIN = re.compile(r"[:?]|\s[-–—]+\s|—")
_NO_LETTER = re.compile(r"[^\w+]+|_+")  # TVQA+ is not TVQA
#: Single digits inside words are more often misread letters.
_NUMBER = re.compile(r"\d{2,}|(?<!\w)\d(?!\w)")

TitleScores: TypeAlias = npt.NDArray[np.float64]


class Form(NamedTuple):
    """What is compared of a title, or of its main title."""

    letters: str
    numbers: frozenset[str]


class Titles:
    """Many titles, to be compared with one at a time (18,000 in about 10 ms).

    `forms` are the forms of the whole titles.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        mains = [main_form(title) for title in titles]
        self.forms = [form(title) for title in titles]
        self._wholes = _Forms(self.forms)
        self._with_subtitle = np.array([main is not None for main in mains], bool)
        self._mains = _Forms([main or Form("", frozenset()) for main in mains])

    def similarities(self, title: str) -> TitleScores:
        """Return the similarity of every title to this one, rounded to six places."""
        whole, main = form(title), main_form(title)
        scores = self._wholes.similarities(whole)
        if main is None:
            by_main = np.where(self._with_subtitle, self._mains.similarities(whole), 0)
        else:
            by_main = np.where(self._with_subtitle, 0, self._wholes.similarities(main))
        best: TitleScores = np.maximum(scores, MAIN_TITLE * by_main)
        return best.round(6)


class _Forms:
    """Forms side by side, with the distinct sets of numbers that occur in them."""

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
    kept = [_row(talk, _nearest_titles(talk["title"] or "", known, titles, groups)) for talk in listed]
    shown = sum(len(row["candidates"]) for row in kept)
    compared = {"titles_stored": shown, "titles_farther_off": len(listed) * len(groups) - shown}
    return Outcome.of(MATCHES, talks["id"].to_pylist(), kept, combinations=compared)


def form(title: str) -> Form:
    """Return a title as its lower-case letters and digits without accents, and its numbers."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", title).casefold())
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    letters = _NO_LETTER.sub("", plain.replace("&", " and "))
    return Form(letters, frozenset(_NUMBER.findall(plain)))


def main_form(title: str) -> Form | None:
    """Return the form of what comes before the subtitle, or None where there is no subtitle."""
    main, *subtitle = (form(part) for part in _END_OF_MAIN.split(title, maxsplit=1))
    return main if subtitle and subtitle[0].letters and main.letters else None


def similarity(one: str, other: str) -> float:
    """Return how alike two titles are, from 0 to 1; the same either way round, and 1 for equal titles."""
    return float(Titles([other]).similarities(one)[0])


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


def _nearest_titles(
    title: str, known: Sequence[Row], titles: Titles, groups: Sequence[Sequence[int]]
) -> list[Row]:
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
