"""What pre-training on fusion examples brings to another corpus: the paper's Table 10.

Belongs here: CopyNet trained on pairs of a split-and-rephrase corpus, with and without pre-training on ours,
beside COPY, its sizes, and the scores. Not here: one training (fusion_model.py), the network
(ops/models/seq2seq).

Geva et al. (2019), section 6 and appendix A.3: both models have one size, and of each those weights are taken
that have the best SARI on validation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pydantic import Field

from ops.core.identity import row_id
from ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, drop
from ops.core.params import Params
from ops.core.parts import Parts
from ops.discofuse.models.fusion_model import (
    MODELS,
    fusion_report,
    learn_pieces,
    lengths,
    make_model,
    train_model,
)
from ops.discofuse.models.training_sets import copied, pairs_of, source_of, target_of, training_set
from ops.discofuse.schemas import FUSION_PAIRS
from ops.evaluation.table import TABLE, Bootstrap, mean_scores, paired_tests
from ops.metrics.fusion import exact_match, sari
from ops.models.decoding import Decoding, decoding_field
from ops.models.seq2seq.config import CopyNetConfig, Pairs
from ops.models.training import CheckpointFolder, TrainingError, TrainingParams
from ops.models.training.params import SizedParams
from ops.parse.schemas import unit_of


class TransferSize(Params):
    """How large the models are, and how they are trained: before, after that, and without."""

    model: CopyNetConfig = CopyNetConfig()
    pretraining: TrainingParams = TrainingParams()
    finetuning: TrainingParams = TrainingParams()
    target: TrainingParams = TrainingParams()


def _tiny(epochs: int) -> TrainingParams:
    return TrainingParams(epochs=epochs, batch_size=16, learning_rate=0.003)


def _base(learning_rate: float, validate_every: int) -> TrainingParams:
    return TrainingParams(
        epochs=20,
        batch_size=32,
        learning_rate=learning_rate,
        schedule="exponential",
        decay_every=100,
        warmup=0.0,
        weight_decay=0.0,
        clip=2.0,
        validate_every=validate_every,
        patience=5,
    )


def _paper(
    epochs: int, steps: int, decay_every: int, validate_every: int, checkpoint_every: int
) -> TrainingParams:
    return TrainingParams(
        epochs=epochs,
        steps=steps,
        batch_size=125,
        batch_cost=12800,
        learning_rate=0.001,
        schedule="exponential",
        decay=0.98,
        decay_every=decay_every,
        warmup=0.0,
        weight_decay=0.0,
        validate_every=validate_every,
        checkpoint_every=checkpoint_every,
    )


#: Seconds on the sample; an hour or two on a processor; Table 18, updates of appendix A.3.
SIZES = {
    "tiny": TransferSize(
        model=CopyNetConfig(
            pieces="words", vocabulary=1000, longest=64, growth=8, beam=2, encoder_layers=1, hidden=16
        ),
        pretraining=_tiny(1),
        finetuning=_tiny(2),
        target=_tiny(2),
    ),
    "base": TransferSize(
        model=CopyNetConfig(
            pieces="words", vocabulary=3000, longest=100, growth=8, beam=5, encoder_layers=1, hidden=96
        ),
        pretraining=_base(0.002, 300),
        finetuning=_base(0.001, 150),
        target=_base(0.002, 150),
    ),
    "paper": TransferSize(
        model=CopyNetConfig(
            pieces="bpe",
            vocabulary=32000,
            longest=256,
            growth=16,
            beam=20,
            encoder_layers=3,
            decoder_layers=1,
            hidden=128,
            dropout=0.2,
            scheduled_sampling=0.2,
        ),
        pretraining=_paper(100, 1_000_000, 10_000, 10_000, 2000),
        finetuning=_paper(1000, 100_000, 1000, 1000, 1000),
        target=_paper(1000, 200_000, 2000, 1000, 1000),
    ),
}


if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq


_TEXT, _REAL = pa.string(), pa.float64()

#: The baseline, and the two models: trained on the corpus alone, and after pre-training on our examples.
COPY, TARGET, PRETRAINED = "copy", "target", "pretrained"
SYSTEMS = (COPY, TARGET, PRETRAINED)

#: The model before it is trained on the corpus.
PRETRAINING = "pretraining"

#: The columns of the paper's Table 10, in its order, and Exact.
TABLE_10 = ("sari", "keep", "add", "delete", "exact")

TRANSFER = Shape(
    unit=unit_of(FUSION_PAIRS),
    kept=columns(
        ("pair_id", _TEXT, "row of sources/fusion_pairs"),
        (
            "system",
            _TEXT,
            "copy, target (trained on the corpus alone) or pretrained (on our examples before)",
        ),
        ("chosen", pa.bool_(), "whether it is the model with the better SARI on validation"),
        ("source", _TEXT, "the two sentences that are to be fused"),
        ("target", _TEXT, "the sentence that was split into them"),
        ("prediction", _TEXT, "the fusion of the system"),
        ("sari", _REAL, "0 to 1, the mean of the next three"),
        ("keep", _REAL, "F1 of n-grams rightly kept"),
        ("add", _REAL, "F1 of n-grams rightly added"),
        ("delete", _REAL, "F1 of n-grams rightly deleted"),
        ("exact", _REAL, "1 where prediction and target have the same tokens in any case, else 0"),
    ),
)

#: By what the weights of a training are kept, whatever its size.
_KEPT_BY = {"metric": "sari", "direction": "max", "tie": "loss"}


class TransferParams(SizedParams, section="discofuse.transfer"):
    """Which examples are learnt from before the corpus, and how."""

    domain: str | None = Field(
        None, description="of the examples of the pre-training; null: that with the most training examples"
    )
    sizes: dict[str, TransferSize] = Field(SIZES, min_length=1)
    validation_examples: int = Field(100, ge=1, description="pairs that judge a model, at most")
    validation_beam: int = Field(1, ge=1, description="of the answers that are judged; 1: greedy, and fast")
    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval and each test")
    seed: int = Field(0, ge=0, description="of these draws, and of that of the pairs that judge")
    decoding: Decoding = decoding_field()

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """The weights with the best SARI stay."""
        return dict.fromkeys((PRETRAINING, "finetuning", TARGET), _KEPT_BY)

    def training(self, part: str) -> TrainingParams:
        """Return how a training of the size that is asked for goes."""
        found: TrainingParams = self.part(part)
        return found


def transfer(
    fusion_pairs: Parts, balanced: Parts, params: TransferParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:
    """Yield every system's fusion of the test pairs with its scores, and the table; the units are the pairs.

    Models learn from the pairs of the split `train`, and from the balanced examples of one domain before.
    The vocabulary is that of both, the same for all models. Pairs of other splits than `test` are dropped
    as `split_train` and `split_validation`; as `long`, with the number of pieces, those among them that are
    too long to be learnt from. Of a test pair that is too long, models read the beginning. Raises
    TrainingError for a domain that is not there and for a set from which nothing can be learnt, before
    anything is trained.
    """
    units = fusion_pairs.read(TRANSFER.unit.names).to_pylist()
    tests = [unit for unit in units if unit["split"] == "test"]
    if not units:
        yield _outcome([], [], [], [], {}, params)
        return
    ours = _examples(balanced, params.domain)
    config = params.sizes[params.size].model
    theirs = [text for unit in units if unit["split"] == "train" for text in _texts(unit)]
    pieces = learn_pieces(
        [*theirs, *(text for row in ours for text in (source_of(row), target_of(row)))], config
    )
    found = {
        unit["id"]: length for unit, length in zip(units, lengths(pieces, map(_texts, units)), strict=True)
    }
    found_ours = lengths(pieces, ((source_of(row), target_of(row)) for row in ours))
    short = {name for name, length in found.items() if length <= config.longest}
    short |= {row["id"] for row, length in zip(ours, found_ours, strict=True) if length <= config.longest}
    bounds = (params.validation_examples, params.seed)
    before = training_set(PRETRAINING, ours, short, pairs_of, *bounds)
    corpus = training_set(TARGET, units, short, _pairs, *bounds)

    model = make_model(config, pieces, params.training(PRETRAINING).seed)
    files: dict[str, bytes] = {}
    reports: list[dict[str, Any]] = []
    answers = {COPY: [_texts(unit)[0] for unit in tests]}
    for name, part, examples in (
        (PRETRAINING, PRETRAINING, before),
        (PRETRAINED, "finetuning", corpus),
        (TARGET, TARGET, corpus),
    ):
        training = params.training(part)
        if name == TARGET:
            model = make_model(config, pieces, training.seed)
        ended = train_model(
            name, model, examples, training, params.validation_beam, checkpoints.at(name), strict
        )
        files |= _files(name, model)
        reports.append(fusion_report(name, model, examples, training, ended, chosen=False))
        if name != PRETRAINING:
            model.place(strict, params.decoding)
            answers[name] = model.generate(answers[COPY])
    answering = [report for report in reports if report["model"] != PRETRAINING]
    best = max(answering, key=lambda report: float(report["best"]))
    best["chosen"] = True
    kept = [
        _row(unit, system, system == best["model"], answer)
        for system in SYSTEMS
        for unit, answer in zip(tests, answers[system], strict=True)
    ]
    dropped = [
        drop(unit, f"split_{unit['split']}")
        if unit["id"] in short
        else drop(unit, "long", float(found[unit["id"]]))
        for unit in units
        if unit["split"] != "test"
    ]
    yield _outcome(units, kept, dropped, reports, files, params)


def table(rows: Sequence[Row], params: TransferParams) -> dict[str, Any]:
    """Return the means of every system with 95 % intervals over pairs, and paired tests between systems.

    `systems`: system, chosen, the number of pairs, and by metric mean, low and high. `tests`: of every two,
    by metric the difference, low, high and p. Without rows both are empty.
    """
    systems = {name: [row for row in rows if row["system"] == name] for name in SYSTEMS} if rows else {}
    draws = Bootstrap(resamples=params.resamples, seed=params.seed)
    return {
        "metrics": TABLE_10,
        "systems": [
            {
                "system": name,
                "chosen": rows_of_system[0]["chosen"],
                "pairs": len(rows_of_system),
                "scores": mean_scores(rows_of_system, TABLE_10, draws),
            }
            for name, rows_of_system in systems.items()
        ],
        "tests": [
            {
                "first": first,
                "second": second,
                "pairs": len(systems[first]),
                "scores": paired_tests(systems[first], systems[second], TABLE_10, draws),
            }
            for second, first in combinations(systems, 2)
        ],
    }


def _examples(balanced: Parts, domain: str | None) -> list[Row]:
    """Return the examples of the pre-training. Raises TrainingError for a domain that is not there."""
    counts = Counter(
        row["domain"] for row in balanced.read(["domain", "split"]).to_pylist() if row["split"] == "train"
    )
    largest = min(counts, key=lambda name: (-counts[name], name), default=None)
    chosen = domain or largest
    if chosen is None or chosen not in counts:
        known = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items())) or "none"
        raise TrainingError(
            f"discofuse.transfer pre-trains on the domain {chosen!r}, but domains with training examples in "
            f"discofuse/balanced are: {known}"
        )
    found: list[Row] = balanced.read(where=("domain", [chosen])).to_pylist()
    return found


def _texts(unit: Row) -> tuple[str, str]:
    """Return source and target of a pair."""
    return copied(unit["first"], unit["second"]), unit["fused"]


def _pairs(units: Sequence[Row]) -> Pairs:
    texts = [_texts(unit) for unit in units]
    return Pairs([unit["id"] for unit in units], [text for text, _ in texts], [text for _, text in texts])


def _files(name: str, model: Seq2Seq) -> dict[str, bytes]:
    from ops.models.seq2seq.files import save

    return {f"{name}/{file}": content for file, content in save(model).items()}


def _row(unit: Row, system: str, chosen: bool, prediction: str) -> Row:
    source, target = _texts(unit)
    scores = sari(source, prediction, [target])
    return {
        "id": row_id("transferred", unit["id"], system),
        "source_ids": [unit["id"]],
        "licence": unit["licence"],
        "pair_id": unit["id"],
        "system": system,
        "chosen": chosen,
        "source": source,
        "target": target,
        "prediction": prediction,
        "sari": round(scores.score, 6),
        **{name: round(getattr(scores, name), 6) for name in ("keep", "add", "delete")},
        "exact": float(exact_match(prediction, [target])),
    }


def _outcome(
    units: Sequence[Row],
    kept: Sequence[Row],
    dropped: Sequence[Row],
    reports: Sequence[Mapping[str, Any]],
    files: Mapping[str, bytes],
    params: TransferParams,
) -> Outcome:
    beside = {MODELS: reports, TABLE: table(kept, params)}
    texts = {name: json.dumps(value, indent=1, sort_keys=True).encode() for name, value in beside.items()}
    return Outcome.of(TRANSFER, [unit["id"] for unit in units], kept, dropped, files={**files, **texts})
