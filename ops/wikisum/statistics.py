"""Sizes of inputs and outputs: Tables 1 and 2 of the paper; and over how many references a lead is spread.

Belongs here: counts by article, percentiles next to the published ones, clones by length of page, the mean
curve of dispersion. Not here: which references contain which statements (dispersion.py), how pages show them.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, at_most
from silverloom.ops.metrics.dispersion import dispersion
from silverloom.ops.text.word_numbers import WordNumbers, number_words
from silverloom.ops.wikisum.corpus import CorpusParams, is_compared
from silverloom.ops.wikisum.dispersion import DispersionParams, held, recalls, stated, statements
from silverloom.ops.wikisum.examples import ExampleParams
from silverloom.ops.wikisum.schemas import STATISTICS
from silverloom.ops.wikisum.targets import target_of

PERCENTILES = (20, 40, 50, 60, 80, 100)

#: Table 2. The paper prints the first size of search results as "1,1691".
TABLE_2: Mapping[str, tuple[int, ...]] = {
    "lead_words": (37, 62, 78, 98, 166, 10_034),
    "citations": (1, 2, 2, 3, 5, 1_029),
    "citation_words": (562, 1_467, 2_296, 3_592, 10_320, 6_159_463),
    "search_results": (10, 20, 26, 31, 46, 2_095),
    "search_words": (11_691, 33_989, 49_222, 68_681, 135_533, 5_355_671),
}

#: Table 1: ROUGE-1 recall of the output in the input, in percent, and the orders of magnitude.
TABLE_1 = (
    {"dataset": "Gigaword", "input": "10^1", "output": "10^1", "examples": "10^6", "rouge1_recall": 78.7},
    {
        "dataset": "CNN/DailyMail",
        "input": "10^2-10^3",
        "output": "10^1",
        "examples": "10^5",
        "rouge1_recall": 76.1,
    },
    {
        "dataset": "WikiSum",
        "input": "10^2-10^6",
        "output": "10^1-10^3",
        "examples": "10^6",
        "rouge1_recall": 59.2,
    },
)

#: The counts of an article whose percentiles are taken.
_COUNTS = (*TABLE_2, "input_words", "needed")

#: Upper bounds in words of the rows of the table of clones; the last row is unbounded.
LENGTHS = (100, 500, 1_000, 5_000, 10_000)

TABLES = "tables.json"


def statistics(
    ranked: Parts,
    corpus: Parts,
    references: Parts,
    examples: ExampleParams,
    clones: CorpusParams,
    spread: DispersionParams,
) -> Outcomes:
    """Yield the counts of every article; the units are the articles.

    tables.json has Table 1 and Table 2 next to the published numbers, over the articles with as many
    citations as an example needs; how many of the candidates that are checked for clones are clones, by
    length; and the dispersion of the leads.
    """
    sizes = _Sizes(corpus)
    totals = _Totals(spread)
    last: Outcome | None = None
    for table in ranked:
        if last is not None:
            yield last
        units = table.to_pylist()
        kept = [_row(unit, sizes.take(unit["article_id"]), examples, spread) for unit in units]
        last = Outcome.of(STATISTICS, [unit["id"] for unit in units], kept)
        totals.add([row for row in kept if row["counted"]])
    tables = {
        "table_1": [*({**row, "published": True} for row in TABLE_1), _table_1(totals)],
        "table_2": _table_2(totals),
        "clones": _clones(references, clones),
        "dispersion": _dispersion(totals, spread),
    }
    files = {TABLES: json.dumps(tables, indent=1, sort_keys=True).encode() + b"\n"}
    yield replace(last or Outcome.of(STATISTICS, [], []), files=files)


def _recall(words: WordNumbers) -> float:
    """Return the share of an output's words that its inputs have, with repeats; numbered by the output."""
    counts = np.bincount(words.numbers[: words.ends[1]], minlength=words.distinct)
    rest = words.numbers[words.ends[1] :]
    there = np.bincount(rest[rest >= 0], minlength=words.distinct)
    return float(np.minimum(counts, there).sum() / max(counts.sum(), 1))


class _Sizes:
    """Counts and words of the pages of articles; reads the corpus only as far as needed.

    The articles of wikisum/ranked are in the order of the corpus, and all pages of an article are in one
    part. So about one part is in memory. In any other order, the sizes are the same, but more of them are in
    memory.
    """

    def __init__(self, corpus: Parts) -> None:
        self._parts = iter(corpus.parts)
        self._known: dict[str, Counter[str]] = {}

    def take(self, article_id: str) -> Counter[str]:
        """Return the sizes of an article, and forget them; all 0 if it has no page."""
        while article_id not in self._known and (part := next(self._parts, None)):
            for row in part.read(["article_id", "cited", "searched", "words"]).to_pylist():
                size = self._known.setdefault(row["article_id"], Counter())
                for kind, pages in (("cited", "citation"), ("searched", "search")):
                    size[kind] += row[kind]
                    size[f"{pages}_words"] += row["words"] * row[kind]
        return self._known.pop(article_id, Counter())


