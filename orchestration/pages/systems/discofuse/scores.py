"""Scores of fusions as the page lays them out: Tables 6, 7, 9 and 10, and the confusions as matrices.

Belongs here: order and names of systems, places on scales, what a matrix holds, the paper's numbers beside
ours. Not here: reading files (fusion.py), and computing anything (ops/discofuse).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ops.discofuse.evaluation.alignment import OTHER, PRONOUNS
from ops.outcome import Row
from orchestration.pages.system_scores import verdict
from orchestration.pages.systems.discofuse.published import TABLE_7, TABLE_9, TABLE_10

METRICS = {"sari": "SARI", "exact": "Exact", "keep": "Keep", "add": "Add", "delete": "Delete"}
TESTED = ("sari", "exact")
TESTS = ("full", "balanced")

#: Outputs that a matrix has a column for; what else was predicted is in the last one together.
MOST_OUTPUTS = 24
REST = "<another>"

#: How a system of the transfer is called, and what it is.
TRANSFERRED = {
    "copy": ("COPY", "joins the two sentences"),
    "target": ("Corpus alone", "CopyNet, trained on the corpus"),
    "pretrained": ("Pre-trained", "CopyNet, trained on our examples, then on the corpus"),
}


@dataclass(frozen=True)
class Cell:
    """A mean with its interval, all shares of 1; None of a score that is not there."""

    mean: float
    low: float
    high: float
    best: bool = False

    @classmethod
    def of(cls, score: Mapping[str, float] | None, best: bool = False) -> Cell | None:
        """Return the cell of a score of table.json."""
        return None if score is None or score["mean"] is None else cls(*_ends(score), best)


@dataclass(frozen=True)
class System:
    """A row of Table 6."""

    label: str
    in_domain: bool
    examples: tuple[int, int]
    """On the full and on the balanced test set."""
    cells: tuple[Cell | None, ...]
    """SARI and Exact on the full test set, then on the balanced one."""


def label(system: str, model: str | None) -> str:
    """Return a system's name as people read it."""
    if system == "copy":
        return "COPY"
    return "trained on the mixture" if model == "mixture" else f"trained on {model}"


def scores(table: Mapping[str, Any]) -> dict[str, list[System]]:
    """Return the systems by domain: the model of the domain, those of others, the mixture, COPY."""
    found: dict[str, dict[tuple[str, str | None], dict[str, Row]]] = {}
    for one in table["systems"]:
        own = found.setdefault(one["domain"], {}).setdefault((one["system"], one["model"]), {})
        own[one["test"]] = one
    return {domain: _systems(domain, systems) for domain, systems in sorted(found.items())}


def _systems(domain: str, systems: Mapping[tuple[str, str | None], Mapping[str, Row]]) -> list[System]:
    best = {
        (test, metric): max(own[test]["scores"][metric]["mean"] for own in systems.values() if test in own)
        for test in TESTS
        for metric in TESTED
        if any(test in own for own in systems.values())
    }
    return [
        System(
            label=label(*system),
            in_domain=system[1] == domain,
            examples=(_examples(own, "full"), _examples(own, "balanced")),
            cells=tuple(
                _cell(own[test]["scores"][metric], best[test, metric]) if test in own else None
                for test in TESTS
                for metric in TESTED
            ),
        )
        for system, own in sorted(systems.items(), key=lambda item: _place(domain, *item[0]))
    ]


def _place(domain: str, system: str, model: str | None) -> tuple[bool, bool, bool, str]:
    return system == "copy", model == "mixture", model != domain, model or ""


def _examples(own: Mapping[str, Row], test: str) -> int:
    return int(own[test]["examples"]) if test in own else 0


def _cell(score: Mapping[str, float], best: float) -> Cell:
    return Cell(*_ends(score), best=score["mean"] == best)


def _ends(score: Mapping[str, float]) -> tuple[float, float, float]:
    return score["mean"], score["low"], score["high"]


