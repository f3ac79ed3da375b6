"""Why records were rejected, and which sources had no readable record: the check `sources`.

Belongs here: causes and their counts, from the rejected rows. Not here: printing them (run/summary.py,
dagster/health.py).

One unreadable document is just a rejected row. But if no record of a source can be read, the source is
usually described wrongly (kind, fields, encoding), and that is a failure. The exception is a source whose
files are all larger than `max_bytes`: that only says how large they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.parts import part_files
from silverloom.ops.parse.files import is_too_large
from silverloom.orchestration.checks.conservation import Finding
from silverloom.orchestration.messages import describe
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.sources import corpus
from silverloom.orchestration.workspace.workspace import Workspace

_LONGEST = 160

#: How many causes to name for a source that was rejected whole.
_CAUSES = 3


def reject_causes(view: View, dataset: Dataset) -> Counter[str]:
    """Return the causes, shortened, of all rejected rows in a dataset's existing partitions."""
    shortened: Counter[str] = Counter()
    for place in _made(view, dataset, ("rejected",)):
        for causes in _rejects(*place).values():
            for cause, number in causes.items():
                shortened[cause[:_LONGEST]] += number
    return shortened


class RejectedSource(NamedTuple):
    """A source of which nothing could be read: its name in params.yaml, the dataset that reads it, and the
    causes with counts.

    If the source has no records at all, the count is 0.
    """

    name: str
    dataset: Dataset
    causes: Counter[str]

    def __str__(self) -> str:
        records, causes = self.causes.total(), describe_causes(self.causes, _CAUSES)
        return f"rejected whole: {self.name}, {records} records: {causes}"


def rejected_sources(view: View, datasets: Iterable[Dataset]) -> list[RejectedSource]:
    """Return the datasets' sources that have no records or only rejected ones; each source once.

    Sources with `may_be_rejected` are left out.
    """
    datasets = list(datasets)
    rejected = {source.name: source for source in sources_without_records(view.workspace, datasets)}
    for dataset in datasets:
        for name, causes in _rejected_whole(view, dataset).items():
            rejected.setdefault(name, RejectedSource(name, dataset, causes))
    return list(rejected.values())


def sources_without_records(workspace: Workspace, datasets: Iterable[Dataset]) -> Iterator[RejectedSource]:
    """Yield sources whose folders have files but no records. This works before anything is made."""
    for dataset in datasets:
        if dataset.records:
            read = corpus(workspace, dataset.records)
            for name, cause in read.without_records().items():
                if not read.sources[name].may_be_rejected:
                    yield RejectedSource(f"sources.{dataset.records}.{name}", dataset, Counter({cause: 0}))


def _rejected_whole(view: View, dataset: Dataset) -> dict[str, Counter[str]]:
    if not dataset.records:
        return {}
    by_source: dict[str, Counter[str]] = defaultdict(Counter)
    for place in _made(view, dataset, ("rejected",)):
        for name, causes in _rejects(*place).items():
            by_source[name].update(causes)
    sources = corpus(view.workspace, dataset.records).sources
    unread = {
        name
        for name, causes in by_source.items()
        if name in sources and not sources[name].may_be_rejected and not all(map(is_too_large, causes))
    }
    for place in _made(view, dataset, ("kept", "dropped")):
        if not unread:  # usually true after the first partition
            break
        unread -= _read(*place)
    return {f"sources.{dataset.records}.{name}": by_source[name] for name in by_source if name in unread}


def describe_causes(causes: Counter[str], most: int) -> str:
    """Return the most frequent causes; if there are several, with their counts."""
    if len(causes) == 1:
        return next(iter(causes))
    return "; ".join(f"{cause} ({count})" for cause, count in causes.most_common(most))


def _made(view: View, dataset: Dataset, tables: Collection[str]) -> Iterator[tuple[Path, str]]:
    """Yield the folder and version of each existing partition that has rows in one of `tables`."""
    for partition in dataset.made_partitions if dataset.shape is not None else ():
        manifest = view.known(dataset, partition)
        if manifest is not None and any(manifest.counts[table] for table in tables):
            yield view.workspace.folder(dataset, partition), manifest.version


@cache
def _rejects(folder: Path, _version: str) -> dict[str, Counter[str]]:
    """Return the causes of a partition's rejected rows by source, without the file and line before each."""
    by_source: dict[str, Counter[str]] = defaultdict(Counter)
    for path in part_files(folder, "rejected"):
        for row in pq.read_table(path, columns=["id", "error"]).to_pylist():
            place, colon, cause = row["error"].partition(": ")
            named = colon and place.partition(", line ")[0] == row["id"].partition("#")[0]
            by_source[row["id"].partition("/")[0]][cause if named else row["error"]] += 1
    return by_source


@cache
def _read(folder: Path, _version: str) -> set[str]:
    """Return the prefixes, up to the first slash, of the ids and source ids of a partition's rows."""
    paths = [path for table in ("kept", "dropped") for path in part_files(folder, table)]
    tables = [pq.read_table(path, columns=["id", "source_ids"]) for path in paths]
    chunks = [
        chunk
        for rows in tables
        for ids in (rows["id"], pc.list_flatten(rows["source_ids"]))
        for chunk in ids.chunks
    ]
    ids = pa.chunked_array(chunks, pa.string())
    return set(pc.unique(pc.replace_substring_regex(ids, "(?s)/.*", "")).to_pylist())


@cache
def _view(workspace: Workspace) -> View:
    """Return this process's cached view. It does not see what other processes made since its first use."""
    return View(workspace)


def source_finding(workspace: Workspace, dataset: Dataset, partition: str | None = None) -> Finding:
    """Return the finding about a dataset's sources that were rejected whole, with their first causes.

    With a partition, only that one is read again; the others come from this process's cache. If another
    process replaces a partition while it is read, the finding says that the result is unknown.
    """
    try:
        view = View(workspace) if partition is None else _view(workspace)
        view.renew(dataset, partition or "")
        faults = tuple(map(str, rejected_sources(view, [dataset])))
    except Exception as error:
        faults = (f"could not be determined: {describe(error)}",)
    return Finding(faults, "at least one record of every source was read")
