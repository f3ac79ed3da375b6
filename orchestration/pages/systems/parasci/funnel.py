"""What became of candidates, by the method that found them.

Belongs here: counting the rows of all datasets from candidates to pairs. Not here: drawing.

A pair that several methods found counts with each of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from assets.declare.report import Everything
from ops.parasci.dataset.threshold_scores import found_by
from orchestration.files.parquet import COMBINATIONS
from orchestration.lineage.rows import Counted, tables

SCORED, PARAPHRASES = "parasci/scored", "parasci/paraphrases"


def origins(everything: Everything) -> list[str]:
    """Return the methods: what parasci/scored reads; none where params.yaml leaves ParaSCI out."""
    item = everything.graph.datasets.get(SCORED)
    return [source.argument for source in item.inputs] if item else []


def funnel(everything: Everything, numbers: Mapping[str, Counted]) -> list[dict[str, Any]]:
    """Return for each method its candidates and what became of them.

    `compared` pairs, `stored` ones above the floor, `dropped` ones by reason, `kept` ones; None where a
    dataset is not there. What no reason explains is the same pair found again: `merged`.
    """
    scored = _by_origin(everything, SCORED, "kept")
    kept = _by_origin(everything, PARAPHRASES, "kept")
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
                "compared": _combinations(everything, dataset).get("compared"),
                "stored": stored,
                "dropped": dropped,
                "kept": kept[name] if PARAPHRASES in numbers else None,
            }
        )
    return found


def _dropped(everything: Everything, numbers: Mapping[str, Counted], origin: str) -> dict[str, int]:
    """Return what parasci/scored dropped of a method: as units, or as combinations."""
    if SCORED not in numbers:
        return {}
    if everything.graph.datasets[SCORED].consumes == origin:
        return dict(numbers[SCORED].by_reason)
    counts = _combinations(everything, SCORED)
    named = {name.partition(": ")[::2]: count for name, count in counts.items()}
    return {reason: count for (method, reason), count in sorted(named.items()) if method == origin and count}


def _lost_to_thresholds(everything: Everything, origin: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for folder in everything.get(PARAPHRASES, {}).values():
        for table in tables(folder, "dropped", ["origins", "reason"]):
            lost = table["reason"].filter(found_by(table["origins"], origin))
            counts.update({entry["values"]: entry["counts"] for entry in lost.value_counts().to_pylist()})
    return counts


def _by_origin(everything: Everything, name: str, kind: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for folder in everything.get(name, {}).values():
        for table in tables(folder, kind, ["origins"]):
            found = pc.list_flatten(table["origins"]).value_counts().to_pylist()
            counts.update({entry["values"]: entry["counts"] for entry in found})
    return counts


def _combinations(everything: Everything, name: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for folder in everything.get(name, {}).values():
        path = folder / COMBINATIONS
        if path.is_file():
            counts.update(json.loads(path.read_bytes()))
    return counts
