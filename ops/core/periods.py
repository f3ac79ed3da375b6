"""Periods of publication that partition datasets: months, years, or one for all.

Belongs here: their names and arithmetic. Not here: which periods a corpus covers
(assets/declare/settings.py), the month of a record (ops/parse/source.py).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Literal, TypeAlias

#: The length of the period of a partition.
Every: TypeAlias = Literal["month", "year", "none"]

#: The only partition of a corpus without periods.
ALL = "all"

_NAME = {"month": re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])"), "year": re.compile(r"[0-9]{4}")}
_EXAMPLE = {"month": "2018-06", "year": "2018"}


def fault(name: str, every: Every) -> str | None:
    """Return why a string is not the name of a period, or None if it is one."""
    if every == "none":
        return "without periods there is one partition, and it has no bounds"
    return None if _NAME[every].fullmatch(name) else f"must be a {every} like {_EXAMPLE[every]}"


def between(first: str, last: str, every: Every) -> list[str]:
    """Return the names of all periods from the first to the last, inclusive, in order."""
    if every == "none":
        return [ALL]
    return [_name(number, every) for number in range(_number(first), _number(last) + 1)]


def after(name: str, every: Every) -> str:
    """Return the month or year after this one."""
    return _name(_number(name) + 1, every)


def is_over(name: str, every: Every, today: date) -> bool:
    """Say whether a period ended before `today`; without periods, always."""
    return every == "none" or name < f"{today:%Y-%m}"[: len(name)]


def period(month: str, every: Every) -> str:
    """Return the period that contains a month (YYYY-MM)."""
    return {"month": month, "year": month[:4], "none": ALL}[every]


def is_period(name: str) -> bool:
    """Say whether a string can be the name of a partition, whatever the length of its period."""
    return name == ALL or any(fault(name, every) is None for every in ("month", "year"))


def _number(name: str) -> int:
    """Return the index of a month (since year 0) or of a year."""
    year, _, month = name.partition("-")
    return int(year) * 12 + int(month) - 1 if month else int(year)


def _name(number: int, every: Every) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}" if every == "month" else f"{number:04d}"
