"""WikiSum's additions to the site: articles, inputs, and generated leads.

Belongs here: the page of inputs: sizes of inputs and leads (Liu et al. 2018, Tables 1 and 2), clones
(section 5.3), how many references a lead draws on, how much of a lead each ranker finds; the page of leads;
which datasets and rows link to them. Not here: the pages of articles (articles.py), the layout of scores and
ratings (scores.py), learning curves (pages/evaluation.py), any computation (ops/wikisum), drawing (static).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import Counted, side_file
from silverloom.ops.core.outcome import Row
from silverloom.ops.evaluation.table import FEW_ITEMS, LEAST_ITEMS, PairedTest
from silverloom.ops.metrics.bootstrap import Comparison, Interval
from silverloom.ops.wikisum.corpus import CorpusParams
from silverloom.ops.wikisum.learned_ranker import BASELINE, RECALLS
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.statistics import TABLES
from silverloom.pages.evaluation import Grid, GridLine, bars, columns_grid, tests_grid, values
from silverloom.pages.html import render
from silverloom.pages.system import SystemPages
from silverloom.pages.systems.wikisum import articles, scores

EVALUATION, GRID, PEOPLE = "wikisum/evaluation", "wikisum/grid", "wikisum/human_evaluation"

#: The dataset of models meant for use; the grid's models are for comparison.
SUMMARIZER = "wikisum/summarizer"
STATISTICS, LEARNED = "wikisum/statistics", "wikisum/learned_ranker"
CORPUS, REFERENCES = "wikisum/corpus", "wikisum/references"

#: Readable names of what Table 2 counts.
ASPECTS = {
    "lead_words": "Lead words",
    "citations": "Cited pages",
    "citation_words": "Words of cited pages",
    "search_results": "Search results",
    "search_words": "Words of search results",
}
_RECALL = "bigram_recall"
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def leads_page(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page, which names missing datasets. Raises ValueError naming a file that cannot be read."""
    table, cells = scores.read(side_file(everything, EVALUATION, "table.json"))
    shared = values(everything, numbers, EVALUATION, [SUMMARIZER, GRID], PEOPLE)
    ratings = shared["ratings"]
    rated = ratings and ratings["agreement"]
    scored = cells.values()
    chosen = next((cell for cell in scored if cell.chosen), None)
    figures = {"extraction": scores.figure_2(scored), "lengths": scores.figure_3(scored)}
    yield render(
        "leads.html",
        "wikisum/leads.html",
        "Leads",
        data={"models": shared["models"], "figures": figures},
        name_of=lambda name: scores.METRICS.get(name, name),
        figures=figures,
        chosen=chosen,
        fewest=min((cell.articles for cell in scored), default=0),
        extractors=scores.extractors(scored),
        architectures=scores.architectures(scored, shared["models"]),
        whole=scores.whole(scored),
        tests=scores.tests(table, cells),
        categories=scores.categories(table),
        quality=scores.quality(ratings, cells) if rated else None,
        preference=scores.preference(ratings, cells, table) if rated else None,
        **shared,
    )


def inputs_page(everything: Everything) -> Files:
    """Yield the page, which names missing datasets. Raises ValueError naming a file that cannot be read."""
    tables = side_file(everything, STATISTICS, TABLES)
    recalls = side_file(everything, LEARNED, RECALLS) or []
    params = [
        value
        for name in (CORPUS, REFERENCES)
        if name in everything
        for value in everything.graph.datasets[name].arguments.values()
    ]
    finding = next((value for value in params if isinstance(value, ReferenceParams)), ReferenceParams())
    yield render(
        "inputs.html",
        "wikisum/inputs.html",
        "Inputs",
        data={"percentiles": _percentiles(tables), "clones": (tables or {}).get("clones", [])},
        table_1=_table_1(tables) if tables else None,
        table_2=_table_2(tables) if tables else None,
        articles=tables["table_1"][-1]["examples"] if tables else 0,
        aspects=ASPECTS,
        clones=_clones(tables["clones"]) if tables else None,
        spread=tables["dispersion"] if tables else None,
        dispersion=_dispersion(tables["dispersion"]) if tables else None,
        needed=_needed(tables["dispersion"]) if tables else None,
        looked_for=_looked_for(finding),
        of_words=finding.recall == "words",
        threshold=next((value.clone_recall for value in params if isinstance(value, CorpusParams)), None),
        recalls=_recalls(recalls) if recalls else None,
        tests=_tests(recalls) if recalls else None,
        held_out=max((row["articles"] for row in recalls), default=0),
        least=LEAST_ITEMS,
        few=FEW_ITEMS,
        declared=everything,
    )


def _pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    yield from articles.pages(everything)
    yield from inputs_page(everything)
    yield from leads_page(everything, numbers)


def _pages_of(everything: Everything) -> Mapping[str, str]:
    return {name: f"articles/{name}.html" for name in articles.with_page(everything)}


SYSTEM = SystemPages(
    pages=_pages,
    navigation=(("articles.html", "Articles"), ("inputs.html", "Inputs"), ("leads.html", "Leads")),
    pictures={
        "wikisum/references": "articles.html",
        "wikisum/corpus": "inputs.html#clones",
        "wikisum/ranked": "articles.html",
        "wikisum/learned_ranker": "inputs.html#recall",
        "wikisum/examples": "articles.html",
        "wikisum/statistics": "inputs.html",
        "wikisum/summaries": "articles.html",
        "wikisum/summarizer": "leads.html#learning",
        "wikisum/grid_examples": "leads.html",
        "wikisum/grid": "leads.html#learning",
        "wikisum/evaluation": "leads.html",
        "wikisum/rating_sheets": "leads.html#people",
        "wikisum/human_evaluation": "leads.html#people",
    },
    pages_of=_pages_of,
)


