"""The whole site. A group of pages whose key has not changed is copied from the previous pages.

Belongs here: which pages exist, which datasets each group of them reads, and the keys of groups, stored in a
file with the pages. Not here: the content of pages, and whether the previous pages are intact.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from assets.declare.graph import Everything, Files
from assets.declare.settings import document
from assets.rows.ancestry import Ancestry, RowPlace, opened
from assets.rows.reading import Counted, counted
from pages import dataset, lineage, overview, rows, what_if
from pages.html import shared
from pages.sampling import sample
from pages.system import systems

#: The index of all groups; the same data, params and code give the same index.
INDEX = "groups.json"


def site(everything: Everything, version_of: Callable[[Path], str]) -> Files:
    """Yield every file of the site; groups whose datasets have not changed are copied from the previous site.

    `version_of` returns the version of a partition, given its folder.
    """
    numbers, reuse = counted(everything), Reuse(everything, version_of)
    yield from shared()
    yield from overview.pages(everything.graph, numbers)
    yield from _datasets(everything, numbers, reuse)
    yield from _rows(everything, numbers, reuse)
    yield from _thresholds(everything, reuse)
    yield from _systems(everything, numbers, reuse)
    yield reuse.index()


class _Group(TypedDict):
    """The key of what a group of pages was made from, and its files."""

    key: str
    files: list[str]


class Reuse:
    """The groups of pages of a site: each is copied if its key is unchanged, else rendered."""

    def __init__(self, everything: Everything, version_of: Callable[[Path], str]) -> None:
        self._everything, self._version_of = everything, version_of
        self._former: Path | None = everything.former
        self._known = _groups(everything.former)
        self._groups: dict[str, _Group] = {}
        reports = [dataset.code for dataset in everything.graph.datasets.values() if dataset.shape is None]
        self._common = [reports, list(systems())]  # every page links to what systems add
        self._datasets: dict[str, str] = {}

    def former(self, group: str, reads: Iterable[str], *also: object) -> Files | None:
        """Return the previous pages of a group; None if it must be rendered.

        `reads` are all datasets whose rows or params the group shows; `also` is whatever else it shows.
        """
        of_datasets = {name: self._dataset(name) for name in reads if name in self._everything}
        key = _digest([self._common, of_datasets, also])
        known = self._known.get(group)
        if known is None or known["key"] != key:
            self._groups[group] = {"key": key, "files": []}
            return None
        self._groups[group] = known
        return self._read(known["files"])

    def rendered(self, group: str, files: Files) -> Files:
        """Yield the rendered pages of a group, and record them."""
        for path, content in files:
            self._groups[group]["files"].append(path)
            yield path, content

    def index(self) -> tuple[str, bytes]:
        """Return the index of all groups; call it after all of them."""
        return INDEX, f"{json.dumps(self._groups, indent=0, sort_keys=True)}\n".encode()

    def _dataset(self, name: str) -> str:
        if name not in self._datasets:
            folders = self._everything[name]
            versions = {partition: self._version_of(folder) for partition, folder in folders.items()}
            self._datasets[name] = _digest([versions, self._everything.graph.datasets[name].values])
        return self._datasets[name]

    def _read(self, names: Iterable[str]) -> Files:
        assert self._former is not None
        for name in names:
            yield name, (self._former / name).read_bytes()


def _datasets(everything: Everything, numbers: Mapping[str, Counted], reuse: Reuse) -> Files:
    for name in numbers:
        steps = dataset.steps(numbers[name].dataset, numbers)
        group = f"dataset {name}"
        if (former := reuse.former(group, steps)) is None:
            of_steps = {step: numbers[step] for step in steps}
            yield from reuse.rendered(group, dataset.pages(everything.only(steps), of_steps, [name]))
        else:
            yield from former


def _rows(everything: Everything, numbers: Mapping[str, Counted], reuse: Reuse) -> Files:
    """Yield the pages of rows and of their lineage."""
    with opened(everything, lineage.NAMED) as ancestry:
        yield from _rows_of(ancestry, everything, numbers, reuse)


def _rows_of(
    ancestry: Ancestry, everything: Everything, numbers: Mapping[str, Counted], reuse: Reuse
) -> Files:
    shown = {name: sample(ancestry, name) for name in numbers}
    pages_of = {
        name: page for system in systems().values() for name, page in system.pages_of(everything).items()
    }
    yield rows.index(numbers)
    for name, counts in numbers.items():
        reads = [name, *(upstream.name for upstream in everything.graph.upstream(counts.dataset))]
        group = f"rows {name}"
        if (former := reuse.former(group, reads, pages_of)) is None:
            page = rows.page(ancestry, counts, shown[name], pages_of)
            yield from reuse.rendered(group, iter([page]))
        else:
            yield from former
    yield from _lineage(ancestry, shown, reuse)


def _lineage(ancestry: Ancestry, shown: Mapping[str, Sequence[RowPlace]], reuse: Reuse) -> Files:
    roots = {name: [place.id for place in places] for name, places in shown.items()}
    held, changed, sources = lineage.held(ancestry, roots), {}, document().get("sources")
    for name, reads in lineage.reads(ancestry, held).items():
        if (former := reuse.former(f"lineage {name}", reads, sources)) is None:
            changed[name] = held[name]
        else:
            yield from former
    # Rows are read once for all rendered pages.
    for name, rendered in zip(changed, lineage.pages_of(ancestry, roots, changed), strict=True):
        yield from reuse.rendered(f"lineage {name}", iter([rendered]))


def _thresholds(everything: Everything, reuse: Reuse) -> Files:
    scripts: list[bytes] = []
    for name in everything:
        if (dataset := everything.graph.datasets[name]).thresholds:
            reads = [name, *(upstream.name for upstream in everything.graph.upstream(dataset))]
            group = f"what if {name}"
            files = reuse.former(group, reads)
            if files is None:
                files = reuse.rendered(group, what_if.scripts(everything.only(reads), name))
            for path, content in files:
                scripts.append(content)
                yield path, content
    yield what_if.index(scripts)


def _systems(everything: Everything, numbers: Mapping[str, Counted], reuse: Reuse) -> Files:
    graph = everything.graph
    for name, system in systems().items():
        own = [dataset for dataset in graph.datasets.values() if dataset.key.group == name]
        reads = {read.name for dataset in own for read in (dataset, *graph.ancestors(dataset))}
        group = f"system {name}"
        if (former := reuse.former(group, reads)) is None:
            of_system = {member: found for member, found in numbers.items() if member in reads}
            yield from reuse.rendered(group, system.pages(everything.only(reads), of_system))
        else:
            yield from former


def _digest(content: object) -> str:
    return hashlib.md5(json.dumps(content, sort_keys=True).encode(), usedforsecurity=False).hexdigest()


def _groups(former: Path | None) -> dict[str, _Group]:
    """Return the groups of the previous pages; none if those are older than the index of groups."""
    path = former and former / INDEX
    return json.loads(path.read_bytes()) if path and path.is_file() else {}
