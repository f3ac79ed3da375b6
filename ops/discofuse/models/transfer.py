"""What pre-training on fusion examples adds on another corpus: the paper's Table 10.

Belongs here: CopyNet trained on pairs of a split-and-rephrase corpus, with and without pre-training on our
examples, compared with COPY; its sizes, and the scores. Not here: a single training (fusion_model.py), the
network (ops/models/seq2seq).

Geva et al. (2019), section 6 and appendix A.3: both models have the same size, and each keeps the weights
with the best SARI on validation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, drop, in_blocks, in_parts
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.stored_rows import StoredRows
from silverloom.ops.discofuse.models.fusion_model import (
    texts_of,
)
from silverloom.ops.discofuse.models.training_sets import check_learnable, copied, judged
from silverloom.ops.discofuse.schemas import FUSION_PAIRS
from silverloom.ops.evaluation.table import TABLE, Bootstrap, mean_scores, paired_tests
from silverloom.ops.metrics.fusion import exact_match, sari
from silverloom.ops.models.decoding import Decoding, decoding_field
from silverloom.ops.models.seq2seq.config import CopyNetConfig
from silverloom.ops.models.seq2seq.pairs import answers, pair_set, stored_pairs, training_texts
from silverloom.ops.models.seq2seq.training import MODELS, learn_pieces, make_model, train_on_pairs
from silverloom.ops.models.training import CheckpointFolder, TrainingError, TrainingParams
from silverloom.ops.models.training.params import SizedParams
from silverloom.ops.parse.schemas import unit_of


class TransferSize(Params):
    """The size of the models, and their training: before, after, and without pre-training."""

    model: CopyNetConfig = CopyNetConfig()
    """The CopyNet."""
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


#: tiny: seconds on the sample; base: one or two hours on a CPU; paper: Table 18, updates of appendix A.3.
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
    from silverloom.ops.models.seq2seq.model import Seq2Seq
    from silverloom.ops.models.seq2seq.pieces import Pieces


_TEXT, _REAL = pa.string(), pa.float64()

#: The baseline, and the two models: trained only on the corpus, and also pre-trained on our examples.
COPY, TARGET, PRETRAINED = "copy", "target", "pretrained"
SYSTEMS = (COPY, TARGET, PRETRAINED)

#: The model before it is trained on the corpus.
PRETRAINING = "pretraining"

#: The columns of the paper's Table 10, in order, and Exact.
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

#: The columns of an example or a pair that are stored with its texts.
_COLUMNS = ("id", "licence", "split")

_ANSWER = pa.schema([("prediction", _TEXT)])

#: Selects the weights that are kept, for all sizes.
_KEPT_BY = {"metric": "sari", "direction": "max", "tie": "loss"}


class TransferParams(SizedParams, section="discofuse.transfer"):
    """The examples for pre-training, and the trainings."""

    domain: str | None = Field(
        None, description="of the examples of the pre-training; null: that with the most training examples"
    )
    sizes: dict[str, TransferSize] = Field(SIZES, min_length=1)
    validation_examples: int = Field(100, ge=1, description="pairs that judge a model, at most")
    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval and each test")
    seed: int = Field(0, ge=0, description="of these draws, and of that of the pairs that judge")
    decoding: Decoding = decoding_field()

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Keep the weights with the best SARI."""
        return dict.fromkeys((PRETRAINING, "finetuning", TARGET), _KEPT_BY)

    def training(self, part: str) -> TrainingParams:
        """Return the params of a training for the chosen size."""
        training: TrainingParams = self.part(part)
        return training