def _table_1(tables: Mapping[str, Any]) -> Grid:
    lines = [
        GridLine(
            "This corpus" if row["dataset"] == "ours" else row["dataset"],
            [
                *(_magnitude(row[name]) for name in ("input", "output", "examples")),
                None if row["rouge1_recall"] is None else f"{row['rouge1_recall']:.1f}",
            ],
            "as published" if row["published"] else "",
        )
        for row in tables["table_1"]
    ]
    return Grid(
        "Table 1: corpora of summaries",
        ("corpus", "words of the input", "words of the output", "examples", "ROUGE-1 recall"),
        lines,
        "numbers",
    )


def _magnitude(value: str | int) -> str | int:
    """Return a range like "10^2-10^6" as "10² to 10⁶"; numbers are not changed."""
    if isinstance(value, int):
        return value
    return re.sub(r"\^(\d+)", lambda power: power[1].translate(_POWERS), value).replace("-", " to ")


def _table_2(tables: Mapping[str, Any]) -> Grid:
    rows: dict[str, list[Row]] = {}
    for row in tables["table_2"]:
        rows.setdefault(row["aspect"], []).append(row)
    lines = [
        GridLine(ASPECTS.get(aspect, aspect), [row[whose] for row in of_aspect], name)
        for aspect, of_aspect in rows.items()
        for whose, name in (("value", "this corpus"), ("published", "the paper"))
    ]
    percentiles = next(iter(rows.values()), [])
    return Grid(
        "Table 2: percentiles",
        ("percentile", *(str(row["percentile"]) for row in percentiles)),
        lines,
        "numbers",
    )


def _percentiles(tables: Mapping[str, Any] | None) -> dict[str, list[Row]]:
    """Return the data of the charts: by aspect, our percentiles and the paper's."""
    rows = (tables or {}).get("table_2", [])
    return {aspect: [row for row in rows if row["aspect"] == aspect] for aspect in ASPECTS}


def _looked_for(params: ReferenceParams) -> str:
    """Return a description of what a page must share with a section to be a clone."""
    if params.recall == "words":
        return "the distinct words"
    return f"the distinct runs of {params.shingle_words} words"


def _clones(rows: Iterable[Row]) -> Grid:
    lines = [
        GridLine(
            f"{row['words_above'] + 1:,} to {row['words_to']:,}".replace(",", "\u202f")
            if row["words_to"]
            else "more",
            [
                row["candidates"],
                row["clones"],
                f"{100 * row['clones'] / row['candidates']:.1f} %" if row["candidates"] else None,
            ],
        )
        for row in rows
    ]
    return Grid(
        "Clones by length",
        ("words of the page", "candidates", "above the threshold", "share"),
        lines,
        "numbers",
    )


def _dispersion(spread: Mapping[str, Any]) -> Grid:
    """Return the mean coverage curve and the area above it."""
    values = (*spread["coverage"], spread["score"])
    cells = [None if value is None else f"{100 * value:.1f}" for value in values]
    heads = [str(number) for number in range(1, len(values))]
    line = GridLine("covered by the best references", cells)
    return Grid("Coverage of leads by references", ("references", *heads, "score"), [line], "numbers")


def _needed(spread: Mapping[str, Any]) -> Grid:
    """Return the number of references that articles need, by percentile."""
    heads = [f"{percentile} %" for percentile in spread["percentiles"]]
    return Grid("References needed", ("", *heads), [GridLine("references", spread["needed"])], "numbers")


def _lengths(rows: Sequence[Row]) -> list[int]:
    return sorted({row["words"] for row in rows})


def _recalls(rows: Sequence[Row]) -> Grid:
    """Return recall by ranker and length, best first; cheating does not compete."""
    recalls = {(row["ranker"], row["words"]): row for row in rows}
    lengths = _lengths(rows)
    rankers = sorted(
        {row["ranker"] for row in rows},
        key=lambda ranker: (-recalls[ranker, lengths[-1]][_RECALL]["mean"], ranker),
    )
    columns = [
        bars(
            [Interval(**recalls[ranker, words][_RECALL]) for ranker in rankers],
            [ranker != "cheating" for ranker in rankers],
        )
        for words in lengths
    ]
    cheats = "sees the lead, so others are not expected to reach it"
    lines = [
        GridLine(ranker.replace("_", "-"), about=cheats if ranker == "cheating" else "") for ranker in rankers
    ]
    return columns_grid("Recall of the lead's bigrams", ("ranker", *_heads(lengths)), lines, columns)


def _tests(rows: Sequence[Row]) -> Grid:
    """Return by how much each ranker beats tf-idf."""
    compared = {(row["ranker"], row["words"]): row for row in rows if "above_tf_idf" in row}
    lengths = _lengths(list(compared.values()))
    tests = []
    for ranker in dict.fromkeys(ranker for ranker, _ in compared):
        scores = {str(words): Comparison(**compared[ranker, words]["above_tf_idf"]) for words in lengths}
        articles = compared[ranker, lengths[0]]["articles"]
        tests.append(([ranker.replace("_", "-")], PairedTest(ranker, BASELINE, (), articles, scores)))
    metrics = dict(zip(map(str, lengths), _heads(lengths), strict=True))
    return tests_grid("Above tf-idf", ("ranker",), tests, metrics, "articles")


def _heads(lengths: Iterable[int]) -> list[str]:
    return [f"first {words} words" for words in lengths]
