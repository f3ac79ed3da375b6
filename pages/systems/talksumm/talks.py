"""The list of all talks, and pages for a bounded number of pairs of a talk and its paper.

Belongs here: reading the datasets, which pairs have a page, and its data: the transcript next to the paper,
and the path of the talk through the paper. Not here: drawing (static/talk.js).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import grouped, rows, shortened, tables
from silverloom.ops.core.outcome import Row
from silverloom.ops.text.words import STOP_WORDS, is_disfluency
from silverloom.pages.html import render
from silverloom.pages.sampling import rank

#: The most pairs with a page, and talks in the list, chosen by the hash of their ids.
MOST_PAGES = 500
MOST_LISTED = 5_000

#: The most words of a talk, and sentences of a paper, that have a page.
MOST_WORDS = 50_000
MOST_SENTENCES = 5_000
LONGEST_TITLE = 300

#: The datasets that can drop or reject a talk, and the column that names the talk in each.
_LOSSES = {"sources/talks": "path", "talksumm/matches": "title", "talksumm/pairs": "title"}

#: [first word, last word, index of the sentence]; in labels, None if the words describe no sentence.
Runs: TypeAlias = list[list[Any]]
LONGEST_WORD = 100
_QUIET = re.compile(r"(?:[(\[{<]*([a-z]*)[)\]}>]*[.,?!;:]?|%hesitation|[!#$%&()*+,./:;<=>?@\[\\\]^_{|}~-])")
_DIVIDED = frozenset({"cannot"})


def pages(everything: Everything) -> Files:
    """Yield the list of talks and the page of each chosen pair."""
    paired, lost = list(_paired(everything)), list(_lost(everything))
    fitting = [
        entry["id"]
        for entry in paired
        if entry["words"] <= MOST_WORDS and entry["sentences"] <= MOST_SENTENCES
    ]
    chosen = set(sorted(fitting, key=rank)[:MOST_PAGES])
    for entry in paired:
        entry["page"] = entry["id"] in chosen
    listed = sorted(paired + lost, key=lambda entry: (not entry.get("page"), rank(entry["id"])))
    listed = listed[:MOST_LISTED]
    yield render(
        "talks.html",
        "talksumm/talks.html",
        "Talks",
        data=sorted(listed, key=lambda entry: (entry["partition"], entry["title"], entry["id"])),
        paired=len(paired),
        lost=len(lost),
        shown=len(listed),
        with_page=len(chosen),
        most_words=MOST_WORDS,
        most_sentences=MOST_SENTENCES,
    )
    for partition, aligned in _chosen(everything, chosen):
        pair, url = aligned.pair, aligned.talk.get("url") or ""
        yield render(
            f"talks/{pair['id']}.html",
            "talksumm/talk.html",
            _title(pair["talk_title"]) or pair["id"],
            data=page_data(aligned),
            pair=pair,
            paper_title=_title(pair["paper_title"]),
            talk=aligned.talk,
            partition=partition,
            # a source may have any URL, even `javascript:`
            link=url if url.startswith(("https://", "http://")) else None,
        )


@dataclass(frozen=True)
class Aligned:
    """The rows of one pair from all datasets that its page reads."""

    pair: Row
    states: Sequence[Row]
    """Kept rows of talksumm/alignments."""
    left_out: Mapping[str, Row]
    """Its dropped rows, by id."""
    summaries: Sequence[Row]
    no_sentences: Sequence[Row]
    """Dropped rows of sources/sentences for the pair's paper."""
    headings: Sequence[str]
    """Headings of all sections of the paper, in order, including sections without sentences of their own."""
    talk: Row
    labels: Sequence[Row]
    """Rows of sources/gold_alignments for the talk."""
    score: Row | None
    """The entry of talksumm/tuning for this talk at the current params."""


def page_data(aligned: Aligned) -> dict[str, Any]:
    """Return the page's data as JSON values."""
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
    """Tell whether the model ignores a word: a stop word, a hesitation ("um"), or a single punctuation sign.

    Filters the same words as ops/talksumm/align/emission.py, but without NLTK, whose import takes longer than
    rendering all pages.
    """
    match = _QUIET.fullmatch(word.lower())
    plain = match is not None and (not match[1] or match[1] in STOP_WORDS | _DIVIDED)
    return plain or is_disfluency(word)


def starts(words: Sequence[Row]) -> list[float] | None:
    """Return each word's start in seconds, or None; a word without a time gets that of the word before."""
    if all(word["start"] is None for word in words):
        return None
    times = [0.0]
    for word in words:
        times.append(times[-1] if word["start"] is None else round(word["start"], 1))
    return times[1:]


def moves(runs: Runs) -> dict[str, int]:
    """Return how often the path moves forward and back, and its farthest moves in sentences."""
    steps = [after[2] - before[2] for before, after in pairwise(runs)]
    return {
        "forward": sum(step > 0 for step in steps),
        "back": sum(step < 0 for step in steps),
        "farthest_forward": max([0, *steps]),
        "farthest_back": -min([0, *steps]),
    }


def _title(text: str | None) -> str:
    return shortened(text, LONGEST_TITLE)


