"""What is done to a module before it is trained.

Belongs here: gradient checkpointing and compilation. Not here: the loop (loop.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ops.models.training.params import TrainingParams
from ops.models.training.task import TrainingError

if TYPE_CHECKING:
    from torch import nn


def prepare_module(module: nn.Module, params: TrainingParams) -> None:
    """Let a module compute its layers again for the gradient, and compile them, as the params ask.

    Raises TrainingError for a module that cannot checkpoint gradients.
    """
    if params.gradient_checkpointing:
        enable: Any = getattr(module, "activation_checkpointing_enable", None)
        if not getattr(module, "supports_gradient_checkpointing", False) or enable is None:
            raise TrainingError(
                f"{type(module).__name__} cannot checkpoint gradients: set gradient_checkpointing to false"
            )
        enable({"use_reentrant": False})
    if params.compile:
        for layer in _layers(module) or [module]:
            layer.compile()


def _layers(module: nn.Module) -> list[nn.Module]:
    """Return the layers that a network repeats: compiled one by one, they are compiled once."""
    from torch import nn

    lists = [part for part in module.modules() if isinstance(part, nn.ModuleList)]
    return [layer for part in lists for layer in part]
