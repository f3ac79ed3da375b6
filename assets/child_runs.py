"""Datasets that are made of trials: each is a child of its partition's run in MLflow.

Belongs here: which columns were tried and which came out; where models are told of. Not here: writing runs
(orchestration/tracking.py).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChildRuns:
    """The columns of a trial: what was tried, and what came out (numbers, null where there is none)."""

    params: tuple[str, ...]
    metrics: tuple[str, ...]


#: Datasets of trained models: the file that tells of each, as ops/talksumm/extractor.py writes it.
TRAININGS = {"talksumm/extractor": "models.json"}

#: By the name of the dataset.
CHILD_RUNS = {
    "talksumm/tuning": ChildRuns(
        params=("lambda", "gamma", "delta", "epsilon"),
        metrics=("accuracy", "low", "high", "within_two", "words"),
    ),
}
