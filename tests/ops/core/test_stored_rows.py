"""Rows read back from disk are unchanged, and their file is deleted with them."""

import gc

import pyarrow as pa

from silverloom.ops.core.stored_rows import RowFile, StoredRows

SCHEMA = pa.schema([("id", pa.string()), ("words", pa.list_(pa.string())), ("vectors", pa.binary())])


def rows(count):
    return [
        {"id": f"r{number}", "words": ["a"] * (number % 3), "vectors": bytes(number % 4)}
        for number in range(count)
    ]


def test_rows_are_read_back_unchanged_in_any_order_and_repeatedly(tmp_path):
    for block in (1, 7, 16):
        found = StoredRows(SCHEMA, rows(50), tmp_path, block)
        assert (len(found), list(found), list(found)) == (50, rows(50), rows(50))
        assert [found[index] for index in (49, 0, 7, -1)] == [rows(50)[index] for index in (49, 0, 7, -1)]
        assert found[5:9] == rows(50)[5:9]
        assert found.column("id")[48] == "r48" and found.column("id")[:2] == ["r0", "r1"]
    assert len(StoredRows(SCHEMA, [], tmp_path)) == 0


def test_the_file_is_deleted_with_the_rows_but_not_with_those_who_read_it(tmp_path):
    found = StoredRows(SCHEMA, rows(50), tmp_path)
    reader = RowFile(found.path)
    assert list(reader) == rows(50) and [reader[-1], reader.column("id")[20]] == [rows(50)[-1], "r20"]
    assert list(RowFile(StoredRows(SCHEMA, [], tmp_path).path)) == []
    del reader
    gc.collect()
    assert found[30] == rows(50)[30] and list(tmp_path.iterdir())
    del found
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_only_the_same_rows_have_the_same_digest(tmp_path):
    digest = StoredRows(SCHEMA, rows(50), tmp_path).digest()
    assert digest == StoredRows(SCHEMA, rows(50), tmp_path).digest()
    assert digest != StoredRows(SCHEMA, rows(50)[::-1], tmp_path).digest()
