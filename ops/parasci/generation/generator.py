"""The generators: encoder-decoders that paraphrase a sentence, trained on our pairs or on external pairs.

Belongs here: the training pairs of each model, and its training. Not here: the networks (ops/models/seq2seq),
their output (generated.py).

Dong et al. (2021), section 7: a Transformer trained on the split `train`; for comparison, one trained on
Quora's questions and one on MSCOCO's captions. Sentences have the form of the released files: lower case,
with a space between tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.joins import stored
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import (
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
)
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import SPLITS, SplitShares, split_of
from silverloom.ops.metrics.bleu import bleu
from silverloom.ops.models.decoding import AS_USUAL, Decoding
from silverloom.ops.models.seq2seq.base import BASE_MODEL, BASE_TRAINING
from silverloom.ops.models.seq2seq.config import PairModelParams, Seq2SeqTransformerConfig
from silverloom.ops.models.seq2seq.pairs import pair_set, stored_pairs, too_long, training_texts
from silverloom.ops.models.seq2seq.training import (
    MODELS,
    learn_pieces,
    make_model,
    train_on_pairs,
    trained_model,
    trained_names,
)
from silverloom.ops.models.training import CheckpointFolder, TrainingParams
from silverloom.ops.models.training.report import learnt_row
from silverloom.ops.parasci.dataset.paraphrases import clusters
from silverloom.ops.parasci.dataset.release import released_form
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PARAPHRASES

if TYPE_CHECKING:
    from silverloom.ops.models.seq2seq.model import Seq2Seq

_TEXT, _INT = pa.string(), pa.int32()

GENERATOR = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/paraphrases"),
        one_of("split", SPLITS, "train: the model learnt from it; validation, test: it did not"),
        ("origin", _TEXT, "of the pair"),
        ("source_tokens", _INT, "pieces that the model reads"),
        ("target_tokens", _INT, "pieces that it is to write"),
    ),
)


EXTERNAL_GENERATORS = Shape(
    unit=PARAPHRASE_PAIRS.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of sources/paraphrase_pairs"),
        one_of(
            "split", SPLITS, "train: the model of its corpus learnt from it; validation, test: it did not"
        ),
        ("origin", _TEXT, "its corpus"),
        ("source_tokens", _INT, "pieces that the model reads"),
        ("target_tokens", _INT, "pieces that it is to write"),
    ),
)


class ExternalParams(SplitShares, section="parasci.external_generators"):
    """How external pairs without a split are split; pairs that share a text are in one split."""

    corpora: list[str] | None = Field(
        None, description="that a generator is trained on each, by their names in sources; null: all"
    )


class GeneratorSize(Params):
    """How large the model is, and how it is trained."""

    model: Seq2SeqTransformerConfig = Seq2SeqTransformerConfig()
    """The Transformer."""
    training: TrainingParams = TrainingParams()


#: The columns that are stored with a pair's texts.
_COLUMNS = ("id", "licence", "split", "origin")

#: "tiny" takes seconds on the sample; "base" takes hours on a CPU.
SIZES = {
    "tiny": GeneratorSize(
        model=Seq2SeqTransformerConfig(
            vocabulary=600, longest=160, growth=8, beam=1, layers=1, width=32, filter=64, heads=2
        ),
        training=TrainingParams(epochs=3, batch_size=8, learning_rate=0.003),
    ),
    "base": GeneratorSize(
        model=BASE_MODEL.model_copy(update={"growth": 32}),
        training=BASE_TRAINING.model_copy(update={"epochs": 40, "validate_every": 500}),
    ),
}


class GeneratorParams(PairModelParams, section="parasci.generator"):
    """Which model is trained, and how it is validated."""

    sizes: dict[str, GeneratorSize] = Field(SIZES, min_length=1)
    validation_pairs: int = Field(200, ge=1, description="that judge the model, at most")
    seed: int = Field(0, ge=0, description="of the draw of these pairs")

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Keep the weights with the best BLEU; among equals, those with the lowest loss."""
        return {"training": {"metric": "bleu", "direction": "max", "tie": "loss"}}

    @property
    def name(self) -> str:
        """The name of the model."""
        return "pretrained" if self.pretrained else "transformer"


