"""The page of the evaluation of summarisers: scores, tests, what people say, learning curves, summaries.

Belongs here: reading talksumm/evaluation, talksumm/human_evaluation and talksumm/extractor, and which papers
can be looked at. Not here: order and words of the scores (scores.py) and of the ratings (people.py), the
curves (pages/learning.py), marking words in common (static/shared_words.js).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.report import Everything, Files
from ops.evaluation.table import FEW_ITEMS, LEAST_ITEMS, named
from ops.outcome import Row
from orchestration.lineage.rows import Counted, tables
from orchestration.pages import learning
from orchestration.pages.evaluation import agreement, left_out
from orchestration.pages.html import embedded, render
from orchestration.pages.side_files import side_file
from orchestration.pages.systems.talksumm import people, scores

DATASET, EXTRACTOR, PEOPLE = "talksumm/evaluation", "talksumm/extractor", "talksumm/human_evaluation"
#: Files that lie beside the rows of these.
TABLE, MODELS = "table.json", "models.json"

#: Papers whose summaries can be looked at, chosen by the hash of their ids: there may be any number.
MOST_PAPERS = 500
LONGEST_TEXT = 6_000
LONGEST_TITLE = 300

_SUMMARY = ["gold_id", "title", "system", "model", "chosen", "text", "reference", "references"]
_SCORE = re.compile(r"rouge[A-Za-z0-9]+_(precision|recall|f)")


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page, and for each paper a script with its summaries, loaded when it is looked at.

    The page names what is missing. Raises ValueError naming a file that cannot be read.
    """
    content = side_file(everything, DATASET, TABLE)
    table = scores.read(content)
    models = learning.models(side_file(everything, EXTRACTOR, MODELS) or [])
    ratings = side_file(everything, PEOPLE, TABLE)
    papers = _papers(everything)
    chosen = set(sorted(papers, key=_rank)[:MOST_PAPERS])
    listed = sorted(({"id": paper, "title": papers[paper]} for paper in chosen), key=_by_title)
    tests, architectures = scores.tests(table), scores.architectures(content)
    main, others = scores.grids(table)
    yield render(
        "evaluation.html",
        "talksumm/evaluation.html",
        "Evaluation",
        data={"models": models, "papers": listed, "metrics": table.metrics},
        name_of=scores.metric,
        table=table,
        main=main,
        others=others,
        extractor=scores.extractor(table),
        tests=scores.test_grid("Paired tests", "Only, against", table.metrics, tests),
        architectures=scores.test_grid("Tests of architectures", "Only of", table.metrics, architectures),
        verdicts=scores.verdicts(tests, table.metrics),
        published=scores.PUBLISHED,
        least=LEAST_ITEMS,
        few=FEW_ITEMS,
        models=models,
        papers=len(papers),
        listed=listed,
        params=numbers[DATASET].item.values.get("talksumm.evaluation") if DATASET in numbers else None,
        declared=everything,
        left_out={name: left_out(numbers.get(name)) for name in (DATASET, EXTRACTOR, PEOPLE)},
        questions=people.questions(ratings),
        agreement=agreement(ratings),
    )
    for paper, rows in _summaries(everything, chosen).items():
        yield f"evaluation/{paper}.js", f"silverloom.paper({embedded(_paper(rows))});\n".encode()


def _papers(everything: Everything) -> dict[str, str]:
    """Return the titles of all papers that have a summary, by the ids of their gold rows."""
    return {
        row["gold_id"]: _short(row["title"])
        for folder in everything.get(DATASET, {}).values()
        for table in tables(folder, "kept", ["gold_id", "title"])
        for row in table.to_pylist()
    }


def _short(title: str | None) -> str:
    title = title or ""
    return title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE]}…"


def _rank(paper: str) -> str:
    return sha256(paper.encode()).hexdigest()


def _by_title(paper: Row) -> tuple[bool, str, str]:
    return not paper["title"], paper["title"].lower(), paper["id"]


def _summaries(everything: Everything, chosen: Collection[str]) -> dict[str, list[Row]]:
    """Return the rows of the chosen papers."""
    found: dict[str, list[Row]] = defaultdict(list)
    for folder in everything.get(DATASET, {}).values():
        for table in tables(folder, "kept"):
            own = table.filter(pc.is_in(table["gold_id"], value_set=pa.array(sorted(chosen), pa.string())))
            columns = [name for name in own.column_names if _SCORE.fullmatch(name)]
            for row in own.select([*_SUMMARY, *columns]).to_pylist():
                found[row["gold_id"]].append(row)
    return {paper: found[paper] for paper in sorted(found)}


def _paper(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what the page shows of one paper: the first human summary, and each system's with its scores."""
    ordered = sorted(rows, key=lambda row: scores.place(row["system"], row["model"], row["chosen"]))
    first = ordered[0]
    return {
        "id": first["gold_id"],
        "references": first["references"],
        "reference": _bounded(first["reference"]),
        "summaries": [
            {
                "name": named(row["system"], row["model"]),
                "label": scores.label(row["system"], row["model"]),
                "text": _bounded(row["text"]),
                "scores": {name: round(row[name], 4) for name in row if _SCORE.fullmatch(name)},
            }
            for row in ordered
        ],
    }


def _bounded(text: str) -> dict[str, Any]:
    """Return the beginning of a text that a page can hold, and how many characters all of it has."""
    return {"start": text[:LONGEST_TEXT], "characters": len(text)}
