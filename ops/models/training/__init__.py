"""Training: one loop for all models of all systems.

Belongs here: the loop and its parts. Not here: models and their tasks (ops/models/seq2seq, the systems), and
where checkpoints and curves are stored (orchestration).
"""

from silverloom.ops.models.training.checkpoints import CheckpointError, CheckpointFolder, Checkpoints
from silverloom.ops.models.training.launch import train
from silverloom.ops.models.training.loop import NotFiniteError
from silverloom.ops.models.training.params import TrainingParams
from silverloom.ops.models.training.task import (
    CurvePoint,
    Progress,
    ProgressLines,
    Task,
    Trained,
    TrainingError,
    errors_of,
)

__all__ = [
    "CheckpointError",
    "CheckpointFolder",
    "Checkpoints",
    "CurvePoint",
    "NotFiniteError",
    "Progress",
    "ProgressLines",
    "Task",
    "Trained",
    "TrainingError",
    "TrainingParams",
    "errors_of",
    "train",
]
