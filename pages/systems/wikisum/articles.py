"""The list of articles, and pages for a bounded number of them.

Belongs here: reading the datasets, and which articles have a page. Not here: the data of such a page
(article.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import grouped, rows, shortened, tables
from silverloom.ops.core.measures import count_words
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import FILES, Artifact, OneProcess, Parts
from silverloom.ops.wikisum import tokenizer as sub_words
from silverloom.ops.wikisum.examples import ExampleParams
from silverloom.ops.wikisum.learned_ranker import load as load_ranker
from silverloom.pages.html import render
from silverloom.pages.sampling import rank
from silverloom.pages.systems.wikisum.article import (
    LONGEST_LINE,
    ArticleRows,
    Makers,
    cells,
    dropped,
    page_data,
    references,
    summaries,
)

REFERENCES, CORPUS, RANKED = "wikisum/references", "wikisum/corpus", "wikisum/ranked"
EXAMPLES, SUMMARIES, GRID = "wikisum/examples", "wikisum/summaries", "wikisum/grid"
TOKENIZER, LEARNED = "wikisum/tokenizer", "wikisum/learned_ranker"

#: The most articles with a page, and in the list, chosen by the hash of their ids. Half of the pages are for
#: articles with generated summaries, if there are enough.
MOST_PAGES = 500
MOST_LISTED = 5_000

_CANDIDATE = (
    "id", "article_id", "page_id", "address", "title", "position", "cited", "hits", "words", "clone_recall",
)  # fmt: skip


def pages(everything: Everything) -> Files:
    """Yield the list of articles and the page of each chosen article."""
    chosen = with_page(everything)
    ranked = [entry | {"page": entry["id"] in chosen} for entry in _ranked(everything)]
    lost = list(_lost(everything, {entry["id"] for entry in ranked}))
    listed = sorted([*ranked, *lost], key=lambda entry: (not entry["page"], rank(entry["id"])))[:MOST_LISTED]
    yield render(
        "articles.html",
        "wikisum/articles.html",
        "Articles",
        data=sorted(listed, key=lambda entry: (entry["partition"], entry["title"], entry["id"])),
        made=RANKED in everything,
        ranked=len(ranked),
        lost=len(lost),
        shown=len(listed),
        with_page=len(chosen),
    )
    makers = makers_of(everything)
    for article in chosen_articles(everything, chosen):
        row, data = article.ranked, page_data(article, makers)
        yield render(
            f"articles/{row['article_id']}.html",
            "wikisum/article.html",
            shortened(row["title"], LONGEST_LINE) or row["article_id"],
            data=data,
            article=article,
            split=next((example["split"] for example in article.examples), None),
            references=references(article),
            dropped=dropped(article),
            summaries=summaries(article),
            cells=cells(article),
            declared=everything,
            makers=makers,
            held=len(data["paragraphs"]),
        )


def with_page(everything: Everything) -> set[str]:
    """Return the articles that have a page."""
    ids = sorted((row["article_id"] for row in rows(everything, RANKED, ["article_id"])), key=rank)
    written = {row["article_id"] for row in rows(everything, SUMMARIES, ["article_id"])}
    of_models = set([name for name in ids if name in written][: MOST_PAGES // 2])
    return of_models | set([name for name in ids if name not in of_models][: MOST_PAGES - len(of_models)])


def _ranked(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield the list entry of every article with ranked paragraphs, without reading their texts."""
    splits = {row["article_id"]: row["split"] for row in rows(everything, EXAMPLES, ["article_id", "split"])}
    no_example = _no_example(everything)
    best: dict[str, float] = {}
    for row in rows(everything, SUMMARIES, ["article_id", "rougeL_f"]):
        best[row["article_id"]] = max(best.get(row["article_id"], 0.0), row["rougeL_f"])
    columns = ["article_id", "title", "citations"]
    inner = ["lead", "paragraphs.list.element.position", "filtered.list.element.position"]
    for partition, folder in everything.get(RANKED, {}).items():
        candidates, left_out = (
            Counter(row["article_id"] for row in rows(everything, name, ["article_id"], outcome, partition))
            for name, outcome in ((REFERENCES, "kept"), (CORPUS, "dropped"))
        )
        for table in tables(folder, "kept", [*columns, *inner]):
            lengths = (pc.list_value_length(table[name]).to_pylist() for name in ("paragraphs", "filtered"))
            lead = count_words(table["lead"]).to_pylist()
            for row, *counts in zip(table.select(columns).to_pylist(), *lengths, lead, strict=True):
                name = row["article_id"]
                yield {
                    "id": name,
                    "title": shortened(row["title"], LONGEST_LINE),
                    "partition": partition,
                    "split": splits.get(name),
                    "why": no_example.get(name),
                    "cited": row["citations"],
                    "candidates": candidates[name],
                    "left_out": left_out[name],
                    **dict(zip(("paragraphs", "filtered", "lead"), counts, strict=True)),
                    "rougeL": best.get(name),
                }


