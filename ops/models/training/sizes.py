"""The sizes in which params.yaml describes a system's models and trainings.

Belongs here: choosing a size, and what is the same in every size. Not here: what a size holds (the systems).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, model_validator

from ops.params import Params


class SizedParams(Params):
    """A section that has models of several sizes, by name; a subclass gives `sizes` their type.

    Raises ValueError where `size` is not among the sizes, or one of them contradicts what is the same in all.
    """

    size: str = Field("tiny", description="which of the sizes")
    sizes: dict[str, Any] = Field(min_length=1)

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Return, by the part of a size, the values that some of its keys have in every size."""
        return {}

    def part(self, name: str) -> Any:
        """Return a part of the size that is asked for, with what is the same in every size."""
        return getattr(self.sizes[self.size], name).model_copy(update=self.same_in_all().get(name, {}))

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.size not in self.sizes:
            raise ValueError(f"size {self.size!r} is not among the sizes {', '.join(self.sizes)}")
        for size, parts in self.sizes.items():
            for name, same in self.same_in_all().items():
                part = getattr(parts, name)
                for key in sorted(part.model_fields_set & same.keys()):
                    if getattr(part, key) != same[key]:
                        raise ValueError(
                            f"sizes.{size}.{name}.{key} is {getattr(part, key)!r}, but it is "
                            f"{same[key]!r} in every size: leave it out"
                        )
        return self
