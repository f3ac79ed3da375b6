"""WikiSum (Liu et al., ICLR 2018): articles of an encyclopedia, made from cited pages and search results.

Belongs here: the datasets from articles and web pages to examples. Not here: the computation (ops/wikisum).
"""

from __future__ import annotations

from functools import partial

from silverloom.assets.declare.dataset import AllParts, AllPartsAndFiles, dataset
from silverloom.assets.declare.declaration import Threshold
from silverloom.assets.declare.expectations import (
    at_most,
    between,
    file_columns,
    none,
    text,
    texts,
    unique,
)
from silverloom.assets.filters import filter_examples
from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.joins import Lookup, looked_up
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, FilesFolder, Parts
from silverloom.ops.core.release import ReleaseParams, shape
from silverloom.ops.core.release import release_files as release_files_op
from silverloom.ops.core.thresholds import at_least
from silverloom.ops.core.thresholds import at_most as at_most_op
from silverloom.ops.wikisum.corpus import CorpusParams, recalls, similarities
from silverloom.ops.wikisum.corpus import corpus as corpus_op
from silverloom.ops.wikisum.dispersion import DispersionParams
from silverloom.ops.wikisum.examples import CleanParams, ExampleParams, articles_of, citations
from silverloom.ops.wikisum.examples import examples as examples_op
from silverloom.ops.wikisum.learned_ranker import LearnedRankerParams
from silverloom.ops.wikisum.learned_ranker import learned_ranker as learned_ranker_op
from silverloom.ops.wikisum.ranked import RankedParams
from silverloom.ops.wikisum.ranked import ranked as ranked_op
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.references import references as references_op
from silverloom.ops.wikisum.schemas import (
    CORPUS,
    EXAMPLES,
    LEARNED_RANKER,
    RANKED,
    REFERENCES,
    SEARCH_INDEX,
    STATISTICS,
    TOKENIZER,
    SplitParams,
)
from silverloom.ops.wikisum.search_index import search_index as search_index_op
from silverloom.ops.wikisum.statistics import statistics as statistics_op
from silverloom.ops.wikisum.tokenizer import TokenizerParams
from silverloom.ops.wikisum.tokenizer import tokenizer as tokenizer_op


@dataset(
    group="wikisum",
    shape=SEARCH_INDEX,
    consumes="web_pages",
    partitioned=False,
    expectations=[unique("address")],
    one_task=True,
)
def search_index(web_pages: Parts) -> Outcomes:
    """Web pages of all partitions that a search can find, each address once."""
    return search_index_op(web_pages)


@dataset(
    group="wikisum",
    shape=REFERENCES,
    consumes="articles",
    measures=["clone_recall", "title_similarity", "words", "hits.length"],
    scores={
        "clone_recall": DatasetScore("clone_recall"),
        "cited": DatasetScore("hits.length", where="cited"),
    },
    expectations=[
        unique("article_id", "page_id"),
        between("position", 0),
        between("clone_recall", 0, 1),
        between("title_similarity", 0, 1),
        between("rival_similarity", 0, 1),
        between("words", 1),
        between("hits.rank.least", 1),
    ],
)
def references(
    articles: Parts,
    cited_pages: AllParts,
    found_pages: AllPartsAndFiles,
    web_pages: AllParts,
    search_index: Artifact,
    params: ReferenceParams,
    derived: DerivedFolder,
    strict: Strict,
) -> Outcomes:
    """Pages that an article cites or a search finds, with how much of the article each one repeats."""
    return references_op(articles, cited_pages, found_pages, web_pages, search_index, params, derived, strict)


@dataset(
    group="wikisum",
    shape=CORPUS,
    consumes="references",
    measures=["clone_recall", "words"],
    thresholds=[
        Threshold(
            CorpusParams,
            "clone_recall",
            at_most_op,
            recalls,
            values=(0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7),
            meaning="greatest share of a section that the page has",
            units="references",
        ),
        Threshold(
            CorpusParams,
            "title_similarity",
            at_least,
            similarities,
            values=(0, 0.04, 0.12, 0.16, 0.2, 0.3),
            meaning="similarity with the article's title, less half of that with another article",
            units="references",
        ),
    ],
    expectations=[
        unique("article_id", "page_id"),
        between("words", 1),
    ],
)
def corpus(references: Parts, params: CorpusParams) -> Outcomes:
    """References of each article: the pages it cites and search results, without clones of the article."""
    return references.map(corpus_op, params)


