"""Partitions of params.yaml: months, years or one, with the same names in Dagster; bad ones are refused by name."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from silverloom.assets.declare import dagster_asset
from silverloom.assets.declare.params_file import ParamsError, validated
from silverloom.assets.declare.settings import Partitions, Settings

YEARS = st.tuples(st.integers(1900, 2020), st.integers(0, 40))


def partitions(**values):
    return validated(Partitions, values, "partitions")


@given(YEARS, st.booleans())
@effort(max_examples=30)
def test_dagster_has_the_same_partitions(years, yearly):
    first, last = years[0], min(years[0] + years[1], 2025)  # Dagster creates a period once it is over
    bounds = {"start": first, "end": last} if yearly else {"start": f"{first}-03", "end": f"{last}-11"}
    chosen = partitions(every="year" if yearly else "month", **bounds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dagster_asset, "settings", lambda: SimpleNamespace(partitions=chosen))
        assert list(dagster_asset.partitions().get_partition_keys()) == chosen.names
    assert len(chosen.names) == (last - first + 1 if yearly else (last - first) * 12 + 9)


def test_without_periods_there_is_one_partition(monkeypatch):
    chosen = partitions(every="none")
    monkeypatch.setattr(dagster_asset, "settings", lambda: SimpleNamespace(partitions=chosen))
    assert list(dagster_asset.partitions().get_partition_keys()) == chosen.names == ["all"]


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"start": "2018-06"}, r"partitions\.end: must be a month like 2018-06 \(found ''\)"),
        ({"start": 2018, "end": 2019}, r"partitions\.start: must be a month like 2018-06 \(found 2018\)"),
        ({"every": "year", "start": "2018-01", "end": 2019}, r"partitions\.start: must be a year like 2018"),
        ({"every": "year", "start": 2019, "end": 2018}, r"end \(2018\) is before start \(2019\)"),
        ({"every": "none", "end": "latest"}, "partitions.end: without periods there is one partition"),
        ({"start": "latest", "end": "2019-01"}, r"partitions\.start: must be a month like 2018-06"),
        ({"every": "none", "start": 2018}, "partitions.start: without periods there is one partition"),
        (
            {"every": "week", "start": "2018-06", "end": "2018-07"},
            r"partitions\.every: .*'month', 'year' or 'none'",
        ),
    ],
)
def test_invalid_bounds_are_refused_by_name(values, complaint):
    with pytest.raises(ParamsError, match=complaint):
        partitions(**values)


@pytest.mark.parametrize(("newest", "last"), [("2018-08", "2018-08"), ("2017-01", "2018-06")])
def test_the_latest_period_is_known_once_the_sources_are_read(newest, last):
    chosen = partitions(start="2018-06", end="latest")
    assert chosen.names == ["2018-06"]
    chosen.follow(newest)
    assert chosen.last == chosen.names[-1] == last


def test_keys_with_a_default_may_be_left_out():
    found = validated(Settings, {"partitions": {"every": "none"}, "sources": {}}, "")
    assert (found.numerics, found.exclude, found.store.records_per_part) == ("strict", [], 256)
