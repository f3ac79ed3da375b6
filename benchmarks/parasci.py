"""ParaSCI: calibrating an encoder's threshold, the precision of the patterns, and the cost of the steps.

    python benchmarks/parasci.py calibrate PAIRS.src.gz PAIRS.tgt.gz [--encoder NAME] [--odds N]
    python benchmarks/parasci.py definitions ABSTRACTS.jsonl.gz [--read 200] [--seed 5]
    python benchmarks/parasci.py all-pairs
    python benchmarks/parasci.py bertscore PAIRS.src.gz PAIRS.tgt.gz [--pairs 10000]
    python benchmarks/parasci.py self-bleu PAIRS.src.gz PAIRS.tgt.gz
    python benchmarks/parasci.py pdbert PAIRS.src.gz PAIRS.tgt.gz [--pairs 2000] [--layers 6] [--epochs 3]

calibrate     the smallest cosine with the wanted precision among the pairs above it, given how many random
              pairs are compared per real pair (--odds); real pairs are corresponding lines of the two files
definitions   abstracts through the actual steps, without orchestration: seconds, memory, groups, pairs;
              `--read` prints definitions to read one by one
all-pairs     a paper of 1,000 sentences in 6 sections, after encoding, with few and with many similar pairs
bertscore     against the package bert-score with the same model and layer: cold, with cached sentences, and
              against bare encoding
self-bleu     mean Self-BLEU of pairs, corresponding lines of the two files, by our metric
pdbert        PDBERT trained on pseudo data of 80 % of the pairs, against the best clause, on pseudo data of
              the rest: what they find, BERTScore, pairs per second

Not here: both on pairs of real papers (parasci_table_3.py), the yield of a corpus (`silverloom run`).
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.parasci.sources import PASSAGE_FORMATS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.core.periods import ALL
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.metrics.bleu import self_bleu
from silverloom.ops.models.encoder import ENCODER, embedder, encoder_folder
from silverloom.ops.models.training import ProgressLines, TrainingParams, train
from silverloom.ops.parasci.candidates.groups import DefinitionParams
from silverloom.ops.parasci.candidates.groups import definitions as grouped_definitions
from silverloom.ops.parasci.candidates.pairs import similar_pairs
from silverloom.ops.parasci.dataset.paraphrases import clusters
from silverloom.ops.parasci.partial.extractions import best_clauses
from silverloom.ops.parasci.partial.pseudo import PseudoParams, pseudo_examples, without_end
from silverloom.ops.parasci.schemas import EMBEDDED_PASSAGES, PASSAGES, SENTENCES
from silverloom.ops.parasci.sentences import StatementParams, embedded_passages
from silverloom.ops.parasci.sources import parse_passages
from silverloom.ops.parasci.spans.spans import SpanConfig, SpanExample
from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import Source
from silverloom.orchestration.executors.parts import engine


def lines(path: str) -> list[str]:
    """Return the lines of a file, compressed or not."""
    opened: Any = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [line.strip() for line in file]


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long a call takes, and what it returns."""
    begin = time.perf_counter()
    result = run()
    return time.perf_counter() - begin, result


def calibrate(options: argparse.Namespace) -> None:
    """Print shares of real and random pairs above thresholds, and the calibrated threshold."""
    firsts, seconds_ = lines(options.sources), lines(options.targets)
    pairs = [pair for pair in dict.fromkeys(zip(firsts, seconds_, strict=True)) if pair[0] != pair[1]]
    random.Random(options.seed).shuffle(pairs)  # noqa: S311
    pairs = pairs[: options.pairs]
    embed = embedder(options.encoder, strict=False)
    left, right = (embed([pair[side] for pair in pairs]) for side in (0, 1))
    cosines = left @ right.T
    # Pairs that are connected through a shared sentence are paraphrases, not random pairs.
    group = np.array(clusters(pairs))
    real, others = np.diag(cosines), cosines[group[:, None] != group]
    print(f"{len(pairs)} real pairs, {len(others)} random ones, odds 1 to {options.odds}")
    print("threshold  real   random     precision")
    best = None
    for threshold in np.arange(0.4, 1.0, 0.01).round(2):
        kept, false = float((real >= threshold).mean()), float((others >= threshold).mean())
        precision = kept / (kept + options.odds * false) if kept else 1.0
        if round(threshold * 100) % 5 == 0:
            print(f"{threshold:9.2f}  {kept:.3f}  {false:.2e}   {precision:.3f}")
        if best is None and precision >= options.precision:
            best = threshold, kept, precision
    print(
        "none reaches the precision"
        if best is None
        else f"calibrated: {best[0]:.2f}, keeps {best[1]:.3f} of the real pairs"
    )


def _written(folder: Path, schema: pa.Schema, outcomes: Sequence[Outcome]) -> Parts:
    """Write the kept rows of outcomes as the parts of a dataset."""
    for number, outcome in enumerate(outcomes):
        pq.write_table(outcome.kept, folder / f"kept-{number:05d}.parquet")
    return Parts(schema, tuple(Part(str(file)) for file in sorted(folder.iterdir())), engine())


