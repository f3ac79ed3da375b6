"""PDBERT: a model that finds in a long sentence the part that paraphrases a short one.

Belongs here: what it learns from, and training it. Not here: how sentences are put together (pseudo.py), the
network (ops/models/spans), what it finds (partial.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import Field

from ops.core.sampling import drawn
from ops.identity import row_id
from ops.models.encoder import ENCODER
from ops.models.spans.config import SpanConfig
from ops.models.spans.spans import SpanExample
from ops.models.training import CheckpointFolder, TrainingParams, errors_of, train
from ops.models.training.progress import ProgressLines
from ops.models.training.report import count_weights, training_report
from ops.models.training.sizes import SizedParams
from ops.outcome import TEXT, Outcome, Outcomes, Row, Shape, columns, drop
from ops.params import ModelName, Params
from ops.parasci.coarse import CoarseParams
from ops.parasci.partial.pseudo import PseudoExample, PseudoParams, SentencePool, pseudo_examples
from ops.parasci.schemas import CANDIDATES
from ops.parts import Artifact, Parts

if TYPE_CHECKING:
    from ops.models.spans.model import SpanModel

#: The folder of the model, and the file that tells of its training.
MODEL, MODELS = "pdbert", "models.json"

_TEXT, _INT = pa.string(), pa.int32()

PDBERT = Shape(
    unit=CANDIDATES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/intra"),
        ("number", _INT, "of the draw"),
        ("split", _TEXT, "train: the model learnt from it; validation: it was judged by it"),
        ("first", _TEXT, "input 1: sentence A"),
        ("second", _TEXT, "input 2: C, B and D, those that were drawn", TEXT),
        ("start", _INT, "character of input 2 where B begins; missing where B is not there"),
        ("end", _INT, "behind B"),
    ),
)


class PdbertSize(Params):
    """What of the encoder is trained, and how."""

    model: SpanConfig = SpanConfig()
    training: TrainingParams = TrainingParams()


#: Seconds on the sample, only the last layer of the encoder; minutes on a processor for thousands of pairs.
SIZES = {
    "tiny": PdbertSize(
        model=SpanConfig(trained_layers=1, longest=192),
        training=TrainingParams(epochs=2, batch_size=8, learning_rate=0.0005),
    ),
    "base": PdbertSize(
        model=SpanConfig(trained_layers=6, longest=384),
        training=TrainingParams(
            epochs=3,
            batch_size=32,
            learning_rate=0.0001,
            schedule="linear",
            warmup=0.1,
            precision="bfloat16",
            patience=3,
        ),
    ),
}


class PdbertParams(SizedParams, section="parasci.pdbert"):
    """From which pairs the model learns, by which encoder, and how."""

    sizes: dict[str, PdbertSize] = Field(SIZES, min_length=1)
    encoder: ModelName = Field(ENCODER, description="that the span head stands on (the paper: BERT)")
    pseudo: PseudoParams = PseudoParams()
    validation: float = Field(0.2, ge=0, lt=1, description="share of papers whose pairs judge the model")
    seed: int = Field(0, ge=0, description="of the draw of these papers")

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """The weights stay that find most of the spans."""
        return {
            "model": {"encoder": self.encoder},
            "training": {"metric": "overlap", "direction": "max", "tie": "loss"},
        }


@dataclass(frozen=True)
class _Examples:
    """What the model learns from, and what judges it."""

    name: str
    learnt: Sequence[SpanExample]
    judges: Sequence[SpanExample]
    judged_on: str


def pdbert(
    intra: Parts,
    sentences: Parts,
    coarse: CoarseParams,
    params: PdbertParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield the examples that were put together of pairs within papers, and the model that learnt from them.

    Units are the pairs; reasons: `cosine` (below the threshold), `identical`, `long` (no example of it fits
    into the model), `no_example` (none was drawn). `combinations` count the examples that were drawn, and of
    these the `empty` and the `long` ones, which are no rows. The pairs of a share of the papers judge the
    model; where that is none, what was learnt from. Without any example there is no model. In memory are all
    sentences, as bytes of Arrow.
    """
    chosen = {row["id"]: row for table in intra for row in table.to_pylist() if _lost(row, coarse) is None}
    pool = _Texts(sentences)
    split = _splits(chosen.values(), params)
    model = _made(params, strict) if chosen else None
    counts: Counter[str] = Counter()
    rows: dict[str, list[Row]] = {}
    missing: dict[str, str] = {}
    for name, row in chosen.items():
        rows[name], long = _rows(row, pool, split[row["key"]], params, model)
        drawn_examples = params.pseudo.draws
        counts += Counter(drawn=drawn_examples, long=long, empty=drawn_examples - long - len(rows[name]))
        if not rows[name]:
            missing[name] = "long" if long else "no_example"
    files = _trained(model, [row for its in rows.values() for row in its], params, checkpoints, strict)
    for table in intra:
        units = table.to_pylist()
        lost = [
            drop(unit, reason, unit["cosine"] if reason == "cosine" else None)
            for unit in units
            if (reason := _lost(unit, coarse) or missing.get(unit["id"]))
        ]
        kept = [row for unit in units for row in rows.get(unit["id"], ())]
        yield Outcome.of(PDBERT, [unit["id"] for unit in units], kept, lost)
    yield Outcome.of(PDBERT, [], [], combinations=counts, files=files)


