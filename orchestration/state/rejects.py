"""Why records were rejected, and sources of which nothing is left.

Belongs here: causes and their counts, read off the rejected rows. Not here: telling them (drivers/run.py,
dagster/health.py).

A document that cannot be read is one row among many. A source of which no record can be read has been
described wrongly as a rule (its kind, its fields, its encoding), and that is a failure. Not so where all its
files are larger than `max_bytes`: that says nothing but how large they are.
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
from ops.parse.files import TO_READ_IT
from orchestration.files.parquet import part_files
from orchestration.state.corpora import corpus
from orchestration.state.freshness import View
from orchestration.workspace.workspace import Workspace

_LONGEST = 160

#: Causes that are told of a source of which every record was rejected.
_CAUSES = 3


def reject_causes(view: View, item: Declaration) -> Counter[str]:
    """Return the causes, cut short, of rejected rows of a dataset, in all its months that are made."""
    return Counter(cause[:_LONGEST] for path in _files(view, item, "rejected") for _, cause in _rejects(path))


class RejectedSource(NamedTuple):
    """A source of which nothing was read: its name in params.yaml, who reads it, and the causes with counts.

    Of a source without records, the count is 0.
    """

    name: str
    item: Declaration
    causes: Counter[str]

    def __str__(self) -> str:
        records, causes = self.causes.total(), describe_causes(self.causes, _CAUSES)
        return f"rejected whole: {self.name}, {records} records: {causes}"


def rejected_sources(view: View, items: Iterable[Declaration]) -> list[RejectedSource]:
    """Return the sources of datasets of which every record was rejected, or that have none, each once.

    A source that may be (`may_be_rejected`) is left out.
    """
    items = list(items)
    found = {source.name: source for source in sources_without_records(view.workspace, items)}
    for item in items:
        for name, causes in _rejected_whole(view, item).items():
            found.setdefault(name, RejectedSource(name, item, causes))
    return list(found.values())


def sources_without_records(workspace: Workspace, items: Iterable[Declaration]) -> Iterator[RejectedSource]:
    """Yield the sources of datasets in whose folders are files, but no records; nothing need be made."""
    for item in items:
        if item.records:
            read = corpus(workspace, item.records)
            for name, cause in read.without_records().items():
                if not read.sources[name].may_be_rejected:
                    yield RejectedSource(f"sources.{item.records}.{name}", item, Counter({cause: 0}))


def _rejected_whole(view: View, item: Declaration) -> dict[str, Counter[str]]:
    if not item.records:
        return {}
    found: dict[str, Counter[str]] = {}
    for path in _files(view, item, "rejected"):
        for name, cause in _rejects(path):
            found.setdefault(name, Counter())[cause] += 1
    sources = corpus(view.workspace, item.records).sources
    unread = {
        name
        for name, causes in found.items()
        if name in sources
        and not sources[name].may_be_rejected
        and not all(cause.endswith(TO_READ_IT) for cause in causes)
    }
    for path in (path for table in ("kept", "dropped") for path in _files(view, item, table)):
        if not unread:  # mostly after the first file
            break
        unread -= _names(path)
    return {f"sources.{item.records}.{name}": found[name] for name in found if name in unread}


def describe_causes(causes: Counter[str], most: int) -> str:
    """Return the most frequent causes, with their counts where there are several."""
    if len(causes) == 1:
        return next(iter(causes))
    return "; ".join(f"{cause} ({count})" for cause, count in causes.most_common(most))


def _files(view: View, item: Declaration, table: str) -> Iterator[Path]:
    for month in item.made_months if item.shape is not None else ():
        record = view.known(item, month)
        if record is not None and record.counts[table]:
            yield from part_files(view.workspace.folder(item, month), table)


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