@dataset(
    group="wikisum",
    shape=RANKED,
    consumes="corpus",
    measures=["paragraphs.length", "filtered.length", "lead.words", "citations"],
    scores={"paragraphs": DatasetScore("paragraphs.length"), "filtered": DatasetScore("filtered.length")},
    expectations=[
        unique("article_id"),
        between("citations", 0),
        between("paragraphs.length", 1),
        between("paragraphs.position.least", 0),
        *texts("paragraphs.text", longest=100_000),
        *texts("sections.text", longest=1_000_000),
    ],
)
def ranked(corpus: Parts, articles: Parts, web_pages: AllParts, params: RankedParams) -> Outcomes:
    """Paragraphs of each article's references, with the scores of every ranker."""
    return ranked_op(corpus, articles, web_pages, params)


@dataset(
    group="wikisum",
    shape=LEARNED_RANKER,
    consumes="ranked",
    partitioned=False,
    measures=["bigram_recall"],
    scores={"bigram_recall": DatasetScore("bigram_recall", where="held_out")},
    expectations=[
        unique("article_id", "ranker", "words"),
        between("words", 1),
        between("bigram_recall", 0, 1),
    ],
    one_task=True,
)
def learned_ranker(ranked: Parts, splits: SplitParams, params: LearnedRankerParams) -> Outcomes:
    """A ranker that learns which paragraphs leads draw on, and the recall of every ranker."""
    return learned_ranker_op(ranked, splits, params)


@dataset(
    group="wikisum",
    shape=TOKENIZER,
    consumes="ranked",
    partitioned=False,
    measures=["characters", "tokens"],
    expectations=[
        unique("article_id"),
        between("characters", 0),
        at_most("words", "tokens", "warning"),
    ],
    one_task=True,
)
def tokenizer(ranked: Parts, splits: SplitParams, params: TokenizerParams) -> Outcomes:
    """A sub-word vocabulary of inputs and targets, learnt from the training split."""
    return tokenizer_op(ranked, splits, params)


@dataset(
    group="wikisum",
    shape=EXAMPLES,
    consumes="ranked",
    measures=["source_tokens.length", "target_tokens.length", "target.words", "used_paragraphs"],
    scores={
        "source_tokens": DatasetScore("source_tokens.length"),
        "target_words": DatasetScore("target.words"),
    },
    text_pair=("target_text", "source_text"),
    thresholds=[
        Threshold(
            ExampleParams,
            "citations",
            at_least,
            citations,
            values=(0, 2, 3, 5),
            meaning="cited pages that were crawled",
            units="articles",
            counted=articles_of,
        )
    ],
    expectations=[
        unique("set", "article_id", "section"),
        between("source_tokens.length", 1),
        between("target_tokens.length", 1),
        *none("source_tokens.items.missing", "target_tokens.items.missing"),
        *text("source", longest=1_000_000),
        *text("source_text", longest=1_000_000),
        *text("target", longest=1_000_000),
        *text("target_text", longest=1_000_000),
    ],
)
def examples(
    ranked: Parts,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
) -> Outcomes:
    """Examples: title and ranked paragraphs as source; lead, article, section or outline as target."""
    return examples_op(ranked, tokenizer, learned_ranker, splits, params)


clean_examples = filter_examples(
    "wikisum", "examples", EXAMPLES, ("source", "target"), CleanParams, partitioned=True
)


@dataset(
    group="wikisum",
    shape=STATISTICS,
    consumes="ranked",
    partitioned=False,
    measures=[
        *("lead_words", "citations", "citation_words", "search_results", "search_words", "rouge1_recall"),
        *("dispersion", "needed"),
    ],
    scores={name: DatasetScore(name, where="counted") for name in ("rouge1_recall", "dispersion", "needed")},
    expectations=[
        unique("article_id"),
        between("rouge1_recall", 0, 1),
        between("dispersion", 0, 1),
        between("needed", 1),
        *(between(name, 0) for name in ("lead_words", "citations", "search_results", "input_words")),
    ],
    one_task=True,
)
def statistics(
    ranked: Parts,
    corpus: Parts,
    references: Parts,
    examples: ExampleParams,
    clones: CorpusParams,
    spread: DispersionParams,
) -> Outcomes:
    """Sizes of inputs and leads (the paper's Tables 1 and 2), and how many references a lead draws on."""
    return statistics_op(ranked, corpus, references, examples, clones, spread)


@dataset(
    group="wikisum",
    shape=shape(EXAMPLES),
    consumes="examples",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(examples: Parts, articles: Parts, files: FilesFolder, params: ReleaseParams) -> Outcomes:
    """Examples as Parquet files, one configuration per set, without sub-words."""
    document = Lookup("article_id", articles, "id", {"document": "document"})
    return release_files_op(
        examples,
        files,
        params,
        "set",
        without=("source_tokens", "target_tokens"),
        pair=("source_text", "target_text"),
        beside=partial(looked_up, lookups=[document]),
        aside={"normalised": ("source", "target")},
    )
