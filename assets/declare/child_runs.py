"""Datasets that are made of trials: each is a child of its partition's run in MLflow.

Belongs here: which columns were tried and which came out; where models are told of. Not here: writing runs
(orchestration/mlflow/tracking.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: What models are by what they answer: indices of sentences, or texts.
ModelKind: TypeAlias = Literal["extractor", "seq2seq"]


@dataclass(frozen=True)
class ChildRuns:
    """The columns of a trial: what was tried, and what came out (numbers, null where there is none)."""

    params: tuple[str, ...]
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Trainings:
    """A dataset of trained models: what they are, and the file that tells of each.

    The file has a list with `model` (its folder), `chosen` (whether it becomes an artifact), `curve`, and
    what else there is to tell: see ops/models/training/report.py.
    """

    kind: ModelKind
    file: str = "models.json"


#: By the name of the dataset.
TRAININGS = {
    "talksumm/extractor": Trainings("extractor"),
    "discofuse/fusion_model": Trainings("seq2seq"),
    "discofuse/transfer": Trainings("seq2seq"),
}

#: By the name of the dataset.
CHILD_RUNS = {
    "talksumm/tuning": ChildRuns(
        params=("lambda", "gamma", "delta", "epsilon"),
        metrics=("accuracy", "low", "high", "within_two", "words"),
    ),
}
