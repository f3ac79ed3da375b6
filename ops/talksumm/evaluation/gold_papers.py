"""Papers with human summaries: references for judging summarisers, and labels for training them.

Belongs here: which summaries count, finding their papers, the extractable sentences, the split. Not here:
reading summaries (ops/talksumm/sources/gold.py), greedy labels (ops/rank/rankers.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import pyarrow as pa
from pydantic import Field, ValidationInfo, field_validator, model_validator

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.outcome import (
    NAME,
    TITLE,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    one_of,
    optional,
    struct,
)
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import SPLITS, Split, split_at
from silverloom.ops.parse.roles import ABSTRACT, ACKNOWLEDGMENTS, PREAMBLE, REFERENCES, ROLES
from silverloom.ops.parse.schemas import unit_of
from silverloom.ops.rank.choose import word_count
from silverloom.ops.rank.rankers import bigram_gains, oracle_of_references
from silverloom.ops.rank.rankers import words as words_of
from silverloom.ops.talksumm.schemas import HUMAN_SUMMARIES
from silverloom.ops.talksumm.sources.gold import KINDS
from silverloom.ops.talksumm.summarise import is_holed, place_of_paper, sections
from silverloom.ops.talksumm.title_similarity import form

_TEXT, _INT = pa.string(), pa.int32()

REFERENCE = struct(
    ("id", _TEXT, "row of sources/human_summaries"),
    ("kind", _TEXT, "human, gold, ..."),
    ("annotator", _TEXT, "who wrote it, where that is known"),
    ("sentences", pa.list_(_TEXT)),
)

GOLD_PAPERS = Shape(
    unit=unit_of(HUMAN_SUMMARIES),
    kept=columns(
        ("paper_id", _TEXT, "row of sources/papers"),
        ("document", _TEXT, "the paper's name in its source", NAME),
        optional("title", _TEXT, "of the paper", TITLE),
        one_of("split", SPLITS, "train, validation or test, by paper; papers of one title are in one split"),
        ("sentences", pa.list_(_TEXT), "that may be extracted, in the paper's order"),
        ("roles", pa.list_(_TEXT), "of the sections that contain the sentences"),
        ("sections", pa.list_(_INT), "number of the section that contains a sentence, from 0"),
        (
            "labels",
            pa.list_(_INT),
            "1 where a greedy search for ROUGE against the references takes it",
        ),
        ("gains", pa.list_(pa.float64()), "what a sentence brings of the references for its words; best: 1"),
        ("abstract", pa.list_(_TEXT), "sentences of the authors' own summary, which may not be extracted"),
        ("references", pa.list_(REFERENCE), "the summaries by people"),
    ),
)


class SplitTable(Params):
    """A table in the folder of human summaries that names the split of each paper."""

    file: str = Field(min_length=1, description="its path in that folder; its columns are paper and split")


class GoldPaperParams(Params, section="talksumm.gold_papers"):
    """Which human summaries count as references, and how their papers are split.

    Kinds are those of sources/human_summaries. In CL-SciSumm, annotators wrote or chose "human" and
    "community", and "abstract" is the authors' own; ScisummNet's are "gold".

    The split of a paper is a hash of `seed` and its id, so the shares hold on average only. With `split:
    {file: official.csv}` it is what that table names, and train for papers that it does not name: so the
    paper's own splits can be used (10 papers of CL-SciSumm 2016 to test, 20 of 2018 to validate, section
    4.1). Papers with one title, which may be one paper from two sources, are all put in the last of their
    splits, in the order train, validation, test.
    """

    kinds: tuple[str, ...] = Field(("human", "gold"), min_length=1)
    """Kinds of summaries that count as references."""
    excluded_roles: tuple[str, ...] = (ABSTRACT, PREAMBLE, ACKNOWLEDGMENTS, REFERENCES)
    """Sentences of sections of these roles are not extracted."""
    holes: int = Field(
        0,
        ge=0,
        description="a sentence from which more was taken out that cannot be rendered is not extracted",
    )
    words: int = Field(150, ge=1, description="of a greedy summary, from which the labels come")
    split: SplitTable | None = Field(
        None, description="names the splits in place of validation, test and seed: `{file: official.csv}`"
    )
    validation: float = Field(0.25, ge=0, le=1, description="share of papers by which models are chosen")
    test: float = Field(0.5, ge=0, le=1, description="share of papers that models are judged on")
    seed: int = 0
    """Another one splits in another way."""

    @field_validator("kinds", "excluded_roles")
    @classmethod
    def _known(cls, names: tuple[str, ...], field: ValidationInfo) -> tuple[str, ...]:
        known = KINDS if field.field_name == "kinds" else ROLES
        if unknown := [name for name in names if name not in known]:
            raise ValueError(f"{unknown[0]!r} is not one of {', '.join(known)}")
        return names

    @model_validator(mode="after")
    def _shares(self) -> GoldPaperParams:
        if self.validation + self.test > 1:
            raise ValueError(f"validation {self.validation} and test {self.test} are more than all papers")
        return self


def split(paper_id: str, params: GoldPaperParams) -> Split:
    """Return the split of a paper, which depends on its id alone."""
    return split_at(place_of_paper(paper_id, params.seed), params.validation, params.test)


def _split_in_table(references: Sequence[Row], table: SplitTable) -> Split:
    """Return the split of a paper with these summaries. Raises ValueError if several tables disagree."""
    named = _named_splits(references, table)
    if len(named) > 1:
        raise ValueError(
            f"talksumm.gold_papers.split in params.yaml: {table.file} of several sources puts "
            f"{references[0]['document']} in {' and '.join(sorted(named))}"
        )
    return next((split for split in SPLITS if split in named), "train")


def _named_splits(references: Sequence[Row], table: SplitTable) -> set[str]:
    return {row["split"] for unit in references for row in unit["splits"] or () if row["file"] == table.file}


def gold_papers(human_summaries: Parts, papers: Parts, sentences: Parts, params: GoldPaperParams) -> Outcomes:
    """Yield the papers with human summaries; the units are the summaries.

    Summaries are dropped as `not_a_reference` (their kind does not count), `no_paper` (no paper has their
    document's name), `ambiguous_paper` (several do), and `no_sentences` (the paper has no extractable
    sentence). Raises ValueError if the table of splits in `params` names none of the papers.
    """
    units = human_summaries.read(GOLD_PAPERS.unit.names).to_pylist()
    if units and params.split is not None and not _named_splits(units, params.split):
        raise ValueError(
            f"talksumm.gold_papers.split in params.yaml: no table {params.split.file!r} in a folder of "
            "sources.human_summaries names the split of a paper that has a summary"
        )
    wanted = {unit["document"] for unit in units}
    named: dict[str, list[Row]] = defaultdict(list)
    papers_with_summary = papers.read(["id", "licence", "document", "title"], where=("document", wanted))
    for paper in papers_with_summary.to_pylist():
        named[paper["document"]].append(paper)
    wanted = {paper["id"] for several in named.values() for paper in several}
    texts = _texts(sentences, wanted, params.holes)
    dropped: list[Row] = []
    summaries: dict[str, list[Row]] = defaultdict(list)
    for unit in units:
        if (reason := _lost(unit, named[unit["document"]], texts, params)) is not None:
            dropped.append(drop(unit, reason, detail=f"{unit['kind']} summary of {unit['document']}"))
        else:
            summaries[unit["document"]].append(unit)
    kept: list[dict[str, Any]] = []
    for document, references in summaries.items():
        [paper] = named[document]
        kept.append(_row(paper, texts[paper["id"]], references, params))
    _join_splits(kept)
    yield Outcome.of(GOLD_PAPERS, [unit["id"] for unit in units], kept, dropped)


def greedy(sentences: Sequence[str], references: Sequence[Sequence[str]], words: int) -> list[int]:
    """Return the sentences that a greedy search for ROUGE-1 and 2 chooses, up to `words` words, in order.

    Matches are summed over the references, so that content of several references counts more.
    """
    wanted = [[words_of(sentence) for sentence in reference] for reference in references]
    sizes = [word_count(sentence) for sentence in sentences]
    return oracle_of_references([words_of(sentence) for sentence in sentences], wanted, sizes, words)


def gains(sentences: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """Return each sentence's bigram gain per word, averaged over the references, with six decimals."""
    units = [words_of(sentence) for sentence in sentences]
    by_reference = [
        bigram_gains(units, [word for text in reference for word in words_of(text)])
        for reference in references
    ]
    return [round(fmean(of_unit), 6) for of_unit in zip(*by_reference, strict=True)]


