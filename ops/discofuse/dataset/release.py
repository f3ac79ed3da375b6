"""The examples in files of the format that the authors of DiscoFuse released.

Belongs here: the files' names, columns and cells. Not here: choosing examples (examples.py, balanced.py).

The files are tab-separated with a header and without quoting: `<domain>/train.tsv`, `dev.tsv` and `test.tsv`,
and the same with `_balanced` after the split. Train, validation and test share no documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.joins import sources_within
from silverloom.ops.core.outcome import Outcome, Outcomes, Row
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.discofuse.schemas import RELEASED, RELEASED_COLUMNS
from silverloom.ops.text.words import fold

#: The names of the splits in released files.
FILES = {"train": "train", "validation": "dev", "test": "test"}

#: The folder of examples from sources without a domain.
NO_DOMAIN = "prose"

HEADER = "\t".join(RELEASED_COLUMNS.names) + "\n"


def released(examples: Parts, balanced: Parts, files: FilesFolder) -> Outcomes:
    """Yield a row for each part of the examples in each file, and write the files part by part."""
    lines: Counter[str] = Counter()
    with examples.engine.scratch() as folder, files.writing() as write:
        sources = sources_within(examples, balanced, folder / "balanced")
        for table, in_balanced in zip(examples, sources, strict=True):
            units, ids = table.to_pylist(), {*in_balanced["source_id"].to_pylist()}
            rows: dict[tuple[str, str, bool], list[Row]] = defaultdict(list)
            for unit in units:
                for chosen in (False, True) if unit["id"] in ids else (False,):
                    rows[unit["domain"], unit["split"], chosen].append(unit)
            kept = list(_rows(rows, lines, write))
            yield Outcome.of(RELEASED, [unit["id"] for unit in units], kept)


def file_of(domain: str, split: str, balanced: bool = False) -> str:
    """Return the name of a released file. Raises KeyError for an unknown split."""
    return f"{domain or NO_DOMAIN}/{FILES[split]}{'_balanced' if balanced else ''}.tsv"


def line_of(example: Row) -> str:
    """Return the line of an example, including the line end; white space within cells is folded."""
    return "\t".join(fold(str(example[name])) for name in RELEASED_COLUMNS.names) + "\n"


def _rows(
    rows: dict[tuple[str, str, bool], list[Row]], lines: Counter[str], write: Callable[[str, str], None]
) -> Iterator[Row]:
    for (domain, split, chosen), examples in sorted(rows.items()):
        file = file_of(domain, split, chosen)
        if not lines[file]:
            write(file, HEADER)
            lines[file] = 1
        for example in examples:
            write(file, line_of(example))
        yield {
            **made_from_several(examples, "released", file, *(example["id"] for example in examples)),
            "file": file,
            "domain": domain,
            "split": split,
            "balanced": chosen,
            "first_line": lines[file] + 1,
            "lines": len(examples),
        }
        lines[file] += len(examples)
