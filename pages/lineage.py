"""Lineage pages: where each shown row comes from, down to the file, and what uses it.

Belongs here: which further rows such a page includes, and what it says about them. Not here: finding these
rows (ancestry.py) and their values (origins.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Files
from silverloom.assets.rows.ancestry import Ancestry, File, Lineage, RowPlace
from silverloom.assets.rows.origins import flow, raw_file, rows, short, spoken, summary_column, where
from silverloom.ops.core.outcome import of_role
from silverloom.pages.html import about, json_ready, render
from silverloom.pages.paths import page_path

#: The most rows on a page, and the most sources, and users, that it names for each row.
NODES, NAMED = 15_000, 200
#: How many sources, and users, of each row each pass follows: first one of each down to its file, then more.
_FOLLOWED = (1, 3, 12, 48)


def pages(ancestry: Ancestry, shown: Mapping[str, Sequence[RowPlace]]) -> Files:
    """Yield the lineage page of each dataset's shown rows."""
    roots = {name: [place.id for place in places] for name, places in shown.items()}
    ids = held(ancestry, roots)
    descriptions = _Descriptions(ancestry, sorted({id for page in ids.values() for id in page}))
    for name, page in ids.items():
        yield render(
            page_path(name, "lineage"),
            "lineage.html",
            f"Lineage of {name}",
            data={"name": name, "shown": len(set(roots[name])), **descriptions.data(page)},
            dataset=name,
        )


def held(ancestry: Ancestry, roots: Mapping[str, Sequence[str]], most: int = NODES) -> dict[str, list[str]]:
    """Return the rows of each page: the roots, then their sources and users, generation by generation.

    Each generation is looked up for all pages together.
    """
    nodes = {name: dict.fromkeys(ids) for name, ids in roots.items()}
    for limit, follow in product(_FOLLOWED, (Lineage.sources, Lineage.user_ids)):
        seen = {name: set(ids) for name, ids in roots.items()}
        levels = {name: list(dict.fromkeys(ids)) for name, ids in roots.items()}
        while levels := {name: ids for name, ids in levels.items() if ids and len(nodes[name]) < most}:
            ancestry.look_up(id for ids in levels.values() for id in ids)
            for name, ids in levels.items():
                following = dict.fromkeys(
                    other for id in ids for other in follow(ancestry.lineage(id), limit)
                )
                levels[name] = [id for id in following if id not in seen[name]]
                seen[name].update(levels[name])
                nodes[name].update(dict.fromkeys(levels[name][: max(0, most - len(nodes[name]))]))
    return {name: list(ids) for name, ids in nodes.items()}


class _Descriptions:
    """Descriptions of rows, read once for all pages that show them."""

    def __init__(self, ancestry: Ancestry, ids: Sequence[str]) -> None:
        ancestry.look_up(ids)
        self.lineages = {id: ancestry.lineage(id) for id in ids}
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

    def data(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return a page's data about some rows: `nodes`, which refer to each other and to files by number."""
        numbers = {id: number for number, id in enumerate(ids)}
        files = dict.fromkeys(place.file for id in ids for place in self.lineages[id].places)
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
            "nodes": [self._node(id, numbers, placed) for id in ids],
        }

    def _node(self, id: str, numbers: Mapping[str, int], files: Mapping[File, int]) -> dict[str, Any]:
        lineage = self.lineages[id]
        users = dict.fromkeys(place.id for place in lineage.used_by)
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


def _step(dataset: Dataset) -> dict[str, Any]:
    """Describe the step that made a row: its params and the location of its code."""
    return {
        "params": {path: flow(value) for path, value in sorted(dataset.values.items())},
        "code": f"{dataset.function.__module__.replace('.', '/')}.py: {dataset.function.__name__}",
        "about": about(dataset),
    }
