"""ParaSCI (Dong et al., EACL 2021), first part: pairs of sentences that may be paraphrases.

Belongs here: sentences with their embeddings, and pairs within papers, of one term, of one cited paper. Not
here: parts of sentences (partial.py), which pairs are paraphrases (datasets.py), how anything is computed
(ops/parasci).
"""

from __future__ import annotations

import assets.sources
import assets.systems.parasci.sources  # noqa: F401  a dataset is declared before what reads it
from assets.declare.dataset import dataset
from assets.declare.expectations import Expectation, between, identity, not_null, steady, text, unique
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parasci import sentences as embedding
from ops.parasci.candidates import groups as grouping
from ops.parasci.candidates import intra as comparing
from ops.parasci.schemas import CANDIDATES, EMBEDDED_PASSAGES, SENTENCES
from ops.parts import Parts


def statement_columns() -> list[Expectation]:
    """Expect what every embedded sentence is."""
    return [
        *identity("statement"),
        *not_null("area", "text", "words", "truncated"),
        between("words", 1),
        between("mentions.length", 1),
        between("embedding.length", 1),
        between("embedding.items.least", -1, 1),
        between("embedding.items.greatest", -1, 1),
        *text("text", longest=20_000),
        *steady(),
    ]


def candidate_columns(kind: str = "candidate") -> list[Expectation]:
    """Expect what every candidate is, whose id begins with its kind."""
    return [
        *identity(kind),
        *not_null("key", "first_id", "second_id", "first_paper", "second_paper", "first", "second", "cosine"),
        unique("key", "first_id", "second_id"),
        between("cosine", -1.001, 1.001),
        *text("first", longest=20_000),
        *text("second", longest=20_000),
        *steady(),
    ]


@dataset(
    group="parasci",
    shape=SENTENCES,
    consumes="sentences",
    measures=["words", "mentions.length"],
    expectations=statement_columns(),
)
def sentences(
    sentences: Parts, papers: Parts, citations: Parts, params: embedding.StatementParams, strict: Strict
) -> Outcomes:
    """Every distinct sentence of the papers, embedded once, with the term it defines and what it cites."""
    return embedding.embedded_sentences(
        sentences,
        papers.read(["id", "source_ids", "month", "subjects"]),
        citations.read(["paper_id", "marks", "bibliography"]),
        params,
        strict,
    )


@dataset(
    group="parasci",
    shape=EMBEDDED_PASSAGES,
    consumes="passages",
    measures=["words", "mentions.length"],
    expectations=statement_columns(),
)
def passages(passages: Parts, params: embedding.StatementParams, strict: Strict) -> Outcomes:
    """The same of abstracts and of citing sentences."""
    return embedding.embedded_passages(passages, params, strict)


@dataset(
    group="parasci",
    shape=CANDIDATES,
    consumes="sentences",
    measures=["cosine"],
    text_pair=("first", "second"),
    expectations=candidate_columns(),
)
def intra(sentences: Parts, params: comparing.IntraParams) -> Outcomes:
    """Pairs of alike sentences in two sections of a paper."""
    return sentences.map(comparing.intra, params)


@dataset(
    group="parasci",
    shape=CANDIDATES,
    consumes="sentences",
    partitioned=False,
    measures=["cosine"],
    text_pair=("first", "second"),
    expectations=candidate_columns(),
)
def definitions(sentences: Parts, passages: Parts, params: grouping.DefinitionParams) -> Outcomes:
    """Pairs of sentences of two papers that define one term."""
    return grouping.definitions(sentences, passages, params)


@dataset(
    group="parasci",
    shape=CANDIDATES,
    consumes="sentences",
    partitioned=False,
    measures=["cosine"],
    text_pair=("first", "second"),
    expectations=candidate_columns(),
)
def citations(sentences: Parts, passages: Parts, params: grouping.CitationParams) -> Outcomes:
    """Pairs of sentences of two papers that cite one paper."""
    return grouping.citations(sentences, passages, params)
