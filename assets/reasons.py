"""What the reasons of dropped rows mean: reasons.yaml here and in the folder of each system.

Belongs here: reading them. Not here: the reasons themselves, which ops give, and how often each was given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from silverloom.assets.declare.yaml import read_yaml


@cache
def explained_reasons() -> dict[str, Mapping[str, str]]:
    """Return what every reason means, by dataset or a pattern of datasets."""
    folder = Path(__file__).parent
    files = [folder / "reasons.yaml", *sorted(folder.glob("systems/*/reasons.yaml"))]
    return {
        name: meanings
        for file in files
        for name, meanings in read_yaml(file.read_text(encoding="utf-8")).items()
    }


def reasons_of(dataset: str) -> dict[str, str]:
    """Return the reasons of one dataset, with what they mean. A reason may hold `<...>`, for any text."""
    return {
        reason: meaning
        for pattern, meanings in explained_reasons().items()
        if fnmatch(dataset, pattern)
        for reason, meaning in meanings.items()
    }


def meaning_of(dataset: str, reason: str) -> str | None:
    """Return what a reason of a dataset means; None if it is not explained, as in datasets of one's own."""
    explained = reasons_of(dataset)
    if (meaning := explained.get(reason)) is not None:
        return meaning
    patterns = ((re.sub(r"<.*?>", ".+", name), meaning) for name, meaning in explained.items() if "<" in name)
    return next((meaning for pattern, meaning in patterns if re.fullmatch(pattern, reason)), None)
