"""PDBERT: a model that finds the part of a long sentence that paraphrases a short sentence.

Belongs here: which pairs it learns from, and its training. Not here: the examples made from a pair
(pseudo.py), the network (ops/parasci/spans), its findings (partial.py).
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import TEXT, Outcome, Outcomes, Row, Shape, columns, drop, one_of, optional
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import SPLITS, drawn
from silverloom.ops.core.stored_rows import Made, StoredRows
from silverloom.ops.models.encoder import ENCODER
from silverloom.ops.models.training import CheckpointFolder, TrainingParams
from silverloom.ops.models.training.params import SizedParams
from silverloom.ops.models.training.report import train_model
from silverloom.ops.parasci.partial.pseudo import PseudoExample, PseudoParams, pseudo_examples
from silverloom.ops.parasci.schemas import CANDIDATES
from silverloom.ops.parasci.spans.spans import SpanConfig, SpanExample

if TYPE_CHECKING:
    from silverloom.ops.parasci.spans.model import SpanModel


#: The folder of the model, and the file with the report of its training.
MODEL, MODELS = "pdbert", "models.json"

_TEXT, _INT = pa.string(), pa.int32()

PDBERT = Shape(
    unit=CANDIDATES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/intra"),
        ("number", _INT, "of the draw"),
        one_of("split", SPLITS[:2], "train: the model learnt from it; validation: it was judged by it"),
        ("first", _TEXT, "input 1: sentence A"),
        ("second", _TEXT, "input 2: C, B and D, those that were drawn, or B and a long sentence", TEXT),
        optional("start", _INT, "character of input 2 where B begins; missing where B is not there"),
        optional("end", _INT, "behind B"),
    ),
)


class PdbertSize(Params):
    """Which layers of the encoder are trained, and how."""

    model: SpanConfig = SpanConfig()
    """The encoder and its head."""
    training: TrainingParams = TrainingParams()


#: "tiny" takes seconds on the sample and trains only the encoder's last layer; "base" takes minutes on a CPU
#: for thousands of pairs.
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
    """Whether the model is trained, on which pairs, with which encoder, and how."""

    enabled: bool = Field(
        False,
        description="false: no model is trained, and `parasci/partial` finds no parts",
        json_schema_extra={"paper": "true"},
    )
    sizes: dict[str, PdbertSize] = Field(SIZES, min_length=1)
    encoder: ModelName = Field(
        ENCODER, description="the encoder below the span head", json_schema_extra={"paper": "BERT"}
    )
    cosine: float = Field(0.79, ge=-1, le=1, description="least one of a pair that it learns from")
    pseudo: PseudoParams = PseudoParams()
    """How sentences are combined for it."""
    validation: float = Field(0.2, ge=0, lt=1, description="share of papers whose pairs judge the model")
    seed: int = Field(0, ge=0, description="of the draw of these papers")

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Keep the weights whose spans overlap most with the true ones."""
        return {
            "model": {"encoder": self.encoder},
            "training": {"metric": "overlap", "direction": "max", "tie": "loss"},
        }


@dataclass(frozen=True)
class _Examples:
    """The training and validation examples of the model."""

    name: str
    learnt: Sequence[SpanExample]
    judges: Sequence[SpanExample]
    judged_on: str


def texts_of(sentences: Parts, folder: Path) -> Sequence[str]:
    """Return the texts of all sentences, which are read by index from a file in `folder`."""
    return StoredRows(pa.schema([("text", _TEXT)]), sentences.rows(["text"]), folder).column("text")


