"""The graph of the datasets: their edges, their order, and which datasets exist.

Belongs here: edges, including those that params.yaml adds by naming a dataset as a source; the systems that
it leaves out; the folders of all datasets, as a report reads them. Not here: a single dataset
(declaration.py), whether it is fresh (orchestration/state).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from silverloom.assets.declare.declaration import DECLARED, Dataset
from silverloom.assets.declare.params_file import ParamsError, check_names, did_you_mean, document, settings
from silverloom.assets.declare.settings import Settings
from silverloom.ops.core.params import Params
from silverloom.ops.parse.source import DatasetSource, RowFormat, options_fault, row_formats


class DatasetsByName(dict[str, Dataset]):
    """Datasets by name. Raises LookupError with a suggestion for an unknown name."""

    def __missing__(self, name: str) -> Dataset:
        raise LookupError(f"no dataset is called {name!r}{did_you_mean(name, self)}")


class AssetGraph:
    """Declarations in topological order."""

    def __init__(self, declarations: Iterable[Dataset]) -> None:
        """Take declarations in any order. Raises ParamsError for a source that names an unfit dataset."""
        self._declared = {dataset.name: dataset for dataset in declarations}
        check_named(self._declared)
        present = presence(self._declared)
        self.left_out = present.told
        """The systems that params.yaml leaves out, in one line; None if it leaves out none."""
        self.datasets = DatasetsByName()
        for dataset in present.datasets.values():
            self._add(dataset, present.datasets)

    @property
    def unconfigured(self) -> str | None:
        """What commands say of the systems that are left out: nothing if params.yaml names its targets."""
        return None if settings().targets else self.left_out

    def _add(self, dataset: Dataset, declared: Mapping[str, Dataset]) -> None:
        """Add a dataset after all that it reads: params.yaml may name datasets that are declared later."""
        if dataset.name not in self.datasets:
            for source in dataset.inputs:
                if (upstream := declared.get(source.key.to_user_string())) is not None:
                    self._add(upstream, declared)
            self.datasets[dataset.name] = dataset

    def upstream(self, dataset: Dataset) -> list[Dataset]:
        """Return the datasets that a dataset reads."""
        return [self.datasets[source.key.to_user_string()] for source in dataset.inputs]

    def ancestors(self, dataset: Dataset) -> list[Dataset]:
        """Return all ancestors of a dataset, direct or not, each once."""
        parents = self.upstream(dataset)
        ancestors = [ancestor for parent in parents for ancestor in (parent, *self.ancestors(parent))]
        return list({ancestor.name: ancestor for ancestor in ancestors}.values())

    def selected(self, select: str | None) -> list[Dataset]:
        """Return the selected datasets with their ancestors: a group, a dataset, or the targets.

        Without targets in params.yaml, these are all datasets. Raises ParamsError if nothing has that name.
        """
        selections = [select] if select is not None else settings().targets
        if not selections:
            return list(self.datasets.values())
        chosen = [dataset for name in selections for dataset in self._called(name)]
        wanted = {needed.name for dataset in chosen for needed in (dataset, *self.ancestors(dataset))}
        return [dataset for name, dataset in self.datasets.items() if name in wanted]

    def _called(self, name: str) -> list[Dataset]:
        """Return the dataset with a name, or the datasets of a group. Raises ParamsError if there is none."""
        if called := [
            dataset for dataset in self.datasets.values() if name in (dataset.name, dataset.key.path[0])
        ]:
            return called
        names = sorted({dataset.key.path[0] for dataset in self.datasets.values()} | set(self.datasets))
        stages = {"-".join(dataset.key.path): name for name, dataset in self.datasets.items()}
        known = f"{did_you_mean(stages.get(name, name), names)}; known: {', '.join(names)}"
        raise ParamsError(f"nothing is called {name!r}{'; '.join(filter(None, [known, self.left_out]))}")

    def reads(self, dataset: Dataset) -> list[tuple[Dataset, bool]]:
        """Return the datasets that a dataset reads, and whether it reads all partitions of each."""
        read = zip(dataset.inputs, self.upstream(dataset), strict=True)
        return [(parent, source.all_partitions or not parent.partitioned) for source, parent in read]

    def input_partitions(self, dataset: Dataset, partition: str) -> dict[str, list[str]]:
        """Return the partitions of each input that a partition reads."""
        return {
            parent.name: parent.made_partitions if whole else [partition]
            for parent, whole in self.reads(dataset)
        }

    def check(self, document: Mapping[str, Any], settings: Settings) -> None:
        """Raise ParamsError for invalid params, and for names that are not declared."""
        declared = [dataset for dataset in self._declared.values() if dataset.shape is not None]
        check_names(document, {name for dataset in declared for name in dataset.sections} | _OPTIONAL)
        sources = {dataset.records for dataset in declared if dataset.records}
        if unknown := sorted(settings.sources.keys() - sources):
            known = ", ".join(sorted(sources))
            near = did_you_mean(unknown[0], sources)
            raise ParamsError(f"params.yaml: unknown key sources.{unknown[0]}{near}; known: {known}")
        if all(dataset.shape is None for dataset in self.datasets.values()):
            raise ParamsError(f"params.yaml: there is nothing to make; {self.left_out}")
        for target in settings.targets:
            try:
                self._called(target)
            except ParamsError as error:
                raise ParamsError(f"params.yaml: targets: {error}") from None
        for exclusion in settings.exclude:
            asset, partition = exclusion.asset, exclusion.partition
            if asset not in self.datasets:
                known = ", ".join(self.datasets)
                near = did_you_mean(asset, self.datasets)
                raise ParamsError(f"params.yaml: exclude: unknown asset {asset}{near}; known: {known}")
            if partition not in self.datasets[asset].partitions:
                raise ParamsError(f"params.yaml: exclude: {asset} has no partition {partition}")
        for dataset in self.datasets.values():
            _ = dataset.values  # reads and validates them


#: The output of a report: files by relative path.
Files: TypeAlias = Iterator[tuple[str, bytes]]


class Everything(dict[str, Mapping[str, Path]]):
    """The folders of every dataset declared before, by name and partition: the input of a report."""

    def __init__(
        self,
        folders: Mapping[str, Mapping[str, Path]] | None = None,
        graph: AssetGraph | None = None,
        scratch: Path | None = None,
    ):
        super().__init__(folders or {})
        self.graph = graph or AssetGraph(DECLARED.values())
        #: The folder for temporary files of the report; None: the system's.
        self.scratch = scratch


def label(dataset: Dataset, partition: str) -> str:
    """Return the name of a partition in messages."""
    return f"{dataset.name} {partition}".strip()


class Measurement(NamedTuple):
    """A measured run of a system, from raw records to its dataset, on two cores."""

    records: str
    """The section of `sources:` that the documents are in."""
    documents: int
    what: str
    """What the documents are, in a few words, and the report."""
    rows: int
    minutes: int
    """From the beginning to the dataset, with one minute to start the steps, whatever they are given.

    If it is only that one, the minutes of far more documents are unknown.
    """
    clock: str = "processor time"
    """What the minutes are of."""


class System(NamedTuple):
    """What a system says of its `sources:` in params.yaml."""

    needs: tuple[str, ...] = ()
    """Without these its datasets are absent. Others may be left out: their readers then read no rows."""
    begins_with: tuple[str, ...] = ()
    """Any one of these is enough to begin with."""
    recommends: Mapping[str, str] = {}
    """Those that it should have, with what happens without them."""
    measured: tuple[Measurement, ...] = ()
    """What runs of it have cost, one for each kind of records."""


#: What systems say of their sources, in the head of their packages: no part of any dataset's code.
SYSTEMS: dict[str, System] = {}


def system_named(name: str) -> System:
    """Return what a system says of its sources."""
    return SYSTEMS.get(name, System())


_OPTIONAL: set[str] = set()


def optional(*kinds: type[Params]) -> None:
    """Allow params.yaml the sections of some classes, even if no dataset reads them now."""
    _OPTIONAL.update(str(kind.section) for kind in kinds)


@dataclass(frozen=True)
class Presence:
    """The datasets that exist, and why each of the other systems is absent."""

    datasets: Mapping[str, Dataset]
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> str | None:
        """The absent systems and the reasons, in one line; None if no system is absent."""
        lacking = [f"{system} ({why})" for system, why in self.absent.items()]
        return f"not configured in params.yaml: {', '.join(lacking)}" if lacking else None


def presence(declared: Mapping[str, Dataset]) -> Presence:
    """Return the datasets that exist: those that read given sources, with their ancestors.

    Reports are restricted to existing datasets.
    """
    given = settings().sources.keys()
    absent = dict(_absent(declared, given))
    present: set[str] = set()
    for name, dataset in declared.items():
        made_of = with_ancestors(declared, name)
        records = {declared[member].records for member in made_of}
        if dataset.shape is not None and dataset.key.group not in absent and not given.isdisjoint(records):
            present |= made_of
    datasets = {
        name: dataset for name, dataset in declared.items() if dataset.shape is None or name in present
    }
    empty = {dataset.key.group for dataset in declared.values() if dataset.shape} - {
        dataset.key.group for dataset in datasets.values()
    }
    absent |= dict.fromkeys(sorted(empty - absent.keys()), "none of its sources")
    return Presence({name: _of_present(dataset, present) for name, dataset in datasets.items()}, absent)


def _absent(declared: Mapping[str, Dataset], given: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the systems whose section or sources are missing from params.yaml, with what is missing."""
    sections: dict[str, set[str]] = {}
    for dataset in declared.values():
        tops = {str(kind.section).partition(".")[0] for kind in dataset.params.values()}
        sections.setdefault(dataset.key.group, set()).update(tops & {dataset.key.group})
    for group, own in sections.items():
        if missing := [name for name in system_named(group).needs if name not in given]:
            yield group, f"no sources.{', no sources.'.join(missing)}"
        elif not own <= document().keys():
            yield group, f"no section {group}"


