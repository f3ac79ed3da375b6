"""What every cell of the grid, and extraction alone, is worth: Tables 3, 4 and 7, Figures 2 and 3.

Belongs here: scores of each lead, their means with intervals, tests, scores by category. Not here: training
the cells (ops/wikisum/models/grid.py), extraction (extractive.py), the paper's numbers (pages).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
from pydantic import Field, field_validator

from ops.core.splits import split_of
from ops.identity import joint_licence, row_id
from ops.metrics.bertscore import BertScorer
from ops.metrics.rouge import DIGITS, Score, tensor2tensor_f
from ops.metrics.systems import EvaluatedSystem, by_system, mean_scores, paired_tests, system_tests
from ops.models.encoder import ENCODER
from ops.outcome import TEXT, TITLE, Outcome, Outcomes, Row, Shape, columns, drop
from ops.params import ModelName, Params
from ops.parts import Artifact, Parts
from ops.wikisum import learned_ranker as learning
from ops.wikisum.evaluation.categories import Group, groups_of
from ops.wikisum.evaluation.extractive import ExtractedLead, extracted_leads
from ops.wikisum.models.grid import NOT_DRAWN
from ops.wikisum.models.summaries import METRICS, perplexity_interval, rouge_scores
from ops.wikisum.models.summarizer import MODELS
from ops.wikisum.schemas import RANKED
from ops.wikisum.splits import SplitParams

#: The system of leads that no model wrote.
EXTRACTIVE = "extractive"
#: All articles, among the categories.
ALL = "all"
#: Of Tables 3, 4 and 6, and of Table 7.
LOG_PERPLEXITY, ROUGE_L = "log_perplexity", "rougeL_f"
#: ROUGE-L as the released code weighs it, and BERTScore.
RELEASED_ROUGE_L, BERTSCORE = "rougeL_f_tensor2tensor", "bertscore_f"
TABLE_7 = ("rouge1_recall", "rouge1_precision", "rouge1_f")

TABLE = "table.json"

#: Of each lead, in 0 to 1.
SCORES = (*METRICS, RELEASED_ROUGE_L, BERTSCORE)

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

EVALUATION = Shape(
    unit=RANKED.kept,
    kept=columns(
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        ("categories", pa.list_(_TEXT), "of params.yaml that the article is of"),
        ("system", _TEXT, f"architecture of the model, or {EXTRACTIVE}"),
        ("model", _TEXT, "ranker, corpus and, of a model, L"),
        ("ranker", _TEXT, "what ordered the paragraphs"),
        ("corpus", _TEXT, "combined, citations or search"),
        ("length", _INT, "sub-words of the model's input at most: L"),
        ("chosen", pa.bool_(), "whether it is of the model that validation chose"),
        ("prediction", _TEXT, "the lead of the system", TEXT),
        ("target", _TEXT, "the lead of the article"),
        ("tokens", _INT, "sub-words of the target, its end included; null without a model"),
        ("nats", _REAL, "negative log-likelihood of all these; null without a model"),
        *((name, _REAL, "of the prediction, 0 to 1") for name in SCORES),
    ),
)

#: What the tables need of a row: texts may be many.
_LIGHT = (
    "article_id", "categories", "system", "model", "ranker", "corpus", "length", "chosen", "tokens", "nats",
    *SCORES,
)  # fmt: skip


_OF_MODEL = ("ranker", "corpus", "length", "prediction", "tokens", "nats", *METRICS)


class EvaluationParams(Params, section="wikisum.evaluation"):
    """The categories of articles, what BERTScore reads, and the bootstrap over articles."""

    categories: dict[str, Group] = Field({}, description="by name what tells its articles")
    encoder: ModelName = Field(ENCODER, description="whose tokens BERTScore compares")
    layer: int = Field(5, ge=1, description="of the encoder, from 1")
    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval and each test")
    seed: int = Field(0, ge=0)

    @field_validator("categories")
    @classmethod
    def _named(cls, categories: dict[str, Group]) -> dict[str, Group]:
        if ALL in categories:
            raise ValueError(f"{ALL!r} is the name of all articles")
        return categories


def evaluation(
    ranked: Parts,
    articles: Parts,
    grid: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: EvaluationParams,
    strict: bool = True,
) -> Outcomes:
    """Yield the scores of every system on each test article; the units are the articles.

    They are the articles for which the cells of the grid wrote. Others are dropped as `split_train` and
    `split_validation`, and of the test split as `not_drawn` or `nothing_written`.
    """
    ranker = learning.load(learned_ranker)
    scorer = BertScorer(params.encoder, params.layer, strict)
    chosen = {
        report["model"] for report in json.loads((grid.folder / MODELS).read_text()) if report["chosen"]
    }
    not_drawn = set(json.loads((grid.folder / NOT_DRAWN).read_text()))
    light: list[Row] = []
    last: Outcome | None = None
    for table in ranked:
        if last is not None:
            yield last
        units = table.to_pylist()
        ids = [unit["article_id"] for unit in units]
        of_article: dict[str, list[Row]] = {}
        for row in grid.rows.read(where=("article_id", ids)).to_pylist():
            of_article.setdefault(row["article_id"], []).append(row)
        known = articles.read(["id", "categories"], where=("id", ids)).to_pylist()
        categories = {row["id"]: row["categories"] for row in known}
        kept: list[Row] = []
        dropped: list[Row] = []
        for unit in units:
            if written := of_article.get(unit["article_id"]):
                groups = groups_of(categories[unit["article_id"]], unit["lead"], params.categories)
                about = _about(unit, groups)
                kept += [_written(about, row, chosen) for row in written]
                kept += [_extracted(about, lead) for lead in extracted_leads(unit, ranker)]
            else:
                split = split_of(unit["title"], splits)
                lost = "not_drawn" if unit["article_id"] in not_drawn else "nothing_written"
                dropped.append(drop(unit, lost if split == "test" else f"split_{split}"))
        kept = list(_more_scores(kept, scorer))
        light.extend({name: row[name] for name in _LIGHT} for row in kept)
        last = Outcome.of(EVALUATION, [unit["id"] for unit in units], kept, dropped)
    files = {TABLE: json.dumps(tables(light, params), indent=1, sort_keys=True).encode()}
    yield replace(last or Outcome.of(EVALUATION, [], []), files=files)


def tables(rows: Sequence[Row], params: EvaluationParams) -> dict[str, Any]:
    """Return the means of every system with 95 % intervals over articles.

    `systems`: system, model, ranker, corpus, length, articles, and by metric mean, low and high. `tests`: of
    the chosen model against every other system over the articles of both: difference, low, high and p.
    `categories`: the chosen model by category, `all` first; a category without an article has no scores.
    """
    systems = by_system(rows)
    draws = params.resamples, params.seed
    chosen = [row for row in rows if row["chosen"]]
    by_category = {ALL: chosen} | {
        name: [row for row in chosen if name in row["categories"]] for name in params.categories
    }
    return {
        "metrics": [LOG_PERPLEXITY, *SCORES],
        "systems": [_scored(of_system, *draws) for _, of_system in sorted(systems.items())],
        "tests": list(_tests(systems, *draws)),
        "categories": [
            {
                "model": chosen[0]["model"],
                "category": category,
                "articles": len(of_category),
                "scores": mean_scores(of_category, TABLE_7, *draws) if of_category else {},
            }
            for category, of_category in by_category.items()
            if chosen
        ],
    }


def _scored(rows: Sequence[Row], resamples: int, seed: int) -> dict[str, Any]:
    """Return a system with its scores; it has a log-perplexity if it is a model."""
    first = rows[0]
    scores = mean_scores(rows, SCORES, resamples, seed)
    if first["system"] != EXTRACTIVE:
        scores[LOG_PERPLEXITY] = perplexity_interval(rows, resamples, seed)._asdict()
    about = {name: first[name] for name in ("system", "model", "ranker", "corpus", "length", "chosen")}
    return {**about, "articles": len(rows), "scores": scores}


def _tests(
    systems: Mapping[EvaluatedSystem, Sequence[Row]], resamples: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Return the paired tests of the chosen model against every other system."""
    pairs = (
        (ours, theirs)
        for ours, rows in systems.items()
        if rows[0]["chosen"]
        for theirs in sorted(systems.keys() - {ours})
    )
    compared = partial(paired_tests, metrics=(ROUGE_L, "rouge1_f"), resamples=resamples, seed=seed)
    return system_tests(systems, pairs, "article_id", "articles", compared)


