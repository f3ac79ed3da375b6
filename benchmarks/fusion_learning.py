"""What a fusion model learns from prose: Exact and SARI on held-out examples by type, and on another corpus.

Run: python benchmarks/fusion_learning.py PATH [PATH ...] --pairs PAIRS.tsv[.gz] --folder FOLDER [--documents
N] [--size NAME] [--updates N] [--tests N]. A PATH is prose as in benchmarks/fusion_yield.py. The examples of
all paths form one training set; they are made with params.yaml and stored in FOLDER, so that a second run
with another size reuses them. PAIRS come from a split-and-rephrase corpus (sentence<TAB>first <::::> second)
that no model is trained on; --tests limits how many are fused. --size is one of discofuse.fusion_model;
--updates ends training earlier.

COPY, which joins the two sentences, is also scored. Means are times 100. Seconds are processor time. Load the
models in FOLDER/model with silverloom.ops.models.seq2seq.files.load.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow.parquet as pq
from fusion_yield import documents_of, examples_of_table, prose

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from silverloom.assets.declare.params_file import section
from silverloom.ops.core.parts import OneProcess, Part, Parts
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.balanced import BalancedParams, balanced
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.models.fusion_model import FusionModelParams, texts_of
from silverloom.ops.discofuse.models.training_sets import copied, judged
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import BALANCED, EXAMPLES
from silverloom.ops.models.seq2seq.config import Pairs
from silverloom.ops.models.seq2seq.task import Seq2SeqTask
from silverloom.ops.models.seq2seq.training import learn_pieces, make_model
from silverloom.ops.models.training import train
from silverloom.ops.models.training.task import ProgressLines

DOCUMENTS_AT_ONCE = 500


def make_examples(paths: Sequence[Path], documents: int, folder: Path) -> None:
    """Write the examples of prose as part files, unless the folder already has some."""
    if folder.is_dir():
        return
    parts = folder.with_name("examples.making")
    shutil.rmtree(parts, ignore_errors=True)  # left by an interrupted run
    parts.mkdir(parents=True)
    annotation, began, sentences = section(AnnotationParams), time.process_time(), 0
    for place, path in enumerate(paths):
        chosen = list(islice(documents_of(path), documents))
        for number, first in enumerate(range(0, len(chosen), DOCUMENTS_AT_ONCE)):
            some = prose(path, chosen[first : first + DOCUMENTS_AT_ONCE], first)
            parsed = annotate(some, annotation).kept
            outcome = candidates(parsed, annotation, section(RuleParams))
            sentences += len(outcome.units)
            made = examples_of_table(outcome.kept).kept
            pq.write_table(made, parts / f"{place:02d}-{number:03d}.parquet")
    parts.rename(folder)
    print(
        f"{sentences:,} sentences parsed and split in {time.process_time() - began:,.0f} s of processor time"
    )


def learning_sets(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the balanced examples of a folder by split."""
    parts = tuple(Part(str(path)) for path in sorted(folder.glob("*.parquet")))
    by_split: dict[str, list[dict[str, str]]] = defaultdict(list)
    for outcome in balanced(Parts(EXAMPLES.kept, parts, OneProcess()), section(BalancedParams)):
        for row in outcome.kept.select(BALANCED.kept.names).to_pylist():
            by_split[row["split"]].append(row)
    return by_split


def foreign_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield source and target of every pair in a split-and-rephrase corpus."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for whole, split in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield copied(*(sentence.strip() for sentence in split.split("<::::>"))), whole


def named(texts: Iterable[tuple[str, str]]) -> Pairs:
    """Return numbered pairs of texts."""
    pairs = list(texts)
    return Pairs([str(number) for number in range(len(pairs))], *map(list, zip(*pairs, strict=True)))


def show(name: str, pairs: Pairs, predictions: Sequence[str]) -> None:
    """Print the scores of a model and of COPY."""
    ours, copy = judged(pairs, predictions), judged(pairs, pairs.sources)
    print(
        f"{name:28} {len(pairs):6,}  Exact {100 * ours['exact']:5.1f}  SARI {100 * ours['sari']:5.1f}"
        f"   COPY {100 * copy['exact']:5.1f} {100 * copy['sari']:5.1f}",
        flush=True,
    )


def main() -> None:
    """Make examples, train, and print scores."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=1_000_000, help="most documents per path")
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--updates", type=int, help="most updates; default: as the size sets them")
    parser.add_argument("--tests", type=int, default=5000, help="most test pairs of each kind")
    given = parser.parse_args()
    for path in (*given.paths, given.pairs):
        if not path.is_file():
            parser.exit(2, f"{path}: no such file\n")
    params = section(FusionModelParams).model_copy(update={"size": given.size})
    if given.size not in params.sizes:
        parser.exit(2, f"size {given.size!r} is not among {', '.join(params.sizes)} (params.yaml)\n")
    make_examples(given.paths, given.documents, given.folder / "examples")
    sets = learning_sets(given.folder / "examples")
    if not sets["train"]:
        parser.exit(2, "no training examples: give more text\n")
    learnt, judges = (list(map(texts_of, sets[split])) for split in ("train", "validation"))
    config = params.config()
    pieces = learn_pieces((text for pair in learnt for text in pair), config)
    short = [pair for pair in learnt if max(map(pieces.length, pair)) <= config.longest]
    model = make_model(config, pieces, params.training.seed)
    judging = named((judges or learnt)[: params.validation_examples])
    task = Seq2SeqTask(model, model.stored(named(short)), judging, partial(judged, judging), 1)
    training = params.training.model_copy(update={"steps": given.updates or params.training.steps})
    weights = sum(tensor.numel() for tensor in model.network.parameters())
    print(f"{given.size}: {weights / 1e6:.2f} M weights; {len(short):,} of {len(learnt):,} examples are used")
    began = time.process_time()
    ended = train(task, training, None, ProgressLines(given.size), True)
    print(f"trained in {time.process_time() - began:,.0f} s; best exact {ended.best}")
    for name, content in model.files().items():
        (given.folder / "model" / name).parent.mkdir(parents=True, exist_ok=True)
        (given.folder / "model" / name).write_bytes(content)
    model.place(True)
    kinds: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in sets["test"]:
        kinds[row["discourse_type"]].append(texts_of(row))
    kinds = dict(sorted(kinds.items()))
    tests = {"held out": [pair for of in kinds.values() for pair in of], **kinds}
    tests["other corpus"] = list(foreign_pairs(given.pairs))
    for name, texts in tests.items():
        pairs = named(random.Random(0).sample(texts, min(given.tests, len(texts))))  # noqa: S311
        show(name, pairs, model.generate(pairs.sources))


if __name__ == "__main__":
    main()
