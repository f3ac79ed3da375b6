"""The page of pairs: some of each method and fate, their sentences against each other word by word.

Belongs here: which pairs are shown, and what of them. Not here: drawing (static/pairs.js).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pyarrow.compute as pc

from assets.declare.report import Everything, Files
from ops.outcome import Row
from ops.parasci.dataset.threshold_scores import found_by
from ops.text.word_diff import difference
from orchestration.pages.html import embedded, render
from orchestration.pages.reading import parts, rows, shortened
from orchestration.pages.sampling import rank
from orchestration.pages.systems.parasci.funnel import PARAPHRASES, origins

#: What became of a pair, and the table that it stands in.
FATES = {
    "kept": "kept",
    "f1": "dropped",
    "length_rate": "dropped",
    "self_bleu": "dropped",
    "shared_words": "dropped",
}

#: Pairs of one method and fate, by the hash of their ids, and characters of a sentence.
MOST_PAIRS, LONGEST = 100, 1_500
_MOST_NAMES = 10
_SCORES = ("f1", "precision", "recall", "length_rate", "self_bleu", "shared_words", "cosine")
_COLUMNS = ("id", "first", "second", "keys", "papers", *_SCORES)


def pages(everything: Everything) -> Files:
    """Yield the page, and for each method and fate a script with pairs, loaded when it is looked at."""
    listed = []
    for origin, fate in product(origins(everything), FATES):
        ids, total = _chosen(everything, origin, fate)
        if total:
            script = f"paraphrases/{origin}-{fate}.js"
            found = list(_pairs(everything, ids, fate))
            listed.append(
                {"origin": origin, "fate": fate, "script": script, "total": total, "shown": len(found)}
            )
            yield script, f"silverloom.pairs({embedded({'script': script, 'pairs': found})});\n".encode()
    declared = PARAPHRASES in everything
    yield render("pairs.html", "parasci/pairs.html", "Pairs", data=listed, listed=listed, declared=declared)


def _chosen(everything: Everything, origin: str, fate: str) -> tuple[Sequence[str], int]:
    """Return the ids of the pairs that are shown, and how many there are."""
    chosen: list[tuple[str, str]] = []
    total = 0
    columns = ["id", "origins", *(["reason"] if fate != "kept" else [])]
    for table in parts(everything, PARAPHRASES, columns, FATES[fate]):
        found = table.filter(found_by(table["origins"], origin))
        if fate != "kept":
            found = found.filter(pc.equal(found["reason"], fate))
        total += len(found)
        ranked = ((rank(name), name) for name in found["id"].to_pylist())
        chosen = heapq.nsmallest(MOST_PAIRS, (*chosen, *heapq.nsmallest(MOST_PAIRS, ranked)))
    return [name for _, name in chosen], total


def _pairs(everything: Everything, ids: Sequence[str], fate: str) -> Iterator[dict[str, Any]]:
    columns = [*_COLUMNS, *(["split"] if fate == "kept" else [])]
    found = rows(everything, PARAPHRASES, columns, FATES[fate], at_once=1_000, id=set(ids))
    for row in sorted(found, key=lambda row: (-row["f1"], row["id"])):
        yield _pair(row)


def _pair(row: Row) -> dict[str, Any]:
    first, second = (shortened(row[side], LONGEST) for side in ("first", "second"))
    return {
        "id": row["id"],
        "difference": difference(first, second),
        "keys": [shortened(key, 200) for key in row["keys"][:_MOST_NAMES]],
        "papers": row["papers"][:_MOST_NAMES],
        "split": row.get("split"),
        **{name: row[name] for name in _SCORES},
    }
