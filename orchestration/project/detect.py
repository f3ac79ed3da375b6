"""What a source is: which records it holds, the kind that reads it, and the columns of its tables.

Belongs here: trying the formats of a system on the first records of a folder, and choosing columns by their
content. Not here: the formats (ops/parse and the systems), the files of a new project (create.py).

A kind fits if it reads the first records. If two fit equally well, the error names both, and the option that
decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from assets.declare.declaration import DECLARED, Declaration
from assets.declare.graph import beginnings, with_ancestors
from ops.parse.records import UnwantedError
from ops.parse.scan import Corpus
from ops.parse.source import Format, ParseError, Raw, Source, Tabular, folder_formats, row_formats
from ops.parse.tables import Table
from orchestration.executors.parts import engine

#: How many records of a source are examined, and how many of these are parsed.
_FIRST, _PARSED = 50, 3

#: The share of files above which their kind is that of the source.
_MOST = 0.5

#: Mean number of words of a column from which on its cells are long texts.
_LONG = 20


class UndecidedError(ValueError):
    """Files do not show what a source is; the text says what they hold and which option decides."""


@dataclass(frozen=True)
class SourceOptions:
    """What the options of the command say."""

    kind: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


class FoundSource(NamedTuple):
    """What a source was found to be."""

    records: str
    """The section of `sources:` in params.yaml."""
    kind: str
    columns: Mapping[str, str]
    """Of tables: the column of each thing that the kind asks for."""
    fields: Mapping[str, str]
    """Those of them that params.yaml must name."""
    reader: str = ""
    """The records that the system takes from the rows of these, if it does not read these themselves."""


class _Fit(NamedTuple):
    share: float
    """The share of the first records that the format reads."""
    family: type
    """The class of the format: two kinds may be one format."""
    found: FoundSource


def systems() -> list[str]:
    """Return the names of all systems: the groups of datasets with params of their own."""
    owners = {
        dataset.key.group
        for dataset in DECLARED.values()
        for kind in dataset.params.values()
        if str(kind.section).startswith(f"{dataset.key.group}.")
    }
    return sorted(owners)


def readers(system: str) -> dict[str, Declaration]:
    """Return the datasets that read raw records for a system, by the records' name in params.yaml."""
    declared = {dataset.name: dataset for dataset in DECLARED.values()}
    names = {
        ancestor
        for dataset in declared.values()
        if dataset.key.group == system
        for ancestor in with_ancestors(declared, dataset.name)
    }
    return {
        dataset.key.asset: dataset
        for name, dataset in declared.items()
        if name in names and dataset.records == dataset.key.asset
    }


def detect(system: str, folder: Path, name: str, records: str, asked: SourceOptions) -> FoundSource:
    """Return what the files of a folder are for a system.

    `records` names the section of `sources:` that they are for; if it is empty, that is detected, too.
    `name` is what the source is called in params.yaml. Raises UndecidedError.
    """
    known = readers(system)
    if records and records not in known:
        raise UndecidedError(f"{system} reads no {records}; it reads {', '.join(known)}")
    wanted = [records] if records else [each for group in beginnings(system) for each in group]
    if fits := _fits({each: known[each] for each in wanted}, folder, name, asked):
        return _best(fits, name)
    through = {
        dataset.key.asset: dataset
        for dataset in DECLARED.values()
        if not records and any(_reads_rows_of(known[each], dataset) for each in wanted)
    }
    if fits := _fits(through, folder, name, asked):
        found = _best(fits, name)
        reader = next(each for each in wanted if _reads_rows_of(known[each], through[found.records]))
        return found._replace(reader=reader)
    kinds = [f"{each} ({', '.join(sorted(folder_formats(known[each].formats)))})" for each in wanted]
    no_kind = f"the kind {asked.kind!r} does not read" if asked.kind else "no kind reads"
    raise UndecidedError(f"{name}: {no_kind} its first files; of {' or '.join(kinds)}")


def _reads_rows_of(reader: Declaration, dataset: Declaration) -> bool:
    """Say whether kept rows of a dataset of files can be the source of another dataset."""
    if reader is dataset or dataset.shape is None or dataset.records != dataset.key.asset:
        return False
    try:
        return any(form.columns(dataset.shape.kept) for form in row_formats(reader.formats).values())
    except ValueError:
        return False


def _fits(datasets: Mapping[str, Declaration], folder: Path, name: str, asked: SourceOptions) -> list[_Fit]:
    """Return the formats that read the first records.

    Raises UndecidedError for a table whose columns do not show what they hold, unless the files are mostly of
    another kind.
    """
    formats = [
        (records, kind, form)
        for records, dataset in datasets.items()
        for kind, form in folder_formats(dataset.formats).items()
        if asked.kind in ("", kind) and (not asked.columns or isinstance(form, Tabular))
    ]
    fits: list[_Fit] = []
    undecided: UndecidedError | None = None
    for records, kind, form in formats:
        columns: dict[str, str] = {}
        fields: dict[str, str] = {}
        if isinstance(form, Table):
            try:
                columns = _columns(form, folder, name, asked)
            except UndecidedError as error:
                undecided = undecided or error
                continue
            fields = {wanted: column for wanted, column in columns.items() if column != form.columns[wanted]}
        if share := _share(form, Source(kind=kind, path=str(folder), licence="first", fields=fields)):
            family = type(getattr(form, "form", form))
            fits.append(_Fit(share, family, FoundSource(records, kind, columns, fields)))
    if undecided and all(fit.share <= _MOST for fit in fits):
        raise undecided
    return fits