def trained(artifact: Artifact, strict: bool = True) -> SpanModel | None:
    """Return the model; None where there were no pairs to learn from."""
    from ops.models.spans.model import load

    files = artifact.files(MODEL) if (artifact.folder / MODEL).is_dir() else {}
    return load(files, strict) if files else None


class _Texts:
    """The texts of all sentences, in the chunks that they are read in: one array of strings ends at 2 GiB."""

    def __init__(self, sentences: Parts) -> None:
        self._column = sentences.read(["text"])["text"]

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, index: int) -> str:
        text: str = self._column[index].as_py()
        return text


def _lost(row: Row, coarse: CoarseParams) -> str | None:
    if row["cosine"] < coarse.cosine:
        return "cosine"
    return "identical" if row["first"].lower().split() == row["second"].lower().split() else None


def _splits(rows: Iterable[Row], params: PdbertParams) -> dict[str, str]:
    """Return the split of each paper."""
    papers = sorted({row["key"] for row in rows}, key=lambda paper: drawn(params.seed, paper))
    validation = round(params.validation * len(papers))
    return {paper: "validation" if place < validation else "train" for place, paper in enumerate(papers)}


def _made(params: PdbertParams, strict: bool) -> SpanModel:
    from ops.models.spans.model import SpanModel

    return SpanModel(params.part("model"), params.part("training").seed, strict)


def _rows(
    row: Row, pool: SentencePool, split: str, params: PdbertParams, model: SpanModel | None
) -> tuple[list[Row], int]:
    """Return the examples of a pair that fit into the model, and how many do not."""
    assert model is not None
    found = list(pseudo_examples(row["id"], (row["first"], row["second"]), pool, params.pseudo))
    tokens = model.tokens([example.first for _, example in found], [example.second for _, example in found])
    fitting = [
        _row(row, number, split, example)
        for (number, example), its in zip(found, tokens, strict=True)
        if len(its) <= model.longest
    ]
    return fitting, len(found) - len(fitting)


def _row(row: Row, number: int, split: str, example: PseudoExample) -> Row:
    start, end = example.span or (None, None)
    return {
        "id": row_id("pseudo", row["id"], str(number)),
        "source_ids": [row["id"]],
        "licence": row["licence"],
        "pair_id": row["id"],
        "number": number,
        "split": split,
        "first": example.first,
        "second": example.second,
        "start": start,
        "end": end,
    }


def _trained(
    model: SpanModel | None,
    rows: Sequence[Row],
    params: PdbertParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> dict[str, bytes]:
    """Return the model's files, and what its training was."""
    examples = _examples(rows)
    if model is None or not examples.learnt:
        return {MODELS: b"[]"}
    from ops.models.spans.task import SpanTask

    training = params.part("training")
    with errors_of(MODEL):
        task = SpanTask(model, examples.learnt, examples.judges)
        ended = train(task, training, checkpoints.at(MODEL), ProgressLines(MODEL), strict)
    weights = count_weights(model.network)
    report = training_report(
        MODEL, model.config.kind, model.config, examples, training, ended, chosen=True, weights=weights
    )
    files = {f"{MODEL}/{name}": content for name, content in model.save().items()}
    return {**files, MODELS: json.dumps([report], indent=1, sort_keys=True).encode()}


def _examples(rows: Sequence[Row]) -> _Examples:
    splits: dict[str, list[SpanExample]] = {"train": [], "validation": []}
    for row in rows:
        span = None if row["start"] is None else (row["start"], row["end"])
        splits[row["split"]].append(SpanExample(row["id"], row["first"], row["second"], span))
    learnt, judges = splits["train"], splits["validation"]
    return _Examples(
        "pseudo data", learnt, judges or learnt, "validation split" if judges else "training set"
    )
