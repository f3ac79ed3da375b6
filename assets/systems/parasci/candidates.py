"""ParaSCI (Dong et al., EACL 2021), first part: pairs of sentences that may be paraphrases.

Belongs here: sentences with their embeddings, and pairs within a paper, on the same term, or on the same
cited paper. Not here: parts of sentences (partial.py), which pairs are paraphrases (datasets.py), the
computation (ops/parasci).
"""

from __future__ import annotations

from functools import partial

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Threshold
from silverloom.assets.declare.expectations import Expectation, between, text, unique
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least
from silverloom.ops.parasci.candidates.groups import CitationParams, DefinitionParams
from silverloom.ops.parasci.candidates.groups import citations as citations_op
from silverloom.ops.parasci.candidates.groups import definitions as definitions_op
from silverloom.ops.parasci.candidates.pairs import IntraParams
from silverloom.ops.parasci.candidates.pairs import intra as intra_op
from silverloom.ops.parasci.schemas import CANDIDATES, EMBEDDED_PASSAGES, SENTENCES
from silverloom.ops.parasci.sentences import (
    StatementParams,
    embedded_passages,
    embedded_sentences,
    scores_whole,
    sentences_in,
)


def statement_columns() -> list[Expectation]:
    """Expectations about every embedded sentence."""
    return [
        between("well_formed", 0, 1),
        between("words", 1),
        between("mentions.length", 1),
        between("embedding.length", 1),
        between("embedding.items.least", -1, 1),
        between("embedding.items.greatest", -1, 1),
        *text("text", longest=20_000),
    ]


def candidate_columns() -> list[Expectation]:
    """Expectations about every candidate."""
    return [
        unique("key", "first_id", "second_id"),
        between("cosine", -1.001, 1.001),
        *text("first", longest=20_000),
        *text("second", longest=20_000),
    ]


_statements = partial(
    dataset,
    group="parasci",
    measures=["words", "mentions.length", "well_formed"],
    thresholds=[
        Threshold(
            StatementParams,
            "well_formed",
            at_least,
            scores_whole,
            values=(0.0, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8),
            meaning="probability that a sentence is whole",
            units="sentences",
            counted=sentences_in,
        )
    ],
    expectations=statement_columns(),
)


@_statements(shape=SENTENCES, consumes="sentences")
def sentences(
    sentences: Parts, papers: Parts, citations: Parts, params: StatementParams, strict: Strict
) -> Outcomes:
    """Distinct sentences of the papers, embedded once, with the term that each defines and what it cites."""
    return embedded_sentences(sentences, papers, citations, params, strict)


@_statements(shape=EMBEDDED_PASSAGES, consumes="passages")
def passages(passages: Parts, params: StatementParams, strict: Strict) -> Outcomes:
    """Distinct sentences of abstracts and citing sentences, embedded once."""
    return embedded_passages(passages, params, strict)


_candidates = partial(
    dataset,
    group="parasci",
    shape=CANDIDATES,
    consumes="sentences",
    measures=["cosine"],
    text_pair=("second", "first"),
    expectations=candidate_columns(),
)


@_candidates()
def intra(sentences: Parts, params: IntraParams, statements: StatementParams) -> Outcomes:
    """Pairs of similar sentences from two sections of one paper."""
    return sentences.map(intra_op, params, statements)


@_candidates(partitioned=False)
def definitions(sentences: Parts, passages: Parts, params: DefinitionParams) -> Outcomes:
    """Pairs of sentences from two papers that define the same term."""
    return definitions_op(sentences, passages, params)


@_candidates(partitioned=False)
def citations(sentences: Parts, passages: Parts, params: CitationParams) -> Outcomes:
    """Pairs of sentences from two papers that cite the same paper."""
    return citations_op(sentences, passages, params)
