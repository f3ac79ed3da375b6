"""What tasks share and each worker loads for itself: a model, a scorer.

Belongs here: how an op is handed a model that its tasks load, once a worker. Not here: loading (ops/models,
the systems), mapping (parts.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

Model = TypeVar("Model")


@dataclass(frozen=True)
class Loaded(Generic[Model]):
    """A model as what loads it; the first task of a worker that asks for it does, and it stays."""

    load: Callable[..., Model]
    arguments: tuple[Any, ...]

    @cached_property
    def model(self) -> Model:
        """The model."""
        return self.load(*self.arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """It travels without what was loaded."""
        return Loaded, (self.load, self.arguments)
