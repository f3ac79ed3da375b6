"""Months, years, and one partition for all."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core import periods

YEARS = st.integers(1000, 9900)
MONTHS = st.builds("{:04d}-{:02d}".format, YEARS, st.integers(1, 12))


@given(MONTHS, st.integers(0, 600))
def test_months_follow_each_other_without_a_gap(first, steps):
    last = first
    for _ in range(steps):
        last = periods.after(last, "month")
    names = periods.between(first, last, "month")
    assert names[0] == first and names[-1] == last and len(names) == steps + 1
    assert names == sorted(set(names))
    assert all(periods.fault(name, "month") is None for name in names)


@given(YEARS, st.integers(0, 300))
def test_a_year_has_its_twelve_months_and_no_others(year, more):
    first, last = f"{year}", f"{min(year + more, 9999)}"
    years = periods.between(first, last, "year")
    months = periods.between(f"{first}-01", f"{last}-12", "month")
    assert [name for name in years for _ in range(12)] == [periods.period(month, "year") for month in months]
    assert {periods.period(month, "none") for month in months} == set(periods.between("", "", "none"))


@given(MONTHS)
def test_a_month_is_its_own_period(month):
    assert periods.period(month, "month") == month


@given(st.text(max_size=8))
def test_a_name_of_a_partition_has_one_period_length(name):
    widths = [every for every in ("month", "year") if periods.fault(name, every) is None]
    assert len(widths) <= 1 and periods.is_period(name) == (bool(widths) or name == "all")


@pytest.mark.parametrize(
    "name", ["2018-13", "2018-00", "18-06", "2018-6", "2018-06-01", "２０１８", "2018\n", ""]
)
def test_an_invalid_period_is_reported(name):
    assert "must be a month like 2018-06" in periods.fault(name, "month")
    assert "must be a year like 2018" in periods.fault(name, "year")


@given(MONTHS, st.dates(min_value=date(1000, 1, 1)))
def test_a_period_is_over_when_the_next_one_has_begun(month, today):
    for every in ("month", "year"):
        name = periods.period(month, every)
        begins = date.fromisoformat(f"{periods.after(name, every)}-01-01"[:10])
        assert periods.is_over(name, every, today) == (today >= begins)
    assert periods.is_over(periods.ALL, "none", today)