def _of_present(dataset: Dataset, present: Collection[str]) -> Dataset:
    """Return a declaration; a report's is restricted to inputs that exist."""
    if dataset.shape is not None:
        return dataset
    inputs = [source for source in dataset.argument_inputs if source.key.to_user_string() in present]
    return replace(dataset, argument_inputs=tuple(inputs))


def check_named(declared: Mapping[str, Dataset]) -> None:
    """Raise ParamsError for a dataset that cannot be read as a source; the message lists those that can."""
    named = [
        (f"params.yaml: sources.{dataset.records}.{name}", dataset, source)
        for dataset in declared.values()
        for name, source in settings().named_datasets(dataset.records).items()
    ]
    for where, dataset, source in named:  # before following any edge
        if fault := _kind_fault(dataset, source) or _name_fault(declared, dataset, source):
            raise ParamsError(f"{where}: {fault}")
    for where, dataset, source in named:
        if dataset.name in with_ancestors(declared, source.dataset):
            cause = "cannot read itself" if source.dataset == dataset.name else f"is made of {dataset.name}"
            raise ParamsError(f"{where}: {source.dataset} {cause}; {_choice(declared, dataset, source)}")


def _kind_fault(dataset: Dataset, source: DatasetSource) -> str | None:
    forms = row_formats(dataset.formats)
    if not forms:
        return f"{dataset.name} reads folders alone, and no dataset"
    if source.kind not in forms and (source.kind or len(forms) > 1):
        return f"unknown kind {source.kind!r} of rows; known: {', '.join(sorted(forms))}"
    kind = source.kind or next(iter(forms))
    fault = options_fault(forms[kind], source, kind)
    return fault and f"options: {fault}"


