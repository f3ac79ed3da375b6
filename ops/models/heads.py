"""How the width of a layer is split among its attention heads.

Belongs here: the check of width and heads, for every Transformer config. Not here: the configs, the layers.
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
    """Check that all heads have the same width, and return the config; a pydantic validator."""
    check_heads(config.width, config.heads)
    return config


def even_heads(config: _Config) -> _Config:
    """Check that all heads have the same, even width, and return the config; a pydantic validator."""
    check_heads(config.width, config.heads, 2)
    return config


def check_heads(width: int, heads: int, multiple: int = 1) -> None:
    """Raise ValueError unless all heads have the same width, a multiple of `multiple`."""
    if width % (multiple * heads):
        raise ValueError(
            f"width {width} cannot be shared among {heads} heads: give a multiple of {multiple * heads}"
        )
