"""From records of papers, or of sentences without papers, to paraphrase pairs, without a project.

Belongs here: the order of the steps, and the params that they take. Not here: the steps, and the declarations
by which a project runs them (assets/systems/parasci).
"""

from __future__ import annotations

from silverloom.ops.core.parts import Parts
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.parasci.candidates.groups import CitationParams, DefinitionParams, citations, definitions
from silverloom.ops.parasci.candidates.pairs import CoarseParams, IntraParams, intra
from silverloom.ops.parasci.dataset.filtered import FilterParams, filtered
from silverloom.ops.parasci.dataset.paraphrases import ParaphraseParams, paraphrases
from silverloom.ops.parasci.dataset.scored import ScoredParams, scored
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.partial.partial import PARTIAL
from silverloom.ops.parasci.schemas import (
    CANDIDATES,
    EMBEDDED_PASSAGES,
    FILTERED,
    PARAPHRASES,
    PASSAGES,
    SCORED,
    SENTENCES,
)
from silverloom.ops.parasci.sentences import StatementParams, embedded_passages, embedded_sentences
from silverloom.ops.parasci.sources import parse_passages
from silverloom.ops.parse.papers import parse_citations, parse_papers
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.schemas import CITATIONS, PAPERS
from silverloom.ops.parse.schemas import SENTENCES as PAPER_SENTENCES
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences

#: The params of the steps.
PARAMS = (
    SentenceParams,
    StatementParams,
    IntraParams,
    DefinitionParams,
    CitationParams,
    CoarseParams,
    ScoredParams,
    ScorerParams,
    FilterParams,
    ParaphraseParams,
)


def paraphrases_of_records(
    steps: Steps,
    papers: Records | None,
    passages: Records | None,
    params: Sections,
    strict: bool = False,
) -> Parts:
    """Return the rows of parasci/paraphrases that a project without filters makes of these records.

    There are no pairs with a part of a sentence: PDBERT, which finds these, is off by default.
    """
    statements = params[StatementParams]
    whole = steps.made("sources/papers", PAPERS, papers.map(parse_papers) if papers else ())
    marks = steps.made("sources/citations", CITATIONS, papers.map(parse_citations) if papers else ())
    printed = steps.made(
        "sources/sentences", PAPER_SENTENCES, whole.map(filter_sentences, params[SentenceParams])
    )
    loose = steps.made("sources/passages", PASSAGES, passages.map(parse_passages) if passages else ())
    sentences = steps.made(
        "parasci/sentences", SENTENCES, embedded_sentences(printed, whole, marks, statements, strict)
    )
    others = steps.made("parasci/passages", EMBEDDED_PASSAGES, embedded_passages(loose, statements, strict))
    within = steps.made("parasci/intra", CANDIDATES, sentences.map(intra, params[IntraParams], statements))
    of_terms = steps.made(
        "parasci/definitions", CANDIDATES, definitions(sentences, others, params[DefinitionParams])
    )
    of_works = steps.made(
        "parasci/citations", CANDIDATES, citations(sentences, others, params[CitationParams])
    )
    of_parts = steps.made("parasci/partial", PARTIAL)
    rated = scored(
        within,
        of_terms,
        of_works,
        of_parts,
        params[CoarseParams],
        params[ScoredParams],
        params[ScorerParams],
        strict,
    )
    passing = filtered(steps.made("parasci/scored", SCORED, rated), params[FilterParams])
    chosen = paraphrases(steps.made("parasci/filtered", FILTERED, passing), params[ParaphraseParams])
    return steps.made("parasci/paraphrases", PARAPHRASES, chosen)
