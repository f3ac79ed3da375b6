"""What fusion models learn from and are judged by: the sets, and their pairs of texts.

Belongs here: source and target of a row, the sets of balanced examples by domain and as a mixture, refusing a
set that teaches nothing, the COPY baseline, and the scores by which models are chosen. Not here: choosing the
examples (build/balanced.py), pairs on disk (ops/models/seq2seq/pairs.py), training (fusion_model.py), metrics
(ops/metrics).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ops.core.outcome import Row
from ops.core.parts import Parts
from ops.metrics.fusion import exact_match, sari
from ops.models.seq2seq.config import Pairs
from ops.models.training import TrainingError

#: The training set that is drawn from the two largest domains in equal shares.
MIXTURE = "mixture"


def source_of(row: Row) -> str:
    """Return what a model reads of an example: the two sentences without discourse, joined by a blank."""
    return copied(row["incoherent_first_sentence"], row["incoherent_second_sentence"])


def target_of(row: Row) -> str:
    """Return what a model is to write of an example: the coherent text, of one sentence or two."""
    return copied(row["coherent_first_sentence"], row["coherent_second_sentence"])


def copied(*sentences: str) -> str:
    """Return sentences joined by a blank: the baseline COPY (Geva et al. 2019, section 5.1)."""
    return " ".join(filter(None, sentences))


def judged(pairs: Pairs, predictions: Sequence[str]) -> dict[str, float]:
    """Return the means of "exact" and "sari" over N pairs, by which trainings are told apart."""
    rows = list(zip(pairs.sources, pairs.targets, predictions, strict=True))
    return {
        "exact": sum(exact_match(found, [target]) for _, target, found in rows) / len(rows),
        "sari": sum(sari(source, found, [target]).score for source, target, found in rows) / len(rows),
    }


@dataclass(frozen=True)
class SetOfExamples:
    """A training set: what it is called, and which rows are part of it, by the values of columns."""

    name: str
    values: Mapping[str, object]


def training_sets(balanced: Parts) -> list[SetOfExamples]:
    """Return the set of each domain and, where rows are part of it, the mixture, by name.

    Raises TrainingError for a domain that is called `mixture`.
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
    return [found for _, found in sorted(sets.items())]


def check_learnable(name: str, pairs: Parts, having: Mapping[str, object] | None = None) -> None:
    """Raise TrainingError for a set, the stored pairs `having` values, from which nothing can be learnt."""
    counts = Counter((row["split"], row["short"]) for row in pairs.rows(["split", "short"], having))
    if not counts["train", True]:
        training = counts["train", False]
        raise TrainingError(
            f"training set {name}: it has {counts.total()} examples, {training} of them in the split train, "
            "and 0 of these are short enough to learn from; give more text, or raise `longest` in params.yaml"
        )
