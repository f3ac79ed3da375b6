"""What pages of rows show in addition to cells: measures, and links to pages about a row."""

import pyarrow as pa

from silverloom.pages.rows import numbers_of, page_links


def test_a_list_in_a_unit_is_not_measured_as_a_kept_rows_column_of_the_same_name():
    kept = pa.table({"tokens": [3, None]})
    dropped = pa.table({"tokens": [[1, 2], []]})
    assert numbers_of(kept, "tokens") == [3, None]
    assert numbers_of(dropped, "tokens") == [None, None]
    assert numbers_of(dropped, "tokens.length") == [2, 0]
    assert numbers_of(dropped, "absent") == [None, None]


def test_a_row_links_to_the_pages_of_what_it_is_or_names():
    table = pa.table({"id": ["a", "b", "c"], "pair_id": ["d", "e", None], "text": ["e", "d", "d"]})
    assert page_links(table, {"a": "a.html", "d": "d.html", "e": "e.html"}) == [
        {"page": "a.html"},
        {"page": "e.html"},
        {},
    ]
    assert page_links(table, {}) == [{}, {}, {}]
