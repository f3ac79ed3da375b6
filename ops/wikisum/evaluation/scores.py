"""How good every cell of the grid is, and extraction without a model: Tables 3, 4 and 7, Figures 2 and 3.

Belongs here: leads made by extraction alone; scores of each lead, their means with intervals, tests; the
groups of articles in Table 7, and scores by category. Not here: training the cells (models/grid.py), rankers
(ops/wikisum/rank.py, ops/wikisum/learned_ranker.py), reading an article's categories
(ops/parse/wikipedia.py), the paper's numbers (pages).

Liu et al. (2018), section 5.3: an extracted lead is as long as the target. They use two groups of Sauper and
Barzilay (2009), Diseases and American Actors, and do not say how they found their articles. Editors put
articles in narrow categories ("Infectious diseases", "American male film actors"). So a group here is a
pattern that matches names of categories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import Field, field_validator, model_validator

from silverloom.ops.core.identity import made_from, made_from_several
from silverloom.ops.core.joins import matches
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import TEXT, TITLE, Outcome, Outcomes, Row, Shape, columns, drop, optional
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import split_of
from silverloom.ops.evaluation.table import TABLE, Bootstrap, by_system, mean_scores, system_tests, with_files
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.metrics.rouge import DIGITS, Score, tensor2tensor_f
from silverloom.ops.models.encoder import ENCODER
from silverloom.ops.wikisum.corpus import COMBINED
from silverloom.ops.wikisum.learned_ranker import LEARNED, LearnedRanker
from silverloom.ops.wikisum.learned_ranker import load as load_ranker
from silverloom.ops.wikisum.models.grid import NOT_DRAWN
from silverloom.ops.wikisum.models.summaries import METRICS, PERPLEXITY, rouge_scores
from silverloom.ops.wikisum.models.summarizer import MODELS
from silverloom.ops.wikisum.ranked import first_words, order_of
from silverloom.ops.wikisum.schemas import RANKED, SplitParams


class Group(Params):
    """How to recognise the articles of a group: patterns that are searched in lower case."""

    category: re.Pattern[str] | None = Field(
        None, description="of an article's own categories one has it; null: the lead alone tells"
    )
    lead: re.Pattern[str] | None = Field(
        None, description="the normalised lead has it, where an article has no category; null: it is of none"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_lead(cls, value: object) -> object:
        return {"lead": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _told(self) -> Group:
        if self.category is None and self.lead is None:
            raise ValueError("give the pattern of a category, or of the lead")
        return self

    def has(self, categories: Sequence[str], lead: str) -> bool:
        """Return whether an article with these categories and this lead belongs to the group."""
        if categories and self.category:
            return any(self.category.search(name.lower()) for name in categories)
        return bool(self.lead and self.lead.search(lead))


class ExtractedLead(NamedTuple):
    """The lead that a ranker extracts from an article's references, without a model."""

    ranker: str
    corpus: str
    text: str


#: The system name of extracted leads, which no model wrote.
EXTRACTIVE = "extractive"
#: The category of all articles.
ALL = "all"
#: The metrics of Tables 3, 4 and 6, and of Table 7.
LOG_PERPLEXITY, ROUGE_L = "log_perplexity", "rougeL_f"
#: ROUGE-L as the released code weights it, and BERTScore.
RELEASED_ROUGE_L, BERTSCORE = "rougeL_f_tensor2tensor", "bertscore_f"
TABLE_7 = ("rouge1_recall", "rouge1_precision", "rouge1_f")

#: The scores of each lead, from 0 to 1.
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
        optional("length", _INT, "sub-words of the model's input at most: L"),
        ("chosen", pa.bool_(), "whether it is of the model that validation chose"),
        ("prediction", _TEXT, "the lead of the system", TEXT),
        ("target", _TEXT, "the lead of the article"),
        optional("tokens", _INT, "sub-words of the target, its end included; null without a model"),
        optional("nats", _REAL, "negative log-likelihood of all these; null without a model"),
        *((name, _REAL, "of the prediction, 0 to 1") for name in SCORES),
    ),
)

#: The columns that the tables need, for all rows in memory; the texts may be too large for it.
_LIGHT = (
    "article_id", "categories", "system", "model", "ranker", "corpus", "length", "chosen", "tokens", "nats",
    *SCORES,
)  # fmt: skip

