"""Pages that would come out as they were: they are taken over from the pages that were made last.

Belongs here: the keys of groups of pages, and the file beside the pages that holds them. Not here: what a
group reads (site.py, lineage.py), and whether the former pages are as they were made (execute/inputs.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

from assets.declare.report import Everything, Files
from orchestration.files.identity import folder_hashes, json_digest, version
from orchestration.pages.system import systems

#: The file of all groups: the same data, params and code give the same one.
INDEX = "groups.json"


class _Group(TypedDict):
    """What a group of pages was made of, and its files."""

    key: str
    files: list[str]


class Reuse:
    """The groups of pages of one site: each is rendered, or taken over where its key is the former one."""

    def __init__(self, everything: Everything) -> None:
        self._everything = everything
        self._former: Path | None = everything.former
        self._known = _groups(everything.former)
        self._groups: dict[str, _Group] = {}
        reports = [item.code for item in everything.graph.datasets.values() if item.shape is None]
        self._common = [reports, list(systems())]  # every page links to what systems add
        self._datasets: dict[str, str] = {}

    def former(self, group: str, reads: Iterable[str], *also: object) -> Files | None:
        """Return the former pages of a group; None where it is to be rendered.

        `reads` are all datasets of which it shows anything, rows or params; `also` is what else it shows.
        """
        of_datasets = {name: self._dataset(name) for name in reads if name in self._everything}
        key = json_digest([self._common, of_datasets, also])
        known = self._known.get(group)
        if known is None or known["key"] != key:
            self._groups[group] = {"key": key, "files": []}
            return None
        self._groups[group] = known
        return self._read(known["files"])

    def rendered(self, group: str, files: Files) -> Files:
        """Yield the pages of a group that was to be rendered."""
        for path, content in files:
            self._groups[group]["files"].append(path)
            yield path, content

    def index(self) -> tuple[str, bytes]:
        """Return the file of all groups, once they are there."""
        return INDEX, f"{json.dumps(self._groups, indent=0, sort_keys=True)}\n".encode()

    def _dataset(self, name: str) -> str:
        if name not in self._datasets:
            months = {month: folder_hashes(folder) for month, folder in self._everything[name].items()}
            versions = {month: version(hashes) for month, hashes in months.items()}
            self._datasets[name] = json_digest([versions, self._everything.graph.datasets[name].values])
        return self._datasets[name]

    def _read(self, names: Iterable[str]) -> Files:
        assert self._former is not None
        for name in names:
            yield name, (self._former / name).read_bytes()


def _groups(former: Path | None) -> dict[str, _Group]:
    """Return the groups of former pages; none of pages that were made before there were groups."""
    path = former and former / INDEX
    return json.loads(path.read_bytes()) if path and path.is_file() else {}