def tests(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tests of each domain's own model against every other system, as differences of its own."""
    found = []
    for one in table["tests"]:
        sides = [one["first"], one["second"]]
        own = [side for side in sides if side["model"] == one["domain"]]
        if not own:
            continue
        ahead = own[0] is sides[0]
        other = sides[1 if ahead else 0]
        found.append(
            {
                "domain": one["domain"],
                "test": one["test"],
                "other": label(other["system"], other["model"]),
                "examples": one["examples"],
                "differences": [_difference(one["scores"][name], ahead, one["examples"]) for name in TESTED],
                "place": (one["domain"], TESTS.index(one["test"]), _place(one["domain"], **other)),
            }
        )
    return sorted(found, key=lambda one: one["place"])


def _difference(score: Mapping[str, float], ahead: bool, examples: int) -> dict[str, Any]:
    ends = [score[end] for end in ("low", "difference", "high")]
    low, difference, high = ends if ahead else [0 - end for end in reversed(ends)]
    said = verdict(difference, score["p"], examples).replace("papers", "examples")
    return {"low": low, "difference": difference, "high": high, "p": score["p"], "said": said}


def phenomena(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return Table 7: the models, and for each type of the paper its numbers and a cell of each model."""
    found = {(one["model"], one["discourse_type"]): one for one in table["phenomena"]}
    models = sorted({model for model, _ in found})
    rows = [
        {
            "type": kind,
            "label": name,
            "published": published,
            "models": [
                {
                    "examples": one["examples"] if one else 0,
                    "cells": [
                        Cell.of(one["scores"][metric]) if one else None for metric in ("exact", "sari")
                    ],
                }
                for one in (found.get((model, kind)) for model in models)
            ],
        }
        for kind, (name, *published) in TABLE_7.items()
    ]
    return {"models": models, "rows": rows if models else []}


def connectives(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return Table 9, model by model: rows with accuracy and the top three, and a matrix of all outputs."""
    found = []
    for model in sorted({one["model"] for one in table["connectives"]}):
        own = [one for one in table["connectives"] if one["model"] == model]
        rows = [
            {
                "connective": one["connective"],
                "examples": one["examples"],
                "cell": Cell.of(one["accuracy"]),
                "top": one["predicted"][:3],
                "published": TABLE_9.get(one["connective"], ("–", "–", "–")),
            }
            for one in own
        ]
        told = [one["connective"] for one in own]
        found.append({"model": model, "rows": rows, "matrix": matrix(own, "connective", told)})
    return found


def pronouns(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return Figure 3, model by model."""
    return [
        {
            "model": model,
            "matrix": matrix(
                [one for one in table["pronouns"] if one["model"] == model], "pronoun", PRONOUNS
            ),
        }
        for model in sorted({one["model"] for one in table["pronouns"]})
    ]


def matrix(rows: Sequence[Row], gold: str, order: Sequence[str]) -> dict[str, Any]:
    """Return a confusion matrix: `rows` (gold, examples, shares) over the same `columns`, each summing to 1.

    Columns stand in the given order, then other outputs by frequency, then OTHER. Of many outputs the least
    frequent ones share a column.
    """
    there = [row for row in rows if row["examples"]]
    counts: dict[str, int] = {}
    for row in there:
        for one in row["predicted"]:
            counts[one["output"]] = counts.get(one["output"], 0) + one["count"]
    golds = {row[gold] for row in there}
    known = [name for name in order if name in counts or name in golds]
    others = sorted(
        (name for name in counts if name not in known and name != OTHER), key=lambda one: (-counts[one], one)
    )
    columns = [*known, *others][:MOST_OUTPUTS]
    rest = [REST] if len(columns) < len(known) + len(others) else []
    told = [
        {
            "gold": row[gold],
            "examples": row["examples"],
            "shares": _shares({one["output"]: one["share"] for one in row["predicted"]}, columns, bool(rest)),
        }
        for row in there
    ]
    return {"columns": [*columns, *rest, OTHER], "rows": told}


def _shares(shares: Mapping[str, float], columns: Sequence[str], rest: bool) -> list[float]:
    own = [shares.get(name, 0.0) for name in columns]
    other = shares.get(OTHER, 0.0)
    beyond = [max(0.0, 1 - sum(own) - other)] if rest else []
    return [round(share, 4) for share in (*own, *beyond, other)]


def transferred(table: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return Table 10: ours and the paper's, system by system."""
    told = {one["system"]: one for one in (table or {}).get("systems", ())}
    return [
        {
            "system": name,
            "label": called,
            "about": about,
            "pairs": told[name]["pairs"],
            "cells": [Cell.of(told[name]["scores"][metric]) for metric in METRICS if metric != "exact"],
            "exact": Cell.of(told[name]["scores"].get("exact")),
            "published": TABLE_10[name],
        }
        for name, (called, about) in TRANSFERRED.items()
        if name in told
    ]
