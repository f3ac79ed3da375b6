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
from ops.parts import FilesFolder, Parts

#: What the released files call the splits.
FILES = {"train": "train", "validation": "val", "test": "test"}

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|\w+(?:[-'’]\w+)*|[^\w\s]")


def released_form(sentence: str) -> str:
    """Return a sentence in lower case, its words and signs divided by spaces."""
    return " ".join(_TOKEN.findall(sentence.lower()))


def released(paraphrases: Parts, files: FilesFolder) -> Outcomes:
    """Yield a row for each split that has pairs, and write its files: of pairs, only ids stay in memory."""
    ids: dict[str, list[str]] = defaultdict(list)
    licences: dict[str, set[str]] = defaultdict(set)
    with files.writing() as write:
        for table in paraphrases:
            for unit in table.to_pylist():
                split, name = unit["split"], FILES[unit["split"]]
                ids[split].append(unit["id"])
                licences[split].add(unit["licence"])
                write(f"{name}.src", f"{released_form(unit['first'])}\n")
                write(f"{name}.tgt", f"{released_form(unit['second'])}\n")
                write(f"{name}.jsonl", _line(unit))
        found = [split for split in SPLITS if split in ids]
        if found:
            write("README.md", _readme(found))
    rows = [
        {
            "id": row_id("released", split, *ids[split]),
            "source_ids": ids[split],
            "licence": joint_licence(licences[split]),
            "split": split,
            "source_file": f"{FILES[split]}.src",
            "target_file": f"{FILES[split]}.tgt",
            "pairs": len(ids[split]),
        }
        for split in found
    ]
    yield Outcome.of(RELEASED, [name for split in found for name in ids[split]], rows)


def _line(unit: Row) -> str:
    shown = {"id": unit["id"], "source": unit["first"], "target": unit["second"], "origin": unit["origin"]}
    return json.dumps(shown, ensure_ascii=False) + "\n"


def _readme(splits: Sequence[str]) -> str:
    listed = "".join(f"  - split: {split}\n    path: {FILES[split]}.jsonl\n" for split in splits)
    return f"---\nconfigs:\n- config_name: default\n  data_files:\n{listed}---\n\n# Scientific paraphrases\n"
