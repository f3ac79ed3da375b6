"""The gender that a first name tells, by the United States census of 1990.

Belongs here: reading the lists, which the package `names` brings. Not here: names in a text (mentions.py).
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def first_names() -> dict[str, float]:
    """Return, for each name in small letters, the share of women among those that bear it.

    Smoothed towards one half, so that rare names are less certain than common ones.
    """
    women, men = _frequencies("dist.female.first"), _frequencies("dist.male.first")
    return {
        name: (women.get(name, 0.0) + _PRIOR) / (women.get(name, 0.0) + men.get(name, 0.0) + 2 * _PRIOR)
        for name in sorted(women.keys() | men.keys())
    }


#: Per cent of a sex; the rarest names that are listed have 0.001.
_PRIOR = 0.0005


def _frequencies(file: str) -> dict[str, float]:
    spec = importlib.util.find_spec("names")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package `names` is not installed: run `make setup`")
    lines = (Path(spec.origin).parent / file).read_text(encoding="ascii").splitlines()
    return {line.split()[0].lower(): float(line.split()[1]) for line in lines}
