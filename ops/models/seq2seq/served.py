"""Models from text to text as they are called where the project is not: sources in, answers out.

Belongs here: their columns, loading and calling one. Not here: the files (files.py), where they lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ops.models.served import ModelKind
from ops.outcome import Row

if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq


def _load(files: Mapping[str, bytes]) -> Seq2Seq:
    from ops.models.seq2seq.files import load

    return load(files)


def _answer(model: Seq2Seq, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    sources = [str(row["source"]) for row in rows]
    return [{"prediction": text} for text in model.generate(sources, params["beam"] or None)]


#: `beam` replaces that of the model's config; 0 leaves it.
KIND = ModelKind(
    module=__name__,
    inputs={"source": "string"},
    outputs={"prediction": "string"},
    params={"beam": ("long", 0)},
    load=_load,
    answer=_answer,
)
