"""The pairs as the authors of ParaSCI released theirs, and as a folder that Hugging Face's datasets reads.

Belongs here: the files and their lines. Not here: which pairs there are (paraphrases.py).

`<split>.src` and `<split>.tgt`: lower-case tokens with one space between, line by line; `<split>.jsonl`: the
sentences as they are, with their origin; `README.md` tells `datasets.load_dataset` which file is which split.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence

from ops.core.splits import SPLITS
from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Outcomes, Row
from ops.parasci.schemas import RELEASED
from ops.parts import Parts

#: What the released files call the splits.
FILES = {"train": "train", "validation": "val", "test": "test"}

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|\w+(?:[-'’]\w+)*|[^\w\s]")


def released_form(sentence: str) -> str:
    """Return a sentence in lower case, its words and signs divided by spaces."""
    return " ".join(_TOKEN.findall(sentence.lower()))


def released(paraphrases: Parts) -> Outcomes:
    """Yield a row for each split that has pairs, with the files."""
    splits: dict[str, list[Row]] = defaultdict(list)
    for table in paraphrases:
        for unit in table.to_pylist():
            splits[unit["split"]].append(unit)
    found = [split for split in SPLITS if splits[split]]
    files = {"README.md": _readme(found).encode()} if found else {}
    rows = []
    for split in found:
        units = splits[split]
        for side, suffix in (("first", "src"), ("second", "tgt")):
            lines = "".join(f"{released_form(unit[side])}\n" for unit in units)
            files[f"{FILES[split]}.{suffix}"] = lines.encode()
        files[f"{FILES[split]}.jsonl"] = "".join(map(_line, units)).encode()
        row = {
            "id": row_id("released", split, *(unit["id"] for unit in units)),
            "source_ids": [unit["id"] for unit in units],
            "licence": joint_licence(unit["licence"] for unit in units),
            "split": split,
            "source_file": f"{FILES[split]}.src",
            "target_file": f"{FILES[split]}.tgt",
            "pairs": len(units),
        }
        rows.append(row)
    units_in = [unit["id"] for split in found for unit in splits[split]]
    yield Outcome.of(RELEASED, units_in, rows, files=files)


def _line(unit: Row) -> str:
    shown = {"id": unit["id"], "source": unit["first"], "target": unit["second"], "origin": unit["origin"]}
    return json.dumps(shown, ensure_ascii=False) + "\n"


def _readme(splits: Sequence[str]) -> str:
    listed = "".join(f"  - split: {split}\n    path: {FILES[split]}.jsonl\n" for split in splits)
    return f"---\nconfigs:\n- config_name: default\n  data_files:\n{listed}---\n\n# Scientific paraphrases\n"
