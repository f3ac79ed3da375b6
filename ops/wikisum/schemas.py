"""The columns of WikiSum's datasets, and the shares of the splits.

Belongs here: one `Shape` per dataset, the shares of the splits. Not here: filling them, and assigning a title
to a split (ops/core/sampling.py).
"""

from __future__ import annotations

import pyarrow as pa

from silverloom.ops.core.outcome import (
    NAME,
    TEXT,
    TIME,
    TITLE,
    Shape,
    columns,
    extended,
    one_of,
    optional,
    struct,
)
from silverloom.ops.core.sampling import SPLITS, SplitShares
from silverloom.ops.parse.schemas import ARTICLES, WEB_PAGES, unit_of

_TEXT, _INT, _REAL, _FLAG = pa.string(), pa.int32(), pa.float64(), pa.bool_()

SEARCH_INDEX = Shape(
    unit=WEB_PAGES.kept,
    kept=columns(
        ("page_id", _TEXT, "row of sources/web_pages"),
        ("address", _TEXT, "of the page; without an address, its name in its source", NAME),
        optional("title", _TEXT, "as the page has it", TITLE),
        ("month", _TEXT, "of the page, YYYY-MM or YYYY", TIME),
    ),
)

_OF_ARTICLE = (
    ("article_id", _TEXT, "row of sources/articles"),
    ("article_title", _TEXT, "as the article has it", NAME),
)

#: Every page that may be a reference of an article, including clones of it.
REFERENCES = Shape(
    unit=unit_of(ARTICLES),
    kept=columns(
        *_OF_ARTICLE,
        ("page_id", _TEXT, "row of sources/web_pages"),
        ("address", _TEXT, "of the page", NAME),
        optional("title", _TEXT, "of the page", TITLE),
        ("position", _INT, "among the article's references: cited pages first, then by section and rank"),
        ("cited", _FLAG, "whether the article cites it"),
        ("cited_as", pa.list_(_TEXT), "the addresses by which it does, before redirects, without fragments"),
        (
            "hits",
            pa.list_(struct(("query", _TEXT), ("rank", _INT, "from 1"), ("score", _REAL, "of the search"))),
            "the queries that find it",
        ),
        ("words", _INT, "of the page"),
        (
            "clone_recall",
            _REAL,
            "the greatest share of a section of the article that the page has, 0 to 1: of its distinct "
            "shingles or words, as wikisum.references.recall says",
        ),
        optional(
            "title_similarity",
            _REAL,
            "of the page's text with the article's title, 0 to 1; missing where the local index did not find "
            "the page, or a search engine did too",
        ),
        optional(
            "rival_similarity",
            _REAL,
            "the greatest title_similarity of the page with another article of the partition that the index "
            "found it for",
        ),
        ("soft_404", _FLAG, "whether the page says that there is no page"),
        ("signature", pa.list_(pa.uint32()), "MinHash of the page's runs of words; missing where not asked"),
    ),
)

#: The references that are input for an article.
CORPUS = Shape(
    unit=REFERENCES.kept,
    kept=extended(
        REFERENCES.kept,
        (
            "searched",
            _FLAG,
            "whether it counts as a result of the search: found, no clone, similar to the title",
        ),
    ),
)

#: A page whose paragraphs are read, or that an article cites.
REFERENCE = struct(
    ("page_id", _TEXT, "row of sources/web_pages"),
    ("address", _TEXT, "of the page"),
    ("title", _TEXT, "of the page"),
    ("fetched", _TEXT, "when the page was fetched, where its source tells"),
    ("licence", _TEXT, "of the page"),
    ("cited", _FLAG, "whether the article cites it"),
    ("searched", _FLAG, "whether it is a result of the search"),
    ("cited_as", pa.list_(_TEXT), "the addresses by which the article cites it"),
    ("work", _TEXT, "the title that the article's reference gives it"),
    ("work_date", _TEXT, "the date that the article's reference gives it, as written"),
    ("archive", _TEXT, "address of the archived copy that the article's reference names"),
)

