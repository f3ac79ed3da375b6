"""What one page of a talk shows: the transcript beside the paper, and how the talk went through it.

Belongs here: the data of a page, from the rows of one pair. Not here: reading datasets and the list of all
talks (talks.py), drawing (static/talk.js).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, TypeAlias

from ops.outcome import Row
from ops.text.stop_words import STOP_WORDS

#: [first word, last word, index of the sentence]; of labels None where the words describe no sentence.
Runs: TypeAlias = list[list[Any]]

LONGEST_WORD = 100

_QUIET = re.compile(r"(?:[(\[{<]*([a-z]*)[)\]}>]*[.,?!;:]?|%hesitation|[!#$%&()*+,./:;<=>?@\[\\\]^_{|}~-])")
_DIVIDED = frozenset({"cannot"})


@dataclass(frozen=True)
class Aligned:
    """The rows of one pair, from all datasets that a page reads."""

    pair: Row
    states: Sequence[Row]
    """Kept rows of talksumm/alignments."""
    left_out: Mapping[str, Row]
    """Its dropped rows, by id."""
    summaries: Sequence[Row]
    no_sentences: Sequence[Row]
    """Dropped rows of sources/sentences, of the pair's paper."""
    headings: Sequence[str]
    """Of all sections of the paper, in order, also of those that hold no sentence of their own."""
    talk: Row
    labels: Sequence[Row]
    """Rows of sources/gold_alignments of the talk."""
    score: Row | None
    """What talksumm/tuning has of this talk at the current params."""


def page_data(aligned: Aligned) -> dict[str, Any]:
    """Return all that the page shows, as JSON can hold it."""
    words = aligned.pair["words"] or []
    texts = [word["text"] or "" for word in words]
    sentences = _sentences(aligned)
    places = {sentence["id"]: index for index, sentence in enumerate(sentences)}
    runs = sorted(
        [span["first"], span["last"], places[state["id"]]]
        for state in aligned.states
        for span in state["spans"] or []
    )
    return {
        "pair": aligned.pair["id"],
        "words": [_short(text) for text in texts],
        "quiet": "".join(str(int(is_quiet(text))) for text in texts),
        "starts": starts(words),
        "sections": _sections(sentences, aligned.headings),
        "sentences": sentences,
        "runs": runs,
        "moves": moves(runs),
        "budgets": {
            row["budget"]: {
                "words": row["words"],
                "paper_words": row["paper_words"],
                "exhausted": row["exhausted"],
                "sentences": [places[state] for state in row["source_ids"]],
            }
            for row in aligned.summaries
        },
        "gold": _gold(aligned, sentences),
    }


def is_quiet(word: str) -> bool:
    """Tell whether the model sees nothing of a word: a stop word, a hesitation, a single sign.

    It is what ops/talksumm/align/tokens.py filters, without NLTK, whose import takes longer than all pages.
    """
    found = _QUIET.fullmatch(word.lower())
    return found is not None and (not found[1] or found[1] in STOP_WORDS or found[1] in _DIVIDED)


def starts(words: Sequence[Row]) -> list[float] | None:
    """Return when each word begins, in seconds (where none is given: as the word before), or None."""
    if all(word["start"] is None for word in words):
        return None
    times = [0.0]
    for word in words:
        times.append(times[-1] if word["start"] is None else round(word["start"], 1))
    return times[1:]


def moves(runs: Runs) -> dict[str, int]:
    """Return how often the path goes forward and back, and its farthest moves, in sentences."""
    steps = [after[2] - before[2] for before, after in pairwise(runs)]
    return {
        "forward": sum(step > 0 for step in steps),
        "back": sum(step < 0 for step in steps),
        "farthest_forward": max([0, *steps]),
        "farthest_back": -min([0, *steps]),
    }


def _sentences(aligned: Aligned) -> list[dict[str, Any]]:
    """Return all sentences of the paper in its order, with what was spent on each or why it is no state."""
    states = {state["id"]: state for state in aligned.states}
    found = []
    for sentence in [*(aligned.pair["sentences"] or []), *aligned.no_sentences]:
        state = states.get(sentence["id"], {})
        entry = {
            "id": sentence["id"],
            "position": sentence["position"],
            "section": sentence["section_title"] or "",
            "text": sentence["text"] or "",
            "count": state.get("count", 0),
            "seconds": state.get("seconds"),
            "why": None,
        }
        if "reason" in sentence:
            entry["why"] = f"no sentence: {sentence['reason'].replace('_', ' ')}"
        elif not state:
            entry["why"] = _why(aligned.left_out.get(sentence["id"]))
        found.append(entry)
    return sorted(found, key=lambda entry: (entry["position"], entry["id"]))


def _why(row: Row | None) -> str:
    if row is None:
        return "not aligned"
    reason = re.sub("^role ", "left out: ", row["reason"].replace("_", " "))
    return (
        reason
        if row["score"] is None or row["reason"].startswith("role_")
        else f"{reason} ({row['score']:g} characters)"
    )


def _sections(sentences: Sequence[Row], headings: Sequence[str]) -> list[dict[str, Any]]:
    """Return the sections in order: title, index of the first sentence, number of sentences."""
    sections: list[dict[str, Any]] = []
    first = passed = 0
    for title, group in groupby(sentences, key=lambda sentence: str(sentence["section"])):
        size = len(list(group))
        if title in headings[passed:]:
            place = headings.index(title, passed)
            sections += [{"title": empty, "first": first, "size": 0} for empty in headings[passed:place]]
            passed = place + 1
        sections.append({"title": title, "first": first, "size": size})
        first += size
    return sections


def _gold(aligned: Aligned, sentences: Sequence[Row]) -> dict[str, Any] | None:
    """Return the labels as runs, each with the one state that begins as its label does, and the agreement."""
    if not aligned.labels:
        return None
    ids = {state["id"] for state in aligned.states}
    runs: Runs = []
    for label in sorted(aligned.labels, key=lambda label: int(label["first_word"])):
        meant = [
            index
            for index, sentence in enumerate(sentences)
            if sentence["id"] in ids
            and label["sentence"] is not None
            and sentence["text"].startswith(label["sentence"])
        ]
        runs.append([label["first_word"], label["last_word"], meant[0] if len(meant) == 1 else None])
    score = aligned.score or {}
    return {"runs": runs, "words": score.get("words"), "correct": score.get("correct")}


def _short(word: str) -> str:
    """Return a word as a transcript can show it; what is far too long for one is cut and marked."""
    if len(word) <= LONGEST_WORD:
        return word
    return f"{word[:LONGEST_WORD]}… ({len(word)} characters)"