def _more_scores(rows: Sequence[Row], scorer: BertScorer) -> Iterator[Row]:
    """Yield the leads with what ROUGE-1.5.5 does not tell."""
    found = scorer.score([row["prediction"] for row in rows], [row["target"] for row in rows])
    for row, f1 in zip(rows, found.f1.tolist(), strict=True):
        rouge_l = Score(row["rougeL_precision"], row["rougeL_recall"], row["rougeL_f"])
        released = round(tensor2tensor_f(rouge_l), DIGITS)
        yield {**row, RELEASED_ROUGE_L: released, BERTSCORE: round(f1, 4)}


def _about(unit: Row, categories: Sequence[str]) -> dict[str, Any]:
    return {
        "source_ids": [unit["id"]],
        "licence": unit["licence"],
        "article_id": unit["article_id"],
        "title": unit["title"],
        "categories": categories,
        "target": unit["lead"],
    }


def _written(about: Row, row: Row, chosen: set[str]) -> Row:
    """Return the row of what a model wrote."""
    return {
        **about,
        "id": row_id("score", row["id"]),
        "source_ids": [*about["source_ids"], row["id"]],
        "licence": joint_licence([about["licence"], row["licence"]]),
        "system": row["architecture"],
        "model": row["set"],
        "chosen": row["model"] in chosen,
        **{name: row[name] for name in _OF_MODEL},
    }


def _extracted(about: Row, lead: ExtractedLead) -> Row:
    """Return the row of what a ranker alone extracts."""
    model = f"{lead.ranker}-{lead.corpus}"
    return {
        **about,
        "id": row_id("score", about["source_ids"][0], EXTRACTIVE, model),
        "system": EXTRACTIVE,
        "model": model,
        "ranker": lead.ranker,
        "corpus": lead.corpus,
        "length": None,
        "chosen": False,
        "prediction": lead.text,
        "tokens": None,
        "nats": None,
        **rouge_scores(lead.text, about["target"]),
    }