def pdbert(
    intra: Parts,
    sentences: Parts,
    params: PdbertParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield the examples made from pairs within papers, and the model that is trained on them.

    Units are the pairs. Reasons: `not_enabled` (the model is not wanted), `cosine` (below the threshold),
    `identical`, `long` (no example of the pair fits into the model), `no_example` (no example was drawn).
    `combinations` count the `drawn` examples, including the `empty` and the `long` ones, which have no rows.
    The pairs of a share of the papers validate the model; if that share is empty, the training examples do.
    Without examples, there is no model. Holds the names of papers, 2 bytes a pair and 8 bytes an example in
    memory; reads sentences and examples from disk.
    """
    if not params.enabled:
        for table in intra:
            units = table.to_pylist()
            off = [drop(unit, "not_enabled") for unit in units]
            yield Outcome.of(PDBERT, [unit["id"] for unit in units], [], off)
        yield Outcome.of(PDBERT, [], [], files={MODELS: b"[]"})
        return
    split = _splits((row["key"] for row in _chosen(intra, params)), params)
    model = _made(params, strict) if split else None
    counts: Counter[str] = Counter()
    numbers = array("h")  # how many examples each pair has; -1 if all of them are too long
    with intra.engine.scratch() as folder:
        pool = texts_of(sentences, folder)

        def examples() -> Iterator[Row]:
            for row in _chosen(intra, params):
                pair_rows, unused = _rows(row, pool, split[row["key"]], params, model)
                counts.update(unused, drawn=params.pseudo.draws)
                numbers.append(len(pair_rows) or -(unused["long"] > 0))
                yield from pair_rows

        rows = StoredRows(PDBERT.kept, examples(), folder)
        files = _trained(model, rows, params, checkpoints, strict)
        remaining, of_pairs = iter(rows), iter(numbers)
        for table in intra:
            units = table.to_pylist()
            kept: list[Row] = []
            lost: list[Row] = []
            for unit in units:
                reason = _lost(unit, params)
                if reason is None:
                    number = next(of_pairs)
                    kept += islice(remaining, max(0, number))
                    reason = {0: "no_example", -1: "long"}.get(number)
                if reason is not None:
                    lost.append(drop(unit, reason, unit["cosine"] if reason == "cosine" else None))
            yield Outcome.of(PDBERT, [unit["id"] for unit in units], kept, lost)
    yield Outcome.of(PDBERT, [], [], combinations=+counts, files=files)  # + removes zero counts


def has_model(artifact: Artifact) -> bool:
    """Return whether a model was trained."""
    return (artifact.folder / MODEL).is_dir()


def trained(artifact: Artifact, strict: bool = True) -> SpanModel | None:
    """Return the model; None if it is not enabled or had no training pairs."""
    if not has_model(artifact):
        return None
    from silverloom.ops.parasci.spans.model import load

    return load(artifact.files(MODEL), strict)


def _chosen(intra: Parts, params: PdbertParams) -> Iterator[Row]:
    return (row for row in intra.rows() if _lost(row, params) is None)


def _lost(row: Row, params: PdbertParams) -> str | None:
    if row["cosine"] < params.cosine:
        return "cosine"
    return "identical" if row["first"].lower().split() == row["second"].lower().split() else None


def _splits(names: Iterable[str], params: PdbertParams) -> dict[str, str]:
    """Return the split of each paper, by its name."""
    papers = sorted(set(names), key=lambda paper: drawn(params.seed, paper))
    validation = round(params.validation * len(papers))
    return {paper: "validation" if place < validation else "train" for place, paper in enumerate(papers)}


def _made(params: PdbertParams, strict: bool) -> SpanModel:
    from silverloom.ops.parasci.spans.model import SpanModel

    return SpanModel(params.part("model"), params.part("training").seed, strict)


def _rows(
    row: Row,
    pool: Sequence[str],
    split: str,
    params: PdbertParams,
    model: SpanModel | None,
) -> tuple[list[Row], Counter[str]]:
    """Return the examples of a pair that fit into the model, and the number of the others by reason."""
    assert model is not None
    pair = row["first"], row["second"]
    numbered = list(pseudo_examples(row["id"], pair, pool, params.pseudo))
    tokens = model.tokens(
        [example.first for _, example in numbered], [example.second for _, example in numbered]
    )
    fitting = [
        _row(row, number, split, example)
        for (number, example), its in zip(numbered, tokens, strict=True)
        if len(its) <= model.longest
    ]
    unused = Counter(long=len(numbered) - len(fitting), empty=params.pseudo.draws - len(numbered))
    return fitting, unused


def _row(row: Row, number: int, split: str, example: PseudoExample) -> Row:
    start, end = example.span or (None, None)
    return {
        **made_from(row, "pseudo", row["id"], str(number)),
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
    rows: StoredRows,
    params: PdbertParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> dict[str, bytes]:
    """Return the model's files, and the report of its training."""
    examples = _examples(rows)
    if model is None or not len(examples.learnt):
        return {MODELS: b"[]"}
    from silverloom.ops.parasci.spans.model import SpanTask

    training = params.part("training")
    task, config = SpanTask(model, examples.learnt, examples.judges), model.config
    report = train_model(MODEL, task, config.kind, config, examples, training, checkpoints.at(MODEL), strict)
    files = {f"{MODEL}/{name}": content for name, content in model.save().items()}
    return {**files, MODELS: json.dumps([report], indent=1, sort_keys=True).encode()}


def _examples(rows: StoredRows) -> _Examples:
    places = {"train": array("q"), "validation": array("q")}
    for place, row in enumerate(rows):
        places[row["split"]].append(place)
    learnt, judges = (Made(indices, partial(_span_example, rows)) for indices in places.values())
    told = "validation split" if len(judges) else "training set"
    return _Examples("pseudo data", learnt, judges if len(judges) else learnt, told)


def _span_example(rows: StoredRows, place: int) -> SpanExample:
    row = rows[place]
    span = None if row["start"] is None else (row["start"], row["end"])
    return SpanExample(row["id"], row["first"], row["second"], span)