def _paired(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield the list entry of every pair, without reading the texts of words and sentences."""
    columns = ["id", "talk_title", "paper_title", "paper_month", "similarity"]
    inner = ["words.list.element.end", "sentences.list.element.position"]
    for partition, folder in everything.get("talksumm/pairs", {}).items():
        counts: dict[str, list[int]] = {}
        for row in rows(everything, "talksumm/alignments", ["pair_id", "count"], partition=partition):
            counts.setdefault(row["pair_id"], []).append(row["count"])
        for table in tables(folder, "kept", [*columns, *inner]):
            words, sentences = (table[name].combine_chunks() for name in ("words", "sentences"))
            lengths = (pc.list_value_length(column).to_pylist() for column in (words, sentences))
            measured = zip(table.select(columns).to_pylist(), *lengths, _last_ends(words), strict=True)
            for row, spoken, written, end in measured:
                of_states = counts.get(row["id"], ())
                yield {
                    "id": row["id"],
                    "outcome": "kept",
                    "title": _title(row["talk_title"]),
                    "paper": _title(row["paper_title"]),
                    "paper_partition": row["paper_month"],
                    "similarity": row["similarity"],
                    "partition": partition,
                    "words": spoken or 0,
                    "minutes": None if end is None else round(end / 60, 1),
                    "sentences": written or 0,
                    "states": len(of_states),
                    "covered": sum(count > 0 for count in of_states),
                    "steps": sum(of_states),
                }


def _last_ends(words: pa.ListArray) -> list[float | None]:
    """Return the end time of the last word of each talk; None if there are no times."""
    ends = {"row": pc.list_parent_indices(words), "end": pc.struct_field(pc.list_flatten(words), "end")}
    last = pa.table(ends).group_by("row").aggregate([("end", "max")])
    known = dict(zip(last["row"].to_pylist(), last["end_max"].to_pylist(), strict=True))
    return [known.get(row) for row in range(len(words))]


def _lost(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield the list entry of every talk without a pair: dropped, or rejected on reading."""
    for dataset, name in _LOSSES.items():
        for partition in everything.get(dataset, {}):
            for outcome, why in (("dropped", ["reason", "detail"]), ("rejected", ["error"])):
                for row in rows(everything, dataset, ["id", name, *why], outcome, partition):
                    yield {
                        "id": row["id"],
                        "outcome": outcome,
                        "title": _title(row[name]),
                        "partition": partition,
                        "dataset": dataset,
                        "why": _title(row[why[0]]),
                        "detail": _title(row.get("detail")),
                    }


def _chosen(everything: Everything, chosen: Collection[str]) -> Iterator[tuple[str, Aligned]]:
    """Yield the partition and rows of each chosen pair; only one partition's rows are in memory at a time."""
    pairs, states = "talksumm/pairs", "talksumm/alignments"
    papers = {row["paper_id"] for row in rows(everything, pairs, ["id", "paper_id"], id=chosen)}
    columns = ["id", "paper_id", "position", "section_title", "text", "reason"]
    lost = rows(everything, "sources/sentences", columns, "dropped", paper_id=papers)
    no_sentences = grouped(lost, "paper_id")
    sections = {
        row["id"]: [section["title"] or "" for section in row["sections"] or []]
        for row in rows(everything, "sources/papers", ["id", "sections"], id=papers)
    }
    labels, scores = _labels(everything), _scores(everything)
    for partition in everything.get(pairs, {}):
        kept, dropped, summaries = (
            grouped(
                rows(everything, name, ["id", "pair_id", *of], table, partition, pair_id=chosen), "pair_id"
            )
            for name, table, of in (
                (states, "kept", ["count", "seconds", "spans"]),
                (states, "dropped", ["reason", "score"]),
                ("talksumm/summaries", "kept", ["source_ids", "budget", "words", "paper_words", "exhausted"]),
            )
        )
        talk_rows = rows(everything, "sources/talks", ["id", "document", "date", "url"], partition=partition)
        talks = {row["id"]: row for row in talk_rows}
        # only one talk at a time becomes Python objects
        for pair in rows(everything, pairs, partition=partition, at_once=1, id=chosen):
            yield (
                partition,
                Aligned(
                    pair=pair,
                    states=kept[pair["id"]],
                    left_out={state["id"]: state for state in dropped[pair["id"]]},
                    summaries=summaries[pair["id"]],
                    no_sentences=no_sentences[pair["paper_id"]],
                    headings=sections.get(pair["paper_id"], ()),
                    talk=talks.get(pair["talk_id"], {}),
                    labels=labels.get(pair["talk_id"], ()),
                    score=scores.get(pair["talk_id"]),
                ),
            )


def _labels(everything: Everything) -> dict[str, list[Row]]:
    """Return the manual labels by talk; names that several talks share are left out."""
    columns = ["document", "first_word", "last_word", "sentence"]
    labels = grouped(rows(everything, "sources/gold_alignments", columns), "document")
    talks = grouped(rows(everything, "sources/talks", ["id", "document"], document=labels), "document")
    return {named[0]["id"]: labels[name] for name, named in talks.items() if len(named) == 1}


def _scores(everything: Everything) -> dict[str, Row]:
    """Return how many words of each labelled talk are correct at the current params."""
    points = rows(everything, "talksumm/tuning", ["current", "talks"], current=[True])
    return {talk["talk_id"]: talk for point in points for talk in point["talks"]}


def _sentences(aligned: Aligned) -> list[dict[str, Any]]:
    """Return the paper's sentences in order, each with the time spent on it, or why it is no state."""
    states = {state["id"]: state for state in aligned.states}
    entries = []
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
        entries.append(entry)
    return sorted(entries, key=lambda entry: (entry["position"], entry["id"]))


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
    """Return the sections in order, each with its title, first sentence's index and number of sentences."""
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
    """Return the labels as runs, each with the state whose text begins like the label, and the agreement."""
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
    """Return a word for display; an overlong one is cut and marked."""
    if len(word) <= LONGEST_WORD:
        return word
    return f"{word[:LONGEST_WORD]}… ({len(word)} characters)"
