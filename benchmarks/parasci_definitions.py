"""Recall of ParaSCI's definitions: of sentences that a reader chose as defining, how many are tagged.

Run: python benchmarks/parasci_definitions.py SENTENCES [--missed]. SENTENCES is the folder of a project's
`sources/sentences`, of the corpora in ratings/defining_sentences.csv (ratings/README.md). That file has
hashes instead of texts; a sentence that a project splits otherwise is not found, and not counted.

--missed prints the sentences without a term.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow.parquet as pq

from silverloom.ops.parasci import definition

CHOSEN = Path(__file__).parent / "ratings" / "defining_sentences.csv"


def main() -> None:
    """Print how many sentences of each sheet are there, and how many of them are tagged."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--missed", action="store_true")
    given = parser.parse_args()
    files = sorted(given.sentences.rglob("kept-*.parquet"))
    if not files:
        parser.error(f"{given.sentences} has no kept-*.parquet: it is no folder of sources/sentences")
    with CHOSEN.open(newline="") as file:
        chosen = {row["sentence"]: (row["sheet"], row["field"]) for row in csv.DictReader(file)}
    texts: dict[str, str] = {}
    for path in files:
        for text in pq.read_table(path, columns=["text"])["text"].to_pylist():
            digest = hashlib.sha256(text.encode()).hexdigest()
            if digest in chosen:
                texts[digest] = text
    sheets: dict[tuple[str, str], list[str]] = defaultdict(list)
    for digest, sheet in chosen.items():
        sheets[sheet].append(digest)
    for (sheet, field), digests in sorted(sheets.items()):
        there = [texts[digest] for digest in digests if digest in texts]
        missed = [text for text in there if definition(text) is None]
        print(f"{sheet} {field}: {len(there) - len(missed)} of {len(there)} tagged; {len(digests)} chosen")
        for text in missed if given.missed else ():
            print(f"    {text}")


if __name__ == "__main__":
    main()