def generator(
    paraphrases: Parts, params: GeneratorParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:
    """Yield the role of each pair in training, and the trained model; units are the pairs.

    Byte pairs are learnt from the split `train`. A pair whose source or target has more than `longest` pieces
    is dropped as `long`, with their number. Without training pairs, there is no model. Without
    validation pairs, the training pairs validate it.
    """
    learnt = [_Set("paraphrases", params.name, {}, {})]
    outcomes = _outcomes(GENERATOR, paraphrases, paraphrases, learnt, params, checkpoints, strict)
    yield from in_parts(outcomes)


def external_generators(
    paraphrase_pairs: Parts,
    params: GeneratorParams,
    external: ExternalParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield the role of each external pair in training, and the trained models; units are the pairs.

    Each corpus has its own model, of the same kind and size, with byte pairs learnt from its split `train`.
    Reasons: `long` as in `generator`, `other_corpus` (not one of `corpora`).
    """
    with paraphrase_pairs.engine.scratch() as folder:
        pairs = external_pairs(paraphrase_pairs, external, folder / "external")
        there = {row["corpus"] for row in paraphrase_pairs.rows(["corpus"])}
        asked = there if external.corpora is None else there & {*external.corpora}
        learnt = [
            _Set(corpus, f"{params.name}-{corpus}", {"origin": corpus}, {"corpus": corpus})
            for corpus in sorted(asked)
        ]
        outcomes = _outcomes(
            EXTERNAL_GENERATORS, pairs, paraphrase_pairs, learnt, params, checkpoints, strict
        )
        lost = (
            Outcome.of(EXTERNAL_GENERATORS, [unit["id"] for unit in units], [], dropped)
            for units in map(pa.Table.to_pylist, paraphrase_pairs)
            if (dropped := [drop(unit, "other_corpus") for unit in units if unit["corpus"] not in asked])
        )
        yield from in_parts(chain(outcomes, lost))


def external_pairs(paraphrase_pairs: Parts, external: ExternalParams, folder: Path) -> Parts:
    """Return the external pairs with columns `origin` and `split` like ours; creates `folder` for them.

    Pairs that are linked by a text, or are captions of one picture, get one split, drawn by their smallest
    text. Holds each distinct text in memory.
    """
    columns = ["first", "second", "corpus", "document"]
    links = [
        (row["first"], row["second"], (row["corpus"], row["document"]))
        for row in paraphrase_pairs.rows(columns)
    ]
    numbers = clusters(links) if links else []
    names: dict[int, str] = {}
    for number, (first, second, _) in zip(numbers, links, strict=True):
        names[number] = min(first, second, names.get(number, first))
    schema = extended(PARAPHRASE_PAIRS.kept, ("origin", _TEXT))
    dealt = (split_of(names[number], external) for number in numbers)
    tables = (
        pa.Table.from_pylist([_placed(row, next(dealt)) for row in table.to_pylist()], schema)
        for table in paraphrase_pairs
    )
    return stored(tables, schema, paraphrase_pairs, folder)


def _placed(row: Row, split: str) -> Row:
    return {**row, "origin": row["corpus"], "split": row["split"] or split}


class _Set(NamedTuple):
    """A training set: its name, its model's name, and the column values that select its pairs and units."""

    name: str
    model: str
    pairs: Mapping[str, object]
    units: Mapping[str, object]


def _outcomes(
    shape: Shape,
    pairs: Parts,
    units: Parts,
    sets: Sequence[_Set],
    params: GeneratorParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield the outcomes of the pairs of some sets, with the models.

    `pairs` have `origin` and `split`; `units` are the same rows in the form in which they are dropped.
    """
    files: dict[str, bytes] = {}
    reports = []
    config, longest = params.config(), params.part("model").longest
    with units.engine.scratch() as folder:
        for training_set in sets:
            texts = training_texts(pairs, texts_of, training_set.pairs)
            first = next(texts, None)
            model = None
            if first is not None:
                pieces = learn_pieces(chain([first], texts), config)
                model = make_model(config, pieces, params.part("training").seed)
            length = model.pieces.length if model else _no_pieces
            of_set = stored_pairs(
                pairs, _COLUMNS, texts_of, length, longest, folder / training_set.name, training_set.pairs
            )
            if model is not None:
                its_files, report = _trained(model, of_set, training_set, params, checkpoints, strict, folder)
                files |= its_files
                reports += report
            for rows in in_blocks(of_set.rows(having={"short": True})):
                yield Outcome.of(shape, [row["id"] for row in rows], [_row(row) for row in rows])
            for table, of_part in zip(units.tables(having=training_set.units), of_set, strict=True):
                dropped = too_long(table, of_part)
                yield Outcome.of(shape, [unit["id"] for unit in dropped], [], dropped)
    files[MODELS] = json.dumps(reports, indent=1, sort_keys=True).encode()
    yield Outcome.of(shape, [], [], files=files)


def _no_pieces(text: str) -> int:
    """Return the length of a text if there is no model to count its pieces."""
    return 0


def trained_models(
    artifact: Artifact, strict: bool = True, decoding: Decoding = AS_USUAL
) -> dict[str, Loaded[Seq2Seq]]:
    """Return the models by name; empty if there were no training pairs."""
    return {
        name: Loaded(trained_model, (artifact, name, strict, decoding)) for name in trained_names(artifact)
    }


def texts_of(row: Row) -> tuple[str, str]:
    """Return the source and the target of a pair, in the released form."""
    return released_form(row["first"]), released_form(row["second"])


def _trained(
    model: Seq2Seq,
    pairs: Parts,
    learnt: _Set,
    params: GeneratorParams,
    checkpoints: CheckpointFolder,
    strict: bool,
    folder: Path,
) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
    """Return the model's files, and the report of its training; both empty without training pairs."""
    examples = pair_set(learnt.name, pairs, model, params.validation_pairs, params.seed, folder)
    if not len(examples.learnt):
        return {}, []

    judge = partial(_judged, examples.judges.targets)
    name, training = learnt.model, params.part("training")
    report = train_on_pairs(name, model, examples, judge, training, checkpoints.at(name), strict)
    return {f"{name}/{file}": content for file, content in model.files().items()}, [report]


def _judged(targets: Sequence[str], answers: Sequence[str]) -> dict[str, float]:
    references = [[target] for target in targets]
    return {"bleu": bleu([released_form(answer) for answer in answers], references, "none").score}


def _row(pair: Row) -> Row:
    return learnt_row(
        pair,
        pair_id=pair["id"],
        origin=pair["origin"],
        source_tokens=pair["source_pieces"],
        target_tokens=pair["target_pieces"],
    )
