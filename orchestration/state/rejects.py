"""Why records were rejected, and sources of which nothing is left.

Belongs here: causes and their counts, read off the rejected rows. Not here: telling them (drivers/run.py,
dagster/health.py).

A document that cannot be read is one row among many. A source of which no record can be read has been
described wrongly as a rule (its kind, its fields, its encoding), and that is a failure.
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
from orchestration.files.parquet import part_files
from orchestration.state.corpora import corpus
from orchestration.state.freshness import View

_LONGEST = 160

#: Causes that are told of a source of which every record was rejected.
_CAUSES = 3


def reject_causes(view: View, item: Declaration) -> Counter[str]:
    """Return the causes, cut short, of rejected rows of a dataset, in all its months that are made."""
    return Counter(cause[:_LONGEST] for path in _files(view, item, "rejected") for _, cause in _rejects(path))


class RejectedSource(NamedTuple):
    """A source of which every record was rejected: its name in params.yaml, who reads it, and the causes."""

    name: str
    item: Declaration
    causes: Counter[str]

    def __str__(self) -> str:
        return f"{self.name}, {self.causes.total()} records: {describe_causes(self.causes, _CAUSES)}"


def rejected_sources(view: View, items: Iterable[Declaration]) -> list[RejectedSource]:
    """Return the sources of datasets of which every record was rejected, each once.

    A source that may be (`may_be_rejected`) is left out, and one without records.
    """
    found: dict[str, RejectedSource] = {}
    for item in items:
        for name, causes in _rejected_whole(view, item).items():
            found.setdefault(name, RejectedSource(name, item, causes))
    return list(found.values())


def _rejected_whole(view: View, item: Declaration) -> dict[str, Counter[str]]:
    if not item.records:
        return {}
    found: dict[str, Counter[str]] = {}
    for path in _files(view, item, "rejected"):
        for name, cause in _rejects(path):
            found.setdefault(name, Counter())[cause] += 1
    files = [path for table in ("kept", "dropped") for path in _files(view, item, table)] if found else []
    read = {name for path in files for name in _names(path)}
    sources = corpus(view.workspace, item.records).sources
    return {
        f"sources.{item.records}.{name}": causes
        for name, causes in found.items()
        if name in sources and name not in read and not sources[name].may_be_rejected
    }


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
