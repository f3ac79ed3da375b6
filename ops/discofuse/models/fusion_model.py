"""Fusion models: a Transformer for each training set of balanced examples.

Belongs here: training the models one by one, and how each uses the examples. Not here: the sets
(training_sets.py), a single training (ops/models/seq2seq).

Geva et al. (2019), section 5.1: a model for each domain after down-sampling, and one for a mixture of both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, in_blocks, in_parts, one_of
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.discofuse.models.training_sets import (
    MIXTURE,
    check_learnable,
    judged,
    source_of,
    target_of,
    training_sets,
)
from silverloom.ops.discofuse.schemas import BALANCED
from silverloom.ops.models.seq2seq.base import BASE_MODEL, BASE_TRAINING
from silverloom.ops.models.seq2seq.config import PairModelParams, Seq2SeqTransformerConfig
from silverloom.ops.models.seq2seq.pairs import pair_set, stored_pairs, too_long, training_texts
from silverloom.ops.models.seq2seq.training import MODELS, learn_pieces, make_model, train_on_pairs
from silverloom.ops.models.training import CheckpointFolder, TrainingParams
from silverloom.ops.models.training.report import learnt_row

if TYPE_CHECKING:
    from silverloom.ops.models.seq2seq.pieces import Pieces

_TEXT = pa.string()

FUSION_MODEL = Shape(
    unit=BALANCED.kept,
    kept=columns(
        ("example_id", _TEXT, "row of discofuse/balanced"),
        ("set", _TEXT, "the training set: a domain, or mixture"),
        one_of("split", SPLITS, "train: the model learnt from it; validation, test: it did not"),
        ("discourse_type", _TEXT, "of the example"),
        ("source_tokens", pa.list_(_TEXT), "byte pairs that the model reads"),
        ("target_tokens", pa.list_(_TEXT), "byte pairs that it is to write"),
    ),
)

#: The columns of an example that are stored with its pair of texts.
_COLUMNS = ("id", "licence", "split", "domain", "mixture", "discourse_type")

#: Selects the weights that are kept, for all sizes. Exact stays 0 for long; until then the loss decides.
_KEPT_BY = {"metric": "exact", "direction": "max", "tie": "loss"}


class Size(Params):
    """The size of the models, and the training of each."""

    model: Seq2SeqTransformerConfig = Seq2SeqTransformerConfig()
    """The Transformer."""
    training: TrainingParams = TrainingParams()


#: tiny: seconds on the sample; small, base: a CPU, with less or more time; paper: Table 17, days on a GPU.
SIZES = {
    "tiny": Size(
        model=Seq2SeqTransformerConfig(
            vocabulary=600, longest=96, growth=8, beam=1, layers=1, width=32, filter=64, heads=2
        ),
        training=TrainingParams(epochs=3, batch_size=16, learning_rate=0.003),
    ),
    "small": Size(
        model=Seq2SeqTransformerConfig(
            vocabulary=4000,
            longest=96,
            growth=16,
            beam=1,
            layers=2,
            width=128,
            filter=512,
            heads=4,
            dropout=0.1,
            attention_dropout=0.1,
            relu_dropout=0.1,
        ),
        training=TrainingParams(
            epochs=20,
            batch_size=64,
            batch_cost=6000,
            learning_rate=0.002,
            weight_decay=0.0,
            schedule="inverse_sqrt",
            warmup=0.05,
            validate_every=1000,
            checkpoint_every=500,
            patience=5,
        ),
    ),
    "base": Size(
        model=BASE_MODEL,
        training=BASE_TRAINING,
    ),
    "paper": Size(
        model=Seq2SeqTransformerConfig(
            vocabulary=32000,
            longest=256,
            growth=16,
            beam=4,
            layers=7,
            width=1024,
            filter=2048,
            heads=16,
            dropout=0.1,
            attention_dropout=0.2,
            relu_dropout=0.3,
        ),
        training=TrainingParams(
            epochs=10,
            steps=200_000,
            batch_size=100,
            batch_cost=12800,
            learning_rate=0.00024,
            weight_decay=0.0,
            schedule="inverse_sqrt",
            warmup=0.04,
            precision="bfloat16",
            validate_every=2000,
            checkpoint_every=1000,
            patience=10,
        ),
    ),
}


class FusionModelParams(PairModelParams, section="discofuse.fusion_model"):
    """The size of the models to train, and how they are judged during training."""

    sizes: dict[str, Size] = Field(SIZES, min_length=1)
    validation_examples: int = Field(200, ge=1, description="of its own set that judge a model, at most")
    seed: int = Field(0, ge=0, description="of the draw of these examples")

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Keep the weights that fuse best."""
        return {"training": _KEPT_BY}

    @property
    def training(self) -> TrainingParams:
        """The training of models of the chosen size."""
        training: TrainingParams = self.part("training")
        return training


def fusion_model(
    balanced: Parts, params: FusionModelParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:
    """Yield the examples as each model sees them, and the models; the units are the examples.

    All models share one vocabulary of byte pairs, learnt from all examples in the split `train`, or that of
    the pretrained model if training starts from one. An example with more than `longest` byte pairs in source
    or target is dropped as `long`, with their number. A model keeps the weights that reproduce most
    validation examples of its set exactly. If a set has no validation examples, training examples judge the
    model, and `judged_on` in models.json says so. Raises TrainingError, like `training_sets`, before any
    training; errors during training begin with the set's name.
    """
    yield from in_parts(_outcomes(balanced, params, checkpoints, strict))


def _outcomes(
    balanced: Parts, params: FusionModelParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:

    sets = training_sets(balanced)
    config = params.config()
    pieces = learn_pieces(training_texts(balanced, texts_of), config)
    files: dict[str, bytes] = {}
    reports = []
    with balanced.engine.scratch() as folder:
        pairs = stored_pairs(balanced, _COLUMNS, texts_of, pieces.length, config.longest, folder / "pairs")
        for chosen in sets:
            check_learnable(chosen.name, pairs, chosen.values)
        for chosen in sets:
            name, bounds = chosen.name, (params.validation_examples, params.seed)
            model = make_model(config, pieces, params.training.seed)
            examples = pair_set(name, pairs, model, *bounds, folder, in_order=True, having=chosen.values)
            judge = partial(judged, examples.judges)
            # All are chosen: each is judged on its own set, and the evaluation compares them.
            reports.append(
                train_on_pairs(name, model, examples, judge, params.training, checkpoints.at(name), strict)
            )
            files |= {f"{name}/{file}": content for file, content in model.files().items()}
        for chosen in sets:
            for rows in in_blocks(pairs.rows(having={**chosen.values, "short": True})):
                units = [row["id"] for row in rows if chosen.name != MIXTURE]
                yield Outcome.of(FUSION_MODEL, units, [_row(chosen.name, row, pieces) for row in rows])
        for table, of_part in zip(balanced, pairs, strict=True):
            dropped = too_long(table, of_part)
            yield Outcome.of(FUSION_MODEL, [unit["id"] for unit in dropped], [], dropped)
    files[MODELS] = json.dumps(reports, indent=1, sort_keys=True).encode()
    yield Outcome.of(FUSION_MODEL, [], [], files=files)


def texts_of(row: Row) -> tuple[str, str]:
    """Return the source and the target text of an example."""
    return source_of(row), target_of(row)


def _row(name: str, pair: Row, pieces: Pieces) -> Row:
    return learnt_row(
        pair,
        name,
        example_id=pair["id"],
        set=name,
        discourse_type=pair["discourse_type"],
        source_tokens=pieces.names(pair["source"]),
        target_tokens=pieces.names(pair["target"]),
    )