SENTENCE_FIELDS = (
    ("marks", pa.list_(_INT), "characters of the text that a `<ref>` follows"),
    ("citations", pa.list_(_TEXT), "addresses that these cite, crawled or not, without fragments"),
    ("references", pa.list_(_INT), "of these, the crawled ones: indices into the references"),
    (
        "support",
        _REAL,
        "greatest share of its content words in one paragraph of the references, without those of the title; "
        "missing where it has none",
    ),
)

PARAGRAPH = struct(
    ("page_id", _TEXT, "row of sources/web_pages"),
    ("position", _INT, "in the page, from 0"),
    ("cited", _FLAG, "whether the article cites the page, or another one with the same paragraph"),
    ("searched", _FLAG, "whether the page is a result of the search, or another one with the same paragraph"),
    ("text", _TEXT, "normalised", TEXT),
    ("natural", _TEXT, "as on the page: cased, with its own spaces and punctuation"),
)

RANKED = Shape(
    unit=CORPUS.kept,
    kept=columns(
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "as the article has it", TITLE),
        ("month", _TEXT, "of the article, YYYY-MM or YYYY", TIME),
        ("citations", _INT, "cited pages that were crawled"),
        ("lead", _TEXT, "normalised; empty where the article has no lead", TEXT),
        optional("natural_lead", _TEXT, "as in the article, a blank line between two paragraphs"),
        (
            "sections",
            pa.list_(
                struct(
                    ("title", _TEXT, "normalised"),
                    ("text", _TEXT, "normalised"),
                    ("natural_title", _TEXT, "as in the article"),
                    ("natural", _TEXT, "as in the article, a blank line between two paragraphs"),
                )
            ),
            "behind the lead, those with text",
        ),
        (
            "left_out",
            pa.list_(
                struct(
                    ("section", _INT, "index into the article's sections; 0 is the lead"),
                    ("holes", _INT, "places from which something was taken out that cannot be rendered"),
                    ("text", _TEXT, "as in the article"),
                )
            ),
            "sentences with more holes than wikisum.ranked.holes: no part of the lead and the sections",
        ),
        (
            "sentences",
            pa.list_(
                struct(
                    ("section", _INT, "0 is the lead, then an index from 1 into the sections"),
                    ("start", _INT, "first character in the natural text of the lead or the section"),
                    ("end", _INT, "character after the last"),
                    *SENTENCE_FIELDS,
                )
            ),
            "of the lead and the sections",
        ),
        ("references", pa.list_(REFERENCE), "with a paragraph that is worth reading, in their order"),
        optional("page", _TEXT, "number of the article's page in the dump"),
        optional("revision", _TEXT, "number of the article's revision in the dump"),
        ("paragraphs", pa.list_(PARAGRAPH), "of all references that are worth reading, in their order"),
        (
            "rankings",
            pa.list_(
                struct(
                    ("corpus", _TEXT, "combined, citations or search"),
                    ("ranker", _TEXT),
                    ("scores", pa.list_(_REAL), "by paragraph; missing where it is not in the corpus"),
                    ("note", _TEXT, "why the ranker could tell no order, if it could not"),
                )
            ),
            "the higher a score, the earlier the paragraph; ties by position",
        ),
        (
            "filtered",
            pa.list_(struct(("page_id", _TEXT), ("position", _INT), ("reason", _TEXT), ("text", _TEXT))),
            "paragraphs that are not worth reading",
        ),
    ),
)

LEARNED_RANKER = Shape(
    unit=RANKED.kept,
    kept=columns(
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        one_of("split", SPLITS, "train, validation or test, by article"),
        ("ranker", _TEXT, 'a configured one, or "learned"'),
        ("words", _INT, "at which the ranked paragraphs were cut: words and signs of normalised text"),
        ("bigram_recall", _REAL, "share of the lead's distinct bigrams in what is left, 0 to 1"),
        ("held_out", _FLAG, "whether nothing was learnt from the article"),
    ),
)

TOKENIZER = Shape(
    unit=RANKED.kept,
    kept=columns(
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        one_of("split", SPLITS, "train: its texts may be learnt from"),
        ("characters", pa.int64(), "of its texts that were learnt from"),
        ("words", pa.int64(), "of its lead and sections"),
        ("tokens", pa.int64(), "sub-words of these"),
    ),
)

