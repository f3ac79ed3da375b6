"""What every system writes for the sentences of the test split: the generator, and COPY.

Belongs here: sentences as systems write them. Not here: the models (generator.py), scores (evaluation.py).
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from ops.core.sampling import drawn
from ops.identity import row_id
from ops.outcome import TEXT, Outcome, Outcomes, Row, Shape, columns, drop
from ops.params import Params
from ops.parasci.dataset.release import released_form
from ops.parasci.generation.generator import texts_of, trained
from ops.parasci.schemas import PARAPHRASES
from ops.parts import Artifact, Parts

_TEXT = pa.string()

COPY, MODEL = "copy", "model"

GENERATED = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/paraphrases"),
        ("system", _TEXT, f"{COPY} or {MODEL}"),
        ("model", _TEXT, "name of the model; null for copy"),
        ("origin", _TEXT, "of the pair"),
        ("source", _TEXT, "the sentence that is paraphrased, in the released form", TEXT),
        ("target", _TEXT, "its paraphrase, in the same form"),
        ("prediction", _TEXT, "what the system writes, in the same form"),
        ("truncated", pa.bool_(), "whether the model reads the beginning of the source only"),
    ),
)


class GeneratedParams(Params, section="parasci.generated"):
    """How many sentences are paraphrased."""

    pairs: int | None = Field(None, ge=1, description="of the test split at most, drawn; null: all")
    seed: int = Field(0, ge=0, description="of the draw")


def generated(paraphrases: Parts, generator: Artifact, params: GeneratedParams, strict: bool) -> Outcomes:
    """Yield what each system writes for each test pair; units are the pairs.

    Reasons: `split_train`, `split_validation`, `not_drawn`. Of a source that is longer than the model reads,
    it reads the beginning, and `truncated` says so.
    """
    tests: list[Row] = []
    for table in paraphrases:
        units = table.to_pylist()
        tests += [unit for unit in units if unit["split"] == "test"]
        dropped = [drop(unit, f"split_{unit['split']}") for unit in units if unit["split"] != "test"]
        yield Outcome.of(GENERATED, [unit["id"] for unit in dropped], [], dropped)
    ordered = sorted(tests, key=lambda unit: drawn(params.seed, unit["id"]))
    chosen, left = ordered[: params.pairs], ordered[len(ordered[: params.pairs]) :]
    sources = [texts_of(unit)[0] for unit in chosen]
    kept = [_row(COPY, None, unit, source, False) for unit, source in zip(chosen, sources, strict=True)]
    for name, model in trained(generator, strict).items() if chosen else ():
        written = [released_form(text) for text in model.generate(sources)]
        cut = [model.length(source, "") > model.config.longest for source in sources]
        kept += [_row(MODEL, name, *of_unit) for of_unit in zip(chosen, written, cut, strict=True)]
    yield Outcome.of(
        GENERATED, [unit["id"] for unit in tests], kept, [drop(unit, "not_drawn") for unit in left]
    )


def _row(system: str, model: str | None, unit: Row, prediction: str, truncated: bool) -> Row:
    source, target = texts_of(unit)
    return {
        "id": row_id("generated", unit["id"], system, model or ""),
        "source_ids": [unit["id"]],
        "licence": unit["licence"],
        "pair_id": unit["id"],
        "system": system,
        "model": model,
        "origin": unit["origin"],
        "source": source,
        "target": target,
        "prediction": prediction,
        "truncated": truncated,
    }
