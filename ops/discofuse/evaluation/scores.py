"""Scores of every system's fusions: the paper's Tables 6, 7 and 9, and Figure 3.

Belongs here: scores of each fusion, their means with intervals, tests between systems, and which connectives
and pronouns are predicted. Not here: the metrics (ops/metrics), aligning texts (alignment.py), making fusions
(models/fusions.py).

Geva et al. (2019), sections 5.2 and 5.4: Exact and SARI on the full and the balanced test sets, by
phenomenon, and the outputs in place of gold connectives and pronouns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, optional, struct
from silverloom.ops.core.parts import Parts
from silverloom.ops.discofuse.evaluation.alignment import (
    CONNECTIVES,
    OTHER,
    PRONOUNS,
    predicted_connective,
    pronouns,
    words,
)
from silverloom.ops.discofuse.models.fusions import FUSIONS
from silverloom.ops.discofuse.rules.rule import DISCOURSE_TYPES
from silverloom.ops.evaluation.table import (
    TABLE,
    Bootstrap,
    by_system,
    by_value,
    fields_of,
    mean_scores,
    system_tests,
    with_files,
)
from silverloom.ops.metrics.fusion import exact_match, sari

_TEXT, _REAL, _BOOL = pa.string(), pa.float64(), pa.bool_()

#: The columns of a fusion that the table of scores repeats.
_FUSION = (
    "example_id", "system", "model", "domain", "split", "balanced", "discourse_type", "source", "target",
    "prediction",
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
        ("exact", _REAL, "1 where prediction and a reference have the same tokens in any case, else 0"),
        ("sari", _REAL, "0 to 1, the mean of the next three"),
        ("keep", _REAL, "F1 of n-grams rightly kept"),
        ("add", _REAL, "F1 of n-grams rightly added"),
        ("delete", _REAL, "F1 of n-grams rightly deleted"),
        optional("connective", _TEXT, "of the target, without commas; null where it has no connective"),
        optional(
            "predicted_connective", _TEXT, f"of the prediction there; {OTHER} where it has no connective"
        ),
        ("pronouns", pa.list_(_PRONOUN), "those that the target has and the source has not"),
    ),
)

#: The columns that the tables need, for all rows in memory; the texts may be too large for it.
_LIGHT = (
    "example_id", "system", "model", "domain", "split", "balanced", "discourse_type", "in_domain", *METRICS,
    "connective", "predicted_connective", "pronouns",
)  # fmt: skip


class EvaluationParams(Bootstrap, section="discofuse.evaluation"):
    """The bootstrap over examples, and the number of connectives shown."""

    connectives: int = Field(
        11, ge=0, description="how many of the most common ones are shown next to the paper's"
    )


def evaluation(fusions: Parts, params: EvaluationParams) -> Outcomes:
    """Yield the scores of all fusions by part, and the tables with the last part. Units are the fusions."""
    light = [EVALUATION.kept.empty_table().select(_LIGHT)]

    def parts() -> Outcomes:
        for outcome in fusions.map(scores_of):
            light.append(outcome.kept.select(_LIGHT))
            yield outcome

    def files() -> dict[str, bytes]:
        return {TABLE: json.dumps(table(pa.concat_tables(light), params), indent=1, sort_keys=True).encode()}

    yield from with_files(parts(), EVALUATION, files)


def scores_of(fusions: pa.Table) -> Outcome:
    """Return the scores of the fusions of one part."""
    return Outcome.of(EVALUATION, fusions["id"].to_pylist(), [scored(unit) for unit in fusions.to_pylist()])


def scored(fusion: Row) -> dict[str, Any]:
    """Return the row of a fusion: its scores against all its references, and its outputs in place of the
    connective and pronouns of its target."""
    score = sari(fusion["source"], fusion["prediction"], fusion["references"])
    gold, predicted, source = (words(fusion[name]) for name in ("target", "prediction", "source"))
    connective = " ".join(words(fusion["connective_string"] or ""))
    known = CONNECTIVES | {connective}
    output = predicted_connective(connective, gold, predicted, source, known) if connective else None
    return {
        **made_from(fusion, "score"),
        "fusion_id": fusion["id"],
        **{name: fusion[name] for name in _FUSION},
        "in_domain": fusion["model"] == fusion["domain"],
        "exact": float(exact_match(fusion["prediction"], fusion["references"])),
        "sari": score.score,
        "keep": score.keep,
        "add": score.add,
        "delete": score.delete,
        "connective": connective if output else None,
        "predicted_connective": output,
        "pronouns": [pair._asdict() for pair in pronouns(gold, predicted, source)],
    }


def table(rows: pa.Table, params: EvaluationParams) -> dict[str, Any]:
    """Return the paper's tables; means have 95 % intervals over examples.

    `split` names the split of the examples. `systems` (Table 6): every system by domain and test set ("full",
    "balanced"), with the number of examples, and mean, low and high by metric. `tests`: every pair of systems
    over the examples that both have, by domain, test set and metric of Table 6, with difference, low, high
    and p. The others cover only in-domain models on the full set: `phenomena` (Table 7), `connectives` (Table
    9: accuracy, and how often each output was predicted, the most frequent first) and `pronouns` (Figure 3:
    how often each output was predicted, as counts and shares of the row).
    """
    summed: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for place, of_place in _by_test_set(rows):
        systems = by_system(of_place)
        summed += [
            {
                **place,
                **fields_of(system),
                "examples": len(of_system),
                "scores": mean_scores(of_system, METRICS, params),
            }
            for system, of_system in sorted(systems.items())
        ]
        pairs = combinations(sorted(systems), 2)
        compared = system_tests(systems, pairs, "example_id", "examples", TABLE_6, params)
        tests += [{**place, **test} for test in compared]
    models = sorted(by_value(rows.filter(rows["in_domain"]), "model").items())
    shown = _connectives_shown(rows, params.connectives)
    return {
        "split": " and ".join(sorted(pc.unique(rows["split"]).to_pylist())),
        "systems": summed,
        "tests": tests,
        "phenomena": [
            {
                "model": model,
                "discourse_type": kind,
                "examples": len(rows_of_system),
                "scores": mean_scores(rows_of_system, TABLE_6, params),
            }
            for model, of_model in models
            for kind in DISCOURSE_TYPES
            if len(rows_of_system := of_model.filter(pc.equal(of_model["discourse_type"], kind)))
        ],
        "connectives": [
            {"model": model, "connective": name, **_connective(name, of_model, params)}
            for model, of_model in models
            for name in shown
        ],
        "pronouns": [
            {"model": model, "pronoun": name, **_confusion(outputs)}
            for model, of_model in models
            for name in PRONOUNS
            if len(outputs := _outputs(name, of_model))
        ],
    }


def _by_test_set(rows: pa.Table) -> Iterator[tuple[dict[str, str], pa.Table]]:
    """Yield each test set with its rows: the full one of each domain, and the balanced one if it has rows."""
    for domain, of_domain in sorted(by_value(rows, "domain").items()):
        yield {"domain": domain, "test": "full"}, of_domain
        if len(balanced := of_domain.filter(of_domain["balanced"])):
            yield {"domain": domain, "test": "balanced"}, balanced


def _connectives_shown(rows: pa.Table, most: int) -> list[str]:
    """Return the paper's connectives, then further ones from the most common in the examples."""
    with_one = rows.filter(rows["connective"].is_valid())
    of_examples = with_one.group_by(["example_id", "connective"]).aggregate([])
    common = list(_counted(of_examples["connective"]))[:most]
    return [*TABLE_9, *(name for name in common if name not in TABLE_9)]


