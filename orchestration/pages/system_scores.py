"""Summarisers against each other: the means of table.json with bars, and what the tests allow to say.

Belongs here: the order and names of systems, and the words for a paired test. Not here: reading files
(evaluation.py), and computing means, intervals and tests (ops/talksumm/evaluation/scores.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: What is known of systems by name, in the order of the page.
ABOUT = {
    "only": ("Only", "the top sentences of the extractor"),
    "hybrid": ("Hybrid", "the abstract, then what the extractor adds to it"),
    "abstract": ("Abstract", "the authors' own"),
    "lead": ("Lead", "the first sentences"),
    "random": ("Random", "sentences drawn by chance"),
    "textrank": ("TextRank", "sentences most like the others"),
    "sumbasic": ("SumBasic", "sentences of frequent words"),
    "oracle": ("Oracle", "knows the human summaries: no system can be expected to reach it"),
}
ORACLE = "oracle"

#: Lev et al. (2019), Table 2: ROUGE-2 recall and F, ROUGE-3 F and ROUGE-SU4 F; starred rows are those that
#: they quote from Yasunaga et al. (2019).
PUBLISHED = (
    ("TalkSumm-Hybrid", "35.05", "34.11", "27.19", "24.13"),
    ("TalkSumm-Only", "22.77", "21.94", "15.94", "12.55"),
    ("GCN Hybrid 2*", "32.44", "30.08", "23.43", "23.77"),
    ("GCN Cited Text Spans*", "25.16", "24.26", "18.79", "17.67"),
    ("Abstract*", "29.52", "29.40", "23.16", "23.34"),
)

#: Of a two-sided test.
SIGNIFICANT = 0.05
#: With fewer papers even a system that is ahead on every one may be so by chance: the sign test has
#: p = 2 / 2^5 = 0.06 at 5 papers. A bootstrap of so few knows only these few, and its p is too small.
LEAST_PAPERS = 6
#: Below it the page says that only large differences are found.
FEW_PAPERS = 30

#: The verdicts of a test in a sentence about the extractor.
_SAID = {
    "above": "by every metric it is above",
    "below": "by every metric it is below",
    "no difference beyond chance": "by no metric it differs beyond chance from",
    "mixed": "only by some metrics it differs beyond chance from",
    "too few papers to tell": "it has too few papers in common to be told from",
}

#: Of a trained extractor, in brackets behind the name of its system: architecture and training set.
_MODEL = re.compile(r"\((\w+)/(\w+)\)")

_NAME = re.compile(r"rouge(?P<kind>[A-Za-z0-9]+)_(?P<field>precision|recall|f)")


@dataclass(frozen=True)
class Cell:
    """A mean with its interval; `start`, `width` and `place` are shares of the scale that its metric has."""

    mean: float
    low: float
    high: float
    start: float
    width: float
    place: float
    best: bool
    """Whether no other system of the page has a higher one, Oracle apart."""


@dataclass(frozen=True)
class System:
    """A row of the table of scores."""

    name: str
    label: str
    about: str
    model: str | None
    chosen: bool
    papers: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Difference:
    """How far the extractor is above another system by one metric, and what that says."""

    difference: float
    low: float
    high: float
    p: float
    said: str


@dataclass(frozen=True)
class Test:
    """The extractor against one other system, over the papers that both have."""

    other: str
    papers: int
    differences: tuple[Difference, ...]

    @property
    def said(self) -> str:
        """What all metrics say, "mixed" where they do not agree."""
        found = {one.said for one in self.differences}
        return found.pop() if len(found) == 1 else "mixed"


def named(system: str, model: str | None) -> str:
    """Return the name of a system as table.json has it in its tests."""
    return f"{system} ({model})" if model else system


def label(system: str, model: str | None = None) -> str:
    """Return a system's name as people read it."""
    return named(ABOUT.get(system, (system, ""))[0], model)


def place(system: str, model: str | None, chosen: bool) -> tuple[bool, int, str, str]:
    """Return the key by which systems are sorted: the chosen extractor, the baselines, other extractors."""
    order = list(ABOUT)
    return not chosen, order.index(system) if system in ABOUT else len(order), system, model or ""