_OF_MODEL = ("ranker", "corpus", "length", "prediction", "target", "tokens", "nats", *METRICS)


class EvaluationParams(Bootstrap, section="wikisum.evaluation"):
    """The categories of articles, the encoder of BERTScore, and the bootstrap over articles."""

    categories: dict[str, Group] = Field({}, description="by name what tells its articles")
    encoder: ModelName = Field(ENCODER, description="whose tokens BERTScore compares")
    layer: int = Field(5, ge=1, description="of the encoder, from 1")

    @field_validator("categories")
    @classmethod
    def _named(cls, categories: dict[str, Group]) -> dict[str, Group]:
        if ALL in categories:
            raise ValueError(f"{ALL!r} is the name of all articles")
        return categories


def groups_of(categories: Sequence[str], lead: str, groups: Mapping[str, Group]) -> list[str]:
    """Return the names of the groups that an article belongs to."""
    return [name for name, group in groups.items() if group.has(categories, lead)]


def extracted_leads(article: Row, learned: LearnedRanker | None) -> Iterator[ExtractedLead]:
    """Yield the lead of every ranking of an article (row of wikisum/ranked) that has a paragraph.

    The learned ranker, if given, ranks the combined corpus.
    """
    paragraphs = article["paragraphs"]
    texts = [paragraph["text"] for paragraph in paragraphs]
    words = len(article["lead"].split(" "))
    rankings = [(ranking["ranker"], ranking["corpus"], ranking["scores"]) for ranking in article["rankings"]]
    if learned and paragraphs:
        rankings.append((LEARNED, COMBINED, learned.scores(article["title"], paragraphs)))
    for ranker, corpus, scores in rankings:
        if order := order_of(scores):
            yield ExtractedLead(ranker, corpus, first_words(texts, order, words))


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

    Scores the articles for which the cells of the grid wrote leads. Drops articles of other splits as
    `split_train` and `split_validation`, and other test articles as `not_drawn` or `nothing_written`.
    """
    ranker = Loaded(load_ranker, (learned_ranker,))
    scorer = Loaded(BertScorer, (params.encoder, params.layer, strict))
    chosen = {
        report["model"] for report in json.loads((grid.folder / MODELS).read_text()) if report["chosen"]
    }
    not_drawn = set(json.loads((grid.folder / NOT_DRAWN).read_text()))
    light = [EVALUATION.kept.empty_table().select(_LIGHT)]

    def parts(folder: Path) -> Outcomes:
        of_grid = matches(grid.rows, "article_id", _article_ids(ranked), folder / "written")
        known = matches(articles, "id", _article_ids(ranked), folder / "articles", ["id", "categories"])
        shared = (ranker, scorer, chosen, not_drawn, splits, params)
        for outcome in ranked.map(scores_of, *shared, beside=[of_grid, known]):
            light.append(outcome.kept.select(_LIGHT))
            yield outcome

    def files() -> dict[str, bytes]:
        return {TABLE: json.dumps(tables(pa.concat_tables(light), params), indent=1, sort_keys=True).encode()}

    with ranked.engine.scratch() as folder:
        yield from with_files(parts(folder), EVALUATION, files)


def scores_of(
    ranked: pa.Table,
    of_grid: pa.Table,
    articles: pa.Table,
    ranker: Loaded[LearnedRanker],
    scorer: Loaded[BertScorer],
    chosen: Collection[str],
    not_drawn: Collection[str],
    splits: SplitParams,
    params: EvaluationParams,
) -> Outcome:
    """Return the scores of every system on the test articles of one part, given the leads of the grid."""
    units = ranked.to_pylist()
    of_article: dict[str, list[Row]] = {}
    for row in of_grid.to_pylist():
        of_article.setdefault(row["article_id"], []).append(row)
    categories = {row["id"]: row["categories"] for row in articles.to_pylist()}
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit in units:
        if written := of_article.get(unit["article_id"]):
            groups = groups_of(categories[unit["article_id"]], unit["lead"], params.categories)
            about = _about(unit, groups)
            kept += [_written(unit, about, row, chosen) for row in written]
            kept += [_extracted(unit, about, lead) for lead in extracted_leads(unit, ranker.model)]
        else:
            split = split_of(unit["title"], splits)
            lost = "not_drawn" if unit["article_id"] in not_drawn else "nothing_written"
            dropped.append(drop(unit, lost if split == "test" else f"split_{split}"))
    if kept:
        kept = list(_more_scores(kept, scorer.model))
    return Outcome.of(EVALUATION, [unit["id"] for unit in units], kept, dropped)


def tables(rows: pa.Table, params: EvaluationParams) -> dict[str, Any]:
    """Return the means of every system with 95 % intervals over articles.

    `systems`: system, model, ranker, corpus, length, articles, and for each metric mean, low and high.
    `tests`: the chosen model against every other system, over the articles that both have: difference, low,
    high and p. `categories`: the chosen model by category, `all` first; a category without articles has no
    scores.
    """
    systems = by_system(rows)
    chosen = rows.filter(rows["chosen"])
    by_category = {ALL: chosen} | {name: _of_category(chosen, name) for name in params.categories}
    pairs = [
        (ours, theirs)
        for ours, of_system in systems.items()
        if of_system["chosen"][0].as_py()
        for theirs in sorted(systems.keys() - {ours})
    ]
    return {
        "metrics": [LOG_PERPLEXITY, *SCORES],
        "systems": [_scored(of_system, params) for _, of_system in sorted(systems.items())],
        "tests": system_tests(systems, pairs, "article_id", "articles", (ROUGE_L, "rouge1_f"), params),
        "categories": [
            {
                "model": chosen["model"][0].as_py(),
                "category": category,
                "articles": len(of_category),
                "scores": mean_scores(of_category, TABLE_7, params) if len(of_category) else {},
            }
            for category, of_category in by_category.items()
            if len(chosen)
        ],
    }


def _article_ids(ranked: Parts) -> Iterator[pa.ChunkedArray]:
    return (part.read(["article_id"])["article_id"] for part in ranked.parts)


def _of_category(rows: pa.Table, name: str) -> pa.Table:
    return rows.filter(pa.array([name in names for names in rows["categories"].to_pylist()], pa.bool_()))


def _scored(rows: pa.Table, draws: Bootstrap) -> dict[str, Any]:
    """Return a system with its scores; only models have a log-perplexity."""
    [first] = rows.slice(0, 1).to_pylist()
    of_model = {} if first["system"] == EXTRACTIVE else {LOG_PERPLEXITY: PERPLEXITY}
    scores = mean_scores(rows, {**dict.fromkeys(SCORES), **of_model}, draws)
    about = {name: first[name] for name in ("system", "model", "ranker", "corpus", "length", "chosen")}
    return {**about, "articles": len(rows), "scores": scores}


def _more_scores(rows: Sequence[Row], scorer: BertScorer) -> Iterator[Row]:
    """Yield the leads with the scores that ROUGE-1.5.5 does not give."""
    bert_scores = scorer.score([row["prediction"] for row in rows], [row["target"] for row in rows])
    for row, f1 in zip(rows, bert_scores.f1.tolist(), strict=True):
        rouge_l = Score(row["rougeL_precision"], row["rougeL_recall"], row["rougeL_f"])
        released = round(tensor2tensor_f(rouge_l), DIGITS)
        yield {**row, RELEASED_ROUGE_L: released, BERTSCORE: round(f1, 4)}


def _about(unit: Row, categories: Sequence[str]) -> dict[str, Any]:
    return {
        "article_id": unit["article_id"],
        "title": unit["title"],
        "categories": categories,
        "target": unit["lead"],
    }


def _written(unit: Row, about: Row, row: Row, chosen: Collection[str]) -> Row:
    """Return the row of a lead that a model wrote."""
    return {
        **made_from_several((unit, row), "score", row["id"]),
        **about,
        "system": row["architecture"],
        "model": row["set"],
        "chosen": row["model"] in chosen,
        **{name: row[name] for name in _OF_MODEL},
    }


def _extracted(unit: Row, about: Row, lead: ExtractedLead) -> Row:
    """Return the row of a lead that a ranker extracted."""
    model = f"{lead.ranker}-{lead.corpus}"
    return {
        **made_from(unit, "score", unit["id"], EXTRACTIVE, model),
        **about,
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