def transfer(
    fusion_pairs: Parts, balanced: Parts, params: TransferParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:
    """Yield every system's fusion of the test pairs with scores, and the table; the units are the pairs.

    Models learn from the pairs of the split `train`; one of them is pre-trained on the balanced examples of
    one domain. All models share one vocabulary, learnt from both. Pairs that are not in the split `test` are
    dropped as `split_train` or `split_validation`, or as `long`, with the number of pieces, if they are too
    long to learn from. Models read only the beginning of a test pair that is too long. Raises TrainingError,
    before any training, for an unknown domain and for a set that cannot be learnt from.
    """
    yield from in_parts(_outcomes(fusion_pairs, balanced, params, checkpoints, strict))


def _outcomes(
    fusion_pairs: Parts, balanced: Parts, params: TransferParams, checkpoints: CheckpointFolder, strict: bool
) -> Outcomes:
    if not any(part.rows for part in fusion_pairs.parts):
        yield Outcome.of(TRANSFER, [], [], files=_reports([], {}, params))
        return
    asked = {"domain": _domain(balanced, params.domain)}
    config = params.sizes[params.size].model
    ours = (text for row in balanced.rows(having=asked) for text in texts_of(row))
    pieces = learn_pieces(chain(training_texts(fusion_pairs, _texts), ours), config)
    with fusion_pairs.engine.scratch() as folder:
        lengths = (pieces.length, config.longest)
        examples = stored_pairs(balanced, _COLUMNS, texts_of, *lengths, folder / "ours", having=asked)
        pairs = stored_pairs(fusion_pairs, _COLUMNS, _texts, *lengths, folder / "pairs")
        check_learnable(PRETRAINING, examples)
        check_learnable(TARGET, pairs)
        files, reports, written = _trained(pieces, examples, pairs, params, checkpoints, strict, folder)
        best = max(reports[1:], key=lambda report: float(report["best"]))
        best["chosen"] = True
        kept = {
            system: StoredRows(
                TRANSFER.kept, _rows(pairs, system, system == best["model"], written.get(system)), folder
            )
            for system in SYSTEMS
        }
        for system in SYSTEMS:
            for rows in in_blocks(kept[system]):
                yield Outcome.of(TRANSFER, [row["pair_id"] for row in rows if system == COPY], rows)
        for part, of_part in zip(fusion_pairs.parts, pairs, strict=True):
            units = part.read(TRANSFER.unit.names).to_pylist()
            dropped = [
                drop(unit, f"split_{unit['split']}")
                if pair["short"]
                else drop(unit, "long", float(max(pair["source_pieces"], pair["target_pieces"])))
                for unit, pair in zip(units, of_part.to_pylist(), strict=True)
                if unit["split"] != "test"
            ]
            yield Outcome.of(TRANSFER, [unit["id"] for unit in dropped], [], dropped)
        yield Outcome.of(TRANSFER, [], [], files={**files, **_reports(reports, kept, params)})


def _trained(
    pieces: Pieces,
    examples: Parts,
    pairs: Parts,
    params: TransferParams,
    checkpoints: CheckpointFolder,
    strict: bool,
    folder: Path,
) -> tuple[dict[str, bytes], list[dict[str, Any]], dict[str, StoredRows]]:
    """Train all models; return their files and reports, and the outputs of two of them for the test pairs."""
    config, bounds = params.sizes[params.size].model, (params.validation_examples, params.seed)
    model = make_model(config, pieces, params.training(PRETRAINING).seed)
    before = pair_set(PRETRAINING, examples, model, *bounds, folder, in_order=True)
    corpus = pair_set(TARGET, pairs, model, *bounds, folder, in_order=True)
    files: dict[str, bytes] = {}
    reports: list[dict[str, Any]] = []
    written: dict[str, StoredRows] = {}
    for name, part, learnt in (
        (PRETRAINING, PRETRAINING, before),
        (PRETRAINED, "finetuning", corpus),
        (TARGET, TARGET, corpus),
    ):
        training = params.training(part)
        if name == TARGET:
            model = make_model(config, pieces, training.seed)
        judge = partial(judged, learnt.judges)
        reports.append(
            train_on_pairs(name, model, learnt, judge, training, checkpoints.at(name), strict, False)
        )
        files |= _files(name, model)
        if name != PRETRAINING:
            model.place(strict, params.decoding)
            sources = (row["source"] for row in pairs.rows(["source"], {"split": "test"}))
            outputs = answers(model, sources, folder / f"answers of {name}")
            written[name] = StoredRows(_ANSWER, ({"prediction": text} for text in outputs), folder)
    return files, reports, written


def table(systems: Mapping[str, pa.Table], params: TransferParams) -> dict[str, Any]:
    """Return the means of every system with 95 % intervals over pairs, and paired tests between systems.

    `systems`: system, chosen, the number of pairs, and mean, low and high by metric. `tests`, for each pair
    of systems: difference, low, high and p by metric. Without rows, both are empty.
    """
    draws = Bootstrap(resamples=params.resamples, seed=params.seed)
    return {
        "metrics": TABLE_10,
        "systems": [
            {
                "system": name,
                "chosen": rows_of_system["chosen"][0].as_py(),
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


def _domain(balanced: Parts, asked: str | None) -> str:
    """Return the domain for pre-training. Raises TrainingError for an unknown one."""
    counts = Counter(row["domain"] for row in balanced.rows(["domain"], {"split": "train"}))
    largest = min(counts, key=lambda name: (-counts[name], name), default=None)
    chosen = asked or largest
    if chosen is None or chosen not in counts:
        known = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items())) or "none"
        raise TrainingError(
            f"discofuse.transfer pre-trains on the domain {chosen!r}, but domains with training examples in "
            f"discofuse/balanced are: {known}"
        )
    return chosen


def _texts(unit: Row) -> tuple[str, str]:
    """Return the source and the target text of a pair."""
    return copied(unit["first"], unit["second"]), unit["fused"]


def _files(name: str, model: Seq2Seq) -> dict[str, bytes]:

    return {f"{name}/{file}": content for file, content in model.files().items()}


def _rows(pairs: Parts, system: str, chosen: bool, written: Iterable[Row] | None) -> Iterator[Row]:
    """Yield a system's outputs for the test pairs, with their scores; without `written`, it copies."""
    tests = pairs.rows(having={"split": "test"})
    if written is None:
        return (_row(pair, system, chosen, pair["source"]) for pair in tests)
    both = zip(tests, written, strict=True)
    return (_row(pair, system, chosen, answer["prediction"]) for pair, answer in both)


def _row(pair: Row, system: str, chosen: bool, prediction: str) -> Row:
    source, target = pair["source"], pair["target"]
    scores = sari(source, prediction, [target])
    return {
        **made_from(pair, "transferred", pair["id"], system),
        "pair_id": pair["id"],
        "system": system,
        "chosen": chosen,
        "source": source,
        "target": target,
        "prediction": prediction,
        "sari": round(scores.score, 6),
        **{name: round(getattr(scores, name), 6) for name in ("keep", "add", "delete")},
        "exact": float(exact_match(prediction, [target])),
    }


def _reports(
    reports: Sequence[Mapping[str, Any]], rows: Mapping[str, StoredRows], params: TransferParams
) -> dict[str, bytes]:
    numbers = {system: its.table(["chosen", *TABLE_10]) for system, its in rows.items() if len(its)}
    beside = {MODELS: reports, TABLE: table(numbers, params)}
    return {name: json.dumps(value, indent=1, sort_keys=True).encode() for name, value in beside.items()}
