"""The rules over stored annotations: sentences per second on one core, alone and in their op.

Run: python benchmarks/fusion_rules.py PATH [--documents N] [--former COMMIT]. PATH is a file of prose with
one document per line: .txt, .tsv (its first column) or .jsonl (its field text or abstract), also .gz; or
GAP's .tsv (its column Text). It is parsed once, untimed. Also prints candidates per 1,000 sentences by rule.
With --former, the code of an earlier commit takes turns with this checkout's, so that other programs slow
down both. Times are processor time, the best of all rounds.

reading   rows of discofuse/annotated, as the rules need them
joining   the tokens of every sentence with blanks, for comparison
rules     all rules
op        rows of discofuse/candidates: reading, rules, evidence without a model, and Arrow tables
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if "--laps" not in sys.argv:  # laps run the code that PYTHONPATH names
    sys.path.insert(0, str(ROOT))

import pyarrow as pa
import pyarrow.parquet as pq

WORKS = ("op", "reading", "joining", "rules")
TURNS, ROUNDS = 3, 4
#: Documents that the op gets at once, as in `store.records_per_part`.
PART = 256


def texts(path: Path) -> Iterator[str]:
    """Yield the documents of a file."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        if ".jsonl" in path.suffixes:
            for row in map(json.loads, lines):
                yield row.get("text") or row.get("abstract") or ""
            return
        for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)):
            if number == 0 and "Text" in row:
                column = row.index("Text")
                continue
            if number == 0:
                column = 0
            if len(row) > column:
                yield row[column]


def store(documents: Sequence[str], path: Path) -> None:
    """Parse documents, and write them as rows of discofuse/annotated."""
    from silverloom.ops.discofuse.annotation import AnnotationParams
    from silverloom.ops.discofuse.dataset.annotated import annotate
    from silverloom.ops.discofuse.schemas import PROSE

    empty = {**dict.fromkeys(PROSE.kept.names, ""), "source_ids": [], "holes": []}
    rows = [{**empty, "id": str(number), "text": text} for number, text in enumerate(documents)]
    pq.write_table(annotate(pa.Table.from_pylist(rows, schema=PROSE.kept), AnnotationParams()).kept, path)


def laps(path: Path) -> dict[str, float]:
    """Return the least processor seconds that each kind of work takes for stored annotations."""
    from silverloom.ops.discofuse.annotation import AnnotationParams, stored_annotations
    from silverloom.ops.discofuse.dataset.candidates import candidates as op
    from silverloom.ops.discofuse.rules import RuleParams, candidates

    table, parsing, params = pq.read_table(path), AnnotationParams(), RuleParams()
    parts = [table.slice(first, PART).combine_chunks() for first in range(0, len(table), PART)]

    def clocks(part: pa.Table) -> list[float]:
        ends = [time.process_time()]
        op(part, parsing, params)
        ends.append(time.process_time())
        annotations = list(stored_annotations(part))
        ends.append(time.process_time())
        for annotation in annotations:
            for start, end in annotation.sentences:
                " ".join(annotation.words[start:end])
        ends.append(time.process_time())
        for annotation in annotations:
            deque(candidates(annotation, params), maxlen=0)
        ends.append(time.process_time())
        return [end - begin for begin, end in pairwise(ends)]

    clocks(parts[0])  # loads dictionaries, which are read on first use
    rounds = [[sum(seconds) for seconds in zip(*map(clocks, parts), strict=True)] for _ in range(ROUNDS)]
    return dict(zip(WORKS, map(min, zip(*rounds, strict=True)), strict=True))


def laps_of(root: Path, path: Path) -> dict[str, float]:
    """Return the laps of the code in a checkout, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--laps", str(path)]
    ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    seconds: dict[str, float] = json.loads(ended.stdout)
    return seconds


def main() -> None:
    """Parse, let the versions of the code take turns, and print the best of all rounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--former", help="an earlier commit to compare with")
    parser.add_argument("--laps", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.path.is_file():
        parser.exit(2, f"{given.path}: no such file. Give a file of prose with one document per line.\n")
    if given.laps:
        print(json.dumps(laps(given.path)))
        return
    documents = [text for text, _ in zip(texts(given.path), range(given.documents), strict=False)]
    with tempfile.TemporaryDirectory(prefix="fusion-rules-") as name:
        stored, former = Path(name, "annotated.parquet"), Path(name, "former")
        store(documents, stored)
        roots = [ROOT]
        if given.former:
            subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", ROOT, former], check=True)
            subprocess.run(["git", "checkout", "-q", given.former], cwd=former, check=True)
            roots.append(former)
        turns = [[laps_of(root, stored) for root in roots] for _ in range(TURNS)]
        versions = zip(*turns, strict=True)
        show(pq.read_table(stored), [[min(lap[work] for lap in of) for work in WORKS] for of in versions])


def show(annotated: pa.Table, seconds: Sequence[Sequence[float]]) -> None:
    """Print the seconds of each kind of work, now and perhaps formerly, and how often each rule applies."""
    from silverloom.ops.discofuse.annotation import stored_annotations
    from silverloom.ops.discofuse.rules import RuleParams, candidates

    annotations = list(stored_annotations(annotated))
    sentences = sum(len(annotation.sentences) for annotation in annotations)
    print(f"{sentences} sentences of {len(annotations)} documents; one core")
    for work, now, *former in zip(WORKS, *seconds, strict=True):
        line = f"{work:8} {sentences / now:10,.0f} sentences/s {1e6 * now / sentences:7.1f} microseconds"
        print(line + "".join(f"; before {1e6 * old / sentences:.1f}: {old / now:.2f}x" for old in former))
    params = RuleParams()
    rules = Counter(made.rule for annotation in annotations for made in candidates(annotation, params))
    for rule, count in sorted(rules.items()):
        print(f"{rule:36} {1000 * count / sentences:7.1f} per 1,000 sentences")


if __name__ == "__main__":
    main()
