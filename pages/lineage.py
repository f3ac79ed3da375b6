"""Lineage pages: where each shown row comes from, down to the file, and what uses it.

Belongs here: which further rows such a page includes, and what it says about them. Not here: finding these
rows (ancestry.py) and their values (origins.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assets.declare.declaration import Declaration
from assets.declare.graph import Files
from assets.rows.ancestry import Ancestry, File, RowPlace
from assets.rows.origins import flow, raw_file, rows, short, spoken, summary_column, where
from assets.rows.reading import read
from ops.core.outcome import of_role
from pages.html import about, json_ready, render
from pages.paths import page_path

#: The most rows on a page, and the most sources, and users, that it names for each row.
NODES, NAMED = 15_000, 200
#: How many sources, and users, of each row each pass follows: first one of each down to its file, then more.
_FOLLOWED = (1, 3, 12, 48)


def pages(ancestry: Ancestry, shown: Mapping[str, Sequence[RowPlace]]) -> Files:
    """Yield the lineage page of each dataset's shown rows."""
    roots = {name: [place.code for place in places] for name, places in shown.items()}
    return pages_of(ancestry, roots, {name: held(ancestry, page) for name, page in roots.items()})


def pages_of(
    ancestry: Ancestry, roots: Mapping[str, Sequence[int]], codes: Mapping[str, Sequence[int]]
) -> Files:
    """Yield each dataset's lineage page with the rows of `codes`, of which the `roots` are its shown rows."""
    descriptions = _Descriptions(ancestry, sorted({code for page in codes.values() for code in page}))
    for name, page in codes.items():
        yield render(
            page_path(name, "lineage"),
            "lineage.html",
            f"Lineage of {name}",
            data={"name": name, "shown": len(set(roots[name])), **descriptions.data(page)},
            dataset=name,
        )


class Reads:
    """The datasets that a lineage page shows anything of; its bytes depend on no others.

    These are all datasets that contain or name a row of the page, including those that use one, and the
    datasets of the transcripts that such rows were spoken in.
    """

    def __init__(self, ancestry: Ancestry) -> None:
        self._ancestry = ancestry
        self._owners = [
            (number, np.array(ancestry.codes(read(file.path, [owner])[owner].to_pylist()), np.int64))
            for number, file in enumerate(ancestry.files)
            for owner in {detail.partition(".")[0] for detail in of_role(file.schema, "spans").values()}
        ]

    def of(self, codes: Sequence[int]) -> list[str]:
        """Return the datasets of the page that has these rows."""
        found, starts = [np.array(codes, np.int64)], self._ancestry.starts
        there = np.zeros(len(self._ancestry.ids), bool)
        there[found[0]] = True
        for number, owners in self._owners:
            spoken = owners[there[self._ancestry.own[starts[number] : starts[number + 1]]]]
            found.append(spoken[spoken >= 0])
        return self._ancestry.datasets(np.concatenate(found))


def held(ancestry: Ancestry, roots: Sequence[int], most: int = NODES) -> list[int]:
    """Return the rows of a page: the roots, then their sources and users, generation by generation."""
    found = dict.fromkeys(roots)
    for limit in _FOLLOWED:
        for follow in (ancestry.sources, ancestry.users):
            seen, level = set(roots), list(dict.fromkeys(roots))
            while level and len(found) < most:
                following = dict.fromkeys(code for row in level for code in follow(row, limit))
                level = [code for code in following if code not in seen]
                seen.update(level)
                found.update(dict.fromkeys(level[: max(0, most - len(found))]))
    return list(found)


class _Descriptions:
    """Descriptions of rows, read once for all pages that show them."""

    def __init__(self, ancestry: Ancestry, codes: Sequence[int]) -> None:
        self.lineages = {code: ancestry.lineage(code, NAMED) for code in codes}
        places = [place for lineage in self.lineages.values() for place in lineage.places]
        contents = rows(places)
        self.columns: dict[File, list[str]] = {}
        self.described: dict[RowPlace, list[Any]] = {}
        self.spoken = {}
        datasets = {place.file.dataset.name: place.file.dataset for place in places}
        self.steps = {name: _step(dataset) for name, dataset in datasets.items()}
        passages = spoken(ancestry, places, contents)
        for place, row, spans in zip(places, contents, passages, strict=True):
            file = place.file
            if file not in self.columns:
                hidden = {"id", *of_role(file.schema, "spans")}
                self.columns[file] = [name for name in row if name not in hidden]
            values = [row[name] for name in self.columns[file]]
            shown = [short(value) if isinstance(value, str) else json_ready(value) for value in values]
            self.described[place] = [place.index, where(file, row), shown]
            self.spoken[place] = [str(span) for span in spans]

    def data(self, codes: Sequence[int]) -> dict[str, Any]:
        """Return a page's data about some rows: `nodes`, which refer to each other and to files by number."""
        numbers = {code: number for number, code in enumerate(codes)}
        files = dict.fromkeys(place.file for code in codes for place in self.lineages[code].places)
        placed = {file: number for number, file in enumerate(files)}
        return {
            "files": [
                {
                    "dataset": file.dataset.name,
                    "partition": file.partition,
                    "table": file.table,
                    "path": file.address,
                    "columns": self.columns[file],
                    "summary": summary_column(file, self.columns[file]),
                }
                for file in files
            ],
            "datasets": {name: self.steps[name] for name in {file.dataset.name for file in files}},
            "nodes": [self._node(code, numbers, placed) for code in codes],
        }

    def _node(self, code: int, numbers: Mapping[int, int], files: Mapping[File, int]) -> dict[str, Any]:
        lineage = self.lineages[code]
        users = dict.fromkeys(place.code for place in lineage.used_by)
        words = [text for place in lineage.kept for text in self.spoken[place]]
        return {
            "id": lineage.id,
            "places": [[files[place.file], *self.described[place]] for place in lineage.places],
            "origins": [numbers[origin] for origin in lineage.made_of if origin in numbers],
            "users": [numbers[user] for user in users if user in numbers],
            "totals": lineage.totals,
            **({"file": raw_file(lineage.id, lineage.kind)} if lineage.raw else {}),
            **({"spoken": words} if words else {}),
        }


def _step(dataset: Declaration) -> dict[str, Any]:
    """Describe the step that made a row: its params and the location of its code."""
    return {
        "params": {path: flow(value) for path, value in sorted(dataset.values.items())},
        "code": f"{dataset.function.__module__.replace('.', '/')}.py: {dataset.function.__name__}",
        "about": about(dataset),
    }
