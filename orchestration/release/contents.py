"""What a release says about its data, such as rows, licences, sources and versions, and what may be released.

Belongs here: collecting this, and refusing a release whose licences params.yaml does not allow. Not here:
writing it (write.py), the rule itself (ops/core/release.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.project import checkout
from silverloom.assets.rows.reading import tables
from silverloom.ops.core.counts import total
from silverloom.ops.core.database import database, escaped_paths
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Row, meaning
from silverloom.ops.core.parts import FILES, temporary_folder
from silverloom.ops.core.release import FORBIDDEN, TEXT_COLUMNS, ReleaseParams, licence_names
from silverloom.ops.filters.params import ScoreParams
from silverloom.ops.parse.records import record_place
from silverloom.orchestration.state.dvc_files import locked_stages, recorded, stage_name
from silverloom.orchestration.state.freshness import Manifest, load_manifest
from silverloom.orchestration.workspace.workspace import Commit, Workspace


class Filtered(NamedTuple):
    """What a filter did to a dataset: its bounds, and how many rows it kept, dropped and changed."""

    dataset: str
    bounds: str
    kept: int
    dropped: str
    masked: str


#: The published params of a source. Paths, addresses and contacts stay private.
_TOLD = ("title", "attribution", "citation", "url", "kind", "dataset", "domain", "licence")


@dataclass(frozen=True)
class Words:
    """A system's own text about its release: ops/<system>/card.md, with a YAML head and Markdown."""

    head: Mapping[str, Any]
    text: str

    @classmethod
    def of(cls, system: str) -> Words:
        """Read the text of a system. Raises LookupError if the system has no card."""
        path = checkout() / "ops" / system / "card.md"
        if not path.is_file():
            raise LookupError(f"{system} has no release: ops/{system}/card.md is missing")
        _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
        return cls(yaml.safe_load(head), text.strip())


