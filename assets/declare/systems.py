"""Which systems a params.yaml is about: it need hold only what these read.

Belongs here: what a system cannot do without, and which datasets are left out for want of it. Not here: the
order of those that are there (graph.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assets.declare.declaration import Declaration
from assets.declare.named_datasets import with_ancestors
from assets.declare.settings import document, settings

_NEEDS: dict[str, tuple[str, ...]] = {}


def needs(system: str, *records: str) -> None:
    """Say that a system makes nothing without some `sources:` of params.yaml: its datasets are absent then.

    Sources that it does not name may be left out: what reads them reads no rows.
    """
    _NEEDS[system] = records


@dataclass(frozen=True)
class Presence:
    """The datasets that there are, and why each other system has none."""

    datasets: Mapping[str, Declaration]
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> str | None:
        """What is absent and why, in a line; None where nothing is."""
        lacking = [f"{system} ({why})" for system, why in self.absent.items()]
        return f"left out by params.yaml: {', '.join(lacking)}" if lacking else None


def presence(declared: Mapping[str, Declaration]) -> Presence:
    """Return which of some datasets there are: those of given sources, and what these read besides.

    A report is made of what there is.
    """
    given = settings().sources.keys()
    absent = dict(_absent(declared, given))
    present: set[str] = set()
    for name, item in declared.items():
        made_of = with_ancestors(declared, name)
        records = {declared[member].records for member in made_of}
        if item.shape is not None and item.key.group not in absent and not given.isdisjoint(records):
            present |= made_of
    datasets = {name: item for name, item in declared.items() if item.shape is None or name in present}
    empty = {item.key.group for item in declared.values() if item.shape} - {
        item.key.group for item in datasets.values()
    }
    absent |= dict.fromkeys(sorted(empty - absent.keys()), "none of its sources")
    return Presence({name: _of_present(item, present) for name, item in datasets.items()}, absent)


def _absent(declared: Mapping[str, Declaration], given: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the systems whose section or sources params.yaml does not have, and which."""
    sections: dict[str, set[str]] = {}
    for item in declared.values():
        tops = {str(kind.section).partition(".")[0] for kind in item.params.values()}
        sections.setdefault(item.key.group, set()).update(tops & {item.key.group})
    for group, own in sections.items():
        if missing := [name for name in _NEEDS.get(group, ()) if name not in given]:
            yield group, f"no sources.{', no sources.'.join(missing)}"
        elif not own <= document().keys():
            yield group, f"no section {group}"


def _of_present(item: Declaration, present: Collection[str]) -> Declaration:
    """Return a declaration; of a report, one that reads only what there is."""
    if item.shape is not None:
        return item
    inputs = [source for source in item.argument_inputs if source.key.to_user_string() in present]
    return replace(item, argument_inputs=tuple(inputs))
