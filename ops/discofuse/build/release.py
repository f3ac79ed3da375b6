"""The examples as the files that the authors of DiscoFuse released.

Belongs here: the files' names, columns and cells. Not here: which examples there are (examples.py,
balanced.py).

Tab-separated with a header, no quoting: `<domain>/train.tsv`, `dev.tsv`, `test.tsv`, and the same with
`_balanced` behind the split. The documents of train, validation and test differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ops.discofuse.schemas import RELEASED, RELEASED_COLUMNS
from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Outcomes, Row
from ops.parts import Parts
from ops.text.space import fold

#: What the released files call the splits.
FILES = {"train": "train", "validation": "dev", "test": "test"}

#: The folder of examples whose source has no domain.
NO_DOMAIN = "prose"

HEADER = "\t".join(RELEASED_COLUMNS.names) + "\n"


def released(examples: Parts, balanced: Parts) -> Outcomes:
    """Yield a row for what each part of the examples gives to each file; the files come with the last one.

    The texts of all files are in memory until they are written.
    """
    ids = {
        source for sources in balanced.read(["source_ids"])["source_ids"].to_pylist() for source in sources
    }
    files: dict[str, list[str]] = defaultdict(lambda: [HEADER])
    waiting: Outcome | None = None
    for table in examples:
        if waiting is not None:
            yield waiting
        units = table.to_pylist()
        rows: dict[tuple[str, str, bool], list[Row]] = defaultdict(list)
        for unit in units:
            for chosen in (False, True) if unit["id"] in ids else (False,):
                rows[unit["domain"], unit["split"], chosen].append(unit)
        kept = list(_rows(rows, files))
        waiting = Outcome.of(RELEASED, [unit["id"] for unit in units], kept)
    if waiting is not None:
        content = {name: "".join(lines).encode() for name, lines in sorted(files.items())}
        yield Outcome(waiting.units, waiting.kept, waiting.dropped, waiting.rejected, files=content)


def file_of(domain: str, split: str, balanced: bool = False) -> str:
    """Return the name of a released file. Raises KeyError for an unknown split."""
    return f"{domain or NO_DOMAIN}/{FILES[split]}{'_balanced' if balanced else ''}.tsv"


def line_of(example: Row) -> str:
    """Return the line of an example, its end included; white space in a cell is folded."""
    return "\t".join(fold(str(example[name])) for name in RELEASED_COLUMNS.names) + "\n"


def _rows(rows: dict[tuple[str, str, bool], list[Row]], files: dict[str, list[str]]) -> Iterator[Row]:
    for (domain, split, chosen), examples in sorted(rows.items()):
        file = file_of(domain, split, chosen)
        first = len(files[file]) + 1
        files[file] += [line_of(example) for example in examples]
        yield {
            "id": row_id("released", file, *(example["id"] for example in examples)),
            "source_ids": [example["id"] for example in examples],
            "licence": joint_licence(example["licence"] for example in examples),
            "file": file,
            "domain": domain,
            "split": split,
            "balanced": chosen,
            "first_line": first,
            "lines": len(examples),
        }
