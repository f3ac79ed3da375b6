"""Models and scorers that tasks share and that each worker loads once.

Belongs here: passing a lazily loaded model to an op's tasks. Not here: loading (ops/models, the systems),
mapping (parts.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

Model = TypeVar("Model")


@dataclass(frozen=True)
class Loaded(Generic[Model]):
    """A lazily loaded model: the first task of a worker that uses it loads it, and later tasks reuse it."""

    load: Callable[..., Model]
    arguments: tuple[Any, ...]

    @cached_property
    def model(self) -> Model:
        """The model."""
        return self.load(*self.arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the loader and its arguments, without the loaded model."""
        return Loaded, (self.load, self.arguments)
