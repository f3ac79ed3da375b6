"""TalkSumm's additions to the site: talks, the tuning of the model, the evaluation of summarisers.

Belongs here: the page of the grid over the model's four knobs; the page of the evaluation, and which papers
it shows; which datasets link to both. Not here: the pages of talks (talks.py), order and wording of scores
(scores.py), learning curves (pages/evaluation.py), scoring (ops/talksumm), drawing (static).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import Counted, grouped, rows, shortened, side_file
from silverloom.ops.core.outcome import Row
from silverloom.ops.evaluation.table import named
from silverloom.pages.evaluation import values
from silverloom.pages.html import embedded, render
from silverloom.pages.sampling import rank
from silverloom.pages.system import SystemPages
from silverloom.pages.systems.talksumm import scores, talks

EVALUATION, EXTRACTOR, PEOPLE = "talksumm/evaluation", "talksumm/extractor", "talksumm/human_evaluation"

#: The most papers whose summaries are shown, chosen by the hash of their ids.
MOST_PAPERS = 500
LONGEST_TEXT = 6_000
LONGEST_TITLE = 300
TUNING = "talksumm/tuning"
KNOBS = ("lambda", "gamma", "delta", "epsilon")

#: The most points on the page; the worst points of a larger grid are left out.
MOST_POINTS = 5_000
_COLUMNS = ["model", *KNOBS, "id", "accuracy", "low", "high", "within_two", "words", "current", "talks"]


def evaluation_pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page, and for each paper a script with its summaries, loaded on demand.

    The page names missing datasets. Raises ValueError naming a file that cannot be read.
    """
    content = side_file(everything, EVALUATION, "table.json")
    table = scores.read(content)
    shared = values(everything, numbers, EVALUATION, [EXTRACTOR], PEOPLE)
    titles = {row["gold_id"]: row["title"] for row in rows(everything, EVALUATION, ["gold_id", "title"])}
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
        published=scores.published(),
        papers=len(titles),
        listed=listed,
        params=numbers[EVALUATION].dataset.values.get("talksumm.evaluation")
        if EVALUATION in numbers
        else None,
        **shared,
    )
    summaries = grouped(rows(everything, EVALUATION, gold_id=chosen), "gold_id")
    for paper in sorted(summaries):
        yield f"evaluation/{paper}.js", f"silverloom.paper({embedded(_paper(summaries[paper]))});\n".encode()


def tuning_pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page; if no points are scored, it names what is missing."""
    points = ranked(rows(everything, TUNING, _COLUMNS))
    best = points[0] if points else None
    current = next((point for point in points if point["current"]), None)
    shown = [point for at, point in enumerate(points) if at < MOST_POINTS or point is current]
    yield render(
        "tuning.html",
        "talksumm/tuning.html",
        "Tuning",
        data={"knobs": KNOBS, "points": shown},
        best=best,
        current=current,
        knobs=KNOBS,
        points=len(points),
        shown=len(shown),
        differs=bool(best and current and differs(best, current)),
        left_out=numbers[TUNING].by_reason if TUNING in numbers else [],
    )


def ranked(points: Iterable[Row]) -> list[Row]:
    """Return the points, most accurate first; ties: the current point first, then smaller knobs."""
    return sorted(
        points,
        key=lambda point: (
            -point["accuracy"],
            not point["current"],
            point["model"],
            *(point[knob] for knob in KNOBS),
        ),
    )


def differs(best: Row, current: Row) -> bool:
    """Tell whether each of two accuracies is outside the other's 95 % interval."""
    return bool(best["accuracy"] > current["high"] and current["accuracy"] < best["low"])


def _pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    yield from talks.pages(everything)
    yield from tuning_pages(everything, numbers)
    yield from evaluation_pages(everything, numbers)


SYSTEM = SystemPages(
    pages=_pages,
    navigation=(("talks.html", "Talks"), ("tuning.html", "Tuning"), ("evaluation.html", "Evaluation")),
    pictures={
        "talksumm/tuning": "tuning.html",
        "talksumm/extractor": "evaluation.html#learning",
        "talksumm/evaluation": "evaluation.html",
        "talksumm/rating_sheets": "evaluation.html#people",
        "talksumm/human_evaluation": "evaluation.html#people",
    },
)


def _paper(summaries: Sequence[Row]) -> dict[str, Any]:
    """Return the page's data about one paper: the first human summary, and each system's with its scores."""
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
    """Return the beginning of a text, cut to fit on a page, and the full length in characters."""
    return {"start": text[:LONGEST_TEXT], "characters": len(text)}
