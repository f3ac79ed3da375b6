"""Extractors as they are called where the project is not: papers in, indices of their chosen sentences out.

Belongs here: their columns, loading and calling one. Not here: the files (files.py), where they lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ops.models.extractors.paper import Extractor, Paper
from ops.models.served import ModelKind
from ops.outcome import Row


def _load(files: Mapping[str, bytes]) -> Extractor:
    from ops.models.extractors.files import load

    return load(files)


def _answer(extractor: Extractor, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    papers = [Paper(str(number), list(row["sentences"]), row["title"]) for number, row in enumerate(rows)]
    found = [extractor.extract(paper, params["words"]) for paper in papers]
    return [{"indices": list(chosen.indices), "scores": list(chosen.scores)} for chosen in found]


#: `words` is how long the chosen sentences may be together.
KIND = ModelKind(
    module=__name__,
    inputs={"title": "string", "sentences": "string*"},
    outputs={"indices": "long*", "scores": "double*"},
    params={"words": ("long", 150)},
    load=_load,
    answer=_answer,
    named=True,
)
