"""All text measures share one definition of a word: that of Python's str.split()."""

import sys

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.measures import count_words, measure
from silverloom.ops.core.row_measures import measured
from silverloom.pages.rows import columns

SPACES = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())


@given(st.lists(st.none() | st.text(st.sampled_from(f"ab{SPACES}\u200b\u2060"))))
def test_words_are_those_of_split(texts):
    expected = [None if text is None else len(text.split()) for text in texts]
    assert count_words(pa.array(texts, pa.string())).to_pylist() == expected


def test_plotted_expected_and_displayed_counts_agree():
    table = pa.table({"text": ["a\u00a0b c\u2003d"], "title": ["a\u00a0b\u00a0c\u2003d\u2003e"]})
    assert measure(table, "text.words").to_pylist() == measured(table, "text.words").to_pylist() == [4]
    assert {column.name: column.part for column in columns(table)} == {"text": "facts", "title": "texts"}