def _lost(
    unit: Row, papers: Sequence[Row], texts: Mapping[str, Sequence[Row]], params: GoldPaperParams
) -> str | None:
    if unit["kind"] not in params.kinds:
        return "not_a_reference"
    if len(papers) != 1:
        return "ambiguous_paper" if papers else "no_paper"
    return None if _extractable(texts[papers[0]["id"]], params) else "no_sentences"


def _texts(sentences: Parts, papers: set[str], holes: int) -> dict[str, list[Row]]:
    columns = ["id", "paper_id", "position", "section", "role", "text", "holes"]
    texts: dict[str, list[Row]] = defaultdict(list)
    for sentence in sentences.read(columns, where=("paper_id", papers)).to_pylist():
        if not is_holed(sentence, holes):
            texts[sentence["paper_id"]].append(sentence)
    for several in texts.values():
        several.sort(key=lambda sentence: int(sentence["position"]))
    return texts


def _extractable(texts: Sequence[Row], params: GoldPaperParams) -> list[Row]:
    return [sentence for sentence in texts if sentence["role"] not in params.excluded_roles]


def _join_splits(rows: Sequence[dict[str, Any]]) -> None:
    """Put papers with the same title, ignoring case, accents and punctuation, in one split."""
    titled: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if letters := form(row["title"] or "").letters:
            titled[letters].append(row)
    for twins in titled.values():
        last = max((row["split"] for row in twins), key=SPLITS.index)
        for row in twins:
            row["split"] = last


def _row(
    paper: Row, texts: Sequence[Row], references: Sequence[Row], params: GoldPaperParams
) -> dict[str, Any]:
    chosen = _extractable(texts, params)
    sentences = [sentence["text"] for sentence in chosen]
    labelled = set(greedy(sentences, [reference["sentences"] for reference in references], params.words))
    return {
        **made_from_several([*references, paper], "gold", paper["id"]),
        "paper_id": paper["id"],
        "document": paper["document"],
        "title": paper["title"],
        "split": _split_in_table(references, params.split) if params.split else split(paper["id"], params),
        "sentences": sentences,
        "roles": [sentence["role"] for sentence in chosen],
        "sections": sections([sentence["section"] for sentence in chosen]),
        "labels": [int(index in labelled) for index in range(len(sentences))],
        "gains": gains(sentences, [reference["sentences"] for reference in references]),
        "abstract": [sentence["text"] for sentence in texts if sentence["role"] == ABSTRACT],
        "references": [
            {name: reference[name] for name in ("id", "kind", "annotator", "sentences")}
            for reference in references
        ],
    }
