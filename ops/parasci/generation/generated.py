"""The output of every system for the test sentences: the generators, and COPY.

Belongs here: the generated sentences. Not here: the models (generator.py), scores (evaluation/scores.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.joins import grouped
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import (
    TEXT,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    extended,
    in_blocks,
    in_parts,
    one_of,
    optional,
)
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import drawn
from silverloom.ops.models.decoding import Decoding, decoding_field
from silverloom.ops.models.seq2seq.pairs import answers_by_task
from silverloom.ops.parasci.dataset.release import released_form, source_of
from silverloom.ops.parasci.generation.generator import (
    ExternalParams,
    external_pairs,
    texts_of,
    trained_models,
)
from silverloom.ops.parasci.schemas import PARAPHRASES

if TYPE_CHECKING:
    from silverloom.ops.models.seq2seq.model import Seq2Seq

_TEXT = pa.string()

COPY, MODEL = "copy", "model"

#: The test set of our own pairs.
OURS = "paraphrases"

GENERATED = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/paraphrases or sources/paraphrase_pairs"),
        one_of("system", (COPY, MODEL), f"{COPY} or {MODEL}"),
        optional("model", _TEXT, "name of the model; null for copy"),
        ("origin", _TEXT, "of the pair; of a pair of others, its corpus"),
        ("test_set", _TEXT, "paraphrases: ours; else a corpus of sources/paraphrase_pairs"),
        optional(
            "corpus",
            _TEXT,
            "of our pairs, the source of both sentences, missing if of two; else test_set",
        ),
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
    decoding: Decoding = decoding_field()


def generated(
    paraphrases: Parts,
    generator: Artifact,
    external_generators: Artifact,
    paraphrase_pairs: Parts,
    params: GeneratedParams,
    external: ExternalParams,
    strict: bool,
) -> Outcomes:
    """Yield the output of each system for each test pair; units are our pairs.

    Reasons: `split_train`, `split_validation`, `not_drawn`. A source that is too long for the model is cut at
    its end and marked as `truncated`. Every model, whatever its training set, generates for our test pairs
    and for those of each external corpus; external pairs that are not drawn are counted.
    """
    for table in paraphrases:
        units = [unit for unit in table.to_pylist() if unit["split"] != "test"]
        dropped = [drop(unit, f"split_{unit['split']}") for unit in units]
        yield Outcome.of(GENERATED, [unit["id"] for unit in units], [], dropped)
    with paraphrases.engine.scratch() as folder:
        others = external_pairs(paraphrase_pairs, external, folder / "external")
        corpora = sorted({row["origin"] for row in others.rows(["origin"], {"split": "test"})})
        sets = {OURS: _drawn(paraphrases, params.seed, folder / "ours")}
        sets |= {name: _drawn(others, params.seed, folder / name, {"origin": name}) for name in corpora}
        counts = {name: sum(part.rows for part in tests.parts) for name, tests in sets.items()}
        models = (
            trained_models(generator, strict, params.decoding)
            | trained_models(external_generators, strict, params.decoding)
            if any(counts.values())
            else {}
        )
        written = _outcomes(sets, models, params, folder)
        lost = {
            name: count - min(count, params.pairs or count) for name, count in counts.items() if name != OURS
        }
        combinations = {f"{name}: not_drawn": count for name, count in lost.items() if count}
        last = Outcome.of(GENERATED, [], [], combinations=combinations)
        yield from in_parts(chain(written, [last]))


def _drawn(pairs: Parts, seed: int, folder: Path, having: Mapping[str, object] | None = None) -> Parts:
    """Return the test pairs `having` values in columns, in the order of their random draws."""
    schema = extended(pairs.schema, ("draw", _TEXT))
    tables = (
        table.append_column(
            "draw", pa.array([drawn(seed, name).hex() for name in table["id"].to_pylist()], _TEXT)
        )
        for table in pairs.tables(having={**(having or {}), "split": "test"})
    )
    return grouped(tables, schema, "draw", pairs, folder, 1024)


def _outcomes(
    sets: Mapping[str, Parts], models: Mapping[str, Loaded[Seq2Seq]], params: GeneratedParams, folder: Path
) -> Outcomes:
    for name, tests in sets.items():
        for rows in in_blocks(_written(name, tests, models, params, folder)):
            ours = [row["pair_id"] for row in rows if name == OURS and row["system"] == COPY]
            yield Outcome.of(GENERATED, ours, rows)
    if params.pairs is not None:
        for units in in_blocks(islice(sets[OURS].rows(PARAPHRASES.kept.names), params.pairs, None)):
            left = [drop(unit, "not_drawn") for unit in units]
            yield Outcome.of(GENERATED, [unit["id"] for unit in units], [], left)


def _written(
    test_set: str, tests: Parts, models: Mapping[str, Loaded[Seq2Seq]], params: GeneratedParams, folder: Path
) -> Iterator[Row]:
    def units() -> Iterator[Row]:
        return islice(tests.rows(), params.pairs)

    def sources() -> Iterator[str]:
        return (texts_of(unit)[0] for unit in units())

    for unit, source in zip(units(), sources(), strict=True):
        yield _row(COPY, None, test_set, unit, source, False)
    for name, model in models.items():
        predictions = answers_by_task(model, sources(), tests, folder / f"{name} on {test_set}")
        for unit, source, text in zip(units(), sources(), predictions, strict=True):
            cut = model.model.length(source, "") > model.model.config.longest
            yield _row(MODEL, name, test_set, unit, released_form(text), cut)


def _row(system: str, model: str | None, test_set: str, unit: Row, prediction: str, truncated: bool) -> Row:
    source, target = texts_of(unit)
    return {
        **made_from(unit, "generated", unit["id"], system, model or ""),
        "pair_id": unit["id"],
        "system": system,
        "model": model,
        "origin": unit["origin"],
        "test_set": test_set,
        "corpus": source_of(unit) if test_set == OURS else test_set,
        "source": source,
        "target": target,
        "prediction": prediction,
        "truncated": truncated,
    }
