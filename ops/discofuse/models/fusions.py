"""Fusions of the test examples by every system: the models, and COPY.

Belongs here: which examples are fused, and a fusion of each by every system. Not here: training the models
(fusion_model.py), scoring (evaluation/scores.py).

Geva et al. (2019), section 5.1: every model fuses the examples of every domain, of the full and of the
balanced test set; COPY only joins the two sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pydantic import Field

from ops.core.identity import row_id
from ops.core.loaded import Loaded
from ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, drop
from ops.core.params import Params
from ops.core.parts import Artifact, Parts
from ops.discofuse.models.fusion_model import trained_model, trained_names
from ops.discofuse.models.training_sets import bounded, source_of, target_of
from ops.discofuse.schemas import EXAMPLES
from ops.models.seq2seq.writing import answers

_TEXT = pa.string()

COPY, MODEL = "copy", "model"

FUSIONS = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("example_id", _TEXT, "row of discofuse/examples"),
        ("system", _TEXT, "copy or model"),
        ("model", _TEXT, "training set of the model; null for copy"),
        ("domain", _TEXT, "of the example"),
        ("balanced", pa.bool_(), "whether the example is in discofuse/balanced"),
        ("discourse_type", _TEXT, "of the example"),
        ("connective_string", _TEXT, "of the example"),
        ("source", _TEXT, "the two sentences that are to be fused"),
        ("target", _TEXT, "the text that they were made of"),
        ("prediction", _TEXT, "the fusion of the system"),
    ),
)


class FusionParams(Params, section="discofuse.fusions"):
    """How many test examples are fused."""

    examples: int | None = Field(None, ge=1, description="of each domain at most, drawn; null: all")
    seed: int = Field(0, ge=0, description="of the draw")


def fusions(
    examples: Parts, balanced: Parts, fusion_model: Artifact, params: FusionParams, strict: bool = True
) -> Outcomes:
    """Yield a fusion of each test example by every system; the units are the examples.

    Those of other splits are dropped as `split_train` and `split_validation`, and as `not_drawn` those
    beyond the number of a domain. Of a source that is longer than a model reads, it reads the beginning.
    """
    tests: dict[str, list[Row]] = {}
    for table in examples:
        units = table.to_pylist()
        others = [unit for unit in units if unit["split"] != "test"]
        for unit in units:
            if unit["split"] == "test":
                tests.setdefault(unit["domain"], []).append(unit)
        dropped = [drop(unit, f"split_{unit['split']}") for unit in others]
        yield Outcome.of(FUSIONS, [unit["id"] for unit in others], [], dropped)
    chosen = [
        unit for _, units in sorted(tests.items()) for unit in bounded(units, params.examples, params.seed)
    ]
    taken = {unit["id"] for unit in chosen}
    left = [unit for units in tests.values() for unit in units if unit["id"] not in taken]
    down = {source for row in balanced.read(["source_ids"])["source_ids"].to_pylist() for source in row}
    sources = [source_of(unit) for unit in chosen]
    kept = _rows(COPY, None, chosen, sources, down)
    for name in trained_names(fusion_model):
        found = answers(examples.engine, Loaded(trained_model, (fusion_model, name, strict)), sources)
        kept += _rows(MODEL, name, chosen, [answer.text for answer in found], down)
    yield Outcome.of(
        FUSIONS,
        [unit["id"] for unit in [*chosen, *left]],
        kept,
        [drop(unit, "not_drawn") for unit in left],
    )


def _rows(
    system: str, model: str | None, units: Sequence[Row], predictions: Sequence[str], balanced: set[str]
) -> list[Row]:
    return [
        {
            "id": row_id("fusion", unit["id"], system, model or ""),
            "source_ids": [unit["id"]],
            "licence": unit["licence"],
            "example_id": unit["id"],
            "system": system,
            "model": model,
            "domain": unit["domain"],
            "balanced": unit["id"] in balanced,
            "discourse_type": unit["discourse_type"],
            "connective_string": unit["connective_string"],
            "source": source_of(unit),
            "target": target_of(unit),
            "prediction": prediction,
        }
        for unit, prediction in zip(units, predictions, strict=True)
    ]
