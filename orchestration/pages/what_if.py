"""What other thresholds would keep: counts and the rows next to the line, from stored scores.

Belongs here: scoring the units of every declared threshold, and what of it a page holds: counts, exact where
different scores are few, and bounded numbers of rows. Not here: the rules and scores (ops), what may be
looked at (assets/declare/thresholds.py), and the choosing itself, which the browser does (static/what_if.js).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.declaration import Declaration, Input
from assets.declare.report import Everything, Files
from assets.declare.thresholds import NAME, Knob, Threshold
from ops.parts import Part, Parts
from ops.thresholds import SCORED
from orchestration.executors.parts import engine
from orchestration.files.parquet import part_files
from orchestration.lineage.rows import tables
from orchestration.pages.html import embedded, render

#: Different scores up to which every count is exact; of more, so many quantiles are.
POINTS = 2_000
#: Rows of one threshold that a page holds, by a hash of their ids, and of those next to each value to try.
ROWS, NEAREST = 2_000, 10
_CHARACTERS = 300
_ROWS = SCORED.append(pa.field("hash", pa.binary()))
_BEFORE, _AFTER = b"silverloom.whatIf(", b");\n"
_LISTED = ("path", "dataset", "meaning", "units", "rule", "now", "tried", "total", "script")


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
    listed = [{key: content[key] for key in _LISTED} for content in contents]
    return render("what-if.html", "what_if.html", "What if", data=listed, thresholds=listed)


def scripts(everything: Everything, name: str) -> Files:
    """Yield the scripts of the thresholds of one dataset.

    Raises ValueError where the scores do not give what it kept: then they are not those of its rule.
    """
    item = everything.graph.datasets[name]
    for threshold in item.thresholds:
        params = next(value for value in item.arguments.values() if isinstance(value, threshold.params))
        for knob in threshold.knobs(params):
            content = what_if(everything, item, threshold, knob)
            _check(content, kept(everything[name], threshold, knob))
            yield content["script"], _BEFORE + embedded(content).encode() + _AFTER


def what_if(everything: Everything, item: Declaration, threshold: Threshold, knob: Knob) -> dict[str, Any]:
    """Return what a page holds of one threshold.

    `tried` are [value, units kept] of the values to try and of the present one; `points` are [score, units]:
    how many score more than the former point and at most this one; `rows` are [score, id, text] by score.
    """
    tried = sorted({*threshold.values, knob.value})
    parts, rows = [np.empty(0)], _ROWS.empty_table()
    for table in scores(everything, item, threshold, knob):
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
        "dataset": item.name,
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


def scores(everything: Everything, item: Declaration, threshold: Threshold, knob: Knob) -> Iterator[pa.Table]:
    """Yield the scored units of a threshold, part by part, over all months of its dataset."""
    inputs = {source.argument: source for source in item.inputs}
    for month in everything[item.name]:
        arguments: dict[str, Any] = {
            argument: input_parts(everything, inputs[argument], month)
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
    name = (knob.name,) if knob.name and threshold.counted is not len else ()
    parts = (table for folder in months.values() for table in tables(folder, "kept"))
    return sum(threshold.counted(table, *name) for table in parts)


def _check(content: Mapping[str, Any], really: int) -> None:
    now = dict(content["tried"])[content["now"]]
    if now != really:
        raise ValueError(
            f"{content['path']}: by their scores {now} {content['units']} would be kept at {content['now']}, "
            f"but {content['dataset']} has {really}"
        )


def input_parts(everything: Everything, source: Input, month: str) -> Parts:
    """Return the kept rows of an input of a partition."""
    name = source.key.to_user_string()
    shape = everything.graph.datasets[name].shape
    assert shape is not None
    folders = everything[name]
    chosen = folders if source.all_months or "" in folders else [month]
    paths = [path for part in chosen for path in part_files(folders[part], "kept")]
    return Parts(shape.kept, tuple(Part(str(path)) for path in paths), engine())


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
