"""`silverloom convert`: a file in, rows out, without a project.

Belongs here: which systems one corpus is enough for, reading it, and writing the rows as one file. Not here:
the steps (each system's `chain.py`), what the files are (detect.py), projects (create.py).
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.parts import Parts
from silverloom.ops.core.steps import Steps
from silverloom.ops.discofuse.dataset.chain import examples_of_records
from silverloom.ops.discofuse.sources import PROSE_FORMATS
from silverloom.ops.parasci.dataset.chain import paraphrases_of_records
from silverloom.ops.parasci.sources import PASSAGE_FORMATS
from silverloom.ops.parse.one_source import records_of, source_name
from silverloom.ops.parse.papers import FORMATS as PAPER_FORMATS
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.source import Source, folder_formats
from silverloom.orchestration.files.publish import writing
from silverloom.orchestration.project.detect import Formats, FoundSource, SourceOptions, detect_kind

#: What each system reads of one corpus: the formats by the name of its records in params.yaml.
_READ: Mapping[str, Mapping[str, Formats]] = {
    "discofuse": {"prose": PROSE_FORMATS},
    "parasci": {"papers": PAPER_FORMATS, "passages": PASSAGE_FORMATS},
}

#: What the other systems need, and what makes an example of them.
_NEED_SEVERAL = {
    "talksumm": "talks and their papers; in Python, silverloom.talksumm.summarize takes a pair of them",
    "wikisum": "articles and web pages; in Python, silverloom.wikisum.example takes a title and pages",
}


def convert(
    path: Path,
    system: str,
    target: Path,
    options: SourceOptions,
    licence: str,
    strict: bool,
    tell: Callable[[str], object],
) -> tuple[int, Steps]:
    """Write the rows that a system makes of a file or folder; return their number, and what was lost.

    The rows are those of the dataset that a project with default params and without filters makes of it:
    `discofuse/examples` or `parasci/paraphrases`. The name of `target` ends in .parquet, .jsonl or .csv; in
    .csv, lists are JSON. `tell` gets lines of progress. Raises ValueError for another name, a system that
    needs several sources, a missing file, one that no format reads, and if there are no rows.
    """
    if system not in _READ:
        if system in _NEED_SEVERAL:
            raise ValueError(
                f"one file is not enough for {system}, which needs {_NEED_SEVERAL[system]}; a project has"
                f" all sources: `silverloom init FOLDER --system {system} --source ...`"
            )
        raise ValueError(f"there is no system {system!r}; there are: {', '.join([*_READ, *_NEED_SEVERAL])}")
    if target.suffix not in _WRITERS:
        raise ValueError(f"{target.name}: the name must end in {', '.join(_WRITERS)}")
    if not path.exists():
        raise ValueError(f"there is no file or folder {path}")
    with TemporaryDirectory(prefix="silverloom-") as scratch:
        folder = path.resolve()
        if folder.is_file():
            folder = Path(scratch, "source")
            folder.mkdir()
            _put(path.resolve(), folder / path.name)
        name = source_name(path.resolve())
        steps = Steps(Path(scratch, "steps"), tell=tell)
        records: dict[str, Records] = {}
        for found in detect_kind(_READ[system], folder, path.name, options):
            tell(f"{path.name}: {found.records}, read as {found.kind}")
            source = _source(found, folder, name, licence)
            formats = folder_formats(_READ[system][found.records])
            records[found.records] = records_of(name, source, formats, steps.engine)
        rows = _rows(system, steps, records, strict)
        count = sum(part.rows for part in rows.parts)
        if count:
            with writing(target.absolute()) as temporary:
                _WRITERS[target.suffix](rows, temporary)
    return count, steps


def _source(found: FoundSource, folder: Path, name: str, licence: str) -> Source:
    domain = name if found.records == "prose" else ""
    return Source(
        kind=found.kind, path=str(folder), licence=licence, fields=dict(found.fields), domain=domain
    )


def _rows(system: str, steps: Steps, records: Mapping[str, Records], strict: bool) -> Parts:
    if system == "discofuse":
        return examples_of_records(steps, records["prose"])
    return paraphrases_of_records(steps, records.get("papers"), records.get("passages"), strict)


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