@dataclass(frozen=True)
class Contents:
    """A release: its files on disk, and everything it was made from."""

    workspace: Workspace
    dataset: Dataset
    """The dataset of its Parquet files."""
    manifest: Manifest
    words: Words
    commit: Commit | None
    params_of_release: ReleaseParams

    @property
    def title(self) -> str:
        """The title: that of params.yaml, or the system's."""
        return self.params_of_release.title or str(self.words.head["title"])

    @property
    def system(self) -> str:
        """The system's name, which is the group of its datasets."""
        return self.dataset.key.group

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self.workspace.folder(self.dataset) / FILES

    @cached_property
    def files(self) -> list[Row]:
        """The files, sorted: `file`, `config`, `split`, `rows`, `bytes`, `md5`."""
        names = ["file", "config", "split", "rows", "bytes", "md5"]
        listings = tables(self.folder.parent, "kept", names)
        return sorted((row for table in listings for row in table.to_pylist()), key=lambda row: row["file"])

    @cached_property
    def splits(self) -> dict[str, dict[str, list[Row]]]:
        """The files by configuration and split. The default configuration comes first, and train in each."""
        order = ("train", "validation", "test")
        default = self.words.head.get("default")
        by_config: dict[str, dict[str, list[Row]]] = {}
        for row in sorted(
            self.files, key=lambda row: (row["config"] != default, row["config"], order.index(row["split"]))
        ):
            by_config.setdefault(row["config"], {}).setdefault(row["split"], []).append(row)
        return by_config

    @cached_property
    def columns(self) -> dict[str, list[tuple[pa.Field, str]]]:
        """The columns of each configuration, with their meanings."""
        return {
            config: self._columns(next(iter(splits.values()))[0]) for config, splits in self.splits.items()
        }

    def _columns(self, file: Row) -> list[tuple[pa.Field, str]]:
        told: Mapping[str, str] = {**TEXT_COLUMNS, **self.words.head.get("columns", {})}
        schema = pq.read_schema(self.folder / file["file"])
        inputs = [source.key.to_user_string() for source in self.dataset.argument_inputs]
        shapes = (self.workspace.datasets[name].shape for name in inputs)
        declared = [shape.kept for shape in shapes if shape is not None]
        of_rows = next(candidate for candidate in declared if set(schema.names) <= {*candidate.names, *told})
        return [(field, told.get(field.name) or meaning(of_rows.field(field.name))) for field in schema]

    @cached_property
    def tables(self) -> list[tuple[list[str], list[tuple[pa.Field, str]]]]:
        """The distinct columns, each with the configurations that have them."""
        distinct: list[tuple[list[str], list[tuple[pa.Field, str]]]] = []
        for config, columns in self.columns.items():
            known = next((configs for configs, others in distinct if others == columns), None)
            if known is None:
                distinct.append(([config], columns))
            else:
                known.append(config)
        return distinct

    @cached_property
    def losses(self) -> list[tuple[str, int, str, str]]:
        """The datasets on the way that lost units: name, kept rows, drops and combinations by reason."""
        losses = []
        for dataset in self.ancestors:
            manifests = [load_manifest(self.workspace, dataset, name) for name in dataset.made_partitions]
            counts = total(manifest.counts for manifest in manifests)
            rejected = {"rejected": counts["rejected"]} if counts["rejected"] else {}
            lost, combinations = {**counts["reasons"], **rejected}, counts.get("combinations", {})
            if lost or combinations:
                losses.append((dataset.name, counts["kept"], _listed(lost), _listed(combinations)))
        return losses

    @cached_property
    def licences(self) -> list[tuple[str, int]]:
        """The licences with the numbers of their rows, most frequent first; a row counts once."""
        paths = escaped_paths(self.folder / row["file"] for row in self.files)
        with temporary_folder() as folder, database(folder / "rows") as opened:
            counts = opened.execute(
                "SELECT licence, count(DISTINCT id) AS rows FROM "
                "read_parquet(?, hive_partitioning = false, union_by_name = true) "
                "GROUP BY licence ORDER BY rows DESC, licence",
                [paths],
            )
            return counts.fetchall()

    @cached_property
    def sources(self) -> list[tuple[str, str]]:
        """The sources in params.yaml that it is made from, by name, without private params."""
        raw_records = {dataset.records for dataset in self.ancestors if dataset.records}
        return [
            (f"{records}.{name}", described(source.model_dump(mode="json")))
            for records in sorted(raw_records)
            for name, source in sorted(self.workspace.settings.sources.get(records, {}).items())
        ]

    @cached_property
    def params(self) -> dict[str, Any]:
        """The sections of params.yaml that it depends on, with defaults, except those of sources."""
        values = {name: value for dataset in self.ancestors for name, value in dataset.values.items()}
        return {name: value for name, value in sorted(values.items()) if not name.startswith("sources.")}

    @cached_property
    def versions(self) -> list[tuple[str, str]]:
        """The datasets that it is made from, itself last, with their versions in dvc.lock."""
        stages = locked_stages(self.workspace)
        return [
            (dataset.name, recorded(stages.get(stage_name(dataset), {}), "outs", self._shown(dataset)) or "")
            for dataset in self.ancestors
        ]

    @cached_property
    def ancestors(self) -> list[Dataset]:
        """The datasets that it is made from, inputs first, and itself."""
        names = {dataset.name for dataset in (*self.workspace.graph.ancestors(self.dataset), self.dataset)}
        return [dataset for name, dataset in self.workspace.datasets.items() if name in names]

    @cached_property
    def filters(self) -> list[Filtered]:
        """What the filters of params.yaml dropped on the way, with the bounds whose scores are on."""
        return [
            Filtered(dataset.name, *self._bounds_and_counts(dataset))
            for dataset in self.ancestors
            if any(str(threshold.params.section).startswith("filters.") for threshold in dataset.thresholds)
        ]

    def _bounds_and_counts(self, dataset: Dataset) -> tuple[str, int, str, str]:
        manifests = [load_manifest(self.workspace, dataset, name) for name in dataset.made_partitions]
        counts = total(manifest.counts for manifest in manifests)
        scoring = [params for params in dataset.arguments.values() if isinstance(params, ScoreParams)]
        knobs = [
            knob
            for threshold in dataset.thresholds
            for params in dataset.arguments.values()
            if isinstance(params, threshold.params)
            and all(scores.gives(threshold.param) for scores in scoring)
            for knob in threshold.knobs(params)
        ]
        return (
            ", ".join(f"{knob.path} {knob.value:g}" for knob in knobs),
            counts["kept"],
            _listed(counts["reasons"]),
            _listed(counts.get("combinations", {})),
        )

    def statistic(self, asked: Mapping[str, Any], config: str) -> float | None:
        """Return a number about the rows of a configuration, as requested in the head of card.md.

        `measure` and `kind` refer to ops/core/measures.py. Alternatively, `dataset`, `where` and `column`
        pick a number from a row of another dataset; it is the same for every configuration.
        """
        if "dataset" in asked:
            dataset = self.workspace.datasets[asked["dataset"]]
            kept_tables = tables(self.workspace.folder(dataset), "kept")
            rows = (row for table in kept_tables for row in table.to_pylist())
            return next((row[asked["column"]] for row in rows if asked["where"].items() <= row.items()), None)
        score = DatasetScore(asked["measure"], asked.get("kind", "mean"))
        if not set(score.columns) <= {field.name for field, _ in self.columns[config]}:
            return None
        files = [row for rows in self.splits[config].values() for row in rows]
        return score.value(map(score.read, self._rows(files, score.columns)))

    def _rows(self, files: Iterable[Row], columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the rows of files in batches, so that memory does not grow with a file."""
        for row in files:
            with pq.ParquetFile(self.folder / row["file"]) as file:
                for batch in file.iter_batches(10_000, columns=list(columns)):
                    yield pa.Table.from_batches([batch])

    def _shown(self, dataset: Dataset) -> str:
        return self.workspace.shown(self.workspace.folder(dataset))


def described(source: Mapping[str, Any]) -> str:
    """Return what is published of a source's params: what it is, whose, where, and its licence."""
    return "; ".join(f"{name}: {source[name]}" for name in _TOLD if source.get(name))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items()) or "none"


