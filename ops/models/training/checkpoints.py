"""Checkpoints: everything that training needs to resume as if it had never been interrupted.

Belongs here: their content as named bytes (safetensors and JSON), and refusing a checkpoint of another run.
Not here: where they are stored; the caller of training passes a store (`Checkpoints`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from silverloom.ops.models.training.task import CurvePoint, TrainingError

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS, BEST, OPTIMISER, STATE = (
    "weights.safetensors",
    "best.safetensors",
    "optimiser.safetensors",
    "state.json",
)


class CheckpointError(TrainingError):
    """A checkpoint belongs to another run, or is not valid; the message names what differs."""


class Checkpoints(Protocol):
    """Stores a run's last checkpoint."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint by these files atomically: a kill leaves the old or the new one."""
        ...

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint, or None."""
        ...


class CheckpointFolder(Protocol):
    """Stores the checkpoints of all runs of a dataset."""

    def at(self, name: str) -> Checkpoints:
        """Return the store of the run of this name, which is a folder's name."""
        ...


@dataclass
class RunState:
    """The progress of a run.

    `batch` is the next batch of `epoch`; `loss` and `examples` are sums since the last validation.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    examples: int = 0
    best: float | None = None
    best_step: int = 0
    best_tie: float | None = None
    """The tie-breaking metric at `best`."""
    waited: int = 0
    """Validations since the best one."""
    reason: str = ""
    """Why the run ended; empty until it ends."""
    curve: list[CurvePoint] = field(default_factory=list)


@dataclass
class Checkpoint:
    """A state with its tensors: the weights, the best weights so far, and AdamW's moments."""

    state: RunState
    weights: Mapping[str, Tensor]
    best: Mapping[str, Tensor]
    optimiser: Mapping[str, Tensor]

    def files(self, identity: Mapping[str, Any]) -> dict[str, bytes]:
        """Return the checkpoint as named bytes, with the identity of its run."""
        from safetensors.torch import save

        state = {"identity": identity, "state": asdict(self.state)}
        return {
            WEIGHTS: save(dict(self.weights)),
            BEST: save(dict(self.best)),
            OPTIMISER: save(dict(self.optimiser)),
            STATE: json.dumps(state, indent=1, sort_keys=True).encode(),
        }

    @classmethod
    def of(cls, files: Mapping[str, bytes], identity: Mapping[str, Any]) -> Checkpoint:
        """Read a checkpoint of a run with this identity. Raises CheckpointError for any other checkpoint."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        if missing := [name for name in (WEIGHTS, BEST, OPTIMISER, STATE) if name not in files]:
            raise CheckpointError(f"the checkpoint has no {', '.join(missing)}; remove it to start again")
        try:
            stored = json.loads(files[STATE])
            differing = _differences(stored["identity"], json.loads(json.dumps(identity)))
            if differing:
                raise CheckpointError(
                    f"the checkpoint is of another run: {'; '.join(differing)}. Remove it to start again, or "
                    f"restore these values to continue"
                )
            state = RunState(**stored["state"])
            state.curve = [CurvePoint(**point) for point in stored["state"]["curve"]]
            tensors = [load(files[name]) for name in (WEIGHTS, BEST, OPTIMISER)]
        except (ValueError, KeyError, TypeError, SafetensorError) as error:
            raise CheckpointError(
                f"the checkpoint cannot be read: {error}; remove it to start again"
            ) from error
        return cls(state, *tensors)


def has_ended(files: Mapping[str, bytes]) -> bool:
    """Return whether a checkpoint's run has ended; False if the checkpoint cannot be read."""
    try:
        return bool(json.loads(files[STATE])["state"]["reason"])
    except (ValueError, KeyError, TypeError):
        return False


def optimiser_tensors(state: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the tensors of an optimiser's `state_dict()` by "parameter.name"."""
    return {
        f"{index}.{name}": value
        for index, moments in state["state"].items()
        for name, value in moments.items()
    }


def with_tensors(state: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Return a `state_dict()` with the parameter groups of `state` and these tensors."""
    states: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, _, name = key.partition(".")
        states.setdefault(int(index), {})[name] = value
    return {"state": states, "param_groups": state["param_groups"]}


def _differences(checkpoint: Any, run: Any, name: str = "") -> list[str]:
    """Return the differences, each as a dotted name with both values."""
    if isinstance(checkpoint, dict) and isinstance(run, dict):
        return [
            difference
            for key in sorted({*checkpoint, *run})
            for difference in _differences(
                checkpoint.get(key), run.get(key), f"{name}.{key}" if name else key
            )
        ]
    return [] if checkpoint == run else [f"{name} was {_short(checkpoint)}, is {_short(run)}"]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def names_of(names: Sequence[str], indices: Sequence[int], most: int = 8) -> str:
    """Return the names of some examples as one text, at most the first `most`."""
    shown = ", ".join(names[index] for index in indices[:most])
    return shown if len(indices) <= most else f"{shown} and {len(indices) - most} more"
