"""The page of the evaluation of summarisers: scores, tests, what people say, learning curves, summaries.

Belongs here: reading talksumm/evaluation, talksumm/human_evaluation and talksumm/extractor, and which papers
can be looked at. Not here: order and words of the scores (systems.py) and of the ratings (people.py), the
curves (learning.py), marking words in common (static/shared_words.js).
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
from ops.outcome import Row
from orchestration.lineage.rows import Counted, tables
from orchestration.pages import learning, people
from orchestration.pages import system_scores as systems
from orchestration.pages.html import embedded, render
from orchestration.pages.side_files import beside

DATASET, EXTRACTOR = "talksumm/evaluation", "talksumm/extractor"
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

    What is missing the page says. Raises ValueError naming a file that cannot be read.
    """
    table = beside(everything, DATASET, TABLE) or {"metrics": [], "systems": [], "tests": []}
    models = learning.models(beside(everything, EXTRACTOR, MODELS) or [])
    papers = _papers(everything)
    chosen = set(sorted(papers, key=_rank)[:MOST_PAPERS])
    listed = sorted(({"id": one, "title": papers[one]} for one in chosen), key=_by_title)
    scored, tests = systems.systems(table), systems.tests(table)
    params = numbers[DATASET].item.values.get("talksumm.evaluation") if DATASET in numbers else None
    yield render(
        "evaluation.html",
        "talksumm/evaluation.html",
        "Evaluation",
        data={"models": models, "papers": listed, "metrics": table["metrics"]},
        name_of=systems.metric,
        metrics=[systems.metric(name) for name in table["metrics"]],
        systems=[one for one in scored if one.chosen],
        others=[one for one in scored if not one.chosen],
        extractor=next((one for one in scored if one.name == systems.extractor(table)), None),
        tests=tests,
        architectures=systems.architectures(table),
        verdicts=systems.verdicts(tests),
        published=systems.PUBLISHED,
        least=systems.LEAST_PAPERS,
        few=systems.FEW_PAPERS,
        models=models,
        papers=len(papers),
        listed=listed,
        params=params,
        declared=DATASET in everything,
        extractor_declared=EXTRACTOR in everything,
        left_out=numbers[DATASET].by_reason if DATASET in numbers else [],
        not_learnt=numbers[EXTRACTOR].by_reason if EXTRACTOR in numbers else [],
        without_table=bool(papers) and not scored,
        people=_people(everything, numbers),
    )
    for paper, rows in _summaries(everything, chosen).items():
        yield f"evaluation/{paper}.js", f"silverloom.paper({embedded(_paper(rows))});\n".encode()


def _people(everything: Everything, numbers: Mapping[str, Counted]) -> dict[str, Any]:
    """Return what the page shows of the human evaluation."""
    table = beside(everything, people.DATASET, TABLE)
    counted = numbers.get(people.DATASET)
    rejected = counted.total("rejected") if counted else 0
    return {
        "questions": people.questions(table),
        "agreement": people.agreement(table["agreement"] if table else []),
        "pairs": people.agreement(table["pairs"] if table else []),
        "declared": people.DATASET in everything,
        "left_out": [
            *(counted.by_reason if counted else []),
            *([("rejected", rejected)] if rejected else []),
        ],
    }


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
            scores = [name for name in own.column_names if _SCORE.fullmatch(name)]
            for row in own.select([*_SUMMARY, *scores]).to_pylist():
                found[row["gold_id"]].append(row)
    return {paper: found[paper] for paper in sorted(found)}


def _paper(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what the page shows of one paper: the first human summary, and each system's with its scores."""
    ordered = sorted(rows, key=lambda row: systems.place(row["system"], row["model"], row["chosen"]))
    first = ordered[0]
    return {
        "id": first["gold_id"],
        "references": first["references"],
        "reference": _bounded(first["reference"]),
        "summaries": [
            {
                "name": systems.named(row["system"], row["model"]),
                "label": systems.label(row["system"], row["model"]),
                "text": _bounded(row["text"]),
                "scores": {name: round(row[name], 4) for name in row if _SCORE.fullmatch(name)},
            }
            for row in ordered
        ],
    }


def _bounded(text: str) -> dict[str, Any]:
    """Return the beginning of a text that a page can hold, and how many characters all of it has."""
    return {"start": text[:LONGEST_TEXT], "characters": len(text)}
