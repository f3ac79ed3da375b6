"""How the width of a layer is shared among its attention heads.

Belongs here: the check of a size, for every config of a Transformer. Not here: the configs, the layers.
"""

from __future__ import annotations

from typing import Protocol, TypeVar


class _Sized(Protocol):
    @property
    def width(self) -> int: ...

    @property
    def heads(self) -> int: ...


_Config = TypeVar("_Config", bound=_Sized)


def whole_heads(config: _Config) -> _Config:
    """Return a config whose heads have equal widths; a validator of pydantic."""
    check_heads(config.width, config.heads)
    return config


def even_heads(config: _Config) -> _Config:
    """Return a config whose heads have equal and even widths; a validator of pydantic."""
    check_heads(config.width, config.heads, 2)
    return config


def check_heads(width: int, heads: int, multiple: int = 1) -> None:
    """Raise ValueError unless heads have equal widths that are multiples of a number."""
    if width % (multiple * heads):
        raise ValueError(
            f"width {width} cannot be shared among {heads} heads: give a multiple of {multiple * heads}"
        )
