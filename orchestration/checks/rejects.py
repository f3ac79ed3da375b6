"""Why records were rejected, and sources of which no record could be read: the check `sources`.

Belongs here: causes and their counts, read off the rejected rows. Not here: printing them (run/summary.py,
dagster/health.py).

A document that cannot be read is one row among many. A source of which no record can be read is usually
described wrongly (its kind, its fields, its encoding): that is a failure. It is none if all its files are
larger than `max_bytes`: that says only how large they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from ops.core.parts import part_files
from ops.parse.files import TO_READ_IT
from orchestration.checks.conservation import Finding
from orchestration.messages.failures import describe
from orchestration.state.freshness import View
from orchestration.state.sources import corpus
from orchestration.workspace.workspace import Workspace

_LONGEST = 160

#: Causes that are told of a source of which every record was rejected.
_CAUSES = 3


def reject_causes(view: View, dataset: Declaration) -> Counter[str]:
    """Return the causes, cut short, of rejected rows of a dataset, in all its months that are made."""
    return Counter(
        cause[:_LONGEST] for path in _files(view, dataset, "rejected") for _, cause in _rejects(path)
    )


class RejectedSource(NamedTuple):
    """A source of which nothing was read: its name in params.yaml, who reads it, and the causes with counts.

    Of a source without records, the count is 0.
    """

    name: str
    dataset: Declaration
    causes: Counter[str]

    def __str__(self) -> str:
        records, causes = self.causes.total(), describe_causes(self.causes, _CAUSES)
        return f"rejected whole: {self.name}, {records} records: {causes}"


def rejected_sources(view: View, datasets: Iterable[Declaration]) -> list[RejectedSource]:
    """Return the sources of datasets of which every record was rejected, or that have none, each once.

    A source that may be (`may_be_rejected`) is left out.
    """
    datasets = list(datasets)
    found = {source.name: source for source in sources_without_records(view.workspace, datasets)}
    for dataset in datasets:
        for name, causes in _rejected_whole(view, dataset).items():
            found.setdefault(name, RejectedSource(name, dataset, causes))
    return list(found.values())


def sources_without_records(
    workspace: Workspace, datasets: Iterable[Declaration]
) -> Iterator[RejectedSource]:
    """Yield the sources of datasets in whose folders are files, but no records; nothing need be made."""
    for dataset in datasets:
        if dataset.records:
            read = corpus(workspace, dataset.records)
            for name, cause in read.without_records().items():
                if not read.sources[name].may_be_rejected:
                    yield RejectedSource(f"sources.{dataset.records}.{name}", dataset, Counter({cause: 0}))


def _rejected_whole(view: View, dataset: Declaration) -> dict[str, Counter[str]]:
    if not dataset.records:
        return {}
    found: dict[str, Counter[str]] = {}
    for path in _files(view, dataset, "rejected"):
        for name, cause in _rejects(path):
            found.setdefault(name, Counter())[cause] += 1
    sources = corpus(view.workspace, dataset.records).sources
    unread = {
        name
        for name, causes in found.items()
        if name in sources
        and not sources[name].may_be_rejected
        and not all(cause.endswith(TO_READ_IT) for cause in causes)
    }
    for path in (path for table in ("kept", "dropped") for path in _files(view, dataset, table)):
        if not unread:  # mostly after the first file
            break
        unread -= _names(path)
    return {f"sources.{dataset.records}.{name}": found[name] for name in found if name in unread}


def describe_causes(causes: Counter[str], most: int) -> str:
    """Return the most frequent causes, with their counts where there are several."""
    if len(causes) == 1:
        return next(iter(causes))
    return "; ".join(f"{cause} ({count})" for cause, count in causes.most_common(most))


def _files(view: View, dataset: Declaration, table: str) -> Iterator[Path]:
    for partition in dataset.made_partitions if dataset.shape is not None else ():
        record = view.known(dataset, partition)
        if record is not None and record.counts[table]:
            yield from part_files(view.workspace.folder(dataset, partition), table)


def _rejects(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the source and the cause of each rejected row; the cause without the place before it."""
    for row in pq.read_table(path, columns=["id", "error"]).to_pylist():
        place, colon, cause = row["error"].partition(": ")
        named = colon and place.partition(", line ")[0] == row["id"].partition("#")[0]
        yield row["id"].partition("/")[0], cause if named else row["error"]


def _names(path: Path) -> set[str]:
    """Return what stands before the first slash in the ids of rows and of what they were made of."""
    rows = pq.read_table(path, columns=["id", "source_ids"])
    ids = pa.chunked_array([*rows["id"].chunks, *pc.list_flatten(rows["source_ids"]).chunks], pa.string())
    return set(pc.unique(pc.replace_substring_regex(ids, "(?s)/.*", "")).to_pylist())


def source_finding(workspace: Workspace, dataset: Declaration) -> Finding:
    """Return the sources of a dataset that were rejected whole, with their first causes.

    Another process may replace a partition while it is read; then the finding says that it is not known.
    """
    try:
        faults = tuple(map(str, rejected_sources(View(workspace), [dataset])))
    except Exception as error:
        faults = (f"it could not be told: {describe(error)}",)
    return Finding(faults, "some record of every source was read")
