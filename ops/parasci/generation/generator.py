"""The generators: encoder-decoders that paraphrase a sentence, trained on our pairs, or on those of others.

Belongs here: which pairs each learns from, and its training. Not here: the networks (ops/models/seq2seq),
what they write (generated.py).

Dong et al. (2021), section 7: a Transformer, on the split `train`; one on Quora's questions and one on
MSCOCO's captions beside it. Sentences have the form of the released files: lower case, a space between
tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import Field

from ops.core.loaded import Loaded
from ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, drop
from ops.core.params import ModelName, Params
from ops.core.parts import Artifact, Parts
from ops.core.sampling import SplitShares, drawn, split_of
from ops.metrics.bleu import bleu
from ops.models.seq2seq.config import Pairs, PretrainedSeq2SeqConfig, Seq2SeqConfig, Seq2SeqTransformerConfig
from ops.models.training import CheckpointFolder, Trained, TrainingParams, errors_of, train
from ops.models.training.params import SizedParams
from ops.models.training.report import count_weights, learnt_row, training_report
from ops.models.training.task import ProgressLines
from ops.parasci.dataset.paraphrases import clusters
from ops.parasci.dataset.release import released_form
from ops.parasci.schemas import PARAPHRASE_PAIRS, PARAPHRASES

if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq

#: The file that tells of the training.
MODELS = "models.json"

_TEXT, _INT = pa.string(), pa.int32()

GENERATOR = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/paraphrases"),
        ("split", _TEXT, "train: the model learnt from it; validation, test: it did not"),
        ("origin", _TEXT, "of the pair"),
        ("source_tokens", _INT, "pieces that the model reads"),
        ("target_tokens", _INT, "pieces that it is to write"),
    ),
)


EXTERNAL_GENERATORS = Shape(
    unit=PARAPHRASE_PAIRS.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of sources/paraphrase_pairs"),
        ("split", _TEXT, "train: the model of its corpus learnt from it; validation, test: it did not"),
        ("origin", _TEXT, "its corpus"),
        ("source_tokens", _INT, "pieces that the model reads"),
        ("target_tokens", _INT, "pieces that it is to write"),
    ),
)


class ExternalParams(SplitShares, section="parasci.external_generators"):
    """How the pairs of others are split where they do not say so; what shares a text is in one split."""

    corpora: list[str] | None = Field(
        None, description="that a generator is trained on each, by their names in sources; null: all"
    )


class GeneratorSize(Params):
    """How large the model is, and how it is trained."""

    model: Seq2SeqTransformerConfig = Seq2SeqTransformerConfig()
    training: TrainingParams = TrainingParams()


#: Seconds on the sample; hours on a processor.
SIZES = {
    "tiny": GeneratorSize(
        model=Seq2SeqTransformerConfig(
            vocabulary=600, longest=160, growth=8, beam=1, layers=1, width=32, filter=64, heads=2
        ),
        training=TrainingParams(epochs=3, batch_size=8, learning_rate=0.003),
    ),
    "base": GeneratorSize(
        model=Seq2SeqTransformerConfig(
            vocabulary=8000,
            longest=128,
            growth=32,
            beam=4,
            layers=3,
            width=256,
            filter=1024,
            heads=4,
            dropout=0.1,
            attention_dropout=0.1,
            relu_dropout=0.1,
        ),
        training=TrainingParams(
            epochs=40,
            batch_size=64,
            batch_cost=8000,
            learning_rate=0.001,
            weight_decay=0.0,
            schedule="inverse_sqrt",
            warmup=0.05,
            precision="bfloat16",
            validate_every=500,
            checkpoint_every=500,
            patience=10,
        ),
    ),
}


class GeneratorParams(SizedParams, section="parasci.generator"):
    """Which model is trained, and what judges it on the way."""

    sizes: dict[str, GeneratorSize] = Field(SIZES, min_length=1)
    pretrained: ModelName | None = Field(
        None,
        description="an encoder-decoder of Hugging Face that is trained further, in place of a new one: a "
        "folder (./...), or a name of the hub that is in its cache; it has the size's `longest`, `growth`, "
        "`beam` and `length_penalty`",
    )
    validation_pairs: int = Field(200, ge=1, description="that judge the model, at most")
    validation_beam: int = Field(1, ge=1, description="of the answers that are judged; 1: greedy, and fast")
    seed: int = Field(0, ge=0, description="of the draw of these pairs")

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """The weights stay that have the best BLEU; of as good ones those with the least loss."""
        return {"training": {"metric": "bleu", "direction": "max", "tie": "loss"}}

    @property
    def name(self) -> str:
        """What the model is called."""
        return "pretrained" if self.pretrained else "transformer"

    def config(self) -> Seq2SeqTransformerConfig | PretrainedSeq2SeqConfig:
        """Return what the model is made of."""
        size: Seq2SeqTransformerConfig = self.part("model")
        if self.pretrained is None:
            return size
        shared = {name: getattr(size, name) for name in Seq2SeqConfig.model_fields}
        return PretrainedSeq2SeqConfig(model=self.pretrained, **shared)


@dataclass(frozen=True)
class _Examples:
    """What the model learns from, and what judges it."""

    name: str
    learnt: Pairs
    judges: Pairs
    judged_on: str


def generator(
    paraphrases: Parts, params: GeneratorParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:
    """Yield what the pairs are to the model, and the model; units are the pairs.

    The byte pairs are those of the split `train`. A pair with more pieces than `longest` in source or target
    is dropped as `long`, with their number. Without a pair to learn from there is no model. Without one to
    judge by, what it learnt from judges it.
    """
    units = paraphrases.read().to_pylist()
    found = _of_set("paraphrases", params.name, units, params, checkpoints, strict)
    files = {**found.files, MODELS: _reports([found])}
    yield Outcome.of(GENERATOR, [unit["id"] for unit in units], found.kept, found.dropped, files=files)


def external_generators(
    paraphrase_pairs: Parts,
    params: GeneratorParams,
    external: ExternalParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield what the pairs of others are to the models that learn from them, and the models; units are the
    pairs.

    Each corpus has a model of its own, of the same kind and size, with the byte pairs of its split `train`.
    Reasons: `long` as of `generator`, `other_corpus` (none of `corpora`).
    """
    units = external_pairs(paraphrase_pairs, external)
    wanted = [unit for unit in units if external.corpora is None or unit["origin"] in external.corpora]
    found = [
        _of_set(
            corpus,
            f"{params.name}-{corpus}",
            [unit for unit in wanted if unit["origin"] == corpus],
            params,
            checkpoints,
            strict,
        )
        for corpus in sorted({unit["origin"] for unit in wanted})
    ]
    kept = [row for of_corpus in found for row in of_corpus.kept]
    dropped = [row for of_corpus in found for row in of_corpus.dropped]
    taken = {unit["id"] for unit in wanted}
    dropped += [drop(unit["unit"], "other_corpus") for unit in units if unit["id"] not in taken]
    files = {name: content for of_corpus in found for name, content in of_corpus.files.items()}
    files[MODELS] = _reports(found)
    yield Outcome.of(EXTERNAL_GENERATORS, [unit["id"] for unit in units], kept, dropped, files=files)


