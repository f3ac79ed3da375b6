"""Outcomes of candidates, by the method that found them; and the page of pairs, with some of each outcome.

Belongs here: counting the rows of all datasets from candidates to pairs; which pairs are shown, and their
sentences compared word by word. Not here: drawing (static/pairs.js).

A pair that several methods found counts for each of them.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import pyarrow.compute as pc

from assets.declare.graph import Everything, Files
from assets.rows.reading import Counted, parts, rows, shortened, value_counts
from ops.core.outcome import Row
from ops.parasci.dataset.threshold_scores import found_by
from ops.text.words import word_difference
from pages.html import embedded, render
from pages.sampling import rank

SCORED, FILTERED, PARAPHRASES = "parasci/scored", "parasci/filtered", "parasci/paraphrases"

#: The outcome of a pair, and the dataset and the table that have it.
FATES = {
    "kept": (PARAPHRASES, "kept"),
    "consistency": (FILTERED, "dropped"),
    "length_rate": (FILTERED, "dropped"),
    "self_bleu": (FILTERED, "dropped"),
    "well_formed": (FILTERED, "dropped"),
    "repeated": (PARAPHRASES, "dropped"),
    "not_drawn": (PARAPHRASES, "dropped"),
}

#: The most pairs of one method and outcome, by the hash of their ids, and characters of a sentence.
MOST_PAIRS, LONGEST = 100, 1_500
_MOST_NAMES = 10
_SCORES = (
    "consistency",
    "f1",
    "least",
    "weakest",
    "length_rate",
    "self_bleu",
    "well_formed",
    "covered_words",
    "numbers",
    "names",
    "cosine",
)
_COLUMNS = ("id", "first", "second", "keys", "papers", *_SCORES)


def pages(everything: Everything) -> Files:
    """Yield the page, and for each method and outcome a script with pairs, loaded on demand."""
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


def origins(everything: Everything) -> list[str]:
    """Return the methods, the inputs of parasci/scored; none if params.yaml leaves ParaSCI out."""
    dataset = everything.graph.datasets.get(SCORED)
    return [source.argument for source in dataset.inputs] if dataset else []


def funnel(everything: Everything, numbers: Mapping[str, Counted]) -> list[dict[str, Any]]:
    """Return for each method the numbers of its candidates and their outcomes.

    `compared`: pairs compared. `stored`: pairs above the floor. `dropped`: pairs by reason. `kept`: pairs
    kept. None if a dataset is missing. Losses without a reason are repeats of the same pair: `merged`.
    """
    scored, kept = (
        value_counts(pc.list_flatten(table["origins"]) for table in parts(everything, name, ["origins"]))
        for name in (SCORED, PARAPHRASES)
    )
    reasons = {name: _dropped(everything, numbers, name) for name in origins(everything)}
    found = []
    for name in origins(everything):
        dataset = f"parasci/{name}"
        stored = numbers[dataset].total("kept") if dataset in numbers else None
        dropped = dict(reasons[name])
        if stored is not None and SCORED in numbers:
            merged = stored - sum(dropped.values()) - scored[name]
            dropped |= {"merged": merged} if merged > 0 else {}
        dropped |= dict(sorted(_lost_to_thresholds(everything, name).items()))
        found.append(
            {
                "origin": name,
                "dataset": dataset,
                "compared": numbers[dataset].combinations.get("compared") if dataset in numbers else None,
                "stored": stored,
                "dropped": dropped,
                "kept": kept[name] if PARAPHRASES in numbers else None,
            }
        )
    return found


def _chosen(everything: Everything, origin: str, fate: str) -> tuple[Sequence[str], int]:
    """Return the ids of the shown pairs, and the number of all pairs."""
    chosen: list[tuple[str, str]] = []
    total = 0
    columns = ["id", "origins", *(["reason"] if fate != "kept" else [])]
    dataset, kind = FATES[fate]
    for table in parts(everything, dataset, columns, kind):
        found = table.filter(found_by(table["origins"], origin))
        if fate != "kept":
            found = found.filter(pc.equal(found["reason"], fate))
        total += len(found)
        ranked = ((rank(name), name) for name in found["id"].to_pylist())
        chosen = heapq.nsmallest(MOST_PAIRS, (*chosen, *heapq.nsmallest(MOST_PAIRS, ranked)))
    return [name for _, name in chosen], total


def _pairs(everything: Everything, ids: Sequence[str], fate: str) -> Iterator[dict[str, Any]]:
    columns = [*_COLUMNS, *(["split"] if fate == "kept" else [])]
    dataset, kind = FATES[fate]
    found = rows(everything, dataset, columns, kind, at_once=1_000, id=set(ids))
    for row in sorted(found, key=lambda row: (-row["consistency"], row["id"])):
        yield _pair(row)


def _pair(row: Row) -> dict[str, Any]:
    first, second = (shortened(row[side], LONGEST) for side in ("first", "second"))
    return {
        "id": row["id"],
        "difference": word_difference(first, second),
        "keys": [shortened(key, 200) for key in row["keys"][:_MOST_NAMES]],
        "papers": row["papers"][:_MOST_NAMES],
        "split": row.get("split"),
        **{name: row[name] for name in _SCORES},
    }


def _dropped(everything: Everything, numbers: Mapping[str, Counted], origin: str) -> dict[str, int]:
    """Return what parasci/scored dropped from a method, as units or as combinations."""
    if SCORED not in numbers:
        return {}
    if everything.graph.datasets[SCORED].consumes == origin:
        return dict(numbers[SCORED].by_reason)
    named = {name.partition(": ")[::2]: count for name, count in numbers[SCORED].combinations.items()}
    return {reason: count for (method, reason), count in sorted(named.items()) if method == origin and count}


def _lost_to_thresholds(everything: Everything, origin: str) -> Counter[str]:
    return value_counts(
        table["reason"].filter(found_by(table["origins"], origin))
        for name in (FILTERED, PARAPHRASES)
        for table in parts(everything, name, ["origins", "reason"], "dropped")
    )
