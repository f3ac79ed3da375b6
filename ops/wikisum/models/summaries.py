"""What every summarizer writes for test examples, and how good it is.

Belongs here: decoding, log-perplexity per sub-word and ROUGE of each example; storing rows on disk between
the model that writes them and the part of the dataset that they belong to. Not here: training
(summarizer.py), tables over all examples (ops/wikisum/evaluation).

Models run one after the other, each over all examples. The dataset lists the rows of all models example by
example. Each model's rows wait in a file; one block of each file is in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import TEXT, TITLE, Outcome, Outcomes, Row, Shape, columns, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import sample_names
from silverloom.ops.core.stored_rows import StoredRows
from silverloom.ops.evaluation.table import CorpusMetric, ratio
from silverloom.ops.metrics.rouge import rouge
from silverloom.ops.models.decoding import Decoding, decoding_field
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum.models.learning_sets import reader_of, sets_of
from silverloom.ops.wikisum.models.summarizer import trained_model, trained_reports
from silverloom.ops.wikisum.schemas import EXAMPLES


class RowSpool(StoredRows):
    """Stored rows with a column `example_id`, read example by example."""

    def __init__(self, schema: pa.Schema, rows: Iterable[Row], folder: Path | None = None) -> None:
        """Write the rows; `take` reads them in the same order."""
        super().__init__(schema, rows, folder)
        self._rest = iter(self)
        self._next = next(self._rest, None)

    def take(self, examples: Collection[str]) -> Iterator[Row]:
        """Yield the next rows, as long as they belong to these examples."""
        while self._next is not None and self._next["example_id"] in examples:
            yield self._next
            self._next = next(self._rest, None)


if TYPE_CHECKING:
    from silverloom.ops.wikisum.long_sequences.texts import TextModel


#: The columns that scoring a model reads, in addition to the columns that the model reads.
_SCORED = ("id", "licence", "article_id", "title", "set", "target")

_TEXT, _REAL = pa.string(), pa.float64()
_DIGITS = 6

#: Scores of each summary, from 0 to 1.
METRICS = tuple(
    f"{name}_{field}" for name in ("rouge1", "rouge2", "rougeL") for field in ("precision", "recall", "f")
)

#: Log-perplexity of a corpus of summaries: nats per sub-word.
PERPLEXITY = CorpusMetric(
    lambda rows: np.column_stack([rows[name].to_numpy() for name in ("nats", "tokens")]), ratio
)

SUMMARIES = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("example_id", _TEXT, "row of wikisum/examples"),
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        ("model", _TEXT, "its name in models.json of wikisum/summarizer"),
        ("architecture", _TEXT),
        ("set", _TEXT, "of the example, which the model learnt from"),
        ("prediction", _TEXT, "what the model writes, natural text if it reads that", TEXT),
        ("target", _TEXT, "what was to be written, as the model reads it"),
        ("tokens", pa.int32(), "sub-words of the target, its end included, as many as the model may write"),
        ("cut", pa.bool_(), "whether the target goes on behind these"),
        ("nats", _REAL, "negative log-likelihood of all these, given the input"),
        *((name, _REAL, "of the prediction, 0 to 1") for name in METRICS),
    ),
)


class SummaryParams(Params, section="wikisum.summaries"):
    """How many test examples the models write for."""

    examples: int | None = Field(None, ge=1, description="of each set at most, drawn; null: all")
    seed: int = Field(0, ge=0, description="of the draw")
    decoding: Decoding = decoding_field()


def summaries(examples: Parts, summarizer: Artifact, params: SummaryParams, strict: bool = True) -> Outcomes:
    """Yield a summary of each test example by every model of its set; the units are the examples.

    Drops examples of other splits as `split_train` and `split_validation`, those beyond a set's maximum as
    `not_drawn`, and those of a set without a model as `no_model`.
    """
    chosen = _chosen(examples, params)
    reports = sorted(trained_reports(summarizer), key=lambda report: str(report["set"]))
    sets = {str(report["set"]) for report in reports}
    with examples.engine.scratch() as folder:
        of_sets = sets_of(examples, {str(report["architecture"]) for report in reports}, folder / "sets")
        written = [
            RowSpool(SUMMARIES.kept, _written(of_sets, summarizer, report, chosen, strict, params.decoding))
            for report in reports
        ]
    for table in examples:
        units = table.to_pylist()
        ids = {unit["id"] for unit in units}
        kept = [row for rows in written for row in rows.take(ids)]
        lost = {unit["id"]: reason for unit in units if (reason := _lost(unit, chosen, sets))}
        dropped = [drop(unit, lost[unit["id"]]) for unit in units if unit["id"] in lost]
        yield Outcome.of(SUMMARIES, [unit["id"] for unit in units], kept, dropped)


def scored_columns(model: TextModel) -> set[str]:
    """Return the columns of an example that `score` reads."""
    return {*_SCORED, *reader_of(model).columns}


def score(model: TextModel, report: Mapping[str, Any], units: Sequence[Row]) -> list[Row]:
    """Return what a model writes for some examples, with ROUGE and the likelihood of the target.

    ROUGE compares normalised texts, so that a model of natural text is scored like the others.
    """
    reader = reader_of(model)
    tokens = [reader.example(unit) for unit in units]
    predictions = model.texts(model.model.generate([example.source for example in tokens]))
    losses = _losses(model, tokens)
    return [
        {
            **made_from(unit, "summary", unit["id"], report["model"]),
            "example_id": unit["id"],
            "article_id": unit["article_id"],
            "title": unit["title"],
            "model": report["model"],
            "architecture": report["architecture"],
            "set": unit["set"],
            "prediction": prediction,
            "target": unit["target_text"] if reader.natural else unit["target"],
            "tokens": reader.sub_words(unit),
            "cut": len(example.target) > model.model.params.longest_target,
            "nats": round(nats, _DIGITS),
            **rouge_scores(normalised(prediction) if reader.natural else prediction, str(unit["target"])),
        }
        for unit, example, prediction, nats in zip(units, tokens, predictions, losses, strict=True)
    ]


def rouge_scores(prediction: str, target: str) -> dict[str, float]:
    """Return ROUGE-1, 2 and L of a text, under the names in METRICS."""
    scores = rouge(prediction, target)
    return {name: float(getattr(scores[name.split("_")[0]], name.split("_")[1])) for name in METRICS}


def _written(
    sets: Mapping[str, Parts],
    summarizer: Artifact,
    report: Mapping[str, Any],
    chosen: Collection[str] | None,
    strict: bool,
    decoding: Decoding,
) -> Iterator[Row]:
    """Yield what a model writes for the chosen test examples of its set (None: all), in their order."""
    if report["set"] not in sets:
        return
    model = Loaded(trained_model, (summarizer, report["model"], strict, decoding))
    for outcome in sets[report["set"]].map(summaries_of, model, report, chosen):
        yield from outcome.kept.to_pylist()


def summaries_of(
    examples: pa.Table, model: Loaded[TextModel], report: Mapping[str, Any], chosen: Collection[str] | None
) -> Outcome:
    """Return, as kept rows, what a model writes for the chosen test examples of one part of its set."""
    tests = examples.filter(pc.equal(examples["split"], "test"))
    if chosen is not None:
        tests = tests.filter(pa.array([name in chosen for name in tests["id"].to_pylist()], pa.bool_()))
    if not tests:
        return Outcome.of(SUMMARIES, [], [])
    units = tests.select(sorted(scored_columns(model.model))).to_pylist()
    return Outcome.of(SUMMARIES, [], score(model.model, report, units))


def _losses(model: TextModel, examples: Sequence[Any]) -> Iterator[float]:
    """Yield the nats of each target, computed one by one so that other examples do not change the bits."""
    import torch

    for example in examples:
        with torch.no_grad():
            yield float(model.model.losses([example]).output)


def _chosen(examples: Parts, params: SummaryParams) -> set[str] | None:
    """Return the ids of the drawn test examples, None if all are."""
    if params.examples is None:
        return None
    tests: dict[str, list[str]] = {}
    for part in examples.parts:
        for row in part.read(["id", "set", "split"]).to_pylist():
            if row["split"] == "test":
                tests.setdefault(row["set"], []).append(row["id"])
    return {name for ids in tests.values() for name in sample_names(ids, params.examples, params.seed)}


def _lost(unit: Row, chosen: Collection[str] | None, sets: set[str]) -> str | None:
    """Return why no model writes for an example, None if one does."""
    if unit["split"] != "test":
        return f"split_{unit['split']}"
    if unit["set"] not in sets:
        return "no_model"
    return None if chosen is None or unit["id"] in chosen else "not_drawn"
