"""Datasets that are made of trials or trainings: each is a child of its partition's run in MLflow.

Belongs here: which columns were tried and which came out; what trained models are. Not here: writing runs
(orchestration/mlflow/tracking.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from ops.models.served import ModelKind
from ops.outcome import Shape


@dataclass(frozen=True)
class Trials:
    """A dataset whose kept rows are trials: the columns of what was tried, and of what came out.

    What came out are numbers, null where there is none.
    """

    params: tuple[str, ...]
    metrics: tuple[str, ...]

    def check(self, owner: str, shape: Shape) -> None:
        """Raise LookupError for a column that its dataset does not have, or a metric that is no number."""
        for name in (*self.params, *self.metrics):
            if name not in shape.kept.names:
                raise LookupError(f"{owner}: the trials name {name!r}, which is no column")
        for name in self.metrics:
            kind = shape.kept.field(name).type
            if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
                raise LookupError(f"{owner}: the trials name {name!r} as a metric, which is no number")


@dataclass(frozen=True)
class Trainings:
    """A dataset of trained models: what they are, and the file that tells of each.

    The file has a list with `model` (its folder), `chosen` (whether it becomes an artifact), `curve`, and
    what else there is to tell: see ops/models/training/report.py.
    """

    kind: ModelKind
    file: str = "models.json"
