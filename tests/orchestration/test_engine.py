"""Outcomes come in the order of their pieces, however many processes make them."""

import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.outcome import Outcome, Shape, columns
from orchestration.engine import LocalEngine, engine

SHAPE = Shape(unit=columns(), kept=columns(("size", pa.int64())))


def numbered(piece, factor):
    time.sleep(0.02 * (piece % 3))  # later pieces may be done earlier
    row = {"id": f"row-{piece}", "source_ids": ["x"], "licence": "CC0", "size": piece * factor}
    return Outcome.of(SHAPE, ["x"], [row])


def sizes(outcomes):
    return [outcome.kept["size"][0].as_py() for outcome in outcomes]


@given(st.lists(st.integers(0, 9), max_size=4))
@settings(max_examples=10)
def test_one_process_keeps_the_order(pieces):
    assert sizes(LocalEngine().map(numbered, iter(pieces), 3)) == [piece * 3 for piece in pieces]


def test_two_processes_keep_the_order():
    assert sizes(LocalEngine(2).map(numbered, iter(range(7)), 3)) == [piece * 3 for piece in range(7)]


def test_a_failing_piece_fails_the_map():
    with pytest.raises(TypeError):
        list(LocalEngine(2).map(numbered, iter([1, None, 2]), 3))


@pytest.mark.parametrize("text", ["0", "two", "-1"])
def test_a_bad_number_of_workers_is_refused(monkeypatch, text):
    monkeypatch.setenv("SILVERLOOM_WORKERS", text)
    with pytest.raises(ValueError, match="SILVERLOOM_WORKERS must be a whole number from 1"):
        engine()
