"""Numbers of ParaSCI as pages show them, beside those of Dong et al. (2021) in published.yaml.

Belongs here: Tables 2, 4 and 5. Not here: reading datasets (paraphrases.py), computing anything
(ops/parasci).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ops.core.splits import SPLITS
from ops.outcome import Row
from ops.parasci.evaluation.human_evaluation import ALL
from orchestration.pages.evaluation import Grid, GridLine

PUBLISHED: Mapping[str, Any] = yaml.safe_load((Path(__file__).parent / "published.yaml").read_text())

#: The questions of a table of the paper, with their names there, and the ends of what its bars show.
TABLES: Mapping[str, tuple[Mapping[str, str], tuple[float, float]]] = {
    "table_4": (
        {
            "consistency": "Consistency",
            "lexical": "Lexical",
            "phrasal": "Phrasal",
            "sentential": "Sentential",
        },
        (1, 5),
    ),
    "table_5": (
        {
            "synonym": "Synonym",
            "voice": "Voice",
            "word_form": "Word form",
            "break": "Break",
            "definition": "Definition",
            "structure": "Structure",
        },
        (0, 2),
    ),
}
_COLUMNS = ("genre", "candidates", "pairs", "words", "characters", "self_bleu")


def table_2(rows: Iterable[Row], origins: Sequence[str]) -> Grid:
    """Return Table 2: ours (all, by method, by split), then the paper's."""
    place = {name: at for at, name in enumerate([ALL, *origins, *SPLITS])}
    lines = [
        GridLine(row["name"] + ", paper" * row["published"], [_cell(row[name]) for name in _COLUMNS])
        for row in sorted(rows, key=lambda row: (row["published"], place.get(row["name"], 0)))
    ]
    head = ("dataset", "genre", "candidates", "pairs", "words", "characters", "Self-BLEU")
    return Grid("Statistics", head, lines, "statistics")


def _cell(value: Any) -> Any:
    return f"{value:.2f}" if isinstance(value, float) else value


def rated(table: Mapping[str, Any], name: str, origins: Sequence[str]) -> dict[str, Any]:
    """Return a table of ratings: `lines` of ours, all pairs and by method, and of the `paper`; agreement.

    Of each question a line has the score as table.json has it, or None.
    """
    names, ends = TABLES[name]
    questions = {question["question"]: question for question in table["questions"]}
    scores = {
        (question, score["origin"]): score for question in names for score in questions[question]["scores"]
    }
    found = [origin for origin in origins if any(origin == of for _, of in scores)]
    return {
        "names": list(names.values()),
        "ends": ends,
        "lines": [
            (origin, [scores.get((question, origin)) for question in names]) for origin in [ALL, *found]
        ],
        "paper": [
            (dataset, [row[question] for question in names]) for dataset, row in PUBLISHED[name].items()
        ],
        "kappa": [questions[question]["kappa"] for question in names],
        "paper_kappa": [PUBLISHED["kappa"].get(question) for question in names],
        "answers": [_answers(questions[question]) for question in names],
    }


def _answers(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return how often each value was given; what stands at the end of a long scale unused is left out."""
    counts = question["scores"][0]["values"]
    used = max((at for at, count in enumerate(counts.values()) if count), default=0)
    shown = [value["shown"] for value in question["scale"]]
    values: Sequence[tuple[str, int]] = list(zip(shown, counts.values(), strict=True))
    return {"text": question["text"], "values": values[: max(used + 1, 5)], "ratings": sum(counts.values())}


def unreliable(table: Mapping[str, Any]) -> list[Row]:
    """Return the agreement of raters whose kappa the paper would not accept."""
    return [
        row for row in table["agreement"] if row["kappa"] is not None and row["kappa"] < PUBLISHED["reliable"]
    ]