def _row(unit: Row, size: Mapping[str, int], params: ExampleParams, spread: DispersionParams) -> Row:
    texts = [paragraph["text"] for paragraph in unit["paragraphs"]]
    words = number_words([unit["lead"], *texts], known=unit["lead"])
    return {
        **made_from(unit, "counted"),
        "article_id": unit["article_id"],
        "title": unit["title"],
        "month": unit["month"],
        "lead_words": len(unit["lead"].split()),
        "article_words": len(target_of(unit, "article").text.split()),
        "citations": size["cited"],
        "citation_words": size["citation_words"],
        "search_results": size["searched"],
        "search_words": size["search_words"],
        "input_words": sum(len(text.split()) for text in texts),
        "rouge1_recall": round(_recall(words), 6) if unit["lead"] else None,
        **_spread(unit, words, spread),
        "counted": bool(unit["lead"]) and bool(at_least(unit["citations"], params.citations)),
    }


def _spread(unit: Row, words: WordNumbers, params: DispersionParams) -> Row:
    """Return the dispersion columns of an article."""
    texts = statements(unit["lead"], unit["title"])
    pages = [paragraph["page_id"] for paragraph in unit["paragraphs"]]
    by_page = list(recalls(texts, unit["title"], words, pages)) if texts else []
    score = dispersion(held(by_page, params), params.references)
    return {
        "statements": len(texts),
        "held": score.statements if score else 0,
        "stated": stated(texts, by_page, params),
        "dispersion": round(score.score, 6) if score else None,
        "needed": score.needed if score else None,
        "coverage": [round(share, 6) for share in score.coverage] if score else None,
    }


class _Totals:
    """What the tables need of the articles: 8 bytes per count, and exact sums."""

    def __init__(self, params: DispersionParams) -> None:
        self.counts = {name: array("q") for name in _COUNTS}
        self.articles = self.statements = self.held = 0
        self.recall = 0.0
        self.score, self.coverage = Fraction(), [Fraction()] * params.references

    def add(self, rows: Sequence[Row]) -> None:
        """Add articles."""
        for row in rows:
            for name, values in self.counts.items():
                if row[name] is not None:
                    values.append(row[name])
            self.articles += 1
            self.statements += row["statements"]
            self.held += row["held"]
            self.recall += row["rouge1_recall"]
            if row["dispersion"] is not None:
                self.score += Fraction(row["dispersion"])
                self.coverage = [
                    total + Fraction(share)
                    for total, share in zip(self.coverage, row["coverage"], strict=True)
                ]


def _table_1(totals: _Totals) -> dict[str, Any]:
    articles = totals.articles
    return {
        "dataset": "ours",
        "published": False,
        "input": _range(totals.counts["input_words"]),
        "output": _range(totals.counts["lead_words"]),
        "examples": articles,
        "rouge1_recall": round(100 * totals.recall / articles, 2) if articles else None,
    }


def _range(values: Sequence[int]) -> str:
    """Return the orders of magnitude of the 5th and the 95th percentile."""
    if not values:
        return ""
    ends = np.percentile(values, [5, 95], method="nearest").tolist()
    low, high = (f"10^{len(str(int(end))) - 1}" for end in ends)
    return low if low == high else f"{low}-{high}"


def _table_2(totals: _Totals) -> list[dict[str, Any]]:
    """Return the percentiles: the smallest value that this share of the articles does not exceed."""
    rows = []
    for aspect, published in TABLE_2.items():
        values = totals.counts[aspect]
        ours = np.percentile(values, PERCENTILES, method="inverted_cdf").tolist() if values else [None] * 6
        for percentile, value, theirs in zip(PERCENTILES, ours, published, strict=True):
            rows.append({"aspect": aspect, "percentile": percentile, "value": value, "published": theirs})
    return rows


def _dispersion(totals: _Totals, params: DispersionParams) -> dict[str, Any]:
    """Return the means over articles with a statement that some reference contains; null without any.

    `coverage`: of the statements that any reference contains, the share in the best 1, 2, ... references;
    `score`: the area above that curve; `needed`: how many references contain all these statements, as
    percentiles. `articles`: the number of these articles; `of`: of all articles; `statements`, `held`: over
    all.
    """
    needed = totals.counts["needed"]

    def mean(total: Fraction) -> float | None:
        return round(float(total) / len(needed), 6) if needed else None

    return {
        "share": params.share,
        "articles": len(needed),
        "of": totals.articles,
        "statements": totals.statements,
        "held": totals.held,
        "score": mean(totals.score),
        "coverage": [mean(total) for total in totals.coverage],
        "needed": [int(value) for value in np.percentile(needed, PERCENTILES, method="inverted_cdf").tolist()]
        if needed
        else [None] * len(PERCENTILES),
        "percentiles": list(PERCENTILES),
    }


def _clones(references: Parts, params: CorpusParams) -> list[dict[str, Any]]:
    """Return how many of the candidates that are checked for clones exceed the threshold, by their words."""
    totals, clones = [0] * (len(LENGTHS) + 1), [0] * (len(LENGTHS) + 1)
    for part in references.parts:
        for row in part.read(["words", "clone_recall", "cited", "hits"]).to_pylist():
            if not is_compared(row, params):
                continue
            place = bisect_right(LENGTHS, row["words"] - 1)
            totals[place] += 1
            clones[place] += not at_most(row["clone_recall"], params.clone_recall)
    bounds = zip((0, *LENGTHS), (*LENGTHS, None), strict=True)
    return [
        {"words_above": low, "words_to": high, "candidates": total, "clones": clone}
        for (low, high), total, clone in zip(bounds, totals, clones, strict=True)
    ]
