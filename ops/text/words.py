"""Words as Python's str.split() has them, counted in Arrow.

Belongs here: what counts as a word where texts are measured. Not here: the tokens that talks and papers are
aligned by (ops/talksumm/align/tokens.py).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

#: What stands between white space as Unicode has it; RE2's own \s knows that of ASCII alone.
WORD = r"[^\s\v\x1C-\x1F\x{85}\p{Z}]+"


def count_words(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the number of words of each text as int64; a missing text stays missing."""
    return pc.count_substring_regex(texts, WORD).cast(pa.int64())
