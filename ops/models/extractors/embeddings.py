"""Sentence embeddings as the extractors read them: rounded, and made once for all models of a step.

Belongs here: from texts to rows. Not here: the encoder (ops/models/encoder.py), what is read off the rows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ops.models.encoder import encoder
from ops.models.training.checkpoints import CheckpointFolder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

#: Embeds n texts as n x E rows of length 1; who has embeddings at hand gives a function that looks them up.
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: An embedding differs by about 1e-7 with the batch that it was made in; with these decimals, 2 numbers of
#: 10,000 still do.
_DECIMALS = 4
_BATCH = 32

#: Texts that are embedded at once, and stored: one core embeds about 100 a second.
SLICE = 4096

#: A row of a matrix product does not depend on the other rows where each text takes a multiple of this many:
#: kernels take rows by fours, and those that are left over in another order of sums. Measured: equal to the
#: bit, at 1.8 times the speed of texts one by one.
_TOKENS = 8


def embedder(name: str, strict: bool = True) -> Embed:
    """Return a function that embeds texts by an encoder of the registry, rounded to four decimals.

    A batch has texts of one length, which are padded to a multiple of `_TOKENS`: so the row of a text is the
    same whatever texts are embedded with it, and hardly any padding is computed (1.7 times the speed of
    batches by order of length, on one thread).
    """

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        model = encoder(name, strict)
        rows = np.empty((len(texts), model.get_embedding_dimension()), np.float32)
        for batch in _of_one_length(model, texts):
            rows[batch] = model.encode(
                [texts[index] for index in batch],
                batch_size=_BATCH,
                show_progress_bar=False,
                normalize_embeddings=True,
                convert_to_numpy=True,
                processing_kwargs={"text": {"pad_to_multiple_of": _TOKENS}},
            )
        return rows.round(_DECIMALS)

    return embed


def _of_one_length(model: SentenceTransformer, texts: Sequence[str]) -> Iterable[list[int]]:
    """Return the indices of texts by the length that they are padded to."""
    tokens = model.tokenizer(list(texts), truncation=True, max_length=model.max_seq_length)["input_ids"]
    lengths: dict[int, list[int]] = {}
    for index, row in enumerate(tokens):
        lengths.setdefault(-(-len(row) // _TOKENS), []).append(index)
    return lengths.values()


def remembering(embed: Embed, known: Mapping[str, NDArray[np.float32]] | None = None) -> Embed:
    """Return a function that embeds no text twice, nor what is known: 4 E bytes a text stay in memory."""
    known = dict(known or {})

    def remembered(texts: Sequence[str]) -> NDArray[np.float32]:
        if new := list(dict.fromkeys(text for text in texts if text not in known)):
            known.update(zip(new, embed(new), strict=True))
        return np.stack([known[text] for text in texts])

    return remembered


def embedded_before(
    embed: Embed, texts: Iterable[str], checkpoints: CheckpointFolder
) -> dict[str, NDArray[np.float32]]:
    """Return the embedding of every text; of many, each slice is stored, so that none is embedded again.

    Lines on stderr tell how far that is. What is stored of other texts counts for nothing.
    """
    distinct = list(dict.fromkeys(texts))
    if len(distinct) <= SLICE:
        return dict(zip(distinct, embed(distinct), strict=True)) if distinct else {}
    known: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(distinct), SLICE):
        asked = distinct[start : start + SLICE]
        stored = checkpoints.at(f"embeddings-{start // SLICE:05d}")
        told = json.dumps(asked).encode()
        found = stored.read()
        if found is None or found["texts"] != told:
            rows = embed(asked)
            stored.write({"texts": told, "rows": rows.astype("<f4").tobytes()})
        else:
            rows = np.frombuffer(found["rows"], "<f4").reshape(len(asked), -1)
        known.update(zip(asked, rows, strict=True))
        print(f"embeddings  {len(known)}/{len(distinct)} sentences", file=sys.stderr, flush=True)
    return known