def _best(fits: Sequence[_Fit], name: str) -> FoundSource:
    """Return the format that reads most. Raises UndecidedError if two do."""
    most = max(fit.share for fit in fits)
    best = list({(fit.found.records, fit.family): fit.found for fit in fits if fit.share == most}.values())
    if len(best) == 1:
        return best[0]
    kinds = " or ".join(f"{fit.records} ({fit.kind})" for fit in best)
    several = len({fit.records for fit in best}) > 1
    option = f"--source {best[0].records}=..." if several else f"--kind {best[0].kind}"
    raise UndecidedError(f"{name} may be {kinds}: say which, for example by {option}")


def _raws(form: Any, source: Source) -> list[Raw]:
    """Return the first records of a folder."""
    corpus = Corpus("first", {"first": source}, {source.kind: form}, Path("/"), "", "", 1, engine(), "none")
    return list(islice(corpus.raws(source), _FIRST))


def _share(form: Format[Any], source: Source) -> float:
    """Return the share of the first records that a format reads."""
    raws = _raws(form, source)
    sound = [raw for raw in raws if raw.error is None]
    tried = sound[:_PARSED]
    parsed = [raw for raw in tried if _is_parsed(form, raw)]
    return len(sound) / len(raws) * len(parsed) / len(tried) if tried else 0


def _is_parsed(form: Format[Any], raw: Raw) -> bool:
    if getattr(form, "slow", False):  # minutes a record
        return True
    try:
        form.parse(raw)
    except UnwantedError:  # it was read, and is not wanted
        return True
    except ParseError:
        return False
    return True


def _columns(form: Table, folder: Path, name: str, asked: SourceOptions) -> dict[str, str]:
    """Return which columns hold what a format asks for, as far as there are any. Raises UndecidedError."""
    source = Source(kind="first", path=str(folder), licence="first")
    rows = [json.loads(raw.content) for raw in _raws(form, source) if raw.error is None]
    cells = _cells(rows)
    if not cells:
        return {}
    if unknown := [wanted for wanted in asked.columns if wanted not in form.columns]:
        raise UndecidedError(f"--column {unknown[0]}=...: not asked for; known: {', '.join(form.columns)}")
    for column in asked.columns.values():
        if column not in cells:
            raise UndecidedError(f"{name} has no column {column!r}; there are: {', '.join(cells)}")
    chosen = dict(asked.columns)
    for wanted, default in form.columns.items():
        if wanted in chosen:
            continue
        free = {column: values for column, values in cells.items() if column not in chosen.values()}
        column = default if default in cells else _column(wanted, form.main, free, name, list(cells))
        if column:
            chosen[wanted] = column
    return chosen


def _cells(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the filled cells of each column of strings and numbers."""
    names = dict.fromkeys(column for row in rows for column in row)
    found = {column: [row[column] for row in rows if row.get(column) not in (None, "")] for column in names}
    return {
        column: values
        for column, values in found.items()
        if values and all(isinstance(value, str | int | float) for value in values)
    }


_DATE = re.compile(r"\d{4}(?:\.0)?(?:-(?:0[1-9]|1[0-2])(?!\d).*)?", re.DOTALL)


def _column(
    wanted: str, main: str, cells: Mapping[str, Sequence[Any]], name: str, there: Sequence[str]
) -> str:
    """Return the column that holds what is wanted, judging by its cells; "" if none or several may.

    Raises UndecidedError for the column without which there is no record.
    """
    if wanted == main:
        words = {
            column: sum(len(value.split()) for value in values) / len(values)
            for column, values in cells.items()
            if all(isinstance(value, str) for value in values)
        }
        long = [column for column, mean in words.items() if mean >= _LONG]
        long = long or [column for column, mean in words.items() if mean > 1]
        if len(long) == 1:
            return long[0]
        why = f"{' and '.join(long)} hold texts" if long else "no column holds texts"
        raise UndecidedError(
            f"{name}: which column is the {wanted}? {why}; there are: {', '.join(there)}; "
            f"say which: --column {wanted}={long[0] if long else 'NAME'}"
        )
    found = [column for column, values in cells.items() if _may_hold(wanted, column, values)]
    return found[0] if len(found) == 1 else ""


def _may_hold(wanted: str, column: str, values: Sequence[Any]) -> bool:
    texts = [*map(str, values)]
    if wanted == "id":
        return column.lower().endswith("id") and len({*texts}) == len(texts)
    return wanted == "date" and all(map(_DATE.fullmatch, texts))
