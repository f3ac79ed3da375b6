"""What every system writes for the sentences of the test split: the generator, and COPY.

Belongs here: sentences as systems write them. Not here: the models (generator.py), scores
(evaluation/scores.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import Field

from ops.core.identity import row_id
from ops.core.loaded import Loaded
from ops.core.outcome import TEXT, Outcome, Outcomes, Row, Shape, columns, drop
from ops.core.params import Params
from ops.core.parts import Artifact, Engine, Parts
from ops.core.sampling import drawn
from ops.models.seq2seq.writing import answers
from ops.parasci.dataset.release import released_form
from ops.parasci.generation.generator import ExternalParams, external_pairs, texts_of, trained_models
from ops.parasci.schemas import PARAPHRASES

if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq

_TEXT = pa.string()

COPY, MODEL = "copy", "model"

#: The test set of our own pairs.
OURS = "paraphrases"

GENERATED = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/paraphrases or sources/paraphrase_pairs"),
        ("system", _TEXT, f"{COPY} or {MODEL}"),
        ("model", _TEXT, "name of the model; null for copy"),
        ("origin", _TEXT, "of the pair; of a pair of others, its corpus"),
        ("test_set", _TEXT, "paraphrases: ours; else a corpus of sources/paraphrase_pairs"),
        ("source", _TEXT, "the sentence that is paraphrased, in the released form", TEXT),
        ("target", _TEXT, "its paraphrase, in the same form"),
        ("prediction", _TEXT, "what the system writes, in the same form"),
        ("truncated", pa.bool_(), "whether the model reads the beginning of the source only"),
    ),
)


class GeneratedParams(Params, section="parasci.generated"):
    """How many sentences are paraphrased."""

    pairs: int | None = Field(
        None, ge=1, description="of the test split of each test set at most, drawn; null: all"
    )
    seed: int = Field(0, ge=0, description="of the draw")


def generated(
    paraphrases: Parts,
    generator: Artifact,
    external_generators: Artifact,
    paraphrase_pairs: Parts,
    params: GeneratedParams,
    external: ExternalParams,
    strict: bool,
) -> Outcomes:
    """Yield what each system writes for each test pair; units are our pairs.

    Reasons: `split_train`, `split_validation`, `not_drawn`. Of a source that is longer than the model reads,
    it reads the beginning, and `truncated` says so. Every model, whatever it learnt from, writes for our test
    pairs and for those of each corpus of others; what is not drawn of these is counted.
    """
    tests: list[Row] = []
    for table in paraphrases:
        units = table.to_pylist()
        tests += [unit for unit in units if unit["split"] == "test"]
        dropped = [drop(unit, f"split_{unit['split']}") for unit in units if unit["split"] != "test"]
        yield Outcome.of(GENERATED, [unit["id"] for unit in dropped], [], dropped)
    others: dict[str, list[Row]] = {}
    for unit in external_pairs(paraphrase_pairs, external):
        if unit["split"] == "test":
            others.setdefault(unit["origin"], []).append(unit)
    chosen, left = _drawn(tests, params)
    sets = {OURS: chosen} | {corpus: _drawn(units, params)[0] for corpus, units in sorted(others.items())}
    counts = {f"{corpus}: not_drawn": len(units) - len(sets[corpus]) for corpus, units in others.items()}
    models = {
        name: model
        for artifact in (generator, external_generators)
        for name, model in (trained_models(artifact, strict) if any(sets.values()) else {}).items()
    }
    engine = paraphrases.engine
    kept = [row for name, units in sets.items() for row in _written(name, units, models, engine)]
    yield Outcome.of(
        GENERATED,
        [unit["id"] for unit in tests],
        kept,
        [drop(unit, "not_drawn") for unit in left],
        combinations={name: lost for name, lost in counts.items() if lost},
    )


def _drawn(tests: list[Row], params: GeneratedParams) -> tuple[list[Row], list[Row]]:
    ordered = sorted(tests, key=lambda unit: drawn(params.seed, unit["id"]))
    return ordered[: params.pairs], ordered[len(ordered[: params.pairs]) :]


def _written(
    test_set: str, units: Sequence[Row], models: Mapping[str, Loaded[Seq2Seq]], engine: Engine
) -> Iterator[Row]:
    sources = [texts_of(unit)[0] for unit in units]
    for unit, source in zip(units, sources, strict=True):
        yield _row(COPY, None, test_set, unit, source, False)
    for name, model in models.items() if units else ():
        for unit, answer in zip(units, answers(engine, model, sources), strict=True):
            yield _row(MODEL, name, test_set, unit, released_form(answer.text), answer.truncated)


def _row(system: str, model: str | None, test_set: str, unit: Row, prediction: str, truncated: bool) -> Row:
    source, target = texts_of(unit)
    return {
        "id": row_id("generated", unit["id"], system, model or ""),
        "source_ids": [unit["id"]],
        "licence": unit["licence"],
        "pair_id": unit["id"],
        "system": system,
        "model": model,
        "origin": unit["origin"],
        "test_set": test_set,
        "source": source,
        "target": target,
        "prediction": prediction,
        "truncated": truncated,
    }
