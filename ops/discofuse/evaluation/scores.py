"""Scores of every system's fusions: the paper's Tables 6, 7 and 9, and Figure 3.

Belongs here: scores of each fusion, their means with intervals, tests between systems, and which connectives
and pronouns are predicted. Not here: the metrics (ops/metrics), aligning texts (alignment.py), making fusions
(models/fusions.py).

Geva et al. (2019), sections 5.2 and 5.4: Exact and SARI on the full and the balanced test sets, by
phenomenon, and the outputs in place of gold connectives and pronouns.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import pyarrow as pa
from pydantic import Field

from ops.core.identity import row_id
from ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, struct
from ops.core.parts import Parts
from ops.discofuse.evaluation.alignment import (
    CONNECTIVES,
    OTHER,
    PRONOUNS,
    predicted_connective,
    pronouns,
    words,
)
from ops.discofuse.models.fusions import FUSIONS
from ops.discofuse.rules.rule import DISCOURSE_TYPES
from ops.evaluation.table import TABLE, Bootstrap, by_system, fields_of, mean_scores, system_tests, with_files
from ops.metrics.fusion import exact_match, sari

_TEXT, _REAL, _BOOL = pa.string(), pa.float64(), pa.bool_()

#: The columns of a fusion that the table of scores repeats.
_FUSION = (
    "example_id", "system", "model", "domain", "balanced", "discourse_type", "source", "target", "prediction",
)  # fmt: skip

#: The metrics of a fusion, each 0 to 1.
METRICS = ("sari", "exact", "keep", "add", "delete")

#: The metrics of Tables 6 and 7.
TABLE_6 = ("sari", "exact")

#: The connectives of the paper's Table 9, in its order.
TABLE_9 = (
    "and", "but", "because", "although", "so", "or", "however", "while", "so that", "unless", "for example",
)  # fmt: skip

_PRONOUN = struct(("gold", _TEXT), ("predicted", _TEXT, f"{OTHER} where it has no pronoun there"))

EVALUATION = Shape(
    unit=FUSIONS.kept,
    kept=columns(
        ("fusion_id", _TEXT, "row of discofuse/fusions"),
        *(FUSIONS.kept.field(name) for name in _FUSION),
        ("in_domain", _BOOL, "whether the model was trained on the domain of the example alone"),
        ("exact", _REAL, "1 where prediction and target have the same tokens in any case, else 0"),
        ("sari", _REAL, "0 to 1, the mean of the next three"),
        ("keep", _REAL, "F1 of n-grams rightly kept"),
        ("add", _REAL, "F1 of n-grams rightly added"),
        ("delete", _REAL, "F1 of n-grams rightly deleted"),
        ("connective", _TEXT, "of the target, without commas; null where it has no connective"),
        ("predicted_connective", _TEXT, f"of the prediction there; {OTHER} where it has no connective"),
        ("pronouns", pa.list_(_PRONOUN), "those that the target has and the source has not"),
    ),
)

#: The columns that the tables need; texts are left out to save memory.
_LIGHT = (
    "example_id", "system", "model", "domain", "balanced", "discourse_type", "in_domain", *METRICS,
    "connective", "predicted_connective", "pronouns",
)  # fmt: skip


class EvaluationParams(Bootstrap, section="discofuse.evaluation"):
    """The bootstrap over examples, and the number of connectives shown."""

    connectives: int = Field(
        11, ge=0, description="how many of the most common ones are shown next to the paper's"
    )


def evaluation(fusions: Parts, params: EvaluationParams) -> Outcomes:
    """Yield the scores of all fusions by part, and the tables with the last part. Units are the fusions."""
    light: list[Row] = []

    def parts() -> Outcomes:
        for outcome in fusions.map(scores_of):
            light.extend(outcome.kept.select(_LIGHT).to_pylist())
            yield outcome

    def files() -> dict[str, bytes]:
        return {TABLE: json.dumps(table(light, params), indent=1, sort_keys=True).encode()}

    yield from with_files(parts(), EVALUATION, files)


def scores_of(fusions: pa.Table) -> Outcome:
    """Return the scores of the fusions of one part."""
    return Outcome.of(EVALUATION, fusions["id"].to_pylist(), [scored(unit) for unit in fusions.to_pylist()])


def scored(fusion: Row) -> dict[str, Any]:
    """Return the row of a fusion: its scores, and its outputs in place of the connective and pronouns."""
    found = sari(fusion["source"], fusion["prediction"], [fusion["target"]])
    gold, predicted, source = (words(fusion[name]) for name in ("target", "prediction", "source"))
    connective = " ".join(words(fusion["connective_string"] or ""))
    known = CONNECTIVES | {connective}
    output = predicted_connective(connective, gold, predicted, source, known) if connective else None
    return {
        "id": row_id("score", fusion["id"]),
        "source_ids": [fusion["id"]],
        "licence": fusion["licence"],
        "fusion_id": fusion["id"],
        **{name: fusion[name] for name in _FUSION},
        "in_domain": fusion["model"] == fusion["domain"],
        "exact": float(exact_match(fusion["prediction"], [fusion["target"]])),
        "sari": found.score,
        "keep": found.keep,
        "add": found.add,
        "delete": found.delete,
        "connective": connective if output else None,
        "predicted_connective": output,
        "pronouns": [pair._asdict() for pair in pronouns(gold, predicted, source)],
    }


def table(rows: Sequence[Row], params: EvaluationParams) -> dict[str, Any]:
    """Return the paper's tables; means have 95 % intervals over examples.

    `systems` (Table 6): every system by domain and test set ("full", "balanced"), with the number of
    examples, and mean, low and high by metric. `tests`: every pair of systems over the examples that both
    have, by domain, test set and metric of Table 6, with difference, low, high and p. The others cover only
    in-domain models on the full test set: `phenomena` (Table 7), `connectives` (Table 9: accuracy, and how
    often each output was predicted, the most frequent first) and `pronouns` (Figure 3: how often each output
    was predicted, as counts and shares of the row).
    """
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["domain"], "full"].append(row)
        if row["balanced"]:
            groups[row["domain"], "balanced"].append(row)
    ordered = sorted(groups, key=lambda key: (key[0], key[1] == "balanced"))
    models: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["in_domain"]:
            models[row["model"]].append(row)
    shown = _connectives_shown(rows, params.connectives)
    return {
        "systems": [
            {
                **_place(*key),
                **fields_of(system),
                "examples": len(rows_of_system),
                "scores": mean_scores(rows_of_system, METRICS, params),
            }
            for key in ordered
            for system, rows_of_system in sorted(by_system(groups[key]).items())
        ],
        "tests": [
            {**_place(*key), **test}
            for key in ordered
            if (systems := by_system(groups[key]))
            for test in system_tests(
                systems, combinations(sorted(systems), 2), "example_id", "examples", TABLE_6, params
            )
        ],
        "phenomena": [
            {
                "model": model,
                "discourse_type": kind,
                "examples": len(rows_of_system),
                "scores": mean_scores(rows_of_system, TABLE_6, params),
            }
            for model, of_model in sorted(models.items())
            for kind in DISCOURSE_TYPES
            if (rows_of_system := [row for row in of_model if row["discourse_type"] == kind])
        ],
        "connectives": [
            {"model": model, "connective": name, **_connective(name, of_model, params)}
            for model, of_model in sorted(models.items())
            for name in shown
        ],
        "pronouns": [
            {"model": model, "pronoun": name, **_confusion(outputs)}
            for model, of_model in sorted(models.items())
            for name in PRONOUNS
            if (outputs := _outputs(name, of_model))
        ],
    }


def _place(domain: str, test: str) -> dict[str, str]:
    return {"domain": domain, "test": test}


def _connectives_shown(rows: Iterable[Row], most: int) -> list[str]:
    """Return the paper's connectives, then further ones from the most common in the test examples."""
    of_example = {row["example_id"]: row["connective"] for row in rows if row["connective"]}
    counts = Counter(of_example.values())
    common = sorted(counts, key=lambda name: (-counts[name], name))[:most]
    return [*TABLE_9, *(name for name in common if name not in TABLE_9)]


def _connective(name: str, rows: Iterable[Row], params: EvaluationParams) -> dict[str, Any]:
    outputs = [row["predicted_connective"] for row in rows if row["connective"] == name]
    hits = [float(output == name) for output in outputs]
    accuracy = params.interval(hits)._asdict() if hits else None
    return {"accuracy": accuracy, **_confusion(outputs)}


def _outputs(pronoun: str, rows: Iterable[Row]) -> list[str]:
    return [pair["predicted"] for row in rows for pair in row["pronouns"] if pair["gold"] == pronoun]


def _confusion(outputs: Sequence[str]) -> dict[str, Any]:
    """Return how often each output occurs, the most frequent first, ties by name."""
    counts: Mapping[str, int] = Counter(outputs)
    return {
        "examples": len(outputs),
        "predicted": [
            {"output": output, "count": counts[output], "share": counts[output] / len(outputs)}
            for output in sorted(counts, key=lambda output: (-counts[output], output))
        ],
    }
