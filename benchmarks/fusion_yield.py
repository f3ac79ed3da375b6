"""What the rules and filters yield on prose: examples per 1,000 sentences, seconds, memory, samples to read.

Run: python benchmarks/fusion_yield.py PATH [PATH ...] [--documents N] [--skip N] [--read N --seed N]. A PATH
is prose as in benchmarks/fusion_rules.py; texts of GAP (gap-*.tsv.gz) have their page titles. --read prints
that many random examples of all paths, without controls. Seconds are processor time; thresholds are those of
params.yaml.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow as pa
import pyarrow.parquet as pq
from fusion_rules import texts

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from benchmarks import gap
from silverloom.assets.declare.params_file import section
from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import OneProcess, Part, Parts, temporary_folder
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.dataset.examples import ExampleParams, examples
from silverloom.ops.discofuse.rules import CONTROL, RuleParams
from silverloom.ops.discofuse.schemas import CANDIDATES, PROSE

#: A title, if there is one, and a text.
Document: TypeAlias = tuple[str | None, str]


def documents_of(path: Path) -> Iterator[Document]:
    """Yield the documents of a file; those of GAP have their page titles."""
    if path.name.startswith("gap-"):
        yield from ((example.title, example.text) for example in gap.read(path))
    else:
        yield from ((None, text) for text in texts(path))


def prose(path: Path, documents: list[Document], first: int = 0) -> pa.Table:
    """Return documents as a table of sources/prose, numbered from `first`."""
    nothing = {**dict.fromkeys(PROSE.kept.names, "-"), "holes": []}
    rows = [
        {**nothing, "id": f"{path.name} {number}", "source_ids": ["-"], "title": title, "text": text}
        for number, (title, text) in enumerate(documents, first)
    ]
    return pa.Table.from_pylist(rows, schema=PROSE.kept)


def examples_of_table(candidates: pa.Table) -> Outcome:
    """Return the examples of candidates that are the whole partition."""
    with temporary_folder() as folder:
        pq.write_table(candidates, folder / "kept.parquet")
        parts = Parts(CANDIDATES.kept, (Part(str(folder / "kept.parquet")),), OneProcess())
        return Outcome.joined(list(examples(parts, section(ExampleParams))))


def made(path: Path, documents: list[Document]) -> list[dict[str, Any]]:
    """Return the examples of documents; print their counts and cost."""
    annotation = section(AnnotationParams)
    began = time.process_time()
    parsed = annotate(prose(path, documents), annotation).kept
    after = time.process_time()
    outcome_of_rules = candidates(parsed, annotation, section(RuleParams))
    outcome = examples_of_table(outcome_of_rules.kept)
    ended = time.process_time()
    sentences = len(outcome_of_rules.units)
    kept: list[dict[str, Any]] = outcome.kept.to_pylist()
    print(f"\n{path}: {len(documents):,} documents, {sentences:,} sentences")
    print(f"{after - began:.1f} s to parse, {ended - after:.1f} s for rules, filters and rows")
    for kind, count in sorted(Counter(row["discourse_type"] for row in kept).items()):
        print(f"  {kind:28} {1000 * count / sentences:7.1f} per 1,000 sentences")
    for reason, count in sorted(Counter(outcome.dropped["reason"].to_pylist()).items()):
        print(f"  dropped: {reason:19} {1000 * count / sentences:7.1f}")
    return kept


def show(number: int, row: dict[str, Any]) -> None:
    """Print an example to read."""
    replaced = "; ".join(
        f"{link['mention']} = {link['antecedent']} {link['score']:.2f}" for link in row["links"]
    )
    print(f"\n{number}. {row['rule']} {row['connective_string']!r} {replaced}")
    print(f"   {row['fused']}\n   1: {row['incoherent_first_sentence']}")
    print(f"   2: {row['incoherent_second_sentence']}")


def main() -> None:
    """Make examples of every path, count and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    parser.add_argument("--documents", type=int, default=500, help="most documents per path")
    parser.add_argument("--skip", type=int, default=0, help="documents to skip at the beginning of each path")
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    fused: list[dict[str, Any]] = []
    for path in given.paths:
        if not path.is_file():
            parser.exit(2, f"{path}: no such file. Give a file of prose with one document per line.\n")
        chosen = list(islice(documents_of(path), given.skip, given.skip + given.documents))
        fused += [row for row in made(path, chosen) if row["rule"] != CONTROL]
    print(f"\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB peak memory")
    drawn = random.Random(given.seed).sample(fused, min(given.read, len(fused)))  # noqa: S311
    for number, row in enumerate(drawn, start=1):
        show(number, row)


if __name__ == "__main__":
    main()
