"""Periods of publication, by which datasets are cut into partitions: months, years, or one for all.

Belongs here: their names and arithmetic. Not here: which of them a corpus covers
(assets/declare/settings.py), the month of a record (ops/parse/source.py).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Literal, TypeAlias

#: How wide a partition is.
Every: TypeAlias = Literal["month", "year", "none"]

#: The one partition of a corpus without periods.
ALL = "all"

_NAME = {"month": re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])"), "year": re.compile(r"[0-9]{4}")}
_EXAMPLE = {"month": "2018-06", "year": "2018"}


def fault(name: str, every: Every) -> str | None:
    """Return why a text is not the name of a period; None where it is."""
    if every == "none":
        return "without periods there is one partition, and it has no bounds"
    return None if _NAME[every].fullmatch(name) else f"must be a {every} like {_EXAMPLE[every]}"


def between(first: str, last: str, every: Every) -> list[str]:
    """Return the names of all periods from the first to the last, both included, in order."""
    if every == "none":
        return [ALL]
    return [_name(number, every) for number in range(_number(first), _number(last) + 1)]


def after(name: str, every: Every) -> str:
    """Return the period behind a month or year."""
    return _name(_number(name) + 1, every)


def is_over(name: str, every: Every, today: date) -> bool:
    """Say whether a period lies before the one of a day; without periods nothing is waited for."""
    return every == "none" or name < f"{today:%Y-%m}"[: len(name)]


def period(month: str, every: Every) -> str:
    """Return the period that a month (YYYY-MM) lies in."""
    return {"month": month, "year": month[:4], "none": ALL}[every]


def is_period(name: str) -> bool:
    """Say whether a text is what partitions may be called, however wide they are."""
    return name == ALL or any(fault(name, every) is None for every in ("month", "year"))


def _number(name: str) -> int:
    """Return how many periods of its width lie before a month or year."""
    year, _, month = name.partition("-")
    return int(year) * 12 + int(month) - 1 if month else int(year)


def _name(number: int, every: Every) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}" if every == "month" else f"{number:04d}"
