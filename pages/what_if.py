"""What other thresholds would keep: counts and the rows next to the line, from stored scores.

Belongs here: scoring the units of a declared threshold, and what of it a page holds: counts, exact where
different scores are few, and bounded numbers of rows; counts on a grid where two thresholds decide together.
Not here: the rules and scores (ops), what may be looked at (assets/declare/declaration.py), and the choosing
itself, which the browser does (static/what_if.js, static/two_thresholds.js).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.declaration import NAME, Declaration, Input, Knob, Threshold
from assets.declare.graph import Everything, Files
from assets.rows.reading import tables
from ops.core.parts import OneProcess, Part, Parts, part_files
from ops.core.thresholds import SCORED
from ops.metrics.bootstrap import Floats
from pages.html import embedded, render

#: Different scores up to which every count is exact; of more, so many quantiles are.
POINTS = 2_000

#: Rows of one threshold that a page holds, by a hash of their ids, and of those next to each value to try.
ROWS, NEAREST = 2_000, 10
_CHARACTERS = 300
_ROWS = SCORED.append(pa.field("hash", pa.binary()))
_BEFORE, _AFTER = b"silverloom.whatIf(", b");\n"
LISTED = ("path", "dataset", "meaning", "units", "rule", "now", "tried", "total", "script")

#: Equal steps from the least to the greatest value to try.
STEPS = 40


def pages(everything: Everything) -> Files:
    """Yield the page, and for each threshold a script with its scores, loaded when it is looked at."""
    found = []
    for name in everything:
        for path, content in scripts(everything, name):
            found.append(content)
            yield path, content
    yield index(found)


def index(scripts: Iterable[bytes]) -> tuple[str, bytes]:
    """Return the page that lists the thresholds of some scripts."""
    contents = [json.loads(script[len(_BEFORE) : -len(_AFTER)]) for script in scripts]
    listed = [{key: content[key] for key in LISTED} for content in contents]
    return render("what-if.html", "what_if.html", "What if", data=listed, thresholds=listed)


def scripts(everything: Everything, name: str) -> Files:
    """Yield the scripts of the thresholds of one dataset.

    Raises ValueError where the scores do not give what it kept: then they are not those of its rule.
    """
    dataset = everything.graph.datasets[name]
    for threshold in dataset.thresholds:
        params = next(value for value in dataset.arguments.values() if isinstance(value, threshold.params))
        for knob in threshold.knobs(params):
            content = what_if(everything, dataset, threshold, knob)
            check_kept(content, kept(everything[name], threshold, knob))
            yield content["script"], _BEFORE + embedded(content).encode() + _AFTER


def what_if(everything: Everything, dataset: Declaration, threshold: Threshold, knob: Knob) -> dict[str, Any]:
    """Return what a page holds of one threshold.

    `tried` are [value, units kept] of the values to try and of the present one; `points` are [score, units]:
    how many score more than the former point and at most this one; `rows` are [score, id, text] by score.
    """
    tried = sorted({*threshold.values, knob.value})
    parts, rows = [np.empty(0)], _ROWS.empty_table()
    for table in scores(everything, dataset, threshold, knob):
        parts.append(table["score"].to_numpy())
        rows = _with_more(rows, table, tried)
    every = np.concatenate(parts)
    finite, endless = every[np.isfinite(every)], every[np.isinf(every)]
    values, counts = np.unique(finite, return_counts=True)
    exact = len(values) <= POINTS
    ends = np.arange(len(values)) if exact else np.unique(np.linspace(0, len(values) - 1, POINTS).astype(int))
    units = np.diff(np.cumsum(counts)[ends], prepend=0)
    return {
        "path": knob.path,
        "dataset": dataset.name,
        "meaning": threshold.meaning,
        "units": threshold.units,
        "rule": threshold.rule.__name__,
        "script": f"what-if/{re.sub(r'[^A-Za-z0-9._-]', '-', knob.path)}.js",
        "now": knob.value,
        "whole": isinstance(knob.value, int),
        "tried": [[value, int(np.sum(threshold.rule(every, value)))] for value in tried],
        "total": len(every),
        "always": int(np.sum(threshold.rule(endless, knob.value))),
        "points": [list(point) for point in zip(values[ends].tolist(), units.tolist(), strict=True)],
        "exact": exact,
        "rows": [[row["score"], row["id"], row["text"]] for row in _pruned(rows, tried).to_pylist()],
        "scored": len(finite),
    }


def scores(
    everything: Everything, dataset: Declaration, threshold: Threshold, knob: Knob
) -> Iterator[pa.Table]:
    """Yield the scored units of a threshold, part by part, over all partitions of its dataset."""
    inputs = {source.argument: source for source in dataset.inputs}
    for partition in everything[dataset.name]:
        arguments: dict[str, Any] = {
            argument: input_parts(everything, inputs[argument], partition)
            if argument in inputs
            else dataset.arguments[argument]
            for argument in threshold.arguments
        }
        if knob.name:
            arguments[NAME] = knob.name
        for table in threshold.scores(**arguments):
            yield table.cast(SCORED)


def kept(partitions: Mapping[str, Path], threshold: Threshold, knob: Knob) -> int:
    """Return how many units the dataset really kept."""
    name = (knob.name,) if knob.name and threshold.counted is not len else ()
    parts = (table for folder in partitions.values() for table in tables(folder, "kept"))
    return sum(threshold.counted(table, *name) for table in parts)


def input_parts(everything: Everything, source: Input, partition: str) -> Parts:
    """Return the kept rows of an input of a partition."""
    name = source.key.to_user_string()
    shape = everything.graph.datasets[name].shape
    assert shape is not None
    folders = everything[name]
    chosen = folders if source.all_partitions or "" in folders else [partition]
    paths = [path for part in chosen for path in part_files(folders[part], "kept")]
    return Parts(shape.kept, tuple(Part(str(path)) for path in paths), OneProcess())


class Axis(NamedTuple):
    """A threshold, and its value in params.yaml."""

    threshold: Threshold
    knob: Knob

    @property
    def tried(self) -> list[float]:
        """The values to try and the present one."""
        return sorted({*self.threshold.values, self.knob.value})

    @property
    def values(self) -> list[float]:
        """The values of the grid, those to try among them."""
        steps = np.linspace(self.tried[0], self.tried[-1], STEPS + 1).round(4)
        return sorted({*steps.tolist(), *self.tried})

    def keeps(self, scores: pa.Array) -> Floats:
        """Return for each of N scores and V values of the grid (N x V) 1 where it is kept, else 0."""
        column = scores.to_numpy(zero_copy_only=False)[:, None]
        return np.asarray(self.threshold.rule(column, np.array(self.values)), np.float64)

    def shown(self) -> dict[str, Any]:
        """Return what a page holds of it."""
        return {
            "path": self.knob.path,
            "meaning": self.threshold.meaning,
            "rule": self.threshold.rule.__name__,
            "now": self.knob.value,
            "values": self.values,
            "tried": self.tried,
        }


def two_thresholds(scores: Iterable[pa.Table], first: Axis, second: Axis) -> dict[str, Any]:
    """Return what a page holds of two thresholds that both must keep a unit.

    `scores` are tables of two columns, the score that each threshold is asked of; an infinite one is kept, or
    lost, whatever its threshold is. `counts` are the units kept, a row for each of the second's values, a
    column for each of the first's; `total` counts the units.
    """
    counts, total = np.zeros((len(second.values), len(first.values))), 0
    for table in scores:
        for batch in table.to_batches(max_chunksize=50_000):
            across, up = (
                axis.keeps(column) for axis, column in zip((first, second), batch.columns, strict=True)
            )
            counts += up.T @ across
            total += len(batch)
    return {
        "first": first.shown(),
        "second": second.shown(),
        "units": first.threshold.units,
        "counts": counts.astype(int).tolist(),
        "total": total,
    }


def kept_at(content: Mapping[str, Any], first: float, second: float) -> int:
    """Return how many units two values of the grid keep together."""
    row, column = content["second"]["values"].index(second), content["first"]["values"].index(first)
    kept: int = content["counts"][row][column]
    return kept


def check_kept(content: Mapping[str, Any], really: int) -> None:
    """Raise ValueError where the scores of a what-if page do not keep as many units as the step did."""
    now = dict(content["tried"])[content["now"]]
    if now != really:
        raise ValueError(
            f"{content['path']}: by their scores {now} {content['units']} would be kept at {content['now']}, "
            f"but {content['dataset']} has {really}"
        )


def _with_more(rows: pa.Table, table: pa.Table, values: Iterable[float]) -> pa.Table:
    """Return rows with those of a table that have a finite score; of too many, those that may be shown."""
    table = table.filter(pc.is_finite(table["score"]))
    cut = pc.utf8_slice_codeunits(table["text"], 0, _CHARACTERS)
    long = pc.greater(pc.utf8_length(table["text"]), _CHARACTERS)
    texts = pc.if_else(long, pc.binary_join_element_wise(cut, "…", ""), cut)
    hashes = [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in table["id"].to_pylist()]
    more = pa.table([table["id"], table["score"], texts, pa.array(hashes, pa.binary())], _ROWS)
    found = pa.concat_tables([rows, more])
    return _pruned(found, values) if len(found) > 4 * ROWS else found


def _pruned(rows: pa.Table, values: Iterable[float]) -> pa.Table:
    """Return some rows by a hash of their id, and the nearest on both sides of each value, by score."""
    rows = rows.sort_by([("score", "ascending"), ("hash", "ascending"), ("id", "ascending")])
    numbers = rows["score"].to_numpy()
    chosen = np.zeros(len(rows), bool)
    chosen[pc.sort_indices(rows, [("hash", "ascending")]).to_numpy()[:ROWS]] = True
    for value in values:
        for line in (np.searchsorted(numbers, value, "left"), np.searchsorted(numbers, value, "right")):
            chosen[max(0, int(line) - NEAREST) : int(line) + NEAREST] = True
    return rows.filter(pa.array(chosen))
