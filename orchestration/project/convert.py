"""`silverloom convert`: a file in, rows out, without a project.

Belongs here: which systems one corpus is enough for, reading it, and writing the rows as one file. Not here:
the steps (each system's `one_corpus.py`), what the files are (detect.py), projects (create.py).
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.assets.declare.params_file import check_sections, raw_section, validated
from silverloom.assets.declare.project import checkout
from silverloom.assets.declare.yaml import read_yaml
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.parse.one_source import records_of, source_name
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.source import Source, folder_formats
from silverloom.orchestration.files.publish import writing
from silverloom.orchestration.project.detect import FoundSource, SourceOptions, UnreadError, detect_kind

#: A system's module that says what it makes of one corpus, or what it needs besides.
_MODULE = "one_corpus"


def convert(
    path: Path,
    system: str,
    target: Path,
    options: SourceOptions,
    licence: str,
    assignments: Sequence[str],
    strict: bool,
    tell: Callable[[str], object],
) -> tuple[int, Steps]:
    """Write the rows that a system makes of a file or folder; return their number, and what was lost.

    The rows are those of the dataset that a project without filters makes of it. Params have their defaults,
    except for `assignments`, each SECTION.KEY=VALUE as in params.yaml. The name of `target` ends in .parquet,
    .jsonl or .csv; in .csv, lists are JSON. `tell` gets lines of progress. Raises ValueError for other
    names, systems that need several sources, params that it does not have, a missing file, and one that no
    format reads.
    """
    known = sorted(path.parent.name for path in (checkout() / "ops").glob(f"*/{_MODULE}.py"))
    if system not in known:
        raise ValueError(f"there is no system {system!r}; there are: {', '.join(known)}")
    module: Any = import_module(f"silverloom.ops.{system}.{_MODULE}")
    if needs := getattr(module, "NEEDS", None):
        raise ValueError(
            f"one file is not enough for {system}, which needs {needs}; a project has all sources:"
            f" `silverloom init FOLDER --system {system} --source ...`"
        )
    if target.suffix not in _WRITERS:
        raise ValueError(f"{target.name}: the name must end in {', '.join(_WRITERS)}")
    if not path.exists():
        raise ValueError(f"there is no file or folder {path}")
    params = _params(module.PARAMS, assignments)
    with TemporaryDirectory(prefix="silverloom-") as scratch:
        folder = path.resolve()
        if folder.is_file():
            folder = Path(scratch, "source")
            folder.mkdir()
            _put(path.resolve(), folder / path.name)
        name = source_name(path.resolve())
        steps = Steps(Path(scratch, "steps"), tell=tell)
        records: dict[str, Records] = {}
        try:
            sources = detect_kind(module.FORMATS, folder, path.name, options)
        except UnreadError as error:
            project = f"`silverloom init FOLDER --system {system} --source {path}`"
            raise UnreadError(f"{error}; a project may read more: {project}") from None
        for found in sources:
            tell(f"{path.name}: {found.records}, read as {found.kind}")
            source = _source(found, folder, name, licence)
            formats = folder_formats(module.FORMATS[found.records])
            records[found.records] = records_of(name, source, formats, steps.engine)
        rows = module.rows(steps, records, params, strict)
        count = sum(part.rows for part in rows.parts)
        if count:
            with writing(target.absolute()) as temporary:
                _WRITERS[target.suffix](rows, temporary)
    return count, steps


def _params(kinds: Sequence[type[Params]], assignments: Sequence[str]) -> Sections:
    """Return the sections of params.yaml that some assignments change. Raises ValueError."""
    content: dict[str, Any] = {}
    for assignment in assignments:
        path, sign, value = assignment.partition("=")
        *names, key = path.split(".")
        if not (sign and names and all((*names, key))):
            raise ValueError(f"--set takes SECTION.KEY=VALUE, not {assignment!r}")
        section = content
        for name in names:
            section = section.setdefault(name, {})
            if not isinstance(section, dict):
                raise ValueError(f"--set {assignment}: {name} has a value already")
        try:
            section[key] = read_yaml(value)
        except ValueError as error:
            raise ValueError(f"--set {assignment}: {error}") from error
    sections = {str(kind.section): kind for kind in kinds}
    check_sections(content, set(sections), "--set")
    return Sections(
        validated(kind, raw_section(content, path), path, "--set") for path, kind in sections.items()
    )


def _source(found: FoundSource, folder: Path, name: str, licence: str) -> Source:
    domain = name if found.records == "prose" else ""
    return Source(
        kind=found.kind, path=str(folder), licence=licence, fields=dict(found.fields), domain=domain
    )


def _put(file: Path, place: Path) -> None:
    """Put a file into a folder of its own: a source is a folder, and the one around it may hold anything."""
    try:
        os.link(file, place)
    except OSError:  # another file system, or one without links
        shutil.copyfile(file, place)


def _write_parquet(rows: Parts, path: Path) -> None:
    schema = pa.schema([field.remove_metadata() for field in rows.schema])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in rows:
            writer.write_table(table.cast(schema))


def _write_json_lines(rows: Parts, path: Path) -> None:
    with _text_file(path) as file:
        file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows.rows())


def _write_csv(rows: Parts, path: Path) -> None:
    with _text_file(path) as file:
        writer = csv.DictWriter(file, rows.schema.names)
        writer.writeheader()
        for row in rows.rows():
            writer.writerow(
                {
                    name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
                    for name, value in row.items()
                }
            )


def _text_file(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="")


_WRITERS: Mapping[str, Callable[[Parts, Path], None]] = {
    ".parquet": _write_parquet,
    ".jsonl": _write_json_lines,
    ".csv": _write_csv,
}
