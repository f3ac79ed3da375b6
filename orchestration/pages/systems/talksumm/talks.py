"""The list of all talks, and a page for each of a bounded number of pairs of a talk and its paper.

Belongs here: reading the datasets, and which pairs have a page. Not here: what such a page shows (talk.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.report import Everything, Files
from ops.outcome import Row
from orchestration.lineage.rows import tables
from orchestration.pages.html import render
from orchestration.pages.reading import grouped, rows, shortened
from orchestration.pages.sampling import rank
from orchestration.pages.systems.talksumm.talk import Aligned, page_data

#: Pairs with a page, and talks in the list, chosen by the hash of their ids: a corpus may hold any number.
MOST_PAGES = 500
MOST_LISTED = 5_000
#: A longer talk or paper has no page.
MOST_WORDS = 50_000
MOST_SENTENCES = 5_000
LONGEST_TITLE = 300

#: Where a talk can be lost, and the column that names it there.
_LOSSES = {"sources/talks": "path", "talksumm/matches": "title", "talksumm/pairs": "title"}


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
        data=sorted(listed, key=lambda entry: (entry["month"], entry["title"], entry["id"])),
        paired=len(paired),
        lost=len(lost),
        shown=len(listed),
        with_page=len(chosen),
        most_words=MOST_WORDS,
        most_sentences=MOST_SENTENCES,
    )
    for month, aligned in _chosen(everything, chosen):
        pair, url = aligned.pair, aligned.talk.get("url") or ""
        yield render(
            f"talks/{pair['id']}.html",
            "talksumm/talk.html",
            _short(pair["talk_title"]) or pair["id"],
            data=page_data(aligned),
            pair=pair,
            paper_title=_short(pair["paper_title"]),
            talk=aligned.talk,
            month=month,
            # a source may hold any address, scripts too
            link=url if url.startswith(("https://", "http://")) else None,
        )


def _short(text: str | None) -> str:
    return shortened(text, LONGEST_TITLE)


def _paired(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield the entry of every pair in the list, the texts of words and sentences unread."""
    columns = ["id", "talk_title", "paper_title", "paper_month", "similarity"]
    inner = ["words.list.element.end", "sentences.list.element.position"]
    for month, folder in everything.get("talksumm/pairs", {}).items():
        counts: dict[str, list[int]] = {}
        for row in rows(everything, "talksumm/alignments", ["pair_id", "count"], month=month):
            counts.setdefault(row["pair_id"], []).append(row["count"])
        for table in tables(folder, "kept", [*columns, *inner]):
            words, sentences = (table[name].combine_chunks() for name in ("words", "sentences"))
            lengths = (pc.list_value_length(column).to_pylist() for column in (words, sentences))
            found = zip(table.select(columns).to_pylist(), *lengths, _last_ends(words), strict=True)
            for row, spoken, written, end in found:
                of_states = counts.get(row["id"], ())
                yield {
                    "id": row["id"],
                    "outcome": "kept",
                    "title": _short(row["talk_title"]),
                    "paper": _short(row["paper_title"]),
                    "paper_month": row["paper_month"],
                    "similarity": row["similarity"],
                    "month": month,
                    "words": spoken or 0,
                    "minutes": None if end is None else round(end / 60, 1),
                    "sentences": written or 0,
                    "states": len(of_states),
                    "covered": sum(count > 0 for count in of_states),
                    "steps": sum(of_states),
                }


def _last_ends(words: pa.ListArray) -> list[float | None]:
    """Return the time at which the last word of each talk ends, None where there are no times."""
    ends = {"row": pc.list_parent_indices(words), "end": pc.struct_field(pc.list_flatten(words), "end")}
    last = pa.table(ends).group_by("row").aggregate([("end", "max")])
    known = dict(zip(last["row"].to_pylist(), last["end_max"].to_pylist(), strict=True))
    return [known.get(row) for row in range(len(words))]


def _lost(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield the entry of every talk that has no pair: dropped, or rejected on reading."""
    for dataset, name in _LOSSES.items():
        for month in everything.get(dataset, {}):
            for outcome, why in (("dropped", ["reason", "detail"]), ("rejected", ["error"])):
                for row in rows(everything, dataset, ["id", name, *why], outcome, month):
                    yield {
                        "id": row["id"],
                        "outcome": outcome,
                        "title": _short(row[name]),
                        "month": month,
                        "dataset": dataset,
                        "why": _short(row[why[0]]),
                        "detail": _short(row.get("detail")),
                    }


def _chosen(everything: Everything, chosen: Collection[str]) -> Iterator[tuple[str, Aligned]]:
    """Yield month and rows of the chosen pairs; the rows of one month at a time are in memory."""
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
    for month in everything.get(pairs, {}):
        kept, dropped, summaries = (
            grouped(rows(everything, name, ["id", "pair_id", *of], table, month, pair_id=chosen), "pair_id")
            for name, table, of in (
                (states, "kept", ["count", "seconds", "spans"]),
                (states, "dropped", ["reason", "score"]),
                ("talksumm/summaries", "kept", ["source_ids", "budget", "words", "paper_words", "exhausted"]),
            )
        )
        found = rows(everything, "sources/talks", ["id", "document", "date", "url"], month=month)
        talks = {row["id"]: row for row in found}
        # one talk at a time is Python objects
        for pair in rows(everything, pairs, month=month, at_once=1, id=chosen):
            yield (
                month,
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
    """Return the hand-made labels by talk; a name that several talks have is nobody's."""
    columns = ["document", "first_word", "last_word", "sentence"]
    labels = grouped(rows(everything, "sources/gold_alignments", columns), "document")
    talks = grouped(rows(everything, "sources/talks", ["id", "document"], document=labels), "document")
    return {named[0]["id"]: labels[name] for name, named in talks.items() if len(named) == 1}


def _scores(everything: Everything) -> dict[str, Row]:
    """Return how many words of each labelled talk are right at the current params."""
    points = rows(everything, "talksumm/tuning", ["current", "talks"], current=[True])
    return {talk["talk_id"]: talk for point in points for talk in point["talks"]}
