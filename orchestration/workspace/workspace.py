"""One checkout: where its data and local state lie, what its params.yaml says, which datasets it has.

Belongs here: what is handed to all that reads or writes files. Not here: what lies in the folders (files/,
state/). Commands, servers, worker processes and Dagster's definitions make one, by `Workspace.here()` or by
`catalogue.workspace()`; everything else gets it as an argument.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assets.declare.settings import ParamsError, Settings, checkout, settings
from orchestration.workspace.postgres import is_postgres, with_driver

if TYPE_CHECKING:  # before numpy's kernels are pinned, nothing may load it
    from assets.declare.declaration import Declaration, Key
    from assets.declare.graph import AssetGraph


@dataclass(frozen=True)
class Workspace:
    """A checkout; two of the same root are equal."""

    root: Path
    declarations: Mapping[Key, Declaration] | None = field(default=None, compare=False, repr=False)
    """What the graph is made of; by default all that is declared when it is first asked for."""

    @classmethod
    def here(cls) -> Workspace:
        """Return the checkout that this code belongs to."""
        return cls(checkout())

    def __reduce__(self) -> tuple[type[Workspace], tuple[Path]]:
        """Go to another process without declarations: it has its own."""
        return Workspace, (self.root,)

    @property
    def data(self) -> Path:
        """The folder of all datasets."""
        return self.root / "data"

    @property
    def state(self) -> Path:
        """The folder of this checkout's own state: locks, unfinished work, histories."""
        return self.root / ".silverloom"

    @property
    def staging(self) -> Path:
        """Where partitions are built before they are published: on the file system of the data."""
        return self.data / ".building"

    @property
    def quality(self) -> Path:
        """The folder of pages, Data Docs and failing rows."""
        return self.data / "quality"

    @property
    def lock(self) -> Path:
        """DVC's dvc.lock."""
        return self.root / "dvc.lock"

    @property
    def mlflow_store(self) -> Path:
        """MLflow's SQLite store, where neither MLFLOW_TRACKING_URI nor params.yaml names another place."""
        return self.state / "mlflow.db"

    @property
    def tracking_uri(self) -> str:
        """Where runs are sent, as MLflow's client takes it."""
        named = os.environ.get("MLFLOW_TRACKING_URI")
        with contextlib.suppress(ParamsError):  # what is wrong with it, the command that makes runs says
            named = named or self.settings.mlflow
        return with_driver(named) if named else f"sqlite:///{self.mlflow_store}"

    @property
    def tracked_here(self) -> bool:
        """Whether runs go into this checkout's own store."""
        return self.tracking_uri == f"sqlite:///{self.mlflow_store}"

    @property
    def models_here(self) -> bool:
        """Whether the files of runs lie in this checkout: MLflow's store is a database, which holds none."""
        return self.tracked_here or is_postgres(self.tracking_uri)

    @property
    def enclosing(self) -> Workspace:
        """The checkout that stays: of the folder of a `dvc exp run --temp`, the one it was begun in."""
        exps = next(
            (folder for folder in self.root.parents if folder.parts[-3:] == (".dvc", "tmp", "exps")), None
        )
        return self if exps is None else Workspace(exps.parents[2])

    @property
    def settings(self) -> Settings:
        """What params.yaml says of all datasets. Raises ParamsError."""
        return settings(self.root)

    @cached_property
    def graph(self) -> AssetGraph:
        """The graph of all datasets."""
        from assets.declare.declaration import declarations
        from assets.declare.graph import AssetGraph

        return AssetGraph((declarations() if self.declarations is None else self.declarations).values())

    @property
    def datasets(self) -> dict[str, Declaration]:
        """Every dataset by its name, inputs before what reads them."""
        return self.graph.datasets

    def folder(self, dataset: Declaration, partition: str = "") -> Path:
        """Return the folder of a partition; without a month that of the dataset, which is its DVC output."""
        return self.data.joinpath(*dataset.key.path, partition)

    def manifests(self, dataset: Declaration) -> Path:
        """Return the folder of a dataset's manifests, which is its second DVC output."""
        return self.root.joinpath("manifests", *dataset.key.path)

    def state_file(self, kind: str, dataset: Declaration, partition: str, suffix: str = ".json") -> Path:
        """Return where one kind of local state of a partition lies."""
        return self.state.joinpath(kind, *dataset.key.path, f"{partition or 'all'}{suffix}")

    def metrics_file(self, dataset: Declaration) -> Path:
        """Return the file of a dataset's counts, which `dvc metrics` reads."""
        return self.root.joinpath("metrics", *dataset.key.path).with_suffix(".json")

    def shown(self, path: Path) -> str:
        """Return a path as people and DVC write it: below the root."""
        return path.relative_to(self.root).as_posix()