def metric(name: str) -> str:
    """Return the name of a metric as people read it: "rouge2_f" is "ROUGE-2 F"."""
    found = _NAME.fullmatch(name)
    if found is None:
        return name
    return f"ROUGE-{found['kind']} {'F' if found['field'] == 'f' else found['field']}"


def systems(table: Mapping[str, Any]) -> list[System]:
    """Return the systems of table.json in the order of the page; the scale of each metric begins at 0."""
    found = sorted(table["systems"], key=lambda one: place(one["system"], one["model"], one["chosen"]))
    columns = [_cells(name, found) for name in table["metrics"]]
    return [
        System(
            name=named(one["system"], one["model"]),
            label=label(one["system"]),
            about=ABOUT.get(one["system"], ("", ""))[1],
            model=one["model"],
            chosen=one["chosen"],
            papers=one["papers"],
            cells=cells,
        )
        for one, cells in zip(found, zip(*columns, strict=True), strict=True)
    ]


def _cells(name: str, found: Sequence[Mapping[str, Any]]) -> Iterator[Cell]:
    scores = [one["scores"][name] for one in found]
    top = max((score["high"] for score in scores), default=0) or 1
    best = max(
        (score["mean"] for one, score in zip(found, scores, strict=True) if one["system"] != ORACLE),
        default=None,
    )
    for one, score in zip(found, scores, strict=True):
        mean, low, high = (score[end] for end in ("mean", "low", "high"))
        ahead = one["system"] != ORACLE and mean == best
        yield Cell(mean, low, high, low / top, (high - low) / top, mean / top, ahead)


def extractor(table: Mapping[str, Any]) -> str | None:
    """Return the name of the chosen extractor's Only, None where no extractor is scored."""
    for one in table["systems"]:
        if one["system"] == "only" and one["chosen"]:
            return named(one["system"], one["model"])
    return None


def tests(table: Mapping[str, Any]) -> list[Test]:
    """Return the tests of the chosen extractor's Only against each other system, in the order of the page."""
    only = extractor(table)
    if only is None:
        return []
    known = {named(one["system"], one["model"]): one for one in table["systems"]}
    found = []
    for one in table["tests"]:
        if only not in (one["first"], one["second"]):
            continue
        ahead = one["first"] == only
        other = known[one["second"] if ahead else one["first"]]
        differences = tuple(
            _difference(one["scores"][name], ahead, one["papers"]) for name in table["metrics"]
        )
        # Of extractors only the chosen one is tested: its model goes without saying.
        order = place(other["system"], other["model"], other["chosen"])
        found.append((order, Test(label(other["system"]), one["papers"], differences)))
    return [test for _, test in sorted(found, key=lambda item: item[0])]


def architectures(table: Mapping[str, Any]) -> list[Test]:
    """Return the tests of extractors that learnt from one training set by different architectures.

    `other` names both, the one first of which "above" is said: "transformer against pointer, both of oracle".
    """
    found = []
    for one in table.get("architectures", []):
        (first, examples), (second, _) = (_MODEL.findall(one[end])[0] for end in ("second", "first"))
        differences = tuple(
            _difference(one["scores"][name], False, one["papers"]) for name in table["metrics"]
        )
        found.append(Test(f"{first} against {second}, both of {examples}", one["papers"], differences))
    return found


def _difference(score: Mapping[str, float], ahead: bool, papers: int) -> Difference:
    """Return a difference as that of the extractor from the other, whichever was the first."""
    ends = [score[end] for end in ("low", "difference", "high")]
    low, difference, high = ends if ahead else [0 - end for end in reversed(ends)]
    return Difference(difference, low, high, score["p"], verdict(difference, score["p"], papers))


def verdict(difference: float, p: float, papers: int) -> str:
    """Return what a two-sided paired test over so many papers says, in plain words."""
    if papers < LEAST_PAPERS:
        return "too few papers to tell"
    if p >= SIGNIFICANT:
        return "no difference beyond chance"
    return "above" if difference > 0 else "below"


def verdicts(tests: Sequence[Test]) -> list[tuple[str, list[str]]]:
    """Return what is to be said of the extractor, with the systems that it is said against."""
    said = {words: [test.other for test in tests if test.said == verdict] for verdict, words in _SAID.items()}
    return [(words, others) for words, others in said.items() if others]
