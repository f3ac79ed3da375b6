"""PDBERT's parts of sentences with other training data or more trained layers.

    python benchmarks/parasci_parts.py DATA [--clauses 1] [--layers 2] [--rate 3e-4] [--steps 150] [--start M]

DATA is `data/parasci` of a project that has made intra and sentences. A model is trained, it searches the
pairs of `parasci.partial`, and its parts are scored as by the default params. Parts that share less than 15 %
of their content words with the short sentence are not scored: they are far below any threshold.

--clauses  `parasci.pdbert.pseudo.clauses`
--layers   `trained_layers` of the model
--start    the folder M of a model (`__files/pdbert` of parasci/pdbert) that is trained further; its trained
           layers may be fewer

The first 64 examples validate the model. Their pairs may be among the pairs of training, unlike in
parasci/pdbert. Times are of the processor. Not here: PDBERT against the best clause (parasci_table_3.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import chain
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.core.parts import OneProcess, Part, Parts
from silverloom.ops.core.sampling import drawn
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.models.encoder import ENCODER, embedder
from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.task import ProgressLines
from silverloom.ops.parasci.candidates.pairs import cosines_of
from silverloom.ops.parasci.dataset.filtered import PARTS_ORIGIN, FilterParams, passes
from silverloom.ops.parasci.dataset.release import content_words
from silverloom.ops.parasci.dataset.scored import ScoredParams, features
from silverloom.ops.parasci.dataset.scorer import ScorerParams, consistency
from silverloom.ops.parasci.partial.partial import PartialParams, is_whole, seen
from silverloom.ops.parasci.partial.pdbert import PdbertParams
from silverloom.ops.parasci.partial.pseudo import (
    PseudoParams,
    clause_examples,
    long_sentences,
    pseudo_examples,
)
from silverloom.ops.parasci.schemas import CANDIDATES, SENTENCES
from silverloom.ops.parasci.spans.model import SpanModel, SpanTask, load
from silverloom.ops.parasci.spans.spans import SpanConfig, SpanExample

#: Numbers of parts, from the best predicted on, whose mean prediction is printed.
BEST = (50, 100, 200, 500)

#: The least share of content words of a part that is scored, and the number of validation examples.
LEAST_SHARED, VALIDATION = 0.15, 64


def made(data: Path, dataset: str) -> Parts:
    """Return the kept rows of sentences or intra."""
    schema = (SENTENCES if dataset == "sentences" else CANDIDATES).kept
    paths = sorted((data / dataset).rglob("kept-*.parquet"))
    return Parts(schema, tuple(Part(str(path)) for path in paths), OneProcess())


def begun(options: argparse.Namespace) -> SpanModel:
    """Return an untrained model, or one with the weights of a stored model."""
    model = SpanModel(SpanConfig(trained_layers=options.layers, longest=256), strict=False)
    if options.start is not None:
        its = load({path.name: path.read_bytes() for path in options.start.iterdir()}, strict=False).network
        model.network.head.load_state_dict(its.head.state_dict())
        for layer, other in zip(reversed(model.network.layers), reversed(its.layers), strict=False):
            layer.load_state_dict(other.state_dict())
    return model


def examples(data: Path, model: SpanModel, pseudo: PseudoParams) -> list[SpanExample]:
    """Return examples like those of parasci/pdbert, in random order.

    Long sentences are taken only from the pairs of the paper in the same part of parasci/intra.
    """
    pool = [row["text"] for row in made(data, "sentences").rows(["text"])]
    found = []
    for table in made(data, "intra"):
        rows = table.to_pylist()
        long = long_sentences(rows, pseudo)
        for row in rows:
            pair = row["first"], row["second"]
            if row["cosine"] >= PdbertParams().cosine and pair[0].lower().split() != pair[1].lower().split():
                its = chain(
                    pseudo_examples(row["id"], pair, pool, pseudo),
                    clause_examples(row["id"], pair, long.get(row["key"], {}), pseudo),
                )
                found += [SpanExample(f"{row['id']} {number}", *example) for number, example in its]
    tokens = model.tokens([example.wanted for example in found], [example.text for example in found])
    fitting = [example for example, its in zip(found, tokens, strict=True) if len(its) <= model.longest]
    return sorted(fitting, key=lambda example: drawn(0, example.name))


def shared_words(first: str, second: str) -> float:
    """Return the Jaccard coefficient of the content words of two texts, 0 to 1."""
    one, other = set(content_words(first)), set(content_words(second))
    return len(one & other) / max(1, len(one | other))


def found_parts(data: Path, model: SpanModel) -> list[tuple[str, str]]:
    """Return the distinct pairs of a part and a short sentence that share enough words to be scored."""
    pairs = [pair for table in made(data, "intra") for pair in seen(table.to_pylist(), PartialParams())[0]]
    tokens = model.tokens([pair.short for pair in pairs], [pair.long for pair in pairs])
    readable = [number for number, its in enumerate(tokens) if len(its) <= model.longest]
    found: dict[tuple[str, str], None] = {}
    number_of_parts = 0
    for number, span in zip(readable, model.predict([tokens[number] for number in readable]), strict=True):
        pair = pairs[number]
        if span is not None and not is_whole(pair.long, span[:2]):
            number_of_parts += 1
            part = pair.long[span.start : span.end]
            if shared_words(part, pair.short) >= LEAST_SHARED and part.split() != pair.short.split():
                found[part, pair.short] = None
    print(f"{len(pairs)} pairs searched, {number_of_parts} parts, {len(found)} scored")
    return list(found)


def main() -> None:
    """Read the command line, train, search, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--clauses", type=int, default=1)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--start", type=Path, default=None)
    options = parser.parse_args()
    model = begun(options)
    learnt = examples(options.data, model, PseudoParams(clauses=options.clauses))
    judges, learnt = learnt[:VALIDATION], learnt[VALIDATION:]
    params = TrainingParams(
        steps=options.steps, batch_size=32, learning_rate=options.rate, metric="overlap", direction="max"
    )
    started = time.process_time()
    ended = train(SpanTask(model, learnt, judges), params, None, ProgressLines("pdbert"), strict=False)
    spent = time.process_time() - started
    print(f"\n{vars(options)}: {len(learnt)} examples, {ended.steps} updates in {spent:.0f} s")
    started = time.process_time()
    pairs = found_parts(options.data, model)
    parts, shorts = [part for part, _ in pairs], [short for _, short in pairs]
    embed, scoring = embedder(ENCODER, strict=False), ScoredParams()
    matcher = BertScorer(scoring.encoder, scoring.layer, False)
    cosines = list(map(float, cosines_of(embed(parts), embed(shorts))))
    measured = features(parts, shorts, cosines, matcher, None)
    rows = [{**of_pair, "consistency": consistency(of_pair, ScorerParams())} for of_pair in measured]
    kept = [row for row in rows if passes(row, FilterParams(), PARTS_ORIGIN)]
    kept = [row for row in kept if row["self_bleu"] <= FilterParams().self_bleu]
    print(f"{len(kept)} kept; searched and scored in {time.process_time() - started:.0f} s")
    ranked = sorted((row["consistency"] for row in rows), reverse=True)
    best = {best: round(float(np.mean(ranked[:best])), 3) for best in BEST}
    print("mean predicted consistency of the best:", best)
    print("predicted at least:", {least: sum(one >= least for one in ranked) for least in (3.0, 3.4, 3.75)})


if __name__ == "__main__":
    main()
