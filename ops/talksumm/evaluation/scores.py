"""ROUGE scores of every system's summaries against human summaries: the paper's Table 2.

Belongs here: scores of each summary, their means with intervals, and paired tests between systems. Not here:
the metrics (ops/metrics), and producing summaries (system_summaries.py).

Lev et al. (2019) report ROUGE-2 recall and F, ROUGE-3 F and ROUGE-SU4 F of 150-word summaries, section 4.2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import (
    TEXT,
    TITLE,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    optional,
    struct,
)
from silverloom.ops.core.parts import Parts
from silverloom.ops.evaluation.table import (
    TABLE,
    Bootstrap,
    EvaluatedSystem,
    by_system,
    mean_scores,
    named,
    system_tests,
)
from silverloom.ops.metrics.items import COLUMNS, rouge_items
from silverloom.ops.talksumm.evaluation.system_summaries import SYSTEM_SUMMARIES

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

#: The columns of the paper's Table 2, in its order.
TABLE_2 = ("rouge2_recall", "rouge2_f", "rouge3_f", "rougeSU4_f")

BY_REFERENCE = struct(
    ("reference_id", _TEXT, "row of sources/human_summaries"),
    ("annotator", _TEXT, "who wrote it, where that is known"),
    *((name, _REAL, "against this summary alone") for name in TABLE_2),
)

#: The columns returned by `rouge_items`.
SCORES = COLUMNS

EVALUATION = Shape(
    unit=SYSTEM_SUMMARIES.kept,
    kept=columns(
        ("summary_id", _TEXT, "row of talksumm/system_summaries"),
        ("gold_id", _TEXT, "row of talksumm/gold_papers"),
        optional("title", _TEXT, "of the paper", TITLE),
        ("system", _TEXT, "only, hybrid, or a baseline"),
        optional("model", _TEXT, "architecture and training set of an extractor"),
        ("chosen", pa.bool_(), "whether it is a baseline's, or of the extractor that validation chose"),
        ("only", pa.bool_(), "whether it is Only of the extractor that validation chose"),
        ("text", _TEXT, "the summary", TEXT),
        ("reference", _TEXT, "the first of the summaries by people"),
        ("references", _INT, "summaries by people that it is scored against"),
        *((name, _REAL, "0 to 1, as ROUGE-1.5.5 counts") for name in SCORES),
        ("by_reference", pa.list_(BY_REFERENCE), "the scores of Table 2 against each of the references"),
    ),
)


class EvaluationParams(Bootstrap, section="talksumm.evaluation"):
    """How summaries are scored.

    With several references, "average" sums matches over all of them (option -f A of ROUGE-1.5.5), and "best"
    uses the one with the highest recall (-f B). Rows also have the scores against each reference. The limit
    in words truncates both summaries and references.
    """

    references: Literal["average", "best"] = "average"
    """The mean over the human summaries, or the one with the highest recall."""
    words: int | None = Field(150, ge=1, description="of a summary that count; null: all")
    stem: bool = False
    """Whether words are stemmed."""
    stop_words: bool = Field(False, description="whether stop words are left out")


def evaluation(system_summaries: Parts, gold_papers: Parts, params: EvaluationParams) -> Outcomes:
    """Yield the scores of all summaries of test papers, and the table of means; the units are the summaries.

    A summary without words is dropped as `empty`: a system is not compared on papers for which it has no
    summary. Raises KeyError for a summary whose paper is not in `gold_papers`.
    """
    units = system_summaries.read().to_pylist()
    wanted = {unit["gold_id"] for unit in units}
    gold_rows = gold_papers.read(["id", "references"], where=("id", wanted)).to_pylist()
    references = {row["id"]: row["references"] for row in gold_rows}
    dropped = [drop(unit, "empty", detail=unit["system"]) for unit in units if not unit["words"]]
    kept = [_scored(unit, references[unit["gold_id"]], params) for unit in units if unit["words"]]
    outcome = Outcome.of(EVALUATION, [unit["id"] for unit in units], kept, dropped)
    content = json.dumps(table(outcome.kept, params), indent=1, sort_keys=True)
    yield replace(outcome, files={TABLE: content.encode()})


def table(rows: pa.Table, params: EvaluationParams) -> dict[str, Any]:
    """Return the means of every system with 95 % intervals over papers, and paired tests between systems.

    `systems`: system, model, chosen, the number of papers, and for each metric mean, low and high. `tests`:
    for every two systems in the table (of the extractors only the chosen one), over the papers that both
    have, for each metric of Table 2: difference, low, high and p. `architectures`: the same for every two
    extractors trained on the same set, each represented by its Only.
    """
    systems = by_system(rows)
    summed = [
        {
            "system": system,
            "model": model or None,
            "chosen": own["chosen"][0].as_py(),
            "papers": len(own),
            "scores": mean_scores(own, SCORES, params),
        }
        for (system, model), own in systems.items()
    ]
    chosen = [place for place, own in systems.items() if own["chosen"][0].as_py()]
    extractors = [place for place in systems if place[0] == "only"]
    one_set = [
        (first, second)
        for first, second in combinations(extractors, 2)
        if _set_of(first[1]) == _set_of(second[1])
    ]

    def tests(pairs: Iterable[tuple[EvaluatedSystem, EvaluatedSystem]]) -> list[dict[str, Any]]:
        return system_tests(systems, pairs, "gold_id", "papers", TABLE_2, params, lambda name: named(*name))

    return {
        "metrics": TABLE_2,
        "systems": summed,
        "tests": tests(combinations(chosen, 2)),
        "architectures": tests(one_set),
    }


def _set_of(model: str) -> str:
    """Return the training set in a model's name, which consists of architecture and set."""
    return model.partition("/")[2]


def _scored(unit: Row, references: Sequence[Row], params: EvaluationParams) -> dict[str, Any]:
    by_reference = [_rouge(unit, [reference], params) for reference in references]
    return {
        **made_from(unit, "score"),
        "summary_id": unit["id"],
        **{name: unit[name] for name in ("gold_id", "title", "system", "model", "chosen", "text")},
        "only": unit["chosen"] and unit["system"] == "only",
        "reference": " ".join(references[0]["sentences"]),
        "references": len(references),
        **(by_reference[0] if len(by_reference) == 1 else _rouge(unit, references, params)),
        "by_reference": [
            {
                "reference_id": reference["id"],
                "annotator": reference["annotator"],
                **{name: scores[name] for name in TABLE_2},
            }
            for reference, scores in zip(references, by_reference, strict=True)
        ],
    }


def _rouge(unit: Row, references: Sequence[Row], params: EvaluationParams) -> dict[str, float]:
    """Return all scores of a summary against the references, by the names in `SCORES`."""
    items = rouge_items(
        [unit["sentences"]],
        [[reference["sentences"] for reference in references]],
        params.references,
        stem=params.stem,
        stop_words=params.stop_words,
        words=params.words,
    )
    [scores] = items.to_pylist()
    return dict(scores)
