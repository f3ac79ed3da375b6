"""All pages, put together.

Belongs here: which pages there are, and which datasets each group of them reads. Not here: what is on each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assets.declare.report import Everything, Files
from assets.declare.settings import document
from orchestration.lineage.ancestry import Ancestry, RowPlace
from orchestration.lineage.rows import Counted, counted
from orchestration.pages import browser, dataset, lineage, overview, what_if
from orchestration.pages.html import shared
from orchestration.pages.reuse import Reuse
from orchestration.pages.sampling import sample
from orchestration.pages.system import systems


def site(everything: Everything) -> Files:
    """Yield every file of the site; those of groups whose datasets are as they were, from the former one."""
    numbers, reuse = counted(everything), Reuse(everything)
    yield from shared()
    yield from overview.pages(everything.graph, numbers)
    yield from _datasets(everything, numbers, reuse)
    yield from _rows(everything, numbers, reuse)
    yield from _thresholds(everything, reuse)
    yield from _systems(everything, numbers, reuse)
    yield reuse.index()


def _datasets(everything: Everything, numbers: Mapping[str, Counted], reuse: Reuse) -> Files:
    for name in numbers:
        steps = dataset.steps(numbers[name].item, numbers)
        group = f"dataset {name}"
        if (former := reuse.former(group, steps)) is None:
            of_steps = {step: numbers[step] for step in steps}
            yield from reuse.rendered(group, dataset.pages(everything.only(steps), of_steps, [name]))
        else:
            yield from former


def _rows(everything: Everything, numbers: Mapping[str, Counted], reuse: Reuse) -> Files:
    """Yield the pages of rows, and those of their lineage."""
    ancestry = Ancestry(everything)
    shown = {name: sample(ancestry, name) for name in numbers}
    pages_of = {
        name: page for system in systems().values() for name, page in system.pages_of(everything).items()
    }
    yield browser.index(numbers)
    for name, counts in numbers.items():
        reads = [name, *(upstream.name for upstream in everything.graph.upstream(counts.item))]
        group = f"rows {name}"
        if (former := reuse.former(group, reads, pages_of)) is None:
            page = browser.page(ancestry, counts, shown[name], pages_of)
            yield from reuse.rendered(group, iter([page]))
        else:
            yield from former
    yield from _lineage(ancestry, shown, reuse)


def _lineage(ancestry: Ancestry, shown: Mapping[str, Sequence[RowPlace]], reuse: Reuse) -> Files:
    roots = {name: [place.code for place in places] for name, places in shown.items()}
    reads, held, sources = lineage.Reads(ancestry), {}, document().get("sources")
    for name, codes in roots.items():
        page = lineage.held(ancestry, codes)
        if (former := reuse.former(f"lineage {name}", reads.of(page), sources)) is None:
            held[name] = page
        else:
            yield from former
    # What pages hold is read once for all that are rendered.
    for name, rendered in zip(held, lineage.pages_of(ancestry, roots, held), strict=True):
        yield from reuse.rendered(f"lineage {name}", iter([rendered]))


def _thresholds(everything: Everything, reuse: Reuse) -> Files:
    scripts: list[bytes] = []
    for name in everything:
        if (item := everything.graph.datasets[name]).thresholds:
            reads = [name, *(upstream.name for upstream in everything.graph.upstream(item))]
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
        own = [item for item in graph.datasets.values() if item.key.group == name]
        reads = {item.name for dataset in own for item in (dataset, *graph.ancestors(dataset))}
        group = f"system {name}"
        if (former := reuse.former(group, reads)) is None:
            of_system = {dataset: found for dataset, found in numbers.items() if dataset in reads}
            yield from reuse.rendered(group, system.pages(everything.only(reads), of_system))
        else:
            yield from former
