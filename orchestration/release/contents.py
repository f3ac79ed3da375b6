"""What a release holds and what it was made from, as its card, Croissant and checksums tell it.

Belongs here: reading files, licences, sources, params and versions. Not here: how they are told (card.py,
croissant.py), whether they may be released (licences.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from assets.declare.declaration import Declaration
from ops.outcome import Row, meaning
from ops.parts import FILES
from ops.scores import DatasetScore
from orchestration.lineage.rows import tables
from orchestration.state.dvc_lock import locked_stages, recorded, stage_name
from orchestration.state.git import Commit
from orchestration.state.manifests import Manifest
from orchestration.workspace.workspace import Workspace

#: What of a source's params is told: paths, addresses and contacts of whoever made the release are not.
_TOLD = ("kind", "dataset", "domain", "licence")


@dataclass(frozen=True)
class Words:
    """What a system says of its release: `card.md` in its folder of ops, a YAML head and Markdown."""

    head: Mapping[str, Any]
    text: str

    @classmethod
    def of(cls, workspace: Workspace, system: str) -> Words:
        """Read them. Raises LookupError for a system that has none."""
        path = workspace.root / "ops" / system / "card.md"
        if not path.is_file():
            raise LookupError(f"{system} is not released: {workspace.shown(path)} is missing")
        _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
        return cls(yaml.safe_load(head), text.strip())


@dataclass(frozen=True)
class Contents:
    """A release: its files on disk, and all that it was made from."""

    workspace: Workspace
    item: Declaration
    """The dataset of its Parquet files."""
    manifest: Manifest
    words: Words
    commit: Commit | None

    @property
    def system(self) -> str:
        """The group of datasets that it is made of."""
        return self.item.key.group

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return self.workspace.folder(self.item) / FILES

    @cached_property
    def files(self) -> list[Row]:
        """The files: `file`, `config`, `split`, `rows`, `bytes`, `md5`, sorted."""
        names = ["file", "config", "split", "rows", "bytes", "md5"]
        found = tables(self.folder.parent, "kept", names)
        return sorted((row for table in found for row in table.to_pylist()), key=lambda row: row["file"])

    @cached_property
    def splits(self) -> dict[str, dict[str, list[Row]]]:
        """The files by configuration and split; train comes first, and the default configuration."""
        order = ("train", "validation", "test")
        default = self.words.head.get("default")
        found: dict[str, dict[str, list[Row]]] = {}
        for row in sorted(
            self.files, key=lambda row: (row["config"] != default, row["config"], order.index(row["split"]))
        ):
            found.setdefault(row["config"], {}).setdefault(row["split"], []).append(row)
        return found

    @cached_property
    def columns(self) -> list[tuple[pa.Field, str]]:
        """The columns of the files, with what they mean."""
        (rows,) = [source for source in self.item.argument_inputs if source.argument == self.item.consumes]
        declared = self.workspace.datasets[rows.key.to_user_string()].shape
        assert declared is not None
        told: Mapping[str, str] = self.words.head.get("columns", {})
        return [
            (field, told.get(field.name) or meaning(declared.kept.field(field.name)))
            for field in pq.read_schema(self.folder / self.files[0]["file"])
        ]

    @cached_property
    def licences(self) -> list[tuple[str, int]]:
        """The licences of rows, with how many rows have each, the most frequent one first."""
        counts: Counter[str] = Counter()
        for table in self._rows(self.files, ["licence"]):
            counts.update(table["licence"].to_pylist())
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))

    @cached_property
    def sources(self) -> list[tuple[str, str]]:
        """The sources of params.yaml that it is made from, by their names there, without what is private."""
        found = {item.records for item in self.ancestors if item.records}
        return [
            (f"{records}.{name}", _told(source.model_dump(mode="json")))
            for records in sorted(found)
            for name, source in sorted(self.workspace.settings.sources.get(records, {}).items())
        ]

    @cached_property
    def params(self) -> dict[str, Any]:
        """The sections of params.yaml that it depends on, with defaults, but for those of sources."""
        values = {name: value for item in self.ancestors for name, value in item.values.items()}
        return {name: value for name, value in sorted(values.items()) if not name.startswith("sources.")}

    @cached_property
    def versions(self) -> list[tuple[str, str]]:
        """The datasets that it is made of, itself last, with the version that dvc.lock has of each."""
        stages = locked_stages(self.workspace)
        return [
            (item.name, recorded(stages.get(stage_name(item), {}), "outs", self._shown(item)) or "")
            for item in self.ancestors
        ]

    @cached_property
    def ancestors(self) -> list[Declaration]:
        """The datasets that it is made of, inputs first, and itself."""
        names = {item.name for item in (*self.workspace.graph.ancestors(self.item), self.item)}
        return [item for name, item in self.workspace.datasets.items() if name in names]

    def statistic(self, asked: Mapping[str, Any], config: str) -> float | None:
        """Return a number about the rows of a configuration, as the head of card.md asks for it.

        `measure` and `kind` are those of ops/scores.py. Or `dataset`, `where` and `column` name a number in a
        row of another dataset, the same for every configuration.
        """
        if "dataset" in asked:
            item = self.workspace.datasets[asked["dataset"]]
            found = tables(self.workspace.folder(item), "kept")
            rows = (row for table in found for row in table.to_pylist())
            return next((row[asked["column"]] for row in rows if asked["where"].items() <= row.items()), None)
        score = DatasetScore(asked["measure"], asked.get("kind", "mean"))
        files = [row for rows in self.splits[config].values() for row in rows]
        return score.value(map(score.read, self._rows(files, score.columns)))

    def _rows(self, files: Iterable[Row], columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the rows of some files, so many at a time that memory does not grow with a file."""
        for row in files:
            with pq.ParquetFile(self.folder / row["file"]) as file:
                for batch in file.iter_batches(10_000, columns=list(columns)):
                    yield pa.Table.from_batches([batch])

    def _shown(self, item: Declaration) -> str:
        return self.workspace.shown(self.workspace.folder(item))


def _told(source: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {source[name]}" for name in _TOLD if source.get(name))
