"""The training of an entailment model for two sentences, in both directions.

Belongs here: which pairs the model learns from, and its training. Not here: the examples made from a pair
(examples.py), the network (model.py), how the model is used (ops/parasci/dataset/scored.py).

The examples are not labelled by hand: a very similar pair within a paper counts as equivalent, a less similar
pair of a paper, of a term or of a cited paper does not, and the effect of each edit is known. [ours]
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Self

import pyarrow as pa
from pydantic import Field, model_validator

from ops.core.identity import row_id
from ops.core.outcome import TEXT, Outcome, Outcomes, Row, Shape, columns, drop
from ops.core.params import ModelName, Params
from ops.core.parts import Parts
from ops.core.sampling import drawn, place_of
from ops.core.stored_rows import Made, StoredRows
from ops.models.encoder import ENCODER
from ops.models.training import CheckpointFolder, TrainingParams, errors_of, train
from ops.models.training.params import SizedParams
from ops.models.training.report import count_weights, training_report
from ops.models.training.task import ProgressLines
from ops.parasci.dataset.release import shared_words
from ops.parasci.entailment.config import EntailmentConfig, EntailmentExample
from ops.parasci.entailment.examples import Entailed, of_mined, of_pair
from ops.parasci.entailment.stored import MODEL
from ops.parasci.schemas import CANDIDATES

#: The file with the report of the model's training.
MODELS = "models.json"

_TEXT, _INT, _BOOL = pa.string(), pa.int32(), pa.bool_()

ENTAILMENT = Shape(
    unit=CANDIDATES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/intra, definitions or citations"),
        ("number", _INT, "of the example"),
        ("split", _TEXT, "train: the model learnt from it; validation: it was judged by it"),
        (
            "kind",
            _TEXT,
            "pair, mined, or what was edited (pair: the other sentence, same: itself) and how",
        ),
        ("first", _TEXT, "one text", TEXT),
        ("second", _TEXT, "the other text", TEXT),
        ("forward", _BOOL, "whether the first says all that the second says"),
        ("backward", _BOOL, "whether the second says all that the first says"),
    ),
)


class EntailmentSize(Params):
    """Which layers of the encoder are trained, and how."""

    model: EntailmentConfig = EntailmentConfig()
    """The encoder and its head."""
    training: TrainingParams = TrainingParams()


#: "tiny" takes seconds on the sample, whose pairs are too few to learn from; "base" needs thousands of pairs.
SIZES = {
    "tiny": EntailmentSize(
        model=EntailmentConfig(trained_layers=1, longest=128),
        training=TrainingParams(epochs=1, batch_size=16, learning_rate=0.0003),
    ),
    "base": EntailmentSize(
        model=EntailmentConfig(trained_layers=4, longest=192),
        training=TrainingParams(epochs=1, batch_size=32, learning_rate=0.0001),
    ),
}


class MinedParams(Params):
    """Which pairs are hard negatives: related sentences, of which neither entails the other."""

    floor: float = Field(0.6, ge=-1, le=1, description="least cosine")
    ceiling: float = Field(0.8, ge=-1, le=1, description="from this cosine on a pair may say the same")
    shared_words: float = Field(0.3, ge=0, le=1, description="with more in common, too (Jaccard coefficient)")
    rate: float = Field(1.0, ge=0, description="drawn for each similar pair")


class EntailmentParams(SizedParams, section="parasci.entailment"):
    """Whether to train a model, on which pairs, with which encoder, and how."""

    wanted: bool = Field(False, description="whether a model is trained; without one nothing is learnt")
    sizes: dict[str, EntailmentSize] = Field(SIZES, min_length=1)
    encoder: ModelName = Field(ENCODER, description="that reads both texts together")
    cosine: float = Field(0.85, ge=-1, le=1, description="from this one on a pair says the same")
    mined: MinedParams = MinedParams()
    validation: float = Field(0.2, ge=0, lt=1, description="share of papers whose pairs judge the model")
    seed: int = Field(0, ge=0, description="of all draws")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.mined.ceiling > self.cosine:
            raise ValueError(
                f"mined.ceiling is {self.mined.ceiling}, above cosine, {self.cosine}: a pair would be both"
            )
        return self

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Keep the weights with the best accuracy over both directions."""
        return {
            "model": {"encoder": self.encoder},
            "training": {"metric": "accuracy", "direction": "max", "tie": "loss"},
        }


