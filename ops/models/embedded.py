"""Embeddings that several models of a step share, computed once for all of them.

Belongs here: a cache of the latest embeddings, and embeddings of any number of texts on disk. Not here: the
encoders that compute them (encoder.py).
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.identity import text_hash
from silverloom.ops.core.outcome import Row, in_blocks
from silverloom.ops.core.stored_rows import StoredRows
from silverloom.ops.models.encoder import Embed
from silverloom.ops.models.training.checkpoints import CheckpointFolder

#: Texts per call of the encoder and per checkpoint; one core embeds about 100 texts a second.
SLICE = 4096

#: Texts in the cache; with 384 numbers each, they take 100 MB.
_REMEMBERED = 2**16

_TEXTS = pa.schema([("number", pa.int64()), ("text", pa.string())])
_EMBEDDED = pa.schema([("text", pa.string()), ("row", pa.binary())])


def remembering(embed: Embed, most: int = _REMEMBERED) -> Embed:
    """Return a function that caches the embeddings of the `most` latest texts, 4 E bytes of memory each."""
    known: dict[str, NDArray[np.float32]] = {}

    def remembered(texts: Sequence[str]) -> NDArray[np.float32]:
        if new := list(dict.fromkeys(text for text in texts if text not in known)):
            known.update(zip(new, embed(new), strict=True))
        embeddings = np.stack([known[text] for text in texts])
        while len(known) > most:
            del known[next(iter(known))]
        return embeddings

    return remembered


def embedded_before(embed: Embed, texts: Iterable[str], checkpoints: CheckpointFolder, folder: Path) -> Embed:
    """Embed every text once, onto disk; return a function that reads these and embeds any other text.

    If there are more than `SLICE` texts, each slice is stored as a checkpoint, so that an interrupted run
    does not embed it again, and lines on stderr show the progress. A checkpoint of other texts is ignored.
    Creates `folder` for the embeddings. Holds 16 bytes a text in memory.
    """
    hashes = array("Q")
    with database(folder) as tables:
        insert(tables, "texts", _TEXTS.empty_table())
        for block in in_blocks(enumerate(texts)):
            insert(tables, "texts", pa.table(list(zip(*block, strict=True)), schema=_TEXTS))
        [(count,)] = tables.execute("SELECT count(DISTINCT text) FROM texts").fetchall()
        distinct = tables.sql("SELECT text FROM texts GROUP BY text ORDER BY min(number)")

        def rows() -> Iterator[Row]:
            batches = distinct.to_arrow_reader(1024)
            each = (text for batch in batches for text in batch.column("text").to_pylist())
            for number, asked in enumerate(in_blocks(each, SLICE)):
                at = f"embeddings-{number:05d}"
                embeddings = embed(asked) if count <= SLICE else _stored(embed, asked, checkpoints, at)
                for text, row in zip(asked, embeddings, strict=True):
                    hashes.append(text_hash(text))
                    yield {"text": text, "row": row.tobytes()}
                if count > SLICE:
                    print(f"embeddings  {len(hashes)}/{count} sentences", file=sys.stderr, flush=True)

        stored = StoredRows(_EMBEDDED, rows(), folder)
    places = np.argsort(np.frombuffer(hashes, np.uint64), kind="stable")
    in_order = np.frombuffer(hashes, np.uint64)[places]

    def row_of(text: str) -> NDArray[np.float32]:
        wanted = np.uint64(text_hash(text))
        first, last = (int(np.searchsorted(in_order, wanted, side)) for side in ("left", "right"))
        for place in places[first:last].tolist():
            if (row := stored[place])["text"] == text:
                return np.frombuffer(row["row"], np.float32)
        new: NDArray[np.float32] = embed([text])[0]
        return new

    return lambda texts: np.stack([row_of(text) for text in texts])


def _stored(embed: Embed, asked: list[str], checkpoints: CheckpointFolder, name: str) -> NDArray[np.float32]:
    """Return the embeddings of a slice from its checkpoint; compute and store them if it has other texts."""
    stored, told = checkpoints.at(name), json.dumps(asked).encode()
    checkpoint = stored.read()
    if checkpoint is not None and checkpoint["texts"] == told:
        before: NDArray[np.float32] = np.frombuffer(checkpoint["rows"], "<f4").reshape(len(asked), -1)
        return before
    rows = embed(asked)
    stored.write({"texts": told, "rows": rows.astype("<f4").tobytes()})
    return rows