EXAMPLES = Shape(
    unit=RANKED.kept,
    kept=columns(
        ("set", _TEXT, "its name in params.yaml"),
        one_of("split", SPLITS, "train, validation or test, by article"),
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        optional("page", _TEXT, "number of the article's page in the dump"),
        optional("revision", _TEXT, "number of the article's revision in the dump"),
        ("month", _TEXT, "of the article, YYYY-MM or YYYY", TIME),
        ("corpus", _TEXT, "combined, citations or search"),
        ("ranker", _TEXT, "what ordered the paragraphs"),
        optional("note", _TEXT, "why the ranker could tell no order, if it could not"),
        ("target_kind", _TEXT, "lead, section, outline, or article: with its headings marked"),
        ("section", _INT, "which section the target is, from 1 behind the lead; 0: it is no section"),
        optional("heading", _TEXT, "of that section, as in the article"),
        (
            "source",
            _TEXT,
            "title (and heading) and ranked paragraphs, as many as there is room for; normalised",
        ),
        ("source_text", _TEXT, "the same as on the pages: cased, with its own spaces and punctuation", TEXT),
        ("source_tokens", pa.list_(_INT), "the same as sub-words, cut at the length of the set"),
        ("used_paragraphs", _INT, "that are in the source; the last one may be cut"),
        (
            "paragraphs",
            pa.list_(
                struct(
                    ("reference", _INT, "index into the references"),
                    ("position", _INT, "in the page, from 0"),
                    ("start", _INT, "first character in source_text"),
                    ("end", _INT, "character after the last"),
                )
            ),
            "of the source, in its order",
        ),
        ("references", pa.list_(REFERENCE), "that the source is from, or that the target cites"),
        ("cited_pages", _INT, "pages that the article cites, among those that the source is drawn from"),
        ("target", _TEXT, "what is to be written; normalised", TEXT),
        ("target_text", _TEXT, "the same as in the article", TEXT),
        (
            "sentences",
            pa.list_(
                struct(
                    ("start", _INT, "first character in target_text"),
                    ("end", _INT, "character after the last"),
                    *SENTENCE_FIELDS,
                )
            ),
            "of the target, without headings",
        ),
        ("target_tokens", pa.list_(_INT), "the same as sub-words"),
        optional(
            "longest_target",
            _INT,
            "sub-words of it that are learnt at most; missing: the model says",
        ),
    ),
)

STATISTICS = Shape(
    unit=RANKED.kept,
    kept=columns(
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        ("month", _TEXT, "of the article, YYYY-MM or YYYY", TIME),
        ("lead_words", _INT),
        ("article_words", _INT),
        ("citations", _INT, "cited pages that were crawled"),
        ("citation_words", pa.int64(), "of all these pages"),
        ("search_results", _INT, "found pages, without the article, its clones and other topics"),
        ("search_words", pa.int64(), "of all these pages"),
        ("input_words", pa.int64(), "of all paragraphs that are worth reading"),
        optional("rouge1_recall", _REAL, "share of the lead's words that are in the input, 0 to 1"),
        ("statements", _INT, "clauses of the lead"),
        ("held", _INT, "of these, that some reference holds"),
        (
            "stated",
            pa.list_(
                struct(
                    ("text", _TEXT, "a clause of the lead"),
                    ("references", _INT, "that hold it"),
                    ("best", _REAL, "greatest share of its content words in a paragraph of a reference"),
                )
            ),
            "all of them, in their order",
        ),
        optional(
            "dispersion", _REAL, "of the statements over references, 0 to 1; missing where none is held"
        ),
        optional("needed", _INT, "references that hold all statements that are held; missing where none is"),
        ("coverage", pa.list_(_REAL), "the share of these that the best 1, 2, ... references hold"),
        ("counted", _FLAG, "whether it has as many citations as an example needs: the tables are of these"),
    ),
)


class SplitParams(SplitShares, section="wikisum.splits"):
    """Shares of the articles, by title (Liu et al. 2018, section 3: about 80/10/10 of millions)."""
