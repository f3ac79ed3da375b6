"""A model that answers riddles: it knows those that it was shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from silverloom.ops.toy.choice import QUESTIONS

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns
from silverloom.ops.core.parts import Parts
from silverloom.ops.models.trained import ModelKind

MEMORY = Shape(unit=QUESTIONS.kept, kept=columns(*list(QUESTIONS.kept)[3:]))


def model(questions: Parts) -> Outcomes:
    """Yield what the model learnt from, and its files; the units are the questions."""
    units = questions.read().to_pylist()
    kept = [{**unit, "id": row_id("memory", unit["id"]), "source_ids": [unit["id"]]} for unit in units]
    known = {unit["question"]: unit["answer"] for unit in units}
    told = [
        {
            "model": "by_heart",
            "chosen": True,
            "best": 1.0,
            "curve": [
                {"name": "known", "step": step, "value": float(step)} for step in range(1, len(known) + 1)
            ],
        }
    ]
    files = {
        "by_heart/answers.json": json.dumps(known, sort_keys=True).encode(),
        "models.json": json.dumps(told).encode(),
    }
    yield Outcome.of(MEMORY, [unit["id"] for unit in units], kept, files=files)


def _load(files: Mapping[str, bytes]) -> Mapping[str, str]:
    known: Mapping[str, str] = json.loads(files["answers.json"])
    return known


def _answer(known: Mapping[str, str], rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    return [{"answer": known.get(row["question"], params["otherwise"])} for row in rows]


KIND = ModelKind(
    module=__name__,
    inputs={"question": "string"},
    outputs={"answer": "string"},
    params={"otherwise": ("string", "nobody knows")},
    load=_load,
    answer=_answer,
)
