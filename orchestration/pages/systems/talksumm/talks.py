"""The list of all talks, and a page for each of a bounded number of pairs of a talk and its paper.

Belongs here: reading the datasets, and which pairs have a page. Not here: what such a page shows (talk.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.report import Everything, Files
from ops.outcome import Row
from orchestration.lineage.rows import tables
from orchestration.pages.html import render
from orchestration.pages.systems.talksumm.talk import Aligned, page_data

#: Pairs with a page, and talks in the list, chosen by the hash of their ids: a corpus may hold any number.
MOST_PAGES = 500
MOST_LISTED = 5_000
#: A longer talk or paper has no page.
MOST_WORDS = 50_000
MOST_SENTENCES = 5_000
LONGEST_TITLE = 300

#: Where a talk can be lost.
_LOSSES = ("sources/talks", "talksumm/matches", "talksumm/pairs")
_STATE = ["id", "pair_id", "count", "seconds", "spans"]
_LEFT_OUT = ["id", "pair_id", "reason", "score"]
_SUMMARY = ["pair_id", "source_ids", "budget", "words", "paper_words"]
_TALK = ["id", "document", "date", "url"]
_NO_SENTENCE = ["id", "paper_id", "position", "section_title", "text", "reason"]


def pages(everything: Everything) -> Files:
    """Yield the list of talks and the page of each chosen pair."""
    paired = _paired(everything)
    lost = _lost(everything)
    chosen = {entry["id"] for entry in paired if _fits(entry)}
    chosen = set(sorted(chosen, key=_rank)[:MOST_PAGES])
    for entry in paired:
        entry["page"] = entry["id"] in chosen
    listed = sorted(paired + lost, key=lambda entry: (not entry.get("page"), _rank(entry["id"])))
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
        pair = aligned.pair
        yield render(
            f"talks/{pair['id']}.html",
            "talksumm/talk.html",
            _short(pair["talk_title"]) or pair["id"],
            data=page_data(aligned),
            pair=pair,
            paper_title=_short(pair["paper_title"]),
            talk=aligned.talk,
            month=month,
            link=_web(aligned.talk.get("url")),
        )


def _rank(name: str) -> str:
    return sha256(name.encode()).hexdigest()


def _fits(entry: Row) -> bool:
    return bool(entry["words"] <= MOST_WORDS and entry["sentences"] <= MOST_SENTENCES)


def _short(text: str | None) -> str:
    """Return a text as a line can show it."""
    text = text or ""
    return text if len(text) <= LONGEST_TITLE else f"{text[:LONGEST_TITLE]}…"


def _web(address: str | None) -> str | None:
    """Return an address that may be linked to: a source may hold any, scripts too."""
    return address if address and address.startswith(("https://", "http://")) else None


def _paired(everything: Everything) -> list[dict[str, Any]]:
    """Return the entry of every pair in the list, the texts of words and sentences unread."""
    columns = ["id", "talk_title", "paper_title", "paper_month", "similarity"]
    entries = []
    for month, folder in everything.get("talksumm/pairs", {}).items():
        spent = _spent(everything.get("talksumm/alignments", {}).get(month))
        inner = ["words.list.element.end", "sentences.list.element.position"]
        for table in tables(folder, "kept", [*columns, *inner]):
            words, sentences = (table[name].combine_chunks() for name in ("words", "sentences"))
            lengths = zip(
                pc.list_value_length(words).to_pylist(),
                pc.list_value_length(sentences).to_pylist(),
                _last_ends(words),
                strict=True,
            )
            for row, (spoken, written, end) in zip(table.select(columns).to_pylist(), lengths, strict=True):
                states, covered, steps = spent.get(row["id"], (0, 0, 0))
                entries.append(
                    {
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
                        "states": states,
                        "covered": covered,
                        "steps": steps,
                    }
                )
    return entries


def _last_ends(words: pa.ListArray) -> list[float | None]:
    """Return the time at which the last word of each talk ends, None where there are no times."""
    ends = pa.table(
        {"row": pc.list_parent_indices(words), "end": pc.struct_field(pc.list_flatten(words), "end")}
    )
    last = ends.group_by("row").aggregate([("end", "max")])
    known = dict(zip(last["row"].to_pylist(), last["end_max"].to_pylist(), strict=True))
    return [known.get(row) for row in range(len(words))]


def _spent(folder: Path | None) -> dict[str, tuple[int, int, int]]:
    """Return, for each pair, its states, those that the talk comes to, and the time steps."""
    found: dict[str, tuple[int, int, int]] = {}
    for table in tables(folder, "kept", ["pair_id", "count"]) if folder else ():
        table = table.append_column("met", pc.greater(table["count"], 0).cast(pa.int64()))
        sums = table.group_by("pair_id").aggregate([("count", "count"), ("met", "sum"), ("count", "sum")])
        for row in sums.to_pylist():
            found[row["pair_id"]] = (row["count_count"], row["met_sum"], row["count_sum"])
    return found


def _lost(everything: Everything) -> list[dict[str, Any]]:
    """Return the entry of every talk that has no pair: dropped, or rejected on reading."""
    entries = []
    for dataset in _LOSSES:
        for month, folder in everything.get(dataset, {}).items():
            for outcome, why in (("dropped", ("reason", "detail")), ("rejected", ("error",))):
                name = "path" if dataset == "sources/talks" else "title"
                for table in tables(folder, outcome, ["id", name, *why]):
                    entries += [
                        {
                            "id": row["id"],
                            "outcome": outcome,
                            "title": _short(row[name]),
                            "month": month,
                            "dataset": dataset,
                            "why": _short(row[why[0]]),
                            "detail": _short(row.get("detail")),
                        }
                        for row in table.to_pylist()
                    ]
    return entries


def _chosen(everything: Everything, chosen: Collection[str]) -> Iterator[tuple[str, Aligned]]:
    """Yield month and rows of the chosen pairs; the rows of one month at a time are in memory."""
    papers = set()
    for folder in everything.get("talksumm/pairs", {}).values():
        papers |= {row["paper_id"] for row in _rows(folder, "kept", "id", chosen, ["id", "paper_id"])}
    no_sentences = _by(_all(everything, "sources/sentences", "dropped", "paper_id", papers, _NO_SENTENCE))
    sections = {
        row["id"]: [section["title"] or "" for section in row["sections"] or []]
        for row in _all(everything, "sources/papers", "kept", "id", papers, ["id", "sections"])
    }
    labels = _labels(everything)
    scores = _scores(everything)
    for month, folder in everything.get("talksumm/pairs", {}).items():
        of = {name: months.get(month) for name, months in everything.items()}
        alignments, summaries = of.get("talksumm/alignments"), of.get("talksumm/summaries")
        states = _by(_rows(alignments, "kept", "pair_id", chosen, _STATE), "pair_id")
        left_out = _by(_rows(alignments, "dropped", "pair_id", chosen, _LEFT_OUT), "pair_id")
        chosen_sentences = _by(_rows(summaries, "kept", "pair_id", chosen, _SUMMARY), "pair_id")
        talks = {row["id"]: row for row in _rows(of.get("sources/talks"), "kept", None, (), _TALK)}
        for table in tables(folder, "kept"):
            found = _where(table, "id", chosen)
            for index in range(found.num_rows):  # one talk at a time is Python objects
                row = found.slice(index, 1).to_pylist()[0]
                aligned = Aligned(
                    pair=row,
                    states=states[row["id"]],
                    left_out={state["id"]: state for state in left_out[row["id"]]},
                    summaries=chosen_sentences[row["id"]],
                    no_sentences=no_sentences[row["paper_id"]],
                    headings=sections.get(row["paper_id"], ()),
                    talk=talks.get(row["talk_id"], {}),
                    labels=labels.get(row["talk_id"], ()),
                    score=scores.get(row["talk_id"]),
                )
                yield month, aligned


def _labels(everything: Everything) -> dict[str, Sequence[Row]]:
    """Return the hand-made labels by talk; a name that several talks have is nobody's."""
    columns = ["document", "first_word", "last_word", "sentence"]
    labels = _by(_all(everything, "sources/gold_alignments", "kept", None, (), columns), "document")
    if not labels:
        return {}
    named = _by(_all(everything, "sources/talks", "kept", "document", labels, ["id", "document"]), "document")
    return {talks[0]["id"]: labels[name] for name, talks in named.items() if len(talks) == 1}


def _scores(everything: Everything) -> dict[str, Row]:
    """Return how many words of each labelled talk are right at the current params."""
    rows = _all(everything, "talksumm/tuning", "kept", "current", [True], ["current", "talks"])
    return {talk["talk_id"]: talk for row in rows for talk in row["talks"]}


def _all(
    everything: Everything,
    dataset: str,
    table: str,
    column: str | None,
    values: Collection[Any],
    columns: Sequence[str],
) -> Iterator[Row]:
    for folder in everything.get(dataset, {}).values():
        yield from _rows(folder, table, column, values, columns)


def _rows(
    folder: Path | None, table: str, column: str | None, values: Collection[Any], columns: Sequence[str]
) -> Iterator[Row]:
    """Yield the rows of a partition that have one of some values in a column (None: all rows)."""
    for part in tables(folder, table, columns) if folder else ():
        yield from _where(part, column, values).to_pylist()


def _where(table: pa.Table, column: str | None, values: Collection[Any]) -> pa.Table:
    if column is None:
        return table
    wanted = pa.array(list(values), table[column].type)
    return table.filter(pc.is_in(table[column], value_set=wanted))


def _by(rows: Iterator[Row], column: str = "paper_id") -> Mapping[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row[column]].append(row)
    return grouped