def _name_fault(declared: Mapping[str, Dataset], dataset: Dataset, source: DatasetSource) -> str | None:
    sources = settings().named_datasets(dataset.records).values()
    if sum(source.dataset == other.dataset for other in sources) > 1:
        return f"{source.dataset} is named twice: a row has one fate"
    fault = _unreadable(declared, source.dataset, dataset.row_format(source)[1])
    return fault and f"{fault}; {_choice(declared, dataset, source)}"


def _unreadable(declared: Mapping[str, Dataset], name: str, form: RowFormat[Any]) -> str | None:
    """Return why a format cannot read the rows of a dataset."""
    if name not in declared:
        return f"no dataset is called {name!r}{did_you_mean(name, declared)}"
    named = declared[name]
    if named.shape is None or not named.partitioned:
        return f"{name} has no partitions"
    try:
        form.columns(named.shape.kept)
    except ValueError as error:
        return f"{name} {error}"
    return None


def _choice(declared: Mapping[str, Dataset], dataset: Dataset, source: DatasetSource) -> str:
    form = dataset.row_format(source)[1]
    names = [
        name
        for name in declared
        if _unreadable(declared, name, form) is None and dataset.name not in with_ancestors(declared, name)
    ]
    return f"can be named: {', '.join(names) or 'none'}"


def with_ancestors(declared: Mapping[str, Dataset], name: str) -> set[str]:
    """Return a dataset and all its ancestors, even if the graph has a cycle."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        if (name := waiting.pop()) in declared and name not in names:
            names.add(name)
            dataset = declared[name]
            waiting += [source.key.to_user_string() for source in dataset.argument_inputs]
            waiting += [source.dataset for source in settings().named_datasets(dataset.records).values()]
    return names
