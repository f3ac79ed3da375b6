"""The sizes in which params.yaml describes a system's models and trainings.

Belongs here: that the one asked for is there, and that no size says what is decided for all. Not here: what a
size holds.
"""

from __future__ import annotations

from collections.abc import Mapping

from ops.params import Params

#: A part of a size, and the values that some of its keys have in every size.
SizePart = tuple[Params, Mapping[str, str]]


def check_sizes(size: str, sizes: Mapping[str, Mapping[str, SizePart]]) -> None:
    """Raise ValueError where `size` is not among the sizes, or a part of one contradicts what is decided."""
    if size not in sizes:
        raise ValueError(f"size {size!r} is not among the sizes {', '.join(sizes)}")
    for name, parts in sizes.items():
        for place, (part, decided) in parts.items():
            for key in sorted(part.model_fields_set & decided.keys()):
                if getattr(part, key) != decided[key]:
                    raise ValueError(
                        f"sizes.{name}.{place}.{key} is {getattr(part, key)!r}, but it is "
                        f"{decided[key]!r} in every size: leave it out"
                    )