def _lost(everything: Everything, ranked: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the list entry of every article without ranked paragraphs: none were found, or none are left."""
    for partition in everything.get(REFERENCES, {}):
        lost = [
            (row["id"], row["title"], REFERENCES, row["reason"], row["detail"])
            for row in rows(everything, REFERENCES, ["id", "title", "reason", "detail"], "dropped", partition)
        ]
        titles = {
            row["article_id"]: row["article_title"]
            for row in rows(everything, REFERENCES, ["article_id", "article_title"], partition=partition)
            if row["article_id"] not in ranked
        }
        if RANKED in everything:
            why = "no paragraph", "all of its references are left out or have only dropped paragraphs"
            lost += [(name, title, RANKED, *why) for name, title in titles.items()]
        for name, title, dataset, reason, detail in lost:
            yield {
                "id": name,
                "title": shortened(title, LONGEST_LINE),
                "partition": partition,
                "page": False,
                "dataset": dataset,
                "lost": reason.replace("_", " "),
                "detail": shortened(detail, LONGEST_LINE).replace("_", " "),
            }


def _no_example(everything: Everything) -> dict[str, str]:
    """Return why articles have no example, by article."""
    dropped_rows = rows(everything, EXAMPLES, ["article_id", "reason"], "dropped")
    return {row["article_id"]: row["reason"].replace("_", " ") for row in dropped_rows}


def makers_of(everything: Everything) -> Makers:
    """Return what inputs are made with, as far as it exists."""
    params = everything.graph.datasets[EXAMPLES].arguments.values() if EXAMPLES in everything else ()
    sets = next((value.sets for value in params if isinstance(value, ExampleParams)), {})
    pieces, learned = (_artifact(everything, name) for name in (TOKENIZER, LEARNED))
    return Makers(sets, sub_words.load(pieces) if pieces else None, load_ranker(learned) if learned else None)


def _artifact(everything: Everything, name: str) -> Artifact | None:
    """Return a dataset's files without its rows; None if it is not made."""
    folder = everything.get(name, {}).get("")
    return Artifact(Parts(pa.schema([]), (), OneProcess()), folder / FILES) if folder else None


def chosen_articles(everything: Everything, chosen: Collection[str]) -> Iterator[ArticleRows]:
    """Yield the rows of the chosen articles; only one partition's rows are in memory at a time."""
    no_example = _no_example(everything)
    written, of_grid = (
        grouped(rows(everything, name, article_id=chosen), "article_id") for name in (SUMMARIES, GRID)
    )
    for partition in everything.get(RANKED, {}):
        candidates, taken, left_out, examples = (
            grouped(rows(everything, name, columns, outcome, partition, article_id=chosen), "article_id")
            for name, columns, outcome in (
                (REFERENCES, _CANDIDATE, "kept"),
                (CORPUS, ["article_id", "page_id", "searched"], "kept"),
                (CORPUS, ["article_id", "page_id", "reason", "score", "detail"], "dropped"),
                (EXAMPLES, ["article_id", "id", "set", "split"], "kept"),
            )
        )
        # only one article's paragraphs become Python objects at a time
        for row in rows(everything, RANKED, partition=partition, at_once=1, article_id=chosen):
            name = row["article_id"]
            yield ArticleRows(
                ranked=row,
                candidates=sorted(candidates[name], key=lambda candidate: int(candidate["position"])),
                taken=_by_page(taken[name]),
                left_out=_by_page(left_out[name]),
                examples=examples[name],
                no_example=no_example.get(name),
                summaries=written[name],
                cells=of_grid[name],
            )


def _by_page(page_rows: Collection[Row]) -> Mapping[str, Row]:
    return {row["page_id"]: row for row in page_rows}
