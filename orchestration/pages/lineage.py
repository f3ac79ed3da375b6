"""Pages of lineage: for every row that is shown, where it comes from, down to the file, and what uses it.

Belongs here: which rows such a page holds beside those that are shown, and what of them. Not here: finding
them (ancestry.py), and their values (origins.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assets.declare.declaration import Declaration
from assets.declare.report import Files
from ops.outcome import Row, of_role
from orchestration.files.json_ready import json_ready
from orchestration.files.page_paths import page_path
from orchestration.lineage.ancestry import Ancestry, File, Lineage, RowPlace
from orchestration.lineage.origins import flow, raw_file, rows, short, spoken, summary_column, where
from orchestration.pages.html import about, render

#: The most rows that a page holds, and of what one is made of, or used by, the most that it names.
NODES, NAMED = 15_000, 200
#: How many origins, and users, of each row are followed: first one of all, down to its file, then more.
_FOLLOWED = (1, 3, 12, 48)


def pages(ancestry: Ancestry, shown: Mapping[str, Sequence[RowPlace]]) -> Files:
    """Yield for each dataset the page of the lineage of its shown rows."""
    roots = {name: [place.code for place in places] for name, places in shown.items()}
    codes = {name: held(ancestry, page) for name, page in roots.items()}
    descriptions = _Descriptions(ancestry, sorted({code for page in codes.values() for code in page}))
    for name, page in codes.items():
        yield render(
            page_path(name, "lineage"),
            "lineage.html",
            f"Lineage of {name}",
            data={"name": name, "shown": len(set(roots[name])), **descriptions.data(page)},
            dataset=name,
        )


def held(ancestry: Ancestry, roots: Sequence[int], most: int = NODES) -> list[int]:
    """Return the rows that a page holds: the roots, then what they are made of and used by, by generation."""
    found = dict.fromkeys(roots)
    for limit in _FOLLOWED:
        for follow in (ancestry.sources, ancestry.users):
            _follow(follow, roots, limit, most, found)
    return list(found)


def _follow(
    follow: Callable[[int, int], list[int]],
    roots: Sequence[int],
    limit: int,
    most: int,
    found: dict[int, None],
) -> None:
    seen, level = set(roots), list(dict.fromkeys(roots))
    while level and len(found) < most:
        following = dict.fromkeys(other for code in level for other in follow(code, limit))
        level = [code for code in following if code not in seen]
        seen.update(level)
        found.update(dict.fromkeys(level[: max(0, most - len(found))]))


class _Descriptions:
    """What pages show of rows, read once for all pages that hold them."""

    def __init__(self, ancestry: Ancestry, codes: Sequence[int]) -> None:
        self.lineages = {code: ancestry.lineage(code, NAMED) for code in codes}
        places = [place for lineage in self.lineages.values() for place in lineage.standings]
        contents = rows(places)
        found = list(zip(places, contents, strict=True))
        self.columns = {place.file: _columns(place.file, row) for place, row in found}
        items = {place.file.item.name: place.file.item for place in places}
        self.steps = {name: _step(item) for name, item in items.items()}
        self.contents: dict[RowPlace, list[Any]] = {
            place: [
                place.index,
                where(place.file, row),
                [_value(row[name]) for name in self.columns[place.file]],
            ]
            for place, row in found
        }
        self.spoken = {
            place: [str(span) for span in spans]
            for place, spans in zip(places, spoken(ancestry, places, contents), strict=True)
            if spans
        }

    def data(self, codes: Sequence[int]) -> dict[str, Any]:
        """Return what a page holds of some rows: `nodes`, which name each other and their files by number."""
        numbers = {code: number for number, code in enumerate(codes)}
        files = dict.fromkeys(place.file for code in codes for place in self.lineages[code].standings)
        placed = {file: number for number, file in enumerate(files)}
        return {
            "files": [
                {
                    "dataset": file.item.name,
                    "month": file.month,
                    "table": file.table,
                    "path": file.address,
                    "columns": self.columns[file],
                    "summary": summary_column(file, self.columns[file]),
                }
                for file in files
            ],
            "datasets": {name: self.steps[name] for name in sorted({file.item.name for file in files})},
            "nodes": [self._node(self.lineages[code], numbers, placed) for code in codes],
        }

    def _node(
        self, lineage: Lineage, numbers: Mapping[int, int], files: Mapping[File, int]
    ) -> dict[str, Any]:
        users = dict.fromkeys(place.code for place in lineage.used_by)
        node: dict[str, Any] = {
            "id": lineage.id,
            "standings": [[files[place.file], *self.contents[place]] for place in lineage.standings],
            "origins": [numbers[code] for code in lineage.made_of if code in numbers],
            "users": [numbers[code] for code in users if code in numbers],
            "totals": lineage.totals,
        }
        if lineage.raw:
            node["file"] = raw_file(lineage.id, lineage.kind)
        if words := [text for place in lineage.kept for text in self.spoken.get(place, ())]:
            node["spoken"] = words
        return node


def _columns(file: File, row: Row) -> list[str]:
    hidden = {"id", *of_role(file.schema, "spans")}
    return [name for name in row if name not in hidden]


def _value(value: Any) -> Any:
    return short(value) if isinstance(value, str) else json_ready(value)


def _step(item: Declaration) -> dict[str, Any]:
    """Describe the step that made a row: its params, and where its code stands."""
    return {
        "params": {path: flow(value) for path, value in sorted(item.values.items())},
        "code": f"{item.function.__module__.replace('.', '/')}.py: {item.function.__name__}",
        "about": about(item),
    }
