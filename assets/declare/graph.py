"""The asset graph: which datasets there are, in which order, and what each reads.

Belongs here: questions over declarations that are handed in. Not here: where anything lies
(orchestration/workspace), what is fresh (orchestration/state/freshness.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assets.declare.declaration import Declaration
from assets.declare.named_datasets import check_named
from assets.declare.settings import ParamsError, Settings, check_names
from assets.declare.systems import presence


class AssetGraph:
    """Declarations, inputs before what reads them."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        """Take declarations in any order. Raises ParamsError for a source that names an unfit dataset."""
        self._declared = {item.name: item for item in declarations}
        check_named(self._declared)
        found = presence(self._declared)
        self.left_out = found.told
        """Which systems params.yaml leaves out, in a line; None where it has all."""
        self.datasets: dict[str, Declaration] = {}
        for item in found.datasets.values():
            self._add(item, found.datasets)

    def _add(self, item: Declaration, declared: Mapping[str, Declaration]) -> None:
        """Add a dataset behind all that it reads: params.yaml may name what is declared after it."""
        if item.name not in self.datasets:
            for source in item.inputs:
                if (upstream := declared.get(source.key.to_user_string())) is not None:
                    self._add(upstream, declared)
            self.datasets[item.name] = item

    def upstream(self, item: Declaration) -> list[Declaration]:
        """Return the datasets that a dataset reads."""
        return [self.datasets[source.key.to_user_string()] for source in item.inputs]

    def ancestors(self, item: Declaration) -> list[Declaration]:
        """Return every dataset that a dataset depends on, directly or not, each once."""
        parents = self.upstream(item)
        found = [dataset for parent in parents for dataset in (parent, *self.ancestors(parent))]
        return list({dataset.name: dataset for dataset in found}.values())

    def selected(self, select: str | None) -> list[Declaration]:
        """Return the datasets of a selection with all that they need: a group, a dataset, or everything.

        Raises ParamsError where nothing has that name.
        """
        if select is None:
            return list(self.datasets.values())
        chosen = [item for item in self.datasets.values() if select in (item.name, item.key.path[0])]
        if not chosen:
            names = sorted({item.key.path[0] for item in self.datasets.values()} | set(self.datasets))
            known = f"known: {', '.join(names)}"
            raise ParamsError(
                f"nothing is called {select!r}; {'; '.join(filter(None, [known, self.left_out]))}"
            )
        wanted = {item.name for dataset in chosen for item in (dataset, *self.ancestors(dataset))}
        return [item for name, item in self.datasets.items() if name in wanted]

    def input_months(self, item: Declaration, month: str) -> dict[str, list[str]]:
        """Return the partitions of each input that a partition reads."""
        return {
            parent.name: parent.made_months if source.all_months or not parent.partitioned else [month]
            for source, parent in zip(item.inputs, self.upstream(item), strict=True)
        }

    def check(self, document: Mapping[str, Any], settings: Settings) -> None:
        """Raise ParamsError for params that do not fit, and for names that nothing declares."""
        declared = [item for item in self._declared.values() if item.shape is not None]
        check_names(document, {name for item in declared for name in item.sections})
        sources = {item.records for item in declared if item.records}
        if unknown := sorted(settings.sources.keys() - sources):
            known = ", ".join(sorted(sources))
            raise ParamsError(f"params.yaml: unknown key sources.{unknown[0]}; known: {known}")
        if all(item.shape is None for item in self.datasets.values()):
            raise ParamsError(f"params.yaml: there is nothing to make; {self.left_out}")
        for exclusion in settings.exclude:
            asset, month = exclusion.asset, exclusion.partition
            if asset not in self.datasets:
                known = ", ".join(self.datasets)
                raise ParamsError(f"params.yaml: exclude: unknown asset {asset}; known: {known}")
            if month not in self.datasets[asset].months:
                raise ParamsError(f"params.yaml: exclude: {asset} has no partition {month}")
        for dataset in self.datasets.values():
            _ = dataset.values  # which reads and types them


def label(item: Declaration, month: str) -> str:
    """Return how a partition is called in messages."""
    return f"{item.name} {month}".strip()
