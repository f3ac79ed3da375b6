"""How span models are called outside the project: two texts in, a part of the second out.

Belongs here: their columns, loading and calling one. Not here: the files (model.py), where they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from silverloom.ops.core.outcome import Row
from silverloom.ops.models.trained import ModelKind

if TYPE_CHECKING:
    from silverloom.ops.parasci.spans.model import SpanModel


def _load(files: Mapping[str, bytes]) -> SpanModel:
    from silverloom.ops.parasci.spans.model import load

    return load(files)


def _answer(model: SpanModel, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    texts = [str(row["text"]) for row in rows]
    tokens = model.tokens([str(row["wanted"]) for row in rows], texts)
    readable = [number for number, its in enumerate(tokens) if len(its) <= model.longest]
    predicted = dict(zip(readable, model.predict([tokens[number] for number in readable]), strict=True))
    spans = [predicted.get(number) or (0, 0, 0.0) for number in range(len(rows))]
    return [
        {"part": text[start:end], "confidence": confidence}
        for text, (start, end, confidence) in zip(texts, spans, strict=True)
    ]


#: If the two texts are too long together, the part is empty.
KIND = ModelKind(
    module=__name__,
    inputs={"wanted": "string", "text": "string"},
    outputs={"part": "string", "confidence": "double"},
    example={"wanted": "The model is small .", "text": "We show that the model is small and fast ."},
    load=_load,
    answer=_answer,
    named=True,
)
