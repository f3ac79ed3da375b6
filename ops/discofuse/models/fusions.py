"""Fusions of held-out examples by every system: the models, and COPY.

Belongs here: which examples are fused, and the fusion of each by every system. Not here: training the models
(fusion_model.py), scoring (evaluation/scores.py).

Geva et al. (2019), section 5.1: every model fuses the examples of every domain, in the full and the balanced
test set; COPY only joins the two sentences. Their Table 6 is on the test sets, Tables 7 to 9 and Figure 3 are
on the development sets (sections 5.2 to 5.4): `split` chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import (
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    in_blocks,
    in_parts,
    one_of,
    optional,
)
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import SPLITS, sample_rows
from silverloom.ops.discofuse.dataset.references import several_references
from silverloom.ops.discofuse.models.training_sets import source_of, target_of
from silverloom.ops.discofuse.schemas import EXAMPLES
from silverloom.ops.models.decoding import Decoding, decoding_field
from silverloom.ops.models.seq2seq.pairs import answers_by_task
from silverloom.ops.models.seq2seq.training import trained_model, trained_names

_TEXT = pa.string()

COPY, MODEL = "copy", "model"

#: The reasons for dropping an example of another split.
_OTHER_SPLITS = {"train": "split_train", "validation": "split_validation", "test": "split_test"}

FUSIONS = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("example_id", _TEXT, "row of discofuse/examples"),
        one_of("system", (COPY, MODEL), "copy or model"),
        optional("model", _TEXT, "training set of the model; null for copy"),
        ("domain", _TEXT, "of the example"),
        one_of("split", SPLITS[1:], "of the example: the one that `fusions.split` names"),
        ("balanced", pa.bool_(), "whether the example is in discofuse/balanced"),
        ("discourse_type", _TEXT, "of the example"),
        ("connective_string", _TEXT, "of the example"),
        ("source", _TEXT, "the two sentences that are to be fused"),
        ("target", _TEXT, "the text that they were made of"),
        ("references", pa.list_(_TEXT), "the target, then other texts that fuse the same two sentences"),
        ("prediction", _TEXT, "the fusion of the system"),
    ),
)


class FusionParams(Params, section="discofuse.fusions"):
    """Which examples are fused, and how many."""

    split: Literal["validation", "test"] = Field(
        "test",
        description="whose examples are fused; validation: as in the paper's Tables 7 to 9 and Figure 3",
    )
    examples: int | None = Field(None, ge=1, description="of each domain at most, drawn; null: all")
    seed: int = Field(0, ge=0, description="of the draw")
    decoding: Decoding = decoding_field()


def fusions(
    examples: Parts, balanced: Parts, fusion_model: Artifact, params: FusionParams, strict: bool = True
) -> Outcomes:
    """Yield the fusion of each example of `params.split` by every system; the units are the examples.

    Examples of other splits are dropped as `split_train`, `split_validation` or `split_test`, and those
    beyond the number per domain as `not_drawn`. Models read only the beginning of a source that is too long
    for them. Holds the ids of the drawn examples, those in the balanced set, and the references of examples
    that have several, in memory.
    """
    domains: dict[str, None] = {}
    for table in examples:
        units = table.to_pylist()
        domains |= dict.fromkeys(unit["domain"] for unit in units if unit["split"] == params.split)
        others = [unit for unit in units if unit["split"] != params.split]
        dropped = [drop(unit, _OTHER_SPLITS[unit["split"]]) for unit in others]
        yield Outcome.of(FUSIONS, [unit["id"] for unit in others], [], dropped)
    written = _written(examples, list(domains), balanced, fusion_model, params, strict)
    yield from in_parts(written)


def _written(
    examples: Parts,
    domains: Sequence[str],
    balanced: Parts,
    fusion_model: Artifact,
    params: FusionParams,
    strict: bool,
) -> Outcomes:
    chosen = {
        row["id"]
        for domain in (domains if params.examples else ())
        for row in sample_rows(_held_out(examples, params, domain, ["id"]), params.examples, params.seed)
    }

    def drawn() -> Iterator[Row]:
        held_out = (row for domain in sorted(domains) for row in _held_out(examples, params, domain))
        return (row for row in held_out if not params.examples or row["id"] in chosen)

    def sources() -> Iterator[str]:
        return map(source_of, drawn())

    down = {
        source
        for row in balanced.rows(["source_ids"], {"split": params.split})
        for source in row["source_ids"]
    }
    with examples.engine.scratch() as folder:
        several = {
            row["id"]: row["references"]
            for row in several_references(examples, folder).rows(having={"split": params.split})
        }
        for rows in in_blocks(_rows(COPY, None, drawn(), sources(), down, several)):
            yield Outcome.of(FUSIONS, [row["example_id"] for row in rows], rows)
        for name in trained_names(fusion_model):
            model = Loaded(trained_model, (fusion_model, name, strict, params.decoding))
            predictions = answers_by_task(model, sources(), examples, folder / name)
            for rows in in_blocks(_rows(MODEL, name, drawn(), predictions, down, several)):
                yield Outcome.of(FUSIONS, [], rows)
    for domain in domains if params.examples else ():
        for units in in_blocks(row for row in _held_out(examples, params, domain) if row["id"] not in chosen):
            left = [drop(unit, "not_drawn") for unit in units]
            yield Outcome.of(FUSIONS, [unit["id"] for unit in units], [], left)
    yield Outcome.of(FUSIONS, [], [])


def _held_out(
    examples: Parts, params: FusionParams, domain: str, columns: Sequence[str] | None = None
) -> Iterator[Row]:
    return examples.rows(columns, {"split": params.split, "domain": domain})


def _rows(
    system: str,
    model: str | None,
    units: Iterable[Row],
    predictions: Iterable[str],
    balanced: set[str],
    several: Mapping[str, Sequence[str]],
) -> Iterator[Row]:
    for unit, prediction in zip(units, predictions, strict=True):
        yield {
            **made_from(unit, "fusion", unit["id"], system, model or ""),
            "example_id": unit["id"],
            "system": system,
            "model": model,
            "domain": unit["domain"],
            "split": unit["split"],
            "balanced": unit["id"] in balanced,
            "discourse_type": unit["discourse_type"],
            "connective_string": unit["connective_string"],
            "source": source_of(unit),
            "target": target_of(unit),
            "references": several.get(unit["id"], [target_of(unit)]),
            "prediction": prediction,
        }