def _connective(name: str, rows: pa.Table, params: EvaluationParams) -> dict[str, Any]:
    outputs = rows.filter(pc.equal(rows["connective"], name))["predicted_connective"]
    hits = pc.equal(outputs, name).cast(pa.float64()).to_numpy()
    accuracy = params.interval(hits)._asdict() if len(hits) else None
    return {"accuracy": accuracy, **_confusion(outputs)}


def _outputs(pronoun: str, rows: pa.Table) -> pa.ChunkedArray:
    pairs = pc.list_flatten(rows["pronouns"])
    of_pronoun = pairs.filter(pc.equal(pc.struct_field(pairs, "gold"), pronoun))
    return pc.struct_field(of_pronoun, "predicted")


def _confusion(outputs: pa.ChunkedArray) -> dict[str, Any]:
    """Return how often each output occurs, the most frequent first, ties by name."""
    return {
        "examples": len(outputs),
        "predicted": [
            {"output": output, "count": count, "share": count / len(outputs)}
            for output, count in _counted(outputs).items()
        ],
    }


def _counted(values: pa.ChunkedArray) -> dict[str, int]:
    """Return how often each value occurs, the most frequent first, ties by name."""
    counts = {row["values"]: row["counts"] for row in pc.value_counts(values).to_pylist()}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