class ForbiddenError(ValueError):
    """Some sources' licences do not allow releasing their rows; the text names them."""


def check(workspace: Workspace, dataset: Dataset, params: ReleaseParams) -> None:
    """Raise ForbiddenError if rows were left out of the release's files because of their licence."""
    dropped = tables(workspace.folder(dataset), "dropped", ["reason"])
    if not (rows := sum(table["reason"].to_pylist().count(FORBIDDEN) for table in dropped)):
        return
    named = "; ".join(
        f"{source} ({licence})" for source, licence in sorted(_forbidding(workspace, dataset, params))
    )
    raise ForbiddenError(
        f"{rows} rows of {dataset.key.group} may not be released: {named}; take these sources out, or add"
        " their licences to release.licences in params.yaml"
    )


def _forbidding(workspace: Workspace, dataset: Dataset, params: ReleaseParams) -> set[tuple[str, str]]:
    """Return (source, licence) for every source with rows whose licence is not allowed."""
    forbidding = set()
    for ancestor in workspace.graph.ancestors(dataset):
        columns = ["source_ids", "licence", *(["crawl"] if ancestor.crawl else [])]
        for partition in ancestor.made_partitions if ancestor.records else ():
            for table in tables(workspace.folder(ancestor, partition), "kept", columns):
                for row in table.to_pylist():
                    refused = [name for name in licence_names(row["licence"]) if name not in params.licences]
                    records = (name for name in row["source_ids"] if "/" in name)
                    named = {row["crawl"]} if ancestor.crawl else {record_place(name)[0] for name in records}
                    forbidding |= {
                        (f"sources.{ancestor.records}.{name}", licence)
                        for name in named
                        for licence in refused
                    }
    return forbidding
