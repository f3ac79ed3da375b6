"""What a source is: which records it holds, the kind that reads it, and the columns of its tables.

Belongs here: trying the formats of a system on the first records of a folder, and choosing columns by their
content. Not here: the formats (ops/parse and the systems), the files of a new project (create.py).

A kind fits if it reads the first records. If two fit equally well, the error names both, and what decides.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from silverloom.assets.declare.graph import system_named
from silverloom.ops.parse.decoding import json_object
from silverloom.ops.parse.files import ForeignFile
from silverloom.ops.parse.records import UnwantedError
from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import (
    AnyFormat,
    Format,
    ParseError,
    Raw,
    Source,
    Tabular,
    folder_formats,
)
from silverloom.ops.parse.tables import Table
from silverloom.orchestration.executors.parts import LocalEngine
from silverloom.orchestration.project.readers import read_through, readers, records_wanted

#: The formats of a dataset, by kind.
Formats: TypeAlias = Mapping[str, AnyFormat]

#: How many records of a source are examined, and how many of these are parsed.
FIRST, _PARSED = 50, 3

#: The share of files above which their kind is that of the source.
_MOST = 0.5

#: Mean number of words of a column from which on its cells are long texts. The other columns of short texts
#: may be anything: such a table counts as if half of its records could be read.
_LONG, _OF_SHORT = 20, 0.5

#: How many reasons are told why no kind reads a source.
_FAULTS = 3


class UndecidedError(ValueError):
    """Files do not show what a source is; the text says what they hold and which option decides."""


class UnreadError(UndecidedError):
    """No kind reads the files."""


@dataclass(frozen=True)
class SourceOptions:
    """What the options of the command say."""

    kind: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    """How the options name the source; empty if there is only one."""


class FoundSource(NamedTuple):
    """What a source was found to be."""

    records: str
    """The section of `sources:` in params.yaml."""
    kind: str
    columns: Mapping[str, str]
    """Of tables: the column of each thing that the kind asks for."""
    fields: Mapping[str, str]
    """Those of them that params.yaml must name."""
    lacking: Sequence[str] = ()
    """What the kind asks of tables and no column was found for."""
    reader: str = ""
    """The records that the system takes from the rows of these, if it does not read these themselves."""


class _Fit(NamedTuple):
    share: float
    """The share of the first records that the format reads; half of it if the texts are short."""
    paths: frozenset[str]
    """Files of these records."""
    family: type
    """The class of the format: two kinds may be one format."""
    detected: FoundSource


def detect(system: str, folder: Path, name: str, records: str, asked: SourceOptions) -> list[FoundSource]:
    """Return what the files of a folder are for a system: most of them first, then files of other records.

    `records` names the only section of `sources:` that they are for; if it is empty, that is detected, too.
    `name` is what the source is called in messages. Raises UndecidedError.
    """
    known, through = readers(system), read_through(system)
    if records and records not in {**known, **through}:
        raise UndecidedError(f"{system} reads no {records}; it reads {', '.join({**known, **through})}")
    sought = [records] if records else [*records_wanted(system), *system_named(system).recommends]
    read = {each: known[each].formats for each in sought if each in known}
    indirect = {each: dataset.formats for each, (_, dataset) in through.items() if records in ("", each)}
    fits = _fits(read, folder, name, asked)
    if any(fit.share > _OF_SHORT for fit in fits):
        return _best(fits, name, asked)
    others = _fits(indirect, folder, name, asked)
    if fits and max(fit.share for fit in fits) >= max((fit.share for fit in others), default=0):
        return _best(fits, name, asked)
    if others:
        best = _best(others, name, asked)[0]
        return [best._replace(reader=through[best.records][0])]
    raise _unread(read or indirect, folder, name, asked)


def detect_kind(
    formats: Mapping[str, Formats], folder: Path, name: str, asked: SourceOptions
) -> list[FoundSource]:
    """Return which formats, given by the records that they are for, read a folder.

    Raises UndecidedError.
    """
    if fits := _fits(formats, folder, name, asked):
        return _best(fits, name, asked)
    raise _unread(formats, folder, name, asked)


def _unread(formats: Mapping[str, Formats], folder: Path, name: str, asked: SourceOptions) -> UnreadError:
    """Return the error for a folder that none of some formats reads."""
    if not any(folder.rglob("*")):
        return UnreadError(f"{name}: the folder is empty")
    kinds = [f"{each} ({', '.join(sorted(folder_formats(of_each)))})" for each, of_each in formats.items()]
    no_kind = f"the kind {asked.kind!r} does not read" if asked.kind else "no kind reads"
    why = "".join(f"; {fault}" for fault in islice(_faults(formats, folder), _FAULTS))
    return UnreadError(f"{name}: {no_kind} its first files; of {' or '.join(kinds)}{why}")


def _fits(by_records: Mapping[str, Formats], folder: Path, name: str, asked: SourceOptions) -> list[_Fit]:
    """Return the formats that read the first records.

    Raises UndecidedError for a table whose columns do not show what they hold, unless the files are mostly of
    another kind.
    """
    formats = [
        (records, kind, form)
        for records, its in by_records.items()
        for kind, form in folder_formats(its).items()
        if asked.kind in ("", kind) and (not asked.columns or isinstance(form, Tabular))
    ]
    fits: list[_Fit] = []
    undecided: UndecidedError | None = None
    for records, kind, form in formats:
        columns: dict[str, str] = {}
        fields: dict[str, str] = {}
        lacking: list[str] = []
        weight = 1.0
        if isinstance(form, Table):
            try:
                columns, is_sure = _columns(form, folder, name, asked)
            except UndecidedError as error:
                undecided = undecided or error
                continue
            fields = _renamed(form, columns)
            lacking = [wanted for wanted in form.columns if columns and wanted not in columns]
            weight = 1 if is_sure else _OF_SHORT
        share, paths = _share(form, Source(kind=kind, path=str(folder), licence="first", fields=fields))
        if share:
            family = type(getattr(form, "form", form))
            detected = FoundSource(records, kind, columns, fields, lacking)
            fits.append(_Fit(share * weight, paths, family, detected))
    if undecided and all(fit.share <= _MOST for fit in fits):
        raise undecided
    return fits


def _faults(by_records: Mapping[str, Formats], folder: Path) -> Iterator[str]:
    """Yield why formats do not read the first record, each reason once."""
    told = set[str]()
    for its in by_records.values():
        for kind, form in folder_formats(its).items():
            for raw in islice(records_of(form, Source(kind=kind, path=str(folder), licence="first")), 1):
                fault = raw.error
                if fault is None and not getattr(form, "slow", False):
                    try:
                        form.parse(raw)
                    except (ParseError, UnwantedError) as error:
                        fault = str(error)
                if not fault or isinstance(fault, ForeignFile):
                    continue
                if (shown := f"{raw.path}: {fault}") not in told:
                    told.add(shown)
                    yield shown


def _best(fits: Sequence[_Fit], name: str, asked: SourceOptions) -> list[FoundSource]:
    """Return the format that reads most, and one for each kind of records in other files.

    Raises UndecidedError if two formats read most, unless they read other records in other files.
    """
    ranked = sorted(fits, key=lambda fit: -fit.share)
    read = {path for fit in fits if fit.detected.records == ranked[0].detected.records for path in fit.paths}
    others = [fit for fit in fits if read.isdisjoint(fit.paths)]
    tied = [fit for fit in ranked if fit.share == ranked[0].share and fit not in others]
    best = list({(fit.detected.records, fit.family): fit.detected for fit in tied}.values())
    if len(best) == 1:
        return [*best, *{fit.detected.records: fit.detected for fit in others}.values()]
    kinds = " or ".join(f"{fit.records} ({fit.kind})" for fit in best)
    several = len({fit.records for fit in best}) > 1
    kind = f"{asked.source}={best[0].kind}" if asked.source else best[0].kind
    option = f"--source {best[0].records}=..." if several else f"--kind {kind}"
    raise UndecidedError(f"{name} may be {kinds}: say which, for example by {option}")


def records_of(form: Any, source: Source) -> Iterator[Raw]:
    """Yield the records of a folder, as a run reads them."""
    engine = LocalEngine(1)
    corpus = Corpus("all", {"all": source}, {source.kind: form}, Path("/"), "", "", 1, engine, "none")
    return corpus.raws(source)


def _share(form: Format[Any], source: Source) -> tuple[float, frozenset[str]]:
    """Return the share of the first records that a format reads, and the files of those."""
    raws = list(islice(records_of(form, source), FIRST))
    sound = [raw for raw in raws if raw.error is None]
    tried = sound[:_PARSED]
    parsed = [raw for raw in tried if _is_parsed(form, raw)]
    share = len(sound) / len(raws) * len(parsed) / len(tried) if tried else 0
    return share, frozenset(raw.path for raw in sound)


def _is_parsed(form: Format[Any], raw: Raw) -> bool:
    if getattr(form, "slow", False):  # minutes a record
        return True
    with contextlib.suppress(UnwantedError):  # it was read, and is not wanted
        try:
            form.parse(raw)
        except ParseError:
            return False
    return True


def _columns(form: Table, folder: Path, name: str, asked: SourceOptions) -> tuple[dict[str, str], bool]:
    """Return which columns hold what a format asks for, as far as there are any, and whether that is sure.

    It is not if the column of texts was chosen although its texts are short. Raises UndecidedError.
    """
    source = Source(kind="table", path=str(folder), licence="none")
    cells = _cells(list(_rows(islice(records_of(form, source), FIRST))))
    if not cells:
        return {}, True
    is_sure = True
    option = asked.source and f"{asked.source}."
    if unknown := [wanted for wanted in asked.columns if wanted not in form.columns]:
        known = ", ".join(form.columns)
        raise UndecidedError(f"--column {option}{unknown[0]}=...: not asked for; known: {known}")
    for column in asked.columns.values():
        if column not in cells:
            raise UndecidedError(f"{name} has no column {column!r}; there are: {', '.join(cells)}")
    chosen = dict(asked.columns)
    for wanted, default in form.columns.items():
        free = {column: values for column, values in cells.items() if column not in chosen.values()}
        if wanted in chosen:
            continue
        if default in cells:
            chosen[wanted] = default
        elif wanted == form.main:
            chosen[wanted] = _main_column(wanted, free, name, option, list(cells))
            is_sure = _mean_words(cells[chosen[wanted]]) >= _LONG
        elif column := _column(wanted, free, form, source):
            chosen[wanted] = column
    return _in_every_file(form, source, chosen, {form.main, *asked.columns}, name), is_sure


def _in_every_file(
    form: Table, source: Source, chosen: Mapping[str, str], needed: Container[str], name: str
) -> dict[str, str]:
    """Return the columns without the optional ones that a file lacks: a run would refuse them.

    Raises UndecidedError if a file lacks one of those that are needed.
    """

    def fault(columns: Mapping[str, str]) -> str | None:
        fields = _renamed(form, columns)
        return form.fields_fault(Path(source.path), source.model_copy(update={"fields": fields}))

    used = {wanted: column for wanted, column in chosen.items() if wanted in needed}
    if missing := fault(used):
        raise UndecidedError(f"{name}: {missing}; give files with other columns as another --source")
    for wanted, column in chosen.items():
        if wanted not in used and fault({**used, wanted: column}) is None:
            used[wanted] = column
    return {wanted: used[wanted] for wanted in chosen if wanted in used}


def _renamed(form: Table, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that are not called as the format calls them: those that params.yaml must name."""
    return {wanted: column for wanted, column in columns.items() if column != form.columns[wanted]}


