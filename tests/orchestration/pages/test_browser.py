"""Measures of rows: of kept rows by their columns, of dropped units where they have a like number."""

import pyarrow as pa

from orchestration.pages.browser import _numbers


def test_a_list_in_a_unit_is_no_number_of_a_kept_rows_column_of_that_name():
    kept = pa.table({"tokens": [3, None]})
    dropped = pa.table({"tokens": [[1, 2], []]})
    assert _numbers(kept, "tokens") == [3, None]
    assert _numbers(dropped, "tokens") == [None, None]
    assert _numbers(dropped, "tokens.length") == [2, 0]
    assert _numbers(dropped, "absent") == [None, None]