@dataclass(frozen=True)
class _Examples:
    """The training and validation examples of the model."""

    name: str
    learnt: Sequence[EntailmentExample]
    judges: Sequence[EntailmentExample]
    judged_on: str


def entailment(
    intra: Parts,
    definitions: Parts,
    citations: Parts,
    params: EntailmentParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield examples made from pairs, and the model that is trained on them.

    Units are the pairs within papers. Reasons: `not_wanted` (no model is requested), `unlike` and `between`
    (the cosine is too low for a hard negative, or is neither low nor high enough), `shared_words` (a less
    similar pair that may say the same), `identical`, `not_drawn` (`mined.rate` hard negatives are drawn for
    each similar pair), `two_splits` (its papers are in different splits). `combinations` count the pairs of
    the other origins by these reasons, and `similar` ones, which are not used. The pairs of a share of the
    papers validate the model; if that share is empty, the training examples do. Without examples, there is no
    model. Holds the names of papers, 2 bytes a pair and 8 bytes an example in memory.
    """
    if not params.wanted:
        for table in intra:
            units = table.to_pylist()
            yield Outcome.of(
                ENTAILMENT, [unit["id"] for unit in units], [], [drop(unit, "not_wanted") for unit in units]
            )
        yield Outcome.of(ENTAILMENT, [], [], files={MODELS: b"[]"})
        return
    origins = {"intra": intra, "definitions": definitions, "citations": citations}

    def pairs() -> Iterator[tuple[str, Row]]:
        return ((origin, row) for origin, rows in origins.items() for row in rows.rows())

    kinds = Counter(_kind(row, origin, params) for origin, row in pairs())
    share = params.mined.rate * kinds["alike"] / max(1, kinds["mined"])
    used = (row for origin, row in pairs() if _lost(row, origin, share, params) is None)
    split = _splits((paper for row in used for paper in _papers(row)), params)
    numbers = array("h")  # how many examples each used pair has
    with intra.engine.scratch() as folder:

        def examples() -> Iterator[Row]:
            others = _first_mined(pairs(), split, params)
            for origin, row in pairs():
                its = _split(row, split)
                if its is not None and _lost(row, origin, share, params) is None:
                    found = list(_rows(row, origin, others.get(its, ""), its, params))
                    numbers.append(len(found))
                    yield from found
                if its is not None and _kind(row, origin, params) == "mined":
                    others[its] = row["second"]

        rows = StoredRows(ENTAILMENT.kept, examples(), folder)
        files = _trained(rows, params, checkpoints, strict)
        remaining, of_pairs = iter(rows), iter(numbers)
        counts: Counter[str] = Counter()
        for origin, parts in origins.items():
            for table in parts:
                kept: list[Row] = []
                lost: list[Row] = []
                units = table.to_pylist()
                for unit in units:
                    reason = _lost(unit, origin, share, params)
                    if reason is None and _split(unit, split) is None:
                        reason = "two_splits"
                    if reason is None:
                        kept += islice(remaining, next(of_pairs))
                    elif origin == "intra":
                        score = unit["cosine"] if reason in ("between", "unlike") else None
                        lost.append(drop(unit, reason, score))
                    else:
                        counts[f"{origin}: {reason}"] += 1
                if origin == "intra" or kept:
                    names = [unit["id"] for unit in units] if origin == "intra" else []
                    yield Outcome.of(ENTAILMENT, names, kept, lost)
    yield Outcome.of(ENTAILMENT, [], [], combinations=counts, files=files)


def _first_mined(
    pairs: Iterable[tuple[str, Row]], split: Mapping[str, str], params: EntailmentParams
) -> dict[str, str]:
    """Return a sentence of the first hard negative in each split, so that no text is in two splits."""
    found: dict[str, str] = {}
    for origin, row in pairs:
        its = _split(row, split)
        if its is not None and its not in found and _kind(row, origin, params) == "mined":
            found[its] = row["second"]
    return found


def _kind(row: Row, origin: str, params: EntailmentParams) -> str:
    """Return whether a pair is "alike" or "mined", or why it is neither."""
    mined = params.mined
    if row["first"].lower().split() == row["second"].lower().split():
        return "identical"
    if row["cosine"] >= params.cosine:
        return "alike" if origin == "intra" else "similar"
    if not mined.floor <= row["cosine"] < mined.ceiling:
        return "unlike" if row["cosine"] < mined.floor else "between"
    return "mined" if shared_words(row["first"], row["second"]) <= mined.shared_words else "shared_words"


def _lost(row: Row, origin: str, share: float, params: EntailmentParams) -> str | None:
    """Return why no example is made from a pair; None if examples are made."""
    kind = _kind(row, origin, params)
    if kind == "mined":
        return None if place_of(params.seed, row["id"]) < share else "not_drawn"
    return None if kind == "alike" else kind


def _papers(row: Row) -> tuple[str, str]:
    return row["first_paper"], row["second_paper"]


def _split(row: Row, split: Mapping[str, str]) -> str | None:
    """Return the split of both papers of a pair; None if they are in different ones."""
    first, second = (split.get(paper, "train") for paper in _papers(row))
    return first if first == second else None


def _splits(names: Iterable[str], params: EntailmentParams) -> dict[str, str]:
    """Return the split of each paper, by its name."""
    papers = sorted(set(names), key=lambda paper: drawn(params.seed, paper))
    validation = round(params.validation * len(papers))
    return {paper: "validation" if place < validation else "train" for place, paper in enumerate(papers)}


def _rows(row: Row, origin: str, other: str, split: str, params: EntailmentParams) -> Iterator[Row]:
    """Yield the examples of a pair; edits take words and clauses from `other`, part of a hard negative."""
    pair = row["first"], row["second"]
    alike = _kind(row, origin, params) == "alike"
    found = of_pair(row["id"], pair, other, params.seed) if alike else [of_mined(pair)]
    for number, example in enumerate(found):
        yield _row(row, number, split, example)


def _row(row: Row, number: int, split: str, example: Entailed) -> Row:
    return {
        "id": row_id("entailed", row["id"], str(number)),
        "source_ids": [row["id"]],
        "licence": row["licence"],
        "pair_id": row["id"],
        "number": number,
        "split": split,
        **example._asdict(),
    }


def _trained(
    rows: StoredRows, params: EntailmentParams, checkpoints: CheckpointFolder, strict: bool
) -> dict[str, bytes]:
    """Return the model's files, and the report of its training."""
    examples = _examples(rows)
    if not len(examples.learnt):
        return {MODELS: b"[]"}
    from ops.parasci.entailment.model import EntailmentModel, EntailmentTask

    training = params.part("training")
    model = EntailmentModel(params.part("model"), training.seed, strict)
    with errors_of(MODEL):
        task = EntailmentTask(model, examples.learnt, examples.judges)
        ended = train(task, training, checkpoints.at(MODEL), ProgressLines(MODEL), strict)
    weights = count_weights(model.network)
    report = training_report(
        MODEL, model.config.kind, model.config, examples, training, ended, chosen=True, weights=weights
    )
    files = {f"{MODEL}/{name}": content for name, content in model.save().items()}
    return {**files, MODELS: json.dumps([report], indent=1, sort_keys=True).encode()}


def _examples(rows: StoredRows) -> _Examples:
    places = {"train": array("q"), "validation": array("q")}
    for place, row in enumerate(rows):
        places[row["split"]].append(place)
    learnt, judges = (Made(found, partial(_example, rows)) for found in places.values())
    told = "validation split" if len(judges) else "training set"
    return _Examples("pairs and edits", learnt, judges if len(judges) else learnt, told)


def _example(rows: StoredRows, place: int) -> EntailmentExample:
    row = rows[place]
    return EntailmentExample(row["id"], row["first"], row["second"], row["forward"], row["backward"])
