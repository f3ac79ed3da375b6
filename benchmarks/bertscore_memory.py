"""BERTScore over very many pairs: peak memory of ours, against the package bert-score.

    python benchmarks/bertscore_memory.py ABSTRACTS.jsonl.gz [--pairs 1000000] [--sentences 40000]

Scores all pairs within groups of real sentences, with MiniLM at layer 5, each scorer in its own process. The
package keeps the embeddings of all sentences of a call, so it scores only the first pairs (`--limited`), and
its memory for all pairs is projected from the number of their sentences.

Not here: speed and agreement with the package (parasci.py bertscore).
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.models.encoder import ENCODER, encoder_folder
from silverloom.ops.text.sentences import sentence_spans

_SHORTEST = 20

Pairs = list[tuple[str, str]]


class Usage(NamedTuple):
    """The cost of scoring pairs; memory in GB, with the model loaded and at its peak."""

    pairs: int
    sentences: int
    seconds: float
    before: float
    most: float


def groups_of(path: str, sentences: int, pairs: int) -> Pairs:
    """Return that many pairs of distinct sentences from abstracts; neighbours are in one group."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["abstract"] or "" for line in file]
    spans = ((text, span) for text in texts for span in sentence_spans(text))
    found = list(dict.fromkeys(text[a:b] for text, (a, b) in spans if b - a > _SHORTEST))[:sentences]
    size = 2 * pairs // len(found) + 2
    groups = (found[start : start + size] for start in range(0, len(found), size))
    return [pair for group in groups for pair in combinations(group, 2)][:pairs]


def ours(pairs: Pairs) -> Usage:
    """Score pairs with silverloom.ops.metrics.bertscore and its own memory limit."""
    return used(BertScorer(ENCODER, 5, strict=False).score, pairs)


def package(pairs: Pairs) -> Usage:
    """Score pairs with bert-score."""
    from bert_score import BERTScorer  # type: ignore[import-untyped]

    folder = str(encoder_folder(ENCODER))
    scorer = BERTScorer(model_type=folder, num_layers=5, idf=False, rescale_with_baseline=False, device="cpu")
    return used(scorer.score, pairs)


def used(score: Callable[[list[str], list[str]], Any], pairs: Pairs) -> Usage:
    """Return the cost of scoring pairs, after a few that load the model."""
    firsts, seconds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    score(firsts[:64], seconds[:64])
    before, begin = memory(), time.perf_counter()
    score(firsts, seconds)
    took = round(time.perf_counter() - begin, 1)
    return Usage(len(pairs), len({*firsts, *seconds}), took, before, memory())


def memory() -> float:
    """Return this process's peak memory so far, in GB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


def apart(run: Callable[[Pairs], Usage], pairs: Pairs) -> Usage:
    """Run in a new process, to measure only its memory."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(run, pairs).result()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("abstracts")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--sentences", type=int, default=40_000)
    parser.add_argument("--limited", type=int, default=100_000)
    options = parser.parse_args()
    pairs = groups_of(options.abstracts, options.sentences, options.pairs)
    whole = apart(ours, pairs)
    print(f"ours: {whole}", flush=True)
    part = apart(package, pairs[: options.limited])
    print(f"package: {part}")
    projected = part.before + (part.most - part.before) * whole.sentences / part.sentences
    print(f"package, projected to {whole.sentences} sentences: {projected:.1f} GB")


if __name__ == "__main__":
    main()
