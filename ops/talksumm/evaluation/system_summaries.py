"""Every system's summaries of the test papers: the extractors' Only and Hybrid, and the baselines.

Belongs here: the list of systems, and one summary of each per paper. Not here: rankers and composition
(ops/rank), training extractors (ops/talksumm/models.py), scoring (scores.py).

Lev et al. (2019), section 4.1: *Only* takes the model's top sentences up to 150 words; *Hybrid* takes the
abstract, then sentences that are not redundant. The baselines are Abstract (theirs), Lead, Random, TextRank,
SumBasic, and Oracle, which uses the human summaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import TEXT, TITLE, Outcome, Outcomes, Row, Shape, columns, drop, optional
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.rank.choose import REDUNDANT, ChosenSummary, hybrid, only, word_count
from silverloom.ops.rank.rankers import best_first, content_words, lead, shuffled, sum_basic, text_rank
from silverloom.ops.talksumm.evaluation.gold_papers import GOLD_PAPERS, greedy
from silverloom.ops.talksumm.extractors.paper import Extractor
from silverloom.ops.talksumm.learning_sets import paper_of
from silverloom.ops.talksumm.models import trained

_TEXT, _INT = pa.string(), pa.int32()

SYSTEM_SUMMARIES = Shape(
    unit=GOLD_PAPERS.kept,
    kept=columns(
        ("gold_id", _TEXT, "row of talksumm/gold_papers"),
        ("paper_id", _TEXT, "row of sources/papers"),
        optional("title", _TEXT, "of the paper", TITLE),
        ("system", _TEXT, "only, hybrid, or a baseline"),
        optional("model", _TEXT, "architecture and training set of an extractor; null for a baseline"),
        ("chosen", pa.bool_(), "whether it is a baseline's, or of the extractor that validation chose"),
        ("positions", pa.list_(_INT), "of its sentences among those that may be extracted, in their order"),
        ("sentences", pa.list_(_TEXT), "in the order of the text; those of the abstract come first"),
        ("text", _TEXT, "the sentences in one line", TEXT),
        ("words", _INT, "of the text"),
    ),
)

_Extractors: TypeAlias = Sequence[tuple[str, bool, Extractor]]

#: Hybrid chooses from this many times the words of a summary.
_FURTHER = 4

BASELINES = ("abstract", "lead", "random", "textrank", "sumbasic", "oracle")


class SystemSummaryParams(Params, section="talksumm.system_summaries"):
    """The length of summaries, and Hybrid's threshold of redundancy."""

    words: int = Field(150, ge=1, description="of a summary; the last sentence taken is cut to fit")
    redundant: float = Field(
        REDUNDANT,
        ge=0,
        le=1,
        description="a sentence whose cosine with one that is there is greater is left out",
    )
    seed: int = Field(0, ge=0, description="of the baseline that draws sentences at random")


def system_summaries(
    gold_papers: Parts, extractor: Artifact, params: SystemSummaryParams, strict: bool = True
) -> Outcomes:
    """Return every system's summaries of each test paper; the units are the papers with human summaries.

    Papers of other splits are dropped as `split_train` and `split_validation`. A paper without an abstract
    has no summary Abstract, and its Hybrid consists only of the paper's sentences.
    """
    return gold_papers.map(summaries_of, Loaded(_extractors, (extractor, strict)), params)


def summaries_of(
    gold_papers: pa.Table, extractors: Loaded[_Extractors], params: SystemSummaryParams
) -> Outcome:
    """Return the summaries of the test papers of one part."""
    units = gold_papers.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit in units:
        if unit["split"] != "test":
            dropped.append(drop(unit, f"split_{unit['split']}"))
            continue
        for system, model, chosen, summary in _summaries(unit, extractors.model, params):
            kept.append(_row(unit, system, model, chosen, summary))
    return Outcome.of(SYSTEM_SUMMARIES, [unit["id"] for unit in units], kept, dropped)


def _extractors(extractor: Artifact, strict: bool) -> _Extractors:
    return list(trained(extractor, strict))


def baseline(name: str, unit: Row, params: SystemSummaryParams) -> ChosenSummary:
    """Return one baseline's summary of a row of talksumm/gold_papers. Raises KeyError for an unknown name."""
    sentences = unit["sentences"]
    if name == "abstract":
        return hybrid(unit["abstract"], (), (), params.words, cut=True)
    if name == "oracle":
        references = [reference["sentences"] for reference in unit["references"]]
        return only(sentences, greedy(sentences, references, params.words), params.words, cut=True)
    orders = {
        "lead": lambda: lead(len(sentences)),
        "random": lambda: shuffled(len(sentences), params.seed, unit["paper_id"]),
        "textrank": lambda: best_first(text_rank([content_words(sentence) for sentence in sentences])),
        "sumbasic": lambda: sum_basic([content_words(sentence) for sentence in sentences]),
    }
    return only(sentences, orders[name](), params.words, cut=True)


def _summaries(
    unit: Row, extractors: _Extractors, params: SystemSummaryParams
) -> Iterator[tuple[str, str | None, bool, ChosenSummary]]:
    for name in BASELINES:
        if name != "abstract" or unit["abstract"]:
            yield name, None, True, baseline(name, unit, params)
    paper = paper_of(unit)
    for model, chosen, extractor in extractors:
        order = extractor.extract(paper, params.words).indices
        yield "only", model, chosen, only(paper.sentences, order, params.words, cut=True)
        # Hybrid skips redundant sentences, so it needs more of the order.
        order = extractor.extract(paper, _FURTHER * params.words).indices
        mixed = hybrid(unit["abstract"], paper.sentences, order, params.words, True, params.redundant)
        yield "hybrid", model, chosen, mixed


def _row(unit: Row, system: str, model: str | None, chosen: bool, summary: ChosenSummary) -> Row:
    return {
        **made_from(unit, "summary", unit["id"], system, model or ""),
        "gold_id": unit["id"],
        "paper_id": unit["paper_id"],
        "title": unit["title"],
        "system": system,
        "model": model,
        "chosen": chosen,
        "positions": summary.positions,
        "sentences": summary.sentences,
        "text": summary.text,
        "words": word_count(summary.text),
    }