def definitions(options: argparse.Namespace) -> None:
    """Print the time of abstracts through the actual steps, what these find, and hits to read."""
    path = Path(options.sources).resolve()
    source = Source(kind="abstracts", path=".", licence="CC-BY-4.0", files=path.name)
    corpus = Corpus(
        "passages", {"abstracts": source}, PASSAGE_FORMATS, path.parent, ALL, ALL, 256, engine(), every="none"
    )
    took, parsed = seconds(lambda: list(corpus.records(ALL).map(parse_passages)))
    sentences = sum(len(part.kept) for part in parsed)
    print(f"{len(corpus.ids(ALL))} abstracts, {sentences} sentences: {took:.1f} s")
    params = StatementParams(encoder=options.encoder)
    with tempfile.TemporaryDirectory() as folder:
        read = _written(Path(folder), PASSAGES.kept, parsed)
        took, embedded = seconds(partial(list, embedded_passages(read, params, False)))
    dropped = Counter(reason for part in embedded for reason in part.dropped["reason"].to_pylist())
    print(f"patterns, terms and embeddings: {took:.1f} s, {dict(dropped)} dropped")
    with tempfile.TemporaryDirectory() as folder:
        none = Parts(SENTENCES.kept, (), engine())
        passages = _written(Path(folder), EMBEDDED_PASSAGES.kept, embedded)
        took, pairs = seconds(lambda: list(grouped_definitions(none, passages, DefinitionParams())))
    kept = [row for part in embedded for row in part.kept.select(["text", "mentions"]).to_pylist()]
    terms = {mention["term"] for row in kept for mention in row["mentions"]}
    print(f"groups and pairs: {took:.1f} s, {len(kept)} definitions of {len(terms)} terms")
    print(f"{sum(len(part.kept) for part in pairs)} pairs stored; {dict(pairs[-1].combinations)}")
    print(f"peak memory {_memory():.1f} GB")
    draw = random.Random(options.seed)  # noqa: S311
    for row in draw.sample(kept, min(options.read, len(kept))):
        print(f"[{row['mentions'][0]['term']}] {row['text']}")


def all_pairs(_: argparse.Namespace) -> None:
    """Print the time for all pairs of a paper of 1,000 sentences: the best of 10."""
    random_ = np.random.default_rng(0)
    # Sentences of a paper share a topic to varying degrees, so their cosines are spread like real ones.
    topic = random_.standard_normal(384) * random_.uniform(0.2, 1.2, (1000, 1))
    rows = topic + random_.standard_normal((1000, 384))
    rows = np.round(rows / np.linalg.norm(rows, axis=1, keepdims=True), 4).astype(np.float32)
    sections = np.arange(1000) % 6
    cosines = (rows @ rows.T)[sections[:, None] < sections]
    for share in (0.0, 0.001, 0.01, 0.12):
        floor = float(np.quantile(cosines, 1 - share)) + 1e-6
        took, found = min(
            (seconds(lambda floor=floor: similar_pairs(rows, sections, floor)) for _ in range(10)),
            key=lambda pair: pair[0],
        )
        print(f"{len(found.first):,} of {len(cosines):,} pairs of at least {floor:.2f}: {took * 1000:.1f} ms")


