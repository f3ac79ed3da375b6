"""What other thresholds would keep: counts and the rows next to the line, from stored scores.

Belongs here: scoring the units of every declared threshold, and what of it a page holds: counts, exact where
different scores are few, and bounded numbers of rows. Not here: the rules and scores (ops), what may be
looked at (assets/declare/thresholds.py), and the choosing itself, which the browser does (static/what_if.js).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.declaration import Declaration, Input
from assets.declare.report import Everything, Files
from assets.declare.thresholds import NAME, Knob, Threshold
from ops.parts import Part, Parts
from ops.thresholds import SCORED
from orchestration.engine.local import engine
from orchestration.lineage.rows import tables
from orchestration.pages.html import embedded, render

#: Different scores up to which every count is exact; of more, so many quantiles are.
POINTS = 2_000
#: Rows of one threshold that a page holds, by a hash of their ids, and of those next to each value to try.
ROWS, NEAREST = 2_000, 10
_CHARACTERS = 300
_LISTED = ("path", "dataset", "meaning", "units", "rule", "now", "tried", "total", "script")

Scores = npt.NDArray[np.float64]


def pages(everything: Everything) -> Files:
    """Yield the page, and for each threshold a script with its scores, loaded when it is looked at.

    Raises ValueError where the scores do not give what a dataset kept: then they are not those of its rule.
    """
    listed = []
    for name, months in everything.items():
        item = everything.graph.datasets[name]
        for threshold in item.thresholds:
            for knob in threshold.knobs(_params(item, threshold)):
                content = what_if(everything, item, threshold, knob)
                _check(content, kept(months, threshold, knob))
                listed.append({key: content[key] for key in _LISTED})
                yield content["script"], f"silverloom.whatIf({embedded(content)});\n".encode()
    yield render("what-if.html", "what_if.html", "What if", data=listed, thresholds=listed)


def what_if(everything: Everything, item: Declaration, threshold: Threshold, knob: Knob) -> dict[str, Any]:
    """Return what a page holds of one threshold.

    `tried` are [value, units kept] of the values to try and of the present one; `points` are [score, units]:
    how many score more than the former point and at most this one; `rows` are [score, id, text] by score.
    """
    tried = sorted({*threshold.values, knob.value})
    sample, parts = _Sample(tried), [np.empty(0)]
    for table in scores(everything, item, threshold, knob):
        parts.append(_numbers(table))
        sample.add(table)
    every = np.concatenate(parts)
    decided = every[~np.isnan(every)]
    endless = decided[np.isinf(decided)]
    points, exact = _points(np.sort(decided[np.isfinite(decided)]))
    return {
        "path": knob.path,
        "dataset": item.name,
        "meaning": threshold.meaning,
        "units": threshold.units,
        "rule": threshold.rule.__name__,
        "script": f"what-if/{re.sub(r'[^A-Za-z0-9._-]', '-', knob.path)}.js",
        "now": knob.value,
        "whole": isinstance(knob.value, int),
        "tried": [[value, int(np.sum(threshold.rule(decided, value)))] for value in tried],
        "total": len(every),
        "always": int(np.sum(threshold.rule(endless, knob.value))),
        "points": points,
        "exact": exact,
        "rows": sample.rows(),
        "scored": len(decided) - len(endless),
    }


def scores(everything: Everything, item: Declaration, threshold: Threshold, knob: Knob) -> Iterator[pa.Table]:
    """Yield the scored units of a threshold, part by part, over all months of its dataset."""
    inputs = {source.argument: source for source in item.inputs}
    for month in everything[item.name]:
        arguments: dict[str, Any] = {
            argument: _parts(everything, inputs[argument], month)
            if argument in inputs
            else item.arguments[argument]
            for argument in threshold.arguments
        }
        if knob.name:
            arguments[NAME] = knob.name
        for table in threshold.scores(**arguments):
            yield table.cast(SCORED)


def kept(months: Mapping[str, Path], threshold: Threshold, knob: Knob) -> int:
    """Return how many units the dataset really kept."""
    name = (knob.name,) if knob.name else ()
    parts = (table for folder in months.values() for table in tables(folder, "kept"))
    return sum(threshold.counted(table, *name) for table in parts)


def _check(content: Mapping[str, Any], really: int) -> None:
    (now,) = (units for value, units in content["tried"] if value == content["now"])
    if now != really:
        raise ValueError(
            f"{content['path']}: by their scores {now} {content['units']} would be kept at {content['now']}, "
            f"but {content['dataset']} has {really}"
        )


def _params(item: Declaration, threshold: Threshold) -> Any:
    return next(value for value in item.arguments.values() if isinstance(value, threshold.params))


def _parts(everything: Everything, source: Input, month: str) -> Parts:
    name = source.key.to_user_string()
    shape = everything.graph.datasets[name].shape
    assert shape is not None
    folders = everything[name]
    chosen = folders if source.all_months or "" in folders else [month]
    paths = [path for part in chosen for path in sorted(folders[part].glob("kept-*.parquet"))]
    return Parts(shape.kept, tuple(Part(str(path)) for path in paths), engine())


def _numbers(table: pa.Table) -> Scores:
    numbers: Scores = table["score"].to_numpy()
    return numbers


def _points(ordered: Scores) -> tuple[list[list[float]], bool]:
    """Return how many scores lie at each different one, or between quantiles; and whether it is the first."""
    values, counts = np.unique(ordered, return_counts=True)
    exact = len(values) <= POINTS
    ends = np.arange(len(values)) if exact else np.unique(np.linspace(0, len(values) - 1, POINTS).astype(int))
    upto = np.cumsum(counts)[ends]
    pairs = zip(values[ends].tolist(), np.diff(upto, prepend=0).tolist(), strict=True)
    return [[value, units] for value, units in pairs], exact


class _Sample:
    """Rows with a finite score: some by a hash of their id, and the nearest on both sides of each value."""

    def __init__(self, values: Sequence[float]) -> None:
        self._values = values
        self._table = SCORED.append(pa.field("hash", pa.uint64())).empty_table()

    def add(self, table: pa.Table) -> None:
        """Look at more rows; only those that may be shown are remembered."""
        table = table.filter(pc.is_finite(table["score"]))
        table = table.set_column(2, SCORED.field("text"), _shortened(table["text"]))
        hashes = pa.array([_hash(name) for name in table["id"].to_pylist()], pa.uint64())
        self._table = pa.concat_tables([self._table, table.append_column("hash", hashes)])
        if len(self._table) > 4 * ROWS:
            self._prune()

    def rows(self) -> list[list[Any]]:
        """Return the rows by score."""
        self._prune()
        columns = [self._table[name].to_pylist() for name in ("score", "id", "text")]
        return [list(row) for row in zip(*columns, strict=True)]

    def _prune(self) -> None:
        table = self._table.sort_by([("score", "ascending"), ("hash", "ascending"), ("id", "ascending")])
        numbers = _numbers(table)
        chosen = np.zeros(len(table), bool)
        chosen[np.argsort(table["hash"].to_numpy(), kind="stable")[:ROWS]] = True
        for value in self._values:
            for side in ("left", "right"):
                line = int(np.searchsorted(numbers, value, side))
                chosen[max(0, line - NEAREST) : line + NEAREST] = True
        self._table = table.filter(pa.array(chosen))


def _shortened(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    long = pc.greater(pc.utf8_length(texts), _CHARACTERS)
    cut = pc.binary_join_element_wise(pc.utf8_slice_codeunits(texts, 0, _CHARACTERS), "…", "")
    return pc.if_else(long, cut, texts)


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
