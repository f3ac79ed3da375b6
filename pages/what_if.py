"""What other thresholds would keep: counts, and the rows closest to the threshold, from stored scores.

Belongs here: scoring the units of a declared threshold, and the data of its page: counts, exact if there are
few distinct scores; a bounded number of rows; and counts on a grid if two thresholds decide together. Not
here: rules and scores (ops), which thresholds are declared (assets/declare/declaration.py), and the
interaction in the browser (static/what_if.js, static/two_thresholds.js).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.declare.declaration import NAME, OWN, Dataset, Input, Knob, Threshold
from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import tables
from silverloom.ops.core.parts import OneProcess, Part, Parts, part_files
from silverloom.ops.core.thresholds import SCORED
from silverloom.ops.metrics.bootstrap import Floats
from silverloom.pages.html import embedded, render

#: The most distinct scores for which every count is exact; beyond, this many quantiles are stored.
POINTS = 2_000

#: Rows on a page per threshold, chosen by a hash of their ids, and rows on each side of every value to try.
ROWS, NEAREST = 2_000, 10
_CHARACTERS = 300
_ROWS = SCORED.append(pa.field("hash", pa.binary()))
LISTED = ("key", "path", "dataset", "meaning", "units", "rule", "now", "tried", "total", "script")

#: Equal steps from the smallest to the largest value to try.
STEPS = 40


def pages(everything: Everything) -> Files:
    """Yield the page that lists the thresholds, and for each a script with its scores, loaded on demand."""
    listed = []
    for name in everything:
        for content in thresholds(everything, name):
            listed.append({key: content[key] for key in LISTED})
            yield content["script"], b"silverloom.whatIf(" + embedded(content).encode() + b");\n"
    yield render("what-if.html", "what_if.html", "What if", data=listed, thresholds=listed)


def thresholds(everything: Everything, name: str) -> Iterator[dict[str, Any]]:
    """Yield a page's data about each threshold of one dataset.

    Raises ValueError if the scores do not reproduce what the dataset kept: then its rule used other scores.
    """
    dataset = everything.graph.datasets[name]
    for threshold in dataset.thresholds:
        params = next(value for value in dataset.arguments.values() if isinstance(value, threshold.params))
        for knob in threshold.knobs(params):
            content = what_if(everything, dataset, threshold, knob)
            check_kept(content, kept_count(everything[name], threshold, knob))
            yield content


def what_if(everything: Everything, dataset: Dataset, threshold: Threshold, knob: Knob) -> dict[str, Any]:
    """Return a page's data about one threshold.

    `key` distinguishes it from the same threshold of another dataset. `tried` has [value, units kept] for the
    values to try and the current one. `points` has [score, units]: how many units score above the previous
    point and at most this one. `rows` has [score, id, text], by score.
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
    key = f"{dataset.name}/{knob.path}"
    return {
        "key": key,
        "path": knob.path,
        "dataset": dataset.name,
        "meaning": threshold.meaning,
        "units": threshold.units,
        "rule": threshold.rule.__name__,
        "script": f"what-if/{re.sub(r'[^A-Za-z0-9._-]', '-', key)}.js",
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


def scores(everything: Everything, dataset: Dataset, threshold: Threshold, knob: Knob) -> Iterator[pa.Table]:
    """Yield a threshold's scored units, part by part, over all partitions of its dataset."""
    inputs = {source.argument: source for source in dataset.inputs}
    for partition, folder in everything[dataset.name].items():
        arguments: dict[str, Any] = {}
        for argument in threshold.arguments:
            if argument in OWN:
                arguments[argument] = _parts(everything, dataset.name, [folder], argument)
            elif argument in inputs:
                arguments[argument] = input_parts(everything, inputs[argument], partition)
            else:
                arguments[argument] = dataset.arguments[argument]
        if knob.name:
            arguments[NAME] = knob.name
        for table in threshold.scores(**arguments):
            yield table.cast(SCORED)


def kept_count(partitions: Mapping[str, Path], threshold: Threshold, knob: Knob) -> int:
    """Return how many units the dataset actually kept."""
    name = (knob.name,) if knob.name and threshold.counted is not len else ()
    parts = (table for folder in partitions.values() for table in tables(folder, "kept"))
    return sum(threshold.counted(table, *name) for table in parts)


def input_parts(everything: Everything, source: Input, partition: str) -> Parts:
    """Return the kept rows of a partition's input."""
    name = source.key.to_user_string()
    folders = everything[name]
    chosen = folders if source.all_partitions or "" in folders else [partition]
    return _parts(everything, name, [folders[part] for part in chosen], "kept")


def _parts(everything: Everything, name: str, folders: Iterable[Path], table: str) -> Parts:
    """Return the kept or the dropped rows of a dataset in some partitions' folders."""
    shape = everything.graph.datasets[name].shape
    assert shape is not None
    paths = [path for folder in folders for path in part_files(folder, table)]
    return Parts(getattr(shape, table), tuple(Part(str(path)) for path in paths), OneProcess())


class Axis(NamedTuple):
    """A threshold and its value in params.yaml."""

    threshold: Threshold
    knob: Knob

    @property
    def tried(self) -> list[float]:
        """The values to try and the current one."""
        return sorted({*self.threshold.values, self.knob.value})

    @property
    def values(self) -> list[float]:
        """The values of the grid, including those to try."""
        steps = np.linspace(self.tried[0], self.tried[-1], STEPS + 1).round(4)
        return sorted({*steps.tolist(), *self.tried})

    def keeps(self, scores: pa.Array) -> Floats:
        """Return an N x V array for N scores and the V values of the grid: 1 if a score is kept, else 0."""
        column = scores.to_numpy(zero_copy_only=False)[:, None]
        return np.asarray(self.threshold.rule(column, np.array(self.values)), np.float64)

    def shown(self) -> dict[str, Any]:
        """Return a page's data about this axis."""
        return {
            "path": self.knob.path,
            "meaning": self.threshold.meaning,
            "rule": self.threshold.rule.__name__,
            "now": self.knob.value,
            "values": self.values,
            "tried": self.tried,
        }


def two_thresholds(scores: Iterable[pa.Table], first: Axis, second: Axis) -> dict[str, Any]:
    """Return a page's data about two thresholds that a unit must both pass.

    `scores` are tables of two columns, the score for each threshold; an infinite score is kept or dropped
    whatever the threshold. `counts` has the units kept, with a row for each value of the second threshold and
    a column for each value of the first. `total` counts all units.
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
    """Return how many units two grid values keep together."""
    row, column = content["second"]["values"].index(second), content["first"]["values"].index(first)
    number: int = content["counts"][row][column]
    return number


def check_kept(content: Mapping[str, Any], really: int) -> None:
    """Raise ValueError if the scores of a what-if page do not keep as many units as the dataset did."""
    now = dict(content["tried"])[content["now"]]
    if now != really:
        raise ValueError(
            f"{content['path']}: by their scores {now} {content['units']} would be kept at {content['now']}, "
            f"but {content['dataset']} has {really}"
        )


def _with_more(rows: pa.Table, table: pa.Table, values: Iterable[float]) -> pa.Table:
    """Add a table's rows with finite scores to `rows`; if there are too many, keep only candidates."""
    table = table.filter(pc.is_finite(table["score"]))
    cut = pc.utf8_slice_codeunits(table["text"], 0, _CHARACTERS)
    long = pc.greater(pc.utf8_length(table["text"]), _CHARACTERS)
    texts = pc.if_else(long, pc.binary_join_element_wise(cut, "…", ""), cut)
    hashes = [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in table["id"].to_pylist()]
    more = pa.table([table["id"], table["score"], texts, pa.array(hashes, pa.binary())], _ROWS)
    merged = pa.concat_tables([rows, more])
    return _pruned(merged, values) if len(merged) > 4 * ROWS else merged


def _pruned(rows: pa.Table, values: Iterable[float]) -> pa.Table:
    """Return rows chosen by a hash of their ids, and those closest to each value on both sides, by score."""
    rows = rows.sort_by([("score", "ascending"), ("hash", "ascending"), ("id", "ascending")])
    numbers = rows["score"].to_numpy()
    chosen = np.zeros(len(rows), bool)
    chosen[pc.sort_indices(rows, [("hash", "ascending")]).to_numpy()[:ROWS]] = True
    for value in values:
        for line in (np.searchsorted(numbers, value, "left"), np.searchsorted(numbers, value, "right")):
            chosen[max(0, int(line) - NEAREST) : int(line) + NEAREST] = True
    return rows.filter(pa.array(chosen))