def bertscore(options: argparse.Namespace) -> None:
    """Print the seconds of ours and of the package, and how far their scores differ."""
    from bert_score import BERTScorer  # type: ignore[import-untyped]

    firsts, seconds_ = lines(options.sources), lines(options.targets)
    # If there are few lines, first sentences are also paired with later lines' second ones, like candidates.
    pairs = [
        (first, seconds_[(number + shift) % len(seconds_)])
        for shift in range(-(-options.pairs // len(firsts)))
        for number, first in enumerate(firsts)
    ][: options.pairs]
    firsts, seconds_ = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    folder = str(encoder_folder(ENCODER))
    ours = BertScorer(ENCODER, 5, strict=False, memory=8 * 2**30)
    ours.score(firsts[:8], seconds_[:8])
    theirs = BERTScorer(model_type=folder, num_layers=5, idf=False, rescale_with_baseline=False, device="cpu")
    theirs.score(firsts[:8], seconds_[:8])
    distinct = list(dict.fromkeys([*firsts, *seconds_]))
    fresh = BertScorer(ENCODER, 5, strict=False, memory=8 * 2**30)
    bare, _ = seconds(lambda: fresh.tokens.of(distinct))
    cold, found = seconds(lambda: ours.score(firsts, seconds_))
    known, _ = seconds(lambda: ours.score(firsts, seconds_))
    package, expected = seconds(lambda: theirs.score(firsts, seconds_, batch_size=64))
    apart = max(
        float(np.abs(mine - value.numpy()).max()) for mine, value in zip(found, expected, strict=True)
    )
    print(
        f"{len(pairs)} pairs, {len(distinct)} sentences; ours and the package differ by at most {apart:.1e}"
    )
    print(
        f"bare encoding {bare:.1f} s, ours cold {cold:.1f} s, cached {known:.1f} s, package {package:.1f} s"
    )
    print(f"cached: {package / known:.1f} times faster; peak memory {_memory():.1f} GB")


def pdbert(options: argparse.Namespace) -> None:
    """Print what PDBERT and the best clause find in pseudo data, its quality, and their speed."""
    from silverloom.ops.parasci.spans.model import SpanModel, SpanTask

    texts = list(zip(lines(options.sources), lines(options.targets), strict=True))
    texts = [pair for pair in dict.fromkeys(texts) if pair[0] != pair[1]]
    random.Random(options.seed).shuffle(texts)  # noqa: S311
    pool, texts = [text for pair in texts for text in pair], texts[: options.pairs]
    split = len(texts) * 4 // 5
    model = SpanModel(SpanConfig(encoder=options.encoder, trained_layers=options.layers), strict=False)
    learnt, rest = (_pseudo(model, several, pool) for several in (texts[:split], texts[split:]))
    knobs = TrainingParams(
        epochs=options.epochs, batch_size=32, learning_rate=options.rate, schedule="linear", warmup=0.1,
        metric="overlap", direction="max", tie="loss",
    )  # fmt: skip
    took, ended = seconds(
        lambda: train(SpanTask(model, learnt, rest), knobs, None, ProgressLines("pdbert"), strict=False)
    )
    weights = sum(weight.numel() for weight in model.network.parameters())
    print(f"{len(learnt)} examples, {ended.steps} updates of {weights} weights in {took:.0f} s")
    for point in ended.curve[-4:]:
        print(f"  {point.name} {point.value:.3f}")
    parts = [row for row in rest if row.span and row.span != (0, len(without_end(row.text)))]
    embed = embedder(options.encoder, strict=False)

    texts = [(row.wanted, row.text) for row in parts]
    for name, run in (
        ("PDBERT", lambda: searched(model, texts)),
        ("best clause", lambda: best_clauses(texts, embed)),
    ):
        took, found = seconds(run)
        its = [(row, part) for row, part in zip(parts, found, strict=True) if part]
        scores = BertScorer(options.encoder).score([part for _, part in its], [row.wanted for row, _ in its])
        right = sum(row.span is not None and row.text[slice(*row.span)] == part for row, part in its)
        print(
            f"{name}: {len(parts) / took:.1f} pairs/s, {len(its)} parts in {len(parts)}, {right} exact, "
            f"BERTScore {100 * float(scores.f1.mean()):.2f}"
        )


def copied(options: argparse.Namespace) -> None:
    """Print the mean Self-BLEU of the pairs of two files."""
    firsts, seconds_ = lines(options.sources), lines(options.targets)
    print(f"{len(firsts)} pairs, Self-BLEU {self_bleu(firsts, seconds_):.1f}")


def searched(model: Any, texts: list[tuple[str, str]]) -> list[str | None]:
    """Return the span that the model finds for each short text in its long one; None if both do not fit."""
    tokens = model.tokens([short for short, _ in texts], [long for _, long in texts])
    readable = [number for number, its in enumerate(tokens) if len(its) <= model.longest]
    spans = dict(zip(readable, model.predict([tokens[number] for number in readable]), strict=True))
    return [
        long[span.start : span.end] if (span := spans.get(number)) else None
        for number, (_, long) in enumerate(texts)
    ]


def _pseudo(model: Any, texts: list[tuple[str, str]], pool: list[str]) -> list[SpanExample]:
    """Return the examples of those pairs that fit the model."""
    found = [
        SpanExample(f"{pair}-{number}", *example)
        for pair, both in enumerate(texts)
        for number, example in pseudo_examples(str(both), both, pool, PseudoParams())
    ]
    tokens = model.tokens([row.wanted for row in found], [row.text for row in found])
    return [row for row, its in zip(found, tokens, strict=True) if len(its) <= model.longest]


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for name, run in (
        ("calibrate", calibrate),
        ("definitions", definitions),
        ("all-pairs", all_pairs),
        ("bertscore", bertscore),
        ("self-bleu", copied),
        ("pdbert", pdbert),
    ):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        if name != "all-pairs":
            command.add_argument("sources")
        if name in ("calibrate", "bertscore", "self-bleu", "pdbert"):
            command.add_argument("targets")
            command.add_argument("--pairs", type=int, default=10_000 if name == "bertscore" else 2_000)
        if name == "pdbert":
            command.add_argument("--layers", type=int, default=6)
            command.add_argument("--epochs", type=int, default=3)
            command.add_argument("--rate", type=float, default=1e-4)
        command.add_argument("--seed", type=int, default=5)
        command.add_argument("--encoder", default=ENCODER)
        command.add_argument("--odds", type=float, default=1_000)
        command.add_argument("--precision", type=float, default=0.99)
        command.add_argument("--read", type=int, default=0)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
