"""The gender that a first name tells, by the United States census of 1990.

Belongs here: reading the lists, which the package `names` brings. Not here: names in a text (mentions.py).
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

#: As many names as what a longer ending tells must outweigh.
_LEAN = 3.0
#: Per cent of a sex; the rarest names that are listed have 0.001.
_PRIOR = 0.0005


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


def gender_of_name(words: list[str]) -> float:
    """Return the share of women that the words of a name tell, 0.5 where they tell nothing.

    The first that is a first name counts; where none is, the ending of the first of several, and less of it.
    A word alone may be a surname ("Allen") and tells less, too.
    """
    known = first_names()
    for word in words[:-1]:
        if word in known:
            return known[word]
    share = known.get(words[0], 0.5)
    if len(words) == 1:
        return 0.5 + (share - 0.5) * 0.9
    has_ending = words[0].isalpha() and len(words[0]) > 3
    return 0.5 + (ending(words[0]) - 0.5) * 0.6 if has_ending else 0.5


@lru_cache(maxsize=4096)
def ending(word: str) -> float:
    """Return what the ending of a name that is not listed tells: the share of women by its last letters.

    That of three letters leans on that of two, and that on one: as far as few listed names end so.
    """
    share = 0.5
    for length in (1, 2, 3):
        women, men = _endings().get(word[-length:], (0.0, 0.0))
        share = (women + _LEAN * share) / (women + men + _LEAN)
    return share


@lru_cache(maxsize=1)
def _endings() -> dict[str, tuple[float, float]]:
    """Return by ending how many women's and men's names end so; both lists weigh the same."""
    lists = (_frequencies("dist.female.first"), _frequencies("dist.male.first"))
    found: dict[str, list[float]] = {}
    for sex, names in enumerate(lists):
        weight = 1000.0 / len(names)
        for name in names:
            for length in (1, 2, 3):
                found.setdefault(name[-length:], [0.0, 0.0])[sex] += weight
    return {end: (women, men) for end, (women, men) in found.items()}


def _frequencies(file: str) -> dict[str, float]:
    spec = importlib.util.find_spec("names")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package `names` is not installed: run `make setup`")
    lines = (Path(spec.origin).parent / file).read_text(encoding="ascii").splitlines()
    return {line.split()[0].lower(): float(line.split()[1]) for line in lines}
