"""Rows of models that wait on disk are read back unchanged, in order, and few of them are in memory."""

import pyarrow as pa

from silverloom.ops.wikisum.models.summaries import RowSpool

SCHEMA = pa.schema(
    [("example_id", pa.string()), ("nats", pa.float64()), ("source_ids", pa.list_(pa.string()))]
)


def rows(count, per_example=1):
    return [
        {"example_id": f"e{number // per_example}", "nats": number / 3, "source_ids": [f"a{number}"]}
        for number in range(count)
    ]


def test_rows_are_read_back_unchanged_and_repeatedly():
    spool = RowSpool(SCHEMA, rows(150))
    assert (len(spool), list(spool), list(spool)) == (150, rows(150), rows(150))
    assert len(RowSpool(SCHEMA, [])) == 0


def test_rows_are_taken_example_by_example_and_those_of_later_examples_wait():
    spool = RowSpool(SCHEMA, rows(150, per_example=2))
    assert list(spool.take({"e1", "e2"})) == []  # those of e0 come first
    assert list(spool.take({"e0"})) == rows(2, 2)
    assert list(spool.take({f"e{number}" for number in range(1, 40)})) == rows(150, 2)[2:80]
    assert list(spool.take({"not there"})) == []
    assert list(spool.take({f"e{number}" for number in range(75)})) == rows(150, 2)[80:]
    assert list(spool.take({"e74"})) == []


def test_at_most_one_block_of_rows_is_in_memory():
    before = pa.total_allocated_bytes()
    spool = RowSpool(SCHEMA, ({**row, "example_id": row["example_id"] + "x" * 10_000} for row in rows(2_000)))
    assert len(spool) == 2_000
    assert pa.total_allocated_bytes() - before < 64 * 20_000
