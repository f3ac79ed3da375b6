"""The page of the evaluation of summarisers: scores, tests, what people say, learning curves, summaries.

Belongs here: reading talksumm/evaluation, talksumm/human_evaluation and talksumm/extractor, and which papers
can be looked at. Not here: order and words of the scores (scores.py), the
curves (pages/learning.py), marking words in common (static/shared_words.js).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assets.declare.report import Everything, Files
from ops.evaluation.table import named
from ops.outcome import Row
from orchestration.lineage.rows import Counted
from orchestration.pages.evaluation import values
from orchestration.pages.html import embedded, render
from orchestration.pages.reading import grouped, rows, shortened, side_file
from orchestration.pages.sampling import rank
from orchestration.pages.systems.talksumm import scores

DATASET, EXTRACTOR, PEOPLE = "talksumm/evaluation", "talksumm/extractor", "talksumm/human_evaluation"

#: Papers whose summaries can be looked at, chosen by the hash of their ids: there may be any number.
MOST_PAPERS = 500
LONGEST_TEXT = 6_000
LONGEST_TITLE = 300


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page, and for each paper a script with its summaries, loaded when it is looked at.

    The page names what is missing. Raises ValueError naming a file that cannot be read.
    """
    content = side_file(everything, DATASET, "table.json")
    table = scores.read(content)
    shared = values(everything, numbers, DATASET, [EXTRACTOR], PEOPLE)
    titles = {row["gold_id"]: row["title"] for row in rows(everything, DATASET, ["gold_id", "title"])}
    chosen = sorted(titles, key=rank)[:MOST_PAPERS]
    listed = [{"id": paper, "title": shortened(titles[paper], LONGEST_TITLE)} for paper in chosen]
    listed.sort(key=lambda paper: (not paper["title"], paper["title"].lower(), paper["id"]))
    tests, architectures = scores.tests(table), scores.architectures(content)
    main, others = scores.grids(table)
    yield render(
        "evaluation.html",
        "talksumm/evaluation.html",
        "Evaluation",
        data={"models": shared["models"], "papers": listed, "metrics": table.metrics},
        name_of=scores.metric,
        table=table,
        main=main,
        others=others,
        extractor=scores.extractor(table),
        tests=scores.test_grid("Paired tests", "Only, against", table.metrics, tests),
        architectures=scores.test_grid("Tests of architectures", "Only of", table.metrics, architectures),
        verdicts=scores.verdicts(tests, table.metrics),
        published=scores.PUBLISHED,
        papers=len(titles),
        listed=listed,
        params=numbers[DATASET].item.values.get("talksumm.evaluation") if DATASET in numbers else None,
        **shared,
    )
    summaries = grouped(rows(everything, DATASET, gold_id=chosen), "gold_id")
    for paper in sorted(summaries):
        yield f"evaluation/{paper}.js", f"silverloom.paper({embedded(_paper(summaries[paper]))});\n".encode()


def _paper(summaries: Sequence[Row]) -> dict[str, Any]:
    """Return what the page shows of one paper: the first human summary, and each system's with its scores."""
    ordered = sorted(summaries, key=lambda row: scores.place(row["system"], row["model"], row["chosen"]))
    return {
        "id": ordered[0]["gold_id"],
        "references": ordered[0]["references"],
        "reference": _bounded(ordered[0]["reference"]),
        "summaries": [
            {
                "name": named(row["system"], row["model"]),
                "label": scores.label(row["system"], row["model"]),
                "text": _bounded(row["text"]),
                "scores": {name: round(row[name], 4) for name in row if scores.METRIC.fullmatch(name)},
            }
            for row in ordered
        ],
    }


def _bounded(text: str) -> dict[str, Any]:
    """Return the beginning of a text that a page can hold, and how many characters all of it has."""
    return {"start": text[:LONGEST_TEXT], "characters": len(text)}