def external_pairs(paraphrase_pairs: Parts, external: ExternalParams) -> list[Row]:
    """Return the pairs of others with the `origin` and `split` that ours have.

    What hangs together by a text, or as captions of one picture, is in one split: that of the least text.
    """
    rows = paraphrase_pairs.read().to_pylist()
    links = [(row["first"], row["second"], (row["corpus"], row["document"])) for row in rows]
    numbers = clusters(links) if rows else []
    names: dict[int, str] = {}
    for number, row in zip(numbers, rows, strict=True):
        names[number] = min(row["first"], row["second"], names.get(number, row["first"]))
    return [
        {
            **row,
            "origin": row["corpus"],
            "split": row["split"] or split_of(names[number], external),
            "unit": row,
        }
        for number, row in zip(numbers, rows, strict=True)
    ]


@dataclass(frozen=True)
class _OfSet:
    """What the pairs of one set are to its model, and the model."""

    kept: list[Row]
    dropped: list[Row]
    files: dict[str, bytes]
    report: dict[str, object] | None


def _of_set(
    set_name: str,
    name: str,
    units: Sequence[Row],
    params: GeneratorParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> _OfSet:
    learnt = [unit for unit in units if unit["split"] == "train"]
    model = _made(params, [text for unit in learnt for text in texts_of(unit)]) if learnt else None
    lengths = {
        unit["id"]: [len(model.pieces.numbers(text)) if model else 0 for text in texts_of(unit)]
        for unit in units
    }
    longest = params.part("model").longest
    short = [unit for unit in units if max(lengths[unit["id"]]) <= longest]
    files, report = _trained(model, set_name, name, short, params, checkpoints, strict)
    dropped = [
        drop(unit.get("unit", unit), "long", float(length))
        for unit in units
        if (length := max(lengths[unit["id"]])) > longest
    ]
    return _OfSet([_row(unit, *lengths[unit["id"]]) for unit in short], dropped, files, report)


def _reports(found: Sequence[_OfSet]) -> bytes:
    reports = [of_set.report for of_set in found if of_set.report is not None]
    return json.dumps(reports, indent=1, sort_keys=True).encode()


def trained_models(artifact: Artifact, strict: bool = True) -> dict[str, Loaded[Seq2Seq]]:
    """Return the models by their names; none where there was nothing to learn from."""
    names = [report["model"] for report in json.loads((artifact.folder / MODELS).read_text())]
    return {name: Loaded(_load, (artifact, name, strict)) for name in names}


def _load(artifact: Artifact, name: str, strict: bool) -> Seq2Seq:
    from ops.models.seq2seq.files import load

    model = load(artifact.files(name))
    model.place(strict)
    return model


def texts_of(row: Row) -> tuple[str, str]:
    """Return what a model reads of a pair, and what it is to write."""
    return released_form(row["first"]), released_form(row["second"])


def _made(params: GeneratorParams, texts: Sequence[str]) -> Seq2Seq:
    from ops.models.seq2seq.files import make
    from ops.models.seq2seq.pieces import Pieces
    from ops.models.seq2seq.pretrained import PretrainedModel

    config = params.config()
    if isinstance(config, PretrainedSeq2SeqConfig):
        return PretrainedModel(config)
    return make(config, Pieces.learn(texts, config.pieces, config.vocabulary), params.part("training").seed)


def _trained(
    model: Seq2Seq | None,
    set_name: str,
    name: str,
    units: Sequence[Row],
    params: GeneratorParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> tuple[dict[str, bytes], dict[str, object] | None]:
    """Return the model's files, and what its training was; none without a pair to learn from."""
    examples = _examples(set_name, units, params)
    if model is None or not len(examples.learnt):
        return {}, None
    from ops.models.seq2seq.files import save
    from ops.models.seq2seq.model import Seq2SeqTask

    def judge(answers: Sequence[str]) -> dict[str, float]:
        references = [[target] for target in examples.judges.targets]
        return {"bleu": bleu([released_form(answer) for answer in answers], references, "none").score}

    training = params.part("training")
    with errors_of(name):
        task = Seq2SeqTask(model, examples.learnt, examples.judges, judge, params.validation_beam)
        ended = train(task, training, checkpoints.at(name), ProgressLines(name), strict)
    report = _report(name, model, examples, training, ended)
    return {f"{name}/{file}": content for file, content in save(model).items()}, report


def _report(
    name: str, model: Seq2Seq, examples: _Examples, training: TrainingParams, ended: Trained
) -> dict[str, object]:
    weights = count_weights(model.network)
    kind = model.config.model_dump()["kind"]
    return training_report(name, kind, model.config, examples, training, ended, chosen=True, weights=weights)


def _examples(set_name: str, units: Sequence[Row], params: GeneratorParams) -> _Examples:
    learnt = [unit for unit in units if unit["split"] == "train"]
    validating = [unit for unit in units if unit["split"] == "validation"]
    judges = sorted(validating or learnt, key=lambda unit: drawn(params.seed, unit["id"]))
    return _Examples(
        set_name,
        _pairs(learnt),
        _pairs(judges[: params.validation_pairs]),
        "validation split" if validating else "training set",
    )


def _pairs(units: Sequence[Row]) -> Pairs:
    texts = [texts_of(unit) for unit in units]
    return Pairs(
        [unit["id"] for unit in units], [source for source, _ in texts], [target for _, target in texts]
    )


def _row(unit: Row, source_tokens: int, target_tokens: int) -> Row:
    return learnt_row(
        unit,
        pair_id=unit["id"],
        origin=unit["origin"],
        source_tokens=source_tokens,
        target_tokens=target_tokens,
    )
