"""What fusion models are trained and judged on: training sets, and their pairs of texts.

Belongs here: source and target of a row, the sets of balanced examples by domain and as a mixture, rejecting
a set that cannot be learnt from, the COPY baseline, and the scores that select models. Not here: choosing the
examples (dataset/balanced.py), pairs on disk (ops/models/seq2seq/pairs.py), training (fusion_model.py),
metrics (ops/metrics).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.metrics.fusion import exact_match, sari
from silverloom.ops.models.seq2seq.config import Pairs
from silverloom.ops.models.training import TrainingError

#: The training set drawn in equal shares from the two largest domains.
MIXTURE = "mixture"


def source_of(row: Row) -> str:
    """Return the source text of an example: the two incoherent sentences, joined by a blank."""
    return copied(row["incoherent_first_sentence"], row["incoherent_second_sentence"])


def target_of(row: Row) -> str:
    """Return the target text of an example: the coherent text, of one or two sentences."""
    return copied(row["coherent_first_sentence"], row["coherent_second_sentence"])


def copied(*sentences: str) -> str:
    """Return the sentences joined by a blank: the COPY baseline (Geva et al. 2019, section 5.1)."""
    return " ".join(filter(None, sentences))


def judged(pairs: Pairs, predictions: Sequence[str]) -> dict[str, float]:
    """Return the means of "exact" and "sari" over N pairs, which select the best weights."""
    rows = list(zip(pairs.sources, pairs.targets, predictions, strict=True))
    return {
        "exact": sum(exact_match(prediction, [target]) for _, target, prediction in rows) / len(rows),
        "sari": sum(sari(source, prediction, [target]).score for source, target, prediction in rows)
        / len(rows),
    }


@dataclass(frozen=True)
class SetOfExamples:
    """A training set: its name, and the column values that select its rows."""

    name: str
    values: Mapping[str, object]


def training_sets(balanced: Parts) -> list[SetOfExamples]:
    """Return the set of each domain, and the mixture if any rows belong to it, ordered by name.

    Raises TrainingError for a domain called `mixture`.
    """
    sets: dict[str, SetOfExamples] = {}
    for row in balanced.rows(["id", "domain", "mixture"]):
        if row["domain"] == MIXTURE:
            raise TrainingError(
                f"example {row['id']}: its domain is called {MIXTURE!r}, as the training set of two domains "
                "is: rename the domain in params.yaml (sources.prose)"
            )
        sets.setdefault(row["domain"], SetOfExamples(row["domain"], {"domain": row["domain"]}))
        if row["mixture"]:
            sets.setdefault(MIXTURE, SetOfExamples(MIXTURE, {"mixture": True}))
    return [examples for _, examples in sorted(sets.items())]


def check_learnable(name: str, pairs: Parts, having: Mapping[str, object] | None = None) -> None:
    """Raise TrainingError if no stored pair in a set (those `having` these values) can be learnt from."""
    counts = Counter((row["split"], row["short"]) for row in pairs.rows(["split", "short"], having))
    if not counts["train", True]:
        training = counts["train", False]
        raise TrainingError(
            f"training set {name}: it has {counts.total()} examples, {training} of them in the split train, "
            "and 0 of these are short enough to learn from; give more text, or raise `longest` in params.yaml"
        )
