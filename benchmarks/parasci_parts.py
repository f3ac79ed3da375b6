"""PDBERT's parts of sentences with other training data or more trained layers.

    python benchmarks/parasci_parts.py DATA [--clauses 1] [--layers 2] [--rate 3e-4] [--steps 150]

DATA is `data/parasci` of a project that has made intra and sentences. A model is trained, it searches the
pairs of `parasci.partial`, and its parts are scored and filtered as by the default params.

--clauses  `parasci.pdbert.pseudo.clauses`
--layers   `trained_layers` of the model

Not here: PDBERT against the best clause (parasci_table_3.py).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.parasci_entailment import NoCheckpoints, made
from ops.core.parts import Artifact, temporary_folder
from ops.metrics.bertscore import BertScorer
from ops.models.encoder import ENCODER
from ops.models.training import TrainingParams
from ops.parasci.dataset.filtered import PARTS_ORIGIN, FilterParams, passes
from ops.parasci.dataset.scored import ScoredParams, features
from ops.parasci.dataset.scorer import ScorerParams, consistency
from ops.parasci.partial.partial import PartialParams, partial
from ops.parasci.partial.pdbert import MODELS, PdbertParams, PdbertSize, pdbert
from ops.parasci.partial.pseudo import PseudoParams
from ops.parasci.spans.spans import SpanConfig

#: Numbers of parts, from the best predicted on, whose mean prediction is printed.
BEST = (50, 100, 200, 500, 1000)


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
    options = parser.parse_args()
    intra, sentences = made(options.data, "intra"), made(options.data, "sentences")
    size = PdbertSize(
        model=SpanConfig(trained_layers=options.layers, longest=256),
        training=TrainingParams(epochs=9, steps=options.steps, batch_size=32, learning_rate=options.rate),
    )
    pseudo = PseudoParams(clauses=options.clauses)
    params = PdbertParams(size="tried", sizes={"tried": size}, pseudo=pseudo)
    with temporary_folder() as folder:
        started = time.monotonic()
        outcomes = list(pdbert(intra, sentences, params, NoCheckpoints(), strict=False))
        print(f"\n{vars(options)}: trained in {time.monotonic() - started:.0f} s")
        for name, content in outcomes[-1].files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        [report] = json.loads(outcomes[-1].files[MODELS])
        shown = ("examples", "validation_examples", "steps", "best", "best_step")
        print({name: report[name] for name in shown})
        print(dict(outcomes[-1].combinations))
        artifact = Artifact(intra, folder)
        started = time.monotonic()
        found = [
            row
            for outcome in partial(intra, sentences, artifact, PartialParams(), ENCODER, strict=False)
            for row in outcome.kept.to_pylist()
        ]
        print(f"{len(found)} parts, found in {time.monotonic() - started:.0f} s")
    firsts, seconds = ([row[side] for row in found] for side in ("first", "second"))
    scoring = ScoredParams()
    matcher = BertScorer(scoring.encoder, scoring.layer, False)
    measured = list(features(firsts, seconds, [row["cosine"] for row in found], matcher, None))
    rows = [{**of_pair, "consistency": consistency(of_pair, ScorerParams())} for of_pair in measured]
    kept = [row for row in rows if passes(row, FilterParams(), PARTS_ORIGIN)]
    kept = [row for row in kept if row["self_bleu"] <= FilterParams().self_bleu]
    print(f"{len(kept)} kept; mean F1 of all {np.mean([row['f1'] for row in rows]):.4f}")
    ranked = sorted((row["consistency"] for row in rows), reverse=True)
    print("predicted consistency of the best:", {best: round(np.mean(ranked[:best]), 3) for best in BEST})
    print("predicted at least:", {least: sum(one >= least for one in ranked) for least in (3.0, 3.4, 3.75)})


if __name__ == "__main__":
    main()
