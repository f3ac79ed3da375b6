"""ParaSCI's Table 3 on real papers: PDBERT against the best clause.

    python benchmarks/parasci_table_3.py

Run it in a checkout that has made parasci/extractions, which has the number of valuable extractions and their
BERTScore. Speed is measured here, on the same pairs: both systems take turns with blocks of pairs, so that
other load on the machine slows down both. A second table has PDBERT's parts above some confidences, next to
the best clauses of the same pairs.

Not here: PDBERT on pseudo data, with its training (parasci.py pdbert).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.parasci import searched, seconds
from silverloom.ops.core.parts import Artifact
from silverloom.ops.core.sampling import drawn
from silverloom.ops.models.encoder import embedder
from silverloom.ops.parasci.dataset.filtered import PARTS_ORIGIN, FilterParams, passes
from silverloom.ops.parasci.partial.extractions import CLAUSE, MODEL, TABLE, best_clauses
from silverloom.ops.parasci.partial.partial import seen
from silverloom.ops.parasci.partial.pdbert import trained
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.partition.inputs import artifact, open_inputs

BLOCK = 250
CONFIDENCES = (0.0, 0.1, 0.25, 0.5, 0.75)

Texts = list[tuple[str, str]]
Systems = dict[str, Callable[[Texts], list[str | None]]]


def main() -> None:
    """Print the speed of both systems on the dataset's pairs, then the table."""
    project = workspace()
    partial, extractions = (project.datasets[f"parasci/{name}"] for name in ("partial", "extractions"))
    given, params = partial.arguments, extractions.arguments["params"]
    inputs = open_inputs(project, partial, project.graph.input_partitions(partial, ""))
    pairs = [pair for part in inputs["intra"] for pair in seen(part.to_pylist(), given["params"])[0]]
    pairs.sort(key=lambda pair: drawn(params.seed, pair.row["id"]))
    texts = {pair.row["id"]: (pair.short, pair.long) for pair in pairs[: params.pairs]}
    model = trained(inputs["pdbert"], strict=False)
    if model is None:
        raise SystemExit("PDBERT had no pairs within papers to learn from")
    embed = embedder(given["statements"].encoder, strict=False)
    systems: Systems = {
        CLAUSE: lambda block: best_clauses(block, embed),
        MODEL: lambda block: searched(model, block),
    }
    made = artifact(project, extractions)
    print(f"{len(texts)} pairs, sampled from {len(pairs)} that PDBERT reads")
    print_table(json.loads(made.files()[TABLE]), measured(systems, texts, made))
    found = artifact(project, partial).rows.read(["source_ids", "confidence"]).to_pylist()
    print_confidences(
        made,
        {row["source_ids"][0]: row["confidence"] for row in found},
        extractions.arguments["filtering"],
    )


def measured(systems: Systems, texts: dict[str, tuple[str, str]], made: Artifact) -> dict[str, float]:
    """Return pairs per second by system; print how many extractions equal the stored ones."""
    rows = made.rows.read(["pair_id", "system", "part"]).to_pylist()
    stored = {(row["pair_id"], row["system"]): row["part"] for row in rows}
    if not {pair for pair, _ in stored} <= texts.keys():
        raise SystemExit("parasci/extractions was made from other pairs: make it again with `silverloom run`")
    names = list(texts)
    for run in systems.values():
        run([texts[name] for name in names[:8]])
    took, same = dict.fromkeys(systems, 0.0), Counter[str]()
    for start in range(0, len(names), BLOCK):
        block = names[start : start + BLOCK]
        its = [texts[name] for name in block]
        for system, run in systems.items():
            spent, found = seconds(lambda run=run, its=its: run(its))
            took[system] += spent
            same[system] += sum(
                stored.get((name, system)) == part for name, part in zip(block, found, strict=True) if part
            )
    for system in systems:
        stored_parts = sum(its == system for _, its in stored)
        print(f"{system}: {same[system]} of {stored_parts} stored extractions found again")
    return {system: len(names) / spent for system, spent in took.items()}


def print_table(table: dict, speed: dict[str, float]) -> None:
    """Print the table, with the paper's numbers in brackets."""
    published = {row["system"]: row for row in table["published"]}
    print("system       pairs/s         extractions  valuable    BERTScore, 95 %")
    for row in table["systems"]:
        name, f1 = row["system"], row["scores"]["f1"]
        paper = published[name]
        print(
            f"{name:12} {speed[name]:6.1f} ({paper['speed']:5.2f})  {row['pairs']:11}  "
            f"{row['valuable']:4} ({paper['valuable']})  {100 * f1['mean']:.2f}, "
            f"{100 * f1['low']:.2f} to {100 * f1['high']:.2f} ({paper['f1']})"
        )
    for test in table["tests"]:
        print("paired test over pairs from which both extract a part:", json.dumps(test))


def print_confidences(made: Artifact, confidence: dict[str, float], filtering: FilterParams) -> None:
    """Print both systems on pairs from which both extract a part, by PDBERT's confidence."""
    rows = made.rows.read(["pair_id", "system", "f1", "consistency", "length_rate"]).to_pylist()
    clause, model = (
        {row["pair_id"]: row for row in rows if row["system"] == name} for name in (CLAUSE, MODEL)
    )
    print("confidence  pairs  PDBERT: F1, passes the filter  best clause: F1, passes")
    for least in CONFIDENCES:
        names = [name for name in model.keys() & clause.keys() if confidence[name] >= least]
        told = [
            f"{100 * sum(its[name]['f1'] for name in names) / max(1, len(names)):.2f}, "
            f"{sum(passes(its[name], filtering, PARTS_ORIGIN) for name in names)}"
            for its in (model, clause)
        ]
        print(f"{least:10}  {len(names):5}  {told[0]:30} {told[1]}")


if __name__ == "__main__":
    main()
