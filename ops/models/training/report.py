"""What models.json tells of how a model was trained.

Belongs here: what the pages and MLflow read of every training. Not here: what a system says of its models
beside it, and where the file lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ops.models.training.params import TrainingParams
from ops.models.training.task import Trained


def account(ended: Trained, params: TrainingParams, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the knobs of a training, how it ended, its best value and its curve, as JSON has it.

    `names` are what metrics are called for readers, by what they are called in validation.
    """
    shown = names or {}
    return {
        "training": params.model_dump(mode="json"),
        "metric": shown.get(params.metric, params.metric),
        "best": round(ended.best, 6),
        "best_step": ended.best_step,
        "steps": ended.steps,
        "reason": ended.reason,
        "curve": [
            {**asdict(point), "name": shown.get(point.name, point.name), "value": round(point.value, 6)}
            for point in ended.curve
        ],
    }
