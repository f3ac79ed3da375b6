"""One training with its report, as in models.json, and the rows of its examples.

Belongs here: training a model of any system, and what pages and MLflow read about it. Not here: the tasks,
which are the models' own; the loop (loop.py); where the file is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Params
from silverloom.ops.models.training.checkpoints import Checkpoints
from silverloom.ops.models.training.launch import train
from silverloom.ops.models.training.params import TrainingParams
from silverloom.ops.models.training.task import ProgressLines, Task, Trained, errors_of

if TYPE_CHECKING:
    from torch import nn


class TrainingSet(Protocol):
    """The data that a model was trained on."""

    @property
    def name(self) -> str:
        """The name of the set."""
        ...

    @property
    def learnt(self) -> Sized:
        """The training examples."""
        ...

    @property
    def judges(self) -> Sized:
        """The validation examples."""
        ...

    @property
    def judged_on(self) -> str:
        """Where the validation examples come from."""
        ...


def learnt_row(unit: Row, *within: str, **more: Any) -> Row:
    """Return the row of a training example: its unit, its split, and `more`.

    `within` distinguishes rows of the same unit, e.g. by training set.
    """
    return {
        **made_from(unit, "learnt", *within, unit["id"]),
        "split": unit["split"],
        **more,
    }


def train_model(
    name: str,
    task: Task,
    architecture: str,
    config: Params,
    examples: TrainingSet,
    params: TrainingParams,
    checkpoints: Checkpoints,
    strict: bool,
    chosen: bool = True,
    **more: Any,
) -> dict[str, Any]:
    """Train the model of a task in place, and return its report, with `more` entries of the system.

    Raises TrainingError, starting with the model's name.
    """
    with errors_of(name):
        trained = train(task, params, checkpoints, ProgressLines(name), strict)
    weights = count_weights(task.module)
    return training_report(
        name, architecture, config, examples, params, trained, chosen, weights=weights, **more
    )


def count_weights(network: nn.Module) -> int:
    """Return how many weights a network has; shared weights count once."""
    return sum(weights.numel() for weights in network.parameters())


def training_report(
    model: str,
    architecture: str,
    config: Params,
    examples: TrainingSet,
    params: TrainingParams,
    trained: Trained,
    chosen: bool,
    names: Mapping[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the report: the model, its data and params, how training ended, the best value and the curve.

    `names` maps the metrics of validation to the names that readers see; `more` are further entries of the
    system.
    """
    shown = names or {}
    return {
        "model": model,
        "architecture": architecture,
        "set": examples.name,
        "chosen": chosen,
        "examples": len(examples.learnt),
        "validation_examples": len(examples.judges),
        "judged_on": examples.judged_on,
        "config": config.model_dump(mode="json"),
        "training": params.model_dump(mode="json"),
        "metric": shown.get(params.metric, params.metric),
        "best": round(trained.best, 6),
        "best_step": trained.best_step,
        "steps": trained.steps,
        "reason": trained.reason,
        "curve": [
            {**asdict(point), "name": shown.get(point.name, point.name), "value": round(point.value, 6)}
            for point in trained.curve
        ],
        **more,
    }
