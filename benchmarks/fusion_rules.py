"""The rules over existing annotations: sentences per second on one core, against merely joining tokens.

Run: python benchmarks/fusion_rules.py PATH [--documents N]. PATH is a file of prose with one document per
line: .txt, .tsv (its first column) or .jsonl (its field text or abstract), also .gz; or GAP's .tsv (its
column Text). It is parsed once, untimed. Also prints candidates per 1,000 sentences by rule. Times are
processor time, so that other programs do not count.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import annotated
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.discofuse.rules.rule import Candidate

ROUNDS = 5


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


def seconds_of_joining(annotations: Sequence[Annotation]) -> float:
    """Return how long it takes to join the tokens of every sentence with spaces."""
    begin = time.process_time()
    for annotation in annotations:
        for start, end in annotation.sentences:
            " ".join(annotation.words[start:end])
    return time.process_time() - begin


def seconds_of_rules(annotations: Sequence[Annotation]) -> tuple[float, list[Candidate]]:
    """Return how long all rules take, and their candidates."""
    params = RuleParams()
    begin = time.process_time()
    made = [candidate for annotation in annotations for candidate in candidates(annotation, params)]
    return time.process_time() - begin, made


def main() -> None:
    """Parse, then time the rules and the bare pass in turn, and print the best of five rounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--documents", type=int, default=2000)
    given = parser.parse_args()
    if not given.path.is_file():
        parser.exit(2, f"{given.path}: no such file. Give a file of prose with one document per line.\n")
    nlp = annotator()
    documents = [text for text, _ in zip(texts(given.path), range(given.documents), strict=False)]
    annotations = [annotated(text, nlp) for text in documents]
    sentences = sum(len(annotation.sentences) for annotation in annotations)
    seconds_of_rules(annotations)  # loads the dictionary of word forms, which is read on first use
    rounds = [(seconds_of_joining(annotations), seconds_of_rules(annotations)) for _ in range(ROUNDS)]
    joining, rules = min(one for one, _ in rounds), min(seconds for _, (seconds, _) in rounds)
    made = rounds[0][1][1]
    print(f"{sentences} sentences of {len(documents)} documents; best of {ROUNDS} rounds on one core")
    print(
        f"all rules      {sentences / rules:10,.0f} sentences/s  {1e6 * rules / sentences:.1f} microseconds"
    )
    print(
        f"joining tokens {sentences / joining:10,.0f} sentences/s  the rules take {rules / joining:.0f} times"
    )
    for rule, count in sorted(Counter(candidate.rule for candidate in made).items()):
        print(f"{rule:36} {1000 * count / sentences:7.1f} per 1,000 sentences")


if __name__ == "__main__":
    main()
