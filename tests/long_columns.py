"""Columns of more strings than one array can hold, 2 GiB, in little memory: all chunks are the same bytes."""

import pyarrow as pa

CHUNKS = 24
_LONG = 100_000_000


def chunked(chunk: pa.Array) -> pa.ChunkedArray:
    """Return a chunk as often as makes 2.4 GB of it, if it holds one long text."""
    return pa.chunked_array([chunk] * CHUNKS)


def long_text() -> pa.Array:
    """Return one text of 100 MB."""
    return pa.array(["x" * _LONG], pa.string())
