"""Summarizers: models that write leads, one for each architecture and set of examples.

Belongs here: which models are trained, which examples they train on, and storing their files on disk until
they are written next to the rows. Not here: a single training (summarizer_training.py), the networks
(ops/wikisum/long_sequences), scores (summaries.py).

Liu et al. (2018), section 5: sets differ in extractor, corpus and L; each architecture is trained on each
set.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, drop, one_of
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.models.decoding import AS_USUAL, Decoding
from silverloom.ops.models.training import CheckpointFolder, TrainingError
from silverloom.ops.models.training.report import learnt_row
from silverloom.ops.wikisum.models.learning_sets import SubWords, check_learnable, learning_set, sets_of
from silverloom.ops.wikisum.models.summarizer_training import (
    SummarizerSizes,
    summarizer_files,
    train_summarizer,
)
from silverloom.ops.wikisum.schemas import EXAMPLES
from silverloom.ops.wikisum.tokenizer import load as load_tokenizer


class StoredFiles(Mapping[str, bytes]):
    """Files by path, kept on disk rather than in memory; deleted together with this object."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="models-")
        self._paths: dict[str, Path] = {}

    def add(self, files: Mapping[str, bytes]) -> None:
        """Write files; raises ValueError for a path that exists."""
        for name, content in files.items():
            if name in self._paths:
                raise ValueError(f"the file {name} exists already")
            path = Path(self._folder.name) / str(len(self._paths))
            path.write_bytes(content)
            self._paths[name] = path

    def __getitem__(self, name: str) -> bytes:
        return self._paths[name].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


if TYPE_CHECKING:
    from silverloom.ops.wikisum.long_sequences.texts import TextModel


#: The file with a report of every trained model.
MODELS = "models.json"

_TEXT, _INT = pa.string(), pa.int32()

SUMMARIZER = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("example_id", _TEXT, "row of wikisum/examples"),
        ("set", _TEXT, "of the example"),
        one_of("split", SPLITS, "train: models learn from it; validation, test: they do not"),
        ("source_tokens", _INT, "sub-words of the input"),
        ("target_tokens", _INT, "sub-words of the lead or article"),
    ),
)


class SummarizerParams(SummarizerSizes, section="wikisum.summarizer"):
    """Which models are trained on which sets of examples, and how they are validated."""

    sets: list[str] | None = Field(None, description="of wikisum/examples, by name; null: all")
    validation_examples: int = Field(200, ge=1, description="of its set that judge a model, at most")
    seed: int = Field(0, ge=0, description="of the draw of these examples")


def summarizer(
    examples: Parts,
    tokenizer: Artifact,
    params: SummarizerParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield how the models use the examples, and the models; the units are the examples.

    Drops examples of sets that no model trains on as `other_set`. The chosen model has the lowest
    log-perplexity. Without examples, there are no models. Raises TrainingError if params name a set that does
    not exist, or if a set has no training examples, before any training. Errors in training begin with the
    model's name.
    """
    pieces = load_tokenizer(tokenizer)
    names = _chosen(distinct(examples, "set"), params.sets)
    licences = distinct(examples, "licence")
    sizes = params.sizes[params.size].architectures
    files = StoredFiles()
    reports = []
    with examples.engine.scratch() as folder:
        sets = sets_of(examples, {size.architecture for size in sizes.values()}, folder / "sets")
        check_learnable(sets, names)
        for set_name in names:
            most, seed = params.validation_examples, params.seed
            learnt = learning_set(sets[set_name], set_name, SubWords(pieces), most, seed, folder)
            for kind, size in sorted(sizes.items()):
                name, training = f"{learnt.name}-{kind}", params.training_of(kind)
                model, report = train_summarizer(name, size, learnt, pieces, training, checkpoints, strict)
                files.add(summarizer_files(model, report, tokenizer, licences))
                reports.append(report)
    best = min(reports, key=lambda report: report["best"], default=None)
    for report in reports:
        report["chosen"] = report is best
    files.add({MODELS: json.dumps(reports, indent=1, sort_keys=True).encode()})
    for index, table in enumerate(examples):
        outcome = _outcome(table.to_pylist(), set(names))
        yield outcome if index else replace(outcome, files=files)


def trained_reports(artifact: Artifact) -> list[dict[str, Any]]:
    """Return the report of every trained model."""
    reports: list[dict[str, Any]] = json.loads((artifact.folder / MODELS).read_text())
    return reports


def trained_model(
    artifact: Artifact, name: str, strict: bool = True, decoding: Decoding = AS_USUAL
) -> TextModel:
    """Return a trained model, on a GPU if there is one and numerics allow it."""
    from silverloom.ops.wikisum.long_sequences.texts import load

    text_model = load(artifact.files(name))
    text_model.model.place(strict, decoding)
    return text_model


def distinct(examples: Parts, name: str) -> list[str]:
    """Return the distinct values of a column, sorted."""
    return sorted(
        {value for part in examples.parts for value in pc.unique(part.read([name])[name]).to_pylist()}
    )


def _chosen(there: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    if asked is None or not there:  # no articles, no models
        return list(there)
    if missing := sorted({*asked} - {*there}):
        raise TrainingError(
            f"wikisum.summarizer.sets names {', '.join(missing)}, but wikisum/examples has {', '.join(there)}"
        )
    return sorted({*asked})


def _outcome(units: Sequence[Row], names: set[str]) -> Outcome:
    kept = [
        learnt_row(
            unit,
            example_id=unit["id"],
            set=unit["set"],
            source_tokens=len(unit["source_tokens"]),
            target_tokens=len(unit["target_tokens"]),
        )
        for unit in units
        if unit["set"] in names
    ]
    dropped = [drop(unit, "other_set") for unit in units if unit["set"] not in names]
    return Outcome.of(SUMMARIZER, [unit["id"] for unit in units], kept, dropped)
