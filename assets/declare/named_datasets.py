"""The datasets that params.yaml names as sources: `sources.prose.wiki: {dataset: sources/articles}`.

Belongs here: whether each can be read so, and which could. Not here: how rows become records
(ops/parse/row_records.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.declare.declaration import Declaration
from assets.declare.settings import ParamsError, settings
from ops.parse.row_format import RowFormat, row_formats
from ops.parse.source import DatasetSource, options_fault


def check_named(declared: Mapping[str, Declaration]) -> None:
    """Raise ParamsError for a dataset that cannot be read as a source; its text lists those that can."""
    named = [
        (f"params.yaml: sources.{item.records}.{name}", item, source)
        for item in declared.values()
        for name, source in settings().named_datasets(item.records).items()
    ]
    for where, item, source in named:  # before any edge is followed
        if fault := _kind_fault(item, source) or _name_fault(declared, item, source):
            raise ParamsError(f"{where}: {fault}")
    for where, item, source in named:
        if item.name in with_ancestors(declared, source.dataset):
            cause = "cannot read itself" if source.dataset == item.name else f"is made of {item.name}"
            raise ParamsError(f"{where}: {source.dataset} {cause}; {_choice(declared, item, source)}")


def _kind_fault(item: Declaration, source: DatasetSource) -> str | None:
    forms = row_formats(item.formats)
    if not forms:
        return f"{item.name} reads folders alone, and no dataset"
    if source.kind not in forms and (source.kind or len(forms) > 1):
        return f"unknown kind {source.kind!r} of rows; known: {', '.join(sorted(forms))}"
    kind = source.kind or next(iter(forms))
    fault = options_fault(forms[kind], source, kind)
    return fault and f"options: {fault}"


def _name_fault(declared: Mapping[str, Declaration], item: Declaration, source: DatasetSource) -> str | None:
    sources = settings().named_datasets(item.records).values()
    if sum(source.dataset == other.dataset for other in sources) > 1:
        return f"{source.dataset} is named twice: a row has one fate"
    fault = _unreadable(declared, source.dataset, item.row_format(source)[1])
    return fault and f"{fault}; {_choice(declared, item, source)}"


def _unreadable(declared: Mapping[str, Declaration], name: str, form: RowFormat[Any]) -> str | None:
    """Return why the rows of a dataset cannot be read in a format."""
    if name not in declared:
        return f"no dataset is called {name!r}"
    named = declared[name]
    if named.shape is None or not named.partitioned:
        return f"{name} has no months"
    try:
        form.columns(named.shape.kept)
    except ValueError as error:
        return f"{name} {error}"
    return None


def _choice(declared: Mapping[str, Declaration], item: Declaration, source: DatasetSource) -> str:
    form = item.row_format(source)[1]
    names = [
        name
        for name in declared
        if _unreadable(declared, name, form) is None and item.name not in with_ancestors(declared, name)
    ]
    return f"can be named: {', '.join(names) or 'none'}"


def with_ancestors(declared: Mapping[str, Declaration], name: str) -> set[str]:
    """Return a dataset and all that it is made of, also where that goes in a circle."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        if (name := waiting.pop()) in declared and name not in found:
            found.add(name)
            item = declared[name]
            waiting += [source.key.to_user_string() for source in item.argument_inputs]
            waiting += [source.dataset for source in settings().named_datasets(item.records).values()]
    return found
