"""Outcomes of candidates, by the method that found them.

Belongs here: counting the rows of all datasets from candidates to pairs. Not here: single pairs
(pages/rows.py).

A pair that several methods found counts for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import Counted, parts, value_counts
from silverloom.ops.parasci.dataset.threshold_scores import found_by

SCORED, FILTERED, PARAPHRASES = "parasci/scored", "parasci/filtered", "parasci/paraphrases"


def origins(everything: Everything) -> list[str]:
    """Return the methods, the inputs of parasci/scored; none if params.yaml leaves ParaSCI out."""
    dataset = everything.graph.datasets.get(SCORED)
    return [source.argument for source in dataset.inputs] if dataset else []


def funnel(everything: Everything, numbers: Mapping[str, Counted]) -> list[dict[str, Any]]:
    """Return for each method the numbers of its candidates and their outcomes.

    `compared`: pairs compared. `stored`: pairs above the floor. `dropped`: pairs by reason. `kept`: pairs
    kept. None if a dataset is missing. Losses without a reason are repeats of the same pair: `merged`.
    """
    scored, kept_counts = (
        value_counts(pc.list_flatten(table["origins"]) for table in parts(everything, name, ["origins"]))
        for name in (SCORED, PARAPHRASES)
    )
    reasons = {name: _dropped(everything, numbers, name) for name in origins(everything)}
    origin_rows = []
    for name in origins(everything):
        dataset = f"parasci/{name}"
        stored = numbers[dataset].total("kept") if dataset in numbers else None
        dropped = dict(reasons[name])
        if stored is not None and SCORED in numbers:
            merged = stored - sum(dropped.values()) - scored[name]
            dropped |= {"merged": merged} if merged > 0 else {}
        dropped |= dict(sorted(_lost_to_thresholds(everything, name).items()))
        origin_rows.append(
            {
                "origin": name,
                "dataset": dataset,
                "compared": numbers[dataset].combinations.get("compared") if dataset in numbers else None,
                "stored": stored,
                "dropped": dropped,
                "kept": kept_counts[name] if PARAPHRASES in numbers else None,
            }
        )
    return origin_rows


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