def _rows(raws: Iterable[Raw]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table that can be read."""
    for raw in raws:
        if raw.error is None:
            with contextlib.suppress(ParseError):
                yield json_object(raw.content)


def _cells(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the filled cells of each column of strings and numbers."""
    names = dict.fromkeys(column for row in rows for column in row)
    filled = {column: [row[column] for row in rows if row.get(column) not in (None, "")] for column in names}
    return {
        column: values
        for column, values in filled.items()
        if values and all(isinstance(value, str | int | float) for value in values)
    }


def _main_column(
    wanted: str, cells: Mapping[str, Sequence[Any]], name: str, option: str, there: Sequence[str]
) -> str:
    """Return the only column of texts. Raises UndecidedError if there are several, or none."""
    texts = {column: values for column, values in cells.items() if all(isinstance(v, str) for v in values)}
    words = {column: _mean_words(values) for column, values in texts.items()}
    long = [column for column, mean in words.items() if mean >= _LONG]
    long = long or [column for column, mean in words.items() if mean > 1]
    if len(long) == 1:
        return long[0]
    why = f"{' and '.join(long)} hold texts" if long else "no column holds texts"
    longest = max(long, key=words.__getitem__, default="NAME")
    example = shlex.quote(f"{option}{wanted}={longest}")
    raise UndecidedError(
        f"{name}: which column is the {wanted}? {why}; there are: {', '.join(there)}; "
        f"say which: --column {example}"
    )


def _mean_words(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / len(texts)


def _column(wanted: str, cells: Mapping[str, Sequence[Any]], form: Table, source: Source) -> str:
    """Return the column that holds the ids or the dates, judging by names and cells; "" if several may."""
    candidates: Sequence[str] = ()
    if wanted == "id":
        candidates = _unique(form, source, [column for column in cells if _ID.fullmatch(column)])
    elif wanted == "date":
        candidates = [column for column, values in cells.items() if _holds_dates(column, values)]
    return candidates[0] if len(candidates) == 1 else ""


#: Names of columns of ids: id, paper_id, paperId; but not bid or paid.
_ID = re.compile(r"(?:.*[\W_])?(?i:id)|.*[a-z0-9]I[dD]", re.DOTALL)


def _unique(form: Table, source: Source, columns: Sequence[str]) -> list[str]:
    """Return the columns whose cells differ in all rows: a run rejects the second row with an id.

    Reads all rows, until every column has the same cell twice.
    """
    seen: dict[str, set[str]] = {column: set() for column in columns}
    for row in _rows(records_of(form, source)) if columns else ():
        for column in [*seen]:
            value = row.get(column)
            if str(value) in seen[column]:
                del seen[column]
            elif value not in (None, ""):
                seen[column].add(str(value))
        if not seen:
            break
    return [*seen]


_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?!\d).*", re.DOTALL)
_YEAR = re.compile(r"\d{4}(?:\.0)?")

#: The words of a column's name: pub_year, publicationDate.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def _holds_dates(column: str, values: Sequence[Any]) -> bool:
    """Return whether all cells are dates. A year alone is one if the name of the column says so."""
    words = [word.lower() for word in _WORD.findall(column)]
    named = "date" in words or any(word.endswith("year") for word in words)
    return all(_DATE.fullmatch(text) or (named and _YEAR.fullmatch(text)) for text in map(str, values))
