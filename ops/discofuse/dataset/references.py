"""The texts that fuse the same two sentences: several references for one input.

Belongs here: which examples have equal inputs, and the distinct fused texts of these. Not here: the examples
(examples.py), scores against references (ops/metrics), released files (ops/core/release.py).

Several connectives of one sense fit the same two sentences (Geva et al. 2019, sections 5.2 and 5.4), so a
single reference is unfair to a model. No fusion is invented: every reference is a text that somebody wrote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from silverloom.ops.core.joins import Lookup, grouped, looked_up, matches, stored
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.discofuse.schemas import RELEASED_COLUMNS

_TEXT = pa.string()
_INPUTS = pa.schema([("id", _TEXT), ("split", _TEXT), ("fused", _TEXT), ("input", _TEXT)])
_SEVERAL = pa.schema([("id", _TEXT), ("split", _TEXT), ("references", pa.list_(_TEXT))])
_ASIDE = pa.schema([("references", pa.list_(_TEXT))])
_SENTENCES = ["incoherent_first_sentence", "incoherent_second_sentence"]
_FINAL = ".!?"

#: The columns of an example in tokens separated by spaces: the authors', and those of our models.
TOKENISED = (*RELEASED_COLUMNS.names[:4], "fused", "unfused", "references")

#: Examples after which a part of grouped inputs may end.
_ROWS = 10_000


def several_references(examples: Parts, folder: Path) -> Parts:
    """Return `id`, `split` and `references` of the examples whose input occurs with more than one fused text.

    Inputs are equal if their sentences are, without case, white space and final marks; the connective is no
    part of an input. An example's own text comes first, the others follow in the order of `examples`; texts
    that differ only in these things count once. The parts are written to `folder`, which is created.
    """
    inputs = map(_inputs, examples.tables(["id", "split", "fused", *_SENTENCES]))
    groups = grouped(inputs, _INPUTS, "input", examples, folder / "inputs", _ROWS)
    return stored(map(_several, groups), _SEVERAL, examples, folder / "several")


def references(examples: Parts, folder: Path) -> Parts:
    """Return, for each part of `examples`, a part with the column `references` of its rows, in their order.

    An example has at least its own text. The parts are written to `folder`, which is created.
    """
    several = several_references(examples, folder)
    ids = (table["id"] for table in examples.tables(["id"]))
    matched = matches(several, "id", ids, folder / "matches")
    return stored(_beside(examples, matched), _ASIDE, examples, folder / "references")


def beside_released(prose: Parts, examples: Parts, folder: Path) -> Parts:
    """Return what `references` does, with each example's document as its source has it: `document`, `url`."""
    lookup = Lookup("document_id", prose, "id", {"document": "document", "url": "url"})
    documents, lists = looked_up(examples, folder / "names", [lookup]), references(examples, folder)
    tables = (
        names.append_column("references", its["references"])
        for names, its in zip(documents, lists, strict=True)
    )
    return stored(tables, pa.schema([*documents.schema, *_ASIDE]), examples, folder / "beside")


def _beside(examples: Parts, matched: Parts) -> Iterator[pa.Table]:
    for table, several in zip(examples.tables(["id", "fused"]), matched, strict=True):
        known = {row["id"]: row["references"] for row in several.to_pylist()}
        texts = [known.get(row["id"], [row["fused"]]) for row in table.to_pylist()]
        yield pa.table([pa.array(texts, pa.list_(_TEXT))], _ASIDE)


def _inputs(table: pa.Table) -> pa.Table:
    first, second = (table[name].to_pylist() for name in _SENTENCES)
    keys = [f"{_folded(one)}\n{_folded(other)}" for one, other in zip(first, second, strict=True)]
    return table.select(["id", "split", "fused"]).append_column("input", pa.array(keys, _TEXT))


def _several(table: pa.Table) -> pa.Table:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in table.to_pylist():
        groups[row["input"]].append(row)
    rows = []
    for group in groups.values():
        texts: dict[str, str] = {}
        for row in group:
            texts.setdefault(_folded(row["fused"]), row["fused"])
        for row in group if len(texts) > 1 else ():
            own = _folded(row["fused"])
            others = [text for folded, text in texts.items() if folded != own]
            rows.append({"id": row["id"], "split": row["split"], "references": [row["fused"], *others]})
    return pa.Table.from_pylist(rows, _SEVERAL)


def _folded(text: str) -> str:
    """Return a text without case, white space and final marks."""
    return "".join(text.lower().split()).rstrip(_FINAL)
