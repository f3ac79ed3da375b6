"""String columns longer than the 2 GiB that one array can hold, in little memory: all chunks share their bytes."""

import pyarrow as pa

CHUNKS = 24
_LONG = 100_000_000


def chunked(chunk: pa.Array) -> pa.ChunkedArray:
    """Repeat a chunk until the column holds 2.4 GB, given that the chunk holds one long text."""
    return pa.chunked_array([chunk] * CHUNKS)


def long_text() -> pa.Array:
    """Return one text of 100 MB."""
    return pa.array(["x" * _LONG], pa.string())
