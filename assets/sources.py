"""The sources that several systems share: papers, sentences, citations, articles, web pages, ratings.

Belongs here: shared datasets. Not here: datasets that only one system reads or makes
(assets/systems/<system>).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import (
    among,
    at_most,
    between,
    none,
    not_null,
    text,
    texts,
    unique,
)
from silverloom.assets.filters import filter_documents
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import Parts
from silverloom.ops.evaluation import answers as answer_files
from silverloom.ops.evaluation.answers import ANSWERS
from silverloom.ops.filters.params import (
    PaperBoundParams,
    PaperScoreParams,
    WebPageBoundParams,
    WebPageScoreParams,
)
from silverloom.ops.parse import papers as paper_files
from silverloom.ops.parse import web as web_files
from silverloom.ops.parse import wikipedia as article_files
from silverloom.ops.parse.roles import ROLES
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.schemas import ARTICLES, CITATIONS, PAPERS, SENTENCES, WEB_PAGES
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences


@dataset(
    group="sources",
    shape=PAPERS,
    formats=paper_files.FORMATS,
    measures=["text.words", "sections.length", "sentences.length"],
    scores={"sentences": DatasetScore("sentences.length")},
    expectations=[
        *not_null("title", severity="warning"),
        *text("title", longest=400),
        between("text.characters", 200, 2_000_000, "warning"),
        between("sentences.length", 1, 10_000, "warning"),
        *none("sentences.id.missing", "sentences.id.repeats", "sentences.position.descents"),
        between("sentences.start.least", 0),
        *texts("sentences.text", longest=3_000),
    ],
)
def papers(records: Records) -> Outcomes:
    """Papers: title, sections with their roles, and sentences with their place in the source."""
    return records.map(paper_files.parse_papers)


filtered_papers = filter_documents("papers", PAPERS, PaperScoreParams, PaperBoundParams)


@dataset(
    group="sources",
    shape=CITATIONS,
    records="papers",
    formats=paper_files.FORMATS,
    measures=["marks.length", "bibliography.length"],
    expectations=[
        *none("marks.id.missing", "marks.id.repeats"),
        between("marks.start.least", 0),
        *texts("marks.text", longest=400),
    ],
)
def citations(records: Records) -> Outcomes:
    """Citation marks of every paper, with the ids of the cited papers, and its bibliography."""
    return records.map(paper_files.parse_citations)


@dataset(
    group="sources",
    shape=SENTENCES,
    consumes="papers.sentences",
    measures=["text.words", "text.characters"],
    scores={"words": DatasetScore("text.words")},
    expectations=[
        unique("paper_id", "position"),
        between("position", 0),
        between("start", 0),
        at_most("start", "end"),
        among("role", *ROLES),
        *text("text", longest=3_000),
    ],
)
def sentences(papers: Parts, params: SentenceParams) -> Outcomes:
    """The papers' sentences without footnotes, copyright lines and equation debris."""
    return papers.map(filter_sentences, params)


@dataset(
    group="sources",
    shape=ARTICLES,
    formats=article_files.FORMATS,
    measures=["text.words", "sections.length", "citations.length"],
    scores={"words": DatasetScore("text.words")},
    expectations=[
        *text("title", longest=400),
        *text("text", longest=2_000_000),
        between("sections.length", 1, 1_000),
        between("sections.start.least", 0),
        *texts("citations.url", longest=3_000),
    ],
)
def articles(records: Records) -> Outcomes:
    """Articles of an encyclopedia: paragraphs by section, with the pages that each section cites."""
    return records.map(article_files.parse_articles)


@dataset(
    group="sources",
    shape=WEB_PAGES,
    formats=web_files.FORMATS,
    measures=["text.words", "boilerplate", "language_distance"],
    scores={"words": DatasetScore("text.words")},
    expectations=[
        between("boilerplate", 0, 1),
        between("paragraphs.length", 1, 100_000, "warning"),
        between("paragraphs.start.least", 0),
    ],
)
def web_pages(records: Records) -> Outcomes:
    """Web pages: every paragraph with its boilerplate score, and the language of the page."""
    return records.map(web_files.parse_web_pages)


filtered_web_pages = filter_documents("web_pages", WEB_PAGES, WebPageScoreParams, WebPageBoundParams)


@dataset(
    group="sources",
    shape=ANSWERS,
    formats=answer_files.FORMATS,
    expectations=[*not_null("questionnaire", "rater", "question", severity="warning")],
)
def ratings(records: Records) -> Outcomes:
    """Answers from filled rating sheets, one row per answer."""
    return records.map(answer_files.parse_answers)
