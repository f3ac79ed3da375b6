"""The pairs in the format of ParaSCI's release, and as a folder that Hugging Face's datasets can load.

Belongs here: the files and their lines, the released form of a sentence, its content words, and how many of
them the other sentence has. Not here: which pairs there are (paraphrases.py), how covered words are used
(scored.py).

`<split>.src` and `<split>.tgt`: lower-case tokens separated by single spaces, line by line. `<split>.jsonl`:
the sentences, as they are compared and as printed, with their origin and sources. `<split>.sets.jsonl`: the
sentences of each set, all of which say the same. `README.md` maps files to splits for
`datasets.load_dataset`. If there are pairs of several sources, each source has a configuration of its own,
with the pairs both of whose sentences are from it: `source-<name>`, in `source-<name>.<split>.jsonl`. Near
misses are the configuration `near-misses`; their `label` is 0, that of paraphrases is 1.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.joins import matches, stored
from silverloom.ops.core.outcome import Outcome, Outcomes, Row
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.metrics.rouge import porter_stem
from silverloom.ops.parasci.schemas import KNOWN_OF_SENTENCE, RELEASED
from silverloom.ops.text.words import STOP_WORDS

#: The names of the splits in the released files.
FILES = {"train": "train", "validation": "val", "test": "test"}

#: The configuration of the negatives.
NEAR_MISSES = "near-misses"

_DOCUMENTS = pa.schema([("documents", pa.list_(pa.string()))])

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|\w+(?:[-'’]\w+)*|[^\w\s]")


def released_form(sentence: str) -> str:
    """Return a sentence in lower case, with its words and signs separated by spaces."""
    return " ".join(_TOKEN.findall(sentence.lower()))


def source_of(unit: Row) -> str | None:
    """Return the source of a pair, or None if its sentences are from two sources."""
    return str(unit["first_source"]) if unit["first_source"] == unit["second_source"] else None


def several_sources(paraphrases: Parts) -> bool:
    """Return whether pairs are of more than one source."""
    names = ("first_source", "second_source")
    return len({row[name] for row in paraphrases.rows(names) for name in names}) > 1


def released(paraphrases: Parts, near_misses: Parts, files: FilesFolder) -> Outcomes:
    """Yield a row for each split that has pairs, and write its files, with those of near misses.

    Holds the ids and the sentences of all pairs in memory, about 400 bytes each, and one part.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    licences: dict[str, set[str]] = defaultdict(set)
    sets: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    configurations: dict[str, set[str]] = defaultdict(set)
    several = several_sources(paraphrases)
    with files.writing() as write:
        for table in paraphrases:
            for unit in table.to_pylist():
                split, name = unit["split"], FILES[unit["split"]]
                ids[split].append(unit["id"])
                licences[split].add(unit["licence"])
                write(f"{name}.src", f"{released_form(unit['first'])}\n")
                write(f"{name}.tgt", f"{released_form(unit['second'])}\n")
                write(f"{name}.jsonl", _line(unit))
                if several and (source := source_of(unit)):
                    write(f"source-{source}.{name}.jsonl", _line(unit))
                    configurations[f"source-{source}"].add(split)
                for side in ("first", "second"):
                    sets[split][unit["set"]].setdefault(unit[side])
        for unit in near_misses.rows():
            licences[unit["split"]].add(unit["licence"])
            write(f"{NEAR_MISSES}.{FILES[unit['split']]}.jsonl", _near_miss(unit))
            configurations[NEAR_MISSES].add(unit["split"])
        for split, of_split in sets.items():
            for its, sentences in of_split.items():
                write(f"{FILES[split]}.sets.jsonl", _json({"set": its, "sentences": [*sentences]}))
        filled_splits = [split for split in SPLITS if split in ids]
        if filled_splits or configurations:
            named = {"default": filled_splits, **dict(sorted(configurations.items()))}
            write("README.md", _readme({name: splits for name, splits in named.items() if splits}))
    rows = [
        {
            **made_of(row_id("released", split, *ids[split]), ids[split], licences[split]),
            "split": split,
            "source_file": f"{FILES[split]}.src",
            "target_file": f"{FILES[split]}.tgt",
            "pairs": len(ids[split]),
        }
        for split in filled_splits
    ]
    yield Outcome.of(RELEASED, [name for split in filled_splits for name in ids[split]], rows)


def documents(papers: Parts, paraphrases: Parts, folder: Path) -> Parts:
    """Return, for each part of pairs, a part with `documents`: what the sources call the pairs' papers.

    A paper without a row in `papers`, such as that of an abstract, has its source's name in the pair already.
    The parts are written below `folder`.
    """
    ids = (pc.list_flatten(table["papers"]) for table in paraphrases.tables(["papers"]))
    named = matches(papers, "id", ids, folder / "names", ("id", "document"))
    return stored(_documents(paraphrases, named), _DOCUMENTS, paraphrases, folder / "documents")


def _documents(paraphrases: Parts, named: Parts) -> Iterator[pa.Table]:
    for table, names in zip(paraphrases.tables(["papers"]), named, strict=True):
        known = dict(zip(names["id"].to_pylist(), names["document"].to_pylist(), strict=True))
        lists = [[known.get(paper, paper) for paper in papers] for papers in table["papers"].to_pylist()]
        yield pa.table([pa.array(lists, pa.list_(pa.string()))], _DOCUMENTS)


def content_words(sentence: str) -> list[str]:
    """Return the lower-cased words of a sentence without stop words; all words if it has only stop words."""
    words = [word for word in released_form(sentence).split() if word[0].isalnum()]
    return [word for word in words if word not in STOP_WORDS] or words


def content_of(sentence: str) -> str:
    """Return the content words of a sentence as a text: equal for sentences that differ in nothing else."""
    return " ".join(content_words(sentence))


def covered_words(first: str, second: str) -> float:
    """Return the share of content words that the other sentence has, of the sentence with the smaller share.

    0 to 1. Words are compared by their stems (Porter), so that "parsed" covers "parsing".
    """
    one, other = ({porter_stem(word) for word in content_words(side)} for side in (first, second))
    return len(one & other) / max(1, len(one), len(other))


def _line(unit: Row) -> str:
    return _json({**_pair(unit), "label": 1, "cluster": unit["cluster"], "set": unit["set"]})


def _near_miss(unit: Row) -> str:
    """Return the line of a pair that is no paraphrase, by its predicted consistency."""
    more = ("difference", "consistency", "shortfall")
    return _json({**_pair(unit), "label": 0, **{name: unit[name] for name in more}})


def _pair(unit: Row) -> Row:
    shown = {"id": unit["id"], "source": unit["first"], "target": unit["second"], "origin": unit["origin"]}
    for name, side in (("source", "first"), ("target", "second")):
        shown |= {f"{name}_{known}": unit[f"{side}_{known}"] for known in KNOWN_OF_SENTENCE}
    return shown


def _json(content: Row) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"


def _readme(configurations: Mapping[str, Collection[str]]) -> str:
    listed = ""
    for name, splits in configurations.items():
        start = "" if name == "default" else f"{name}."
        listed += f"- config_name: {name}\n  data_files:\n"
        for split in SPLITS:
            if split in splits:
                listed += f"  - split: {split}\n    path: {start}{FILES[split]}.jsonl\n"
    return f"---\nconfigs:\n{listed}---\n\n# Scientific paraphrases\n"
