"""How many records a source holds and in which months, and what a system makes of so many.

Belongs here: reading a source once for this, and the estimate from a measured run. Not here: what a source is
(detect.py), the months of a run (ops/parse/scan.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from silverloom.assets.declare.graph import system_named
from silverloom.ops.parse.source import Format, MonthRule, ParseError, Raw, Source, month_of
from silverloom.orchestration.project.detect import FIRST, records_of

#: Fields of records that may hold dates, in the order in which they are tried.
_FIELDS = ("date", "year")

#: So many records are counted for an estimate: a dump of gigabytes is not read to its end.
MOST = 100_000


#: A run of one minute, which starting took, says nothing about more than so many times its documents.
_FAR = 10


class Survey(NamedTuple):
    """What a source holds."""

    records: int
    """Readable records."""
    field: str = ""
    """The field that holds a date in each of the first records; empty if there is none."""
    first: str = ""
    """The earliest month, as YYYY-MM."""
    last: str = ""
    undated: int = 0
    """Records without a date, if others have one: a run with months rejects them."""


def survey(form: Format[Any], source: Source, most: int | None) -> Survey:
    """Read the first `most` records of a source, or all of them."""
    readable = (raw for raw in records_of(form, source) if raw.error is None)
    first = list(islice(readable, FIRST))
    field = next((name for name in _FIELDS if first and all(_month(form, raw, name) for raw in first)), "")
    records, months, undated = 0, set[str](), 0
    for raw in islice(chain(first, readable), most):
        records += 1
        if month := _month(form, raw, field):
            months.add(month)
        elif field:
            undated += 1
    return Survey(records, field, min(months, default=""), max(months, default=""), undated)


def _month(form: Format[Any], raw: Raw, field: str) -> str:
    """Return the month of a record by a field; empty if it has none."""
    if field:
        with contextlib.suppress(ParseError):
            return month_of(MonthRule(field=field), raw, form.fields(raw))
    return ""


def expected(system: str, surveys: Sequence[tuple[str, Survey]]) -> str:
    """Return how many rows and minutes to expect, in a line, or that no such run was measured.

    Rows and minutes are linear in records, but for one minute to start the steps.
    """
    known = {run.records: run for run in system_named(system).measured}
    runs = [(known[name], found.records) for name, found in surveys if name in known]
    if not runs or not (count := sum(records for run, records in runs if run.records == runs[0][0].records)):
        return "rows and minutes to expect: unknown, since no run on such records was measured"
    measured = runs[0][0]
    share = count / measured.documents
    rows, minutes = round(share * measured.rows), round(1 + share * (measured.minutes - 1))
    time = f"about {minutes:,} minutes" if minutes > 1 else "a minute or two"
    after = f"{time} of {measured.clock}"
    if measured.minutes == 1 and share > _FAR:
        after = "a time that was not measured for so many"
    spent = "a minute" if measured.minutes == 1 else f"{measured.minutes} minutes"
    more = " or more" if count >= MOST else ""
    return (
        f"{count:,} records{more}: expect about {rows:,} rows after {after}, "
        f"as {measured.documents:,} {measured.what} gave {measured.rows:,} in {spent}"
    )
