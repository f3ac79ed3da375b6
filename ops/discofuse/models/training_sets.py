"""What fusion models learn from and are judged by: pairs of a training set, drawn by seed and id.

Belongs here: source and target of a row, the sets of balanced examples by domain and as a mixture, refusing a
set that teaches nothing, the COPY baseline, and the scores by which models are chosen. Not here: choosing the
examples (build/balanced.py), training (fusion_model.py), metrics (ops/metrics).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ops.core.outcome import Row
from ops.core.sampling import drawn
from ops.metrics.fusion import exact_match, sari
from ops.models.seq2seq.config import Pairs
from ops.models.training import TrainingError

#: The training set that is drawn from the two largest domains in equal shares.
MIXTURE = "mixture"

#: What a model may be judged on; the later, the more it tells.
JUDGED_ON = ("training set", "validation split")


@dataclass(frozen=True)
class FusionTrainingSet:
    """A training set: its examples, the pairs to learn from, and those to judge by."""

    name: str
    examples: Sequence[Row]
    learnt: Pairs
    judges: Pairs
    judged_on: str


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


def training_sets(
    rows: Sequence[Row], short: Collection[str], most_judges: int, seed: int
) -> list[FusionTrainingSet]:
    """Return the set of each domain and, where rows are part of it, the mixture, by name.

    `short` are the ids of the rows that can be learnt from. Raises TrainingError as `training_set` does,
    and for a domain that is called `mixture`.
    """
    sets: dict[str, list[Row]] = {}
    for row in rows:
        if row["domain"] == MIXTURE:
            raise TrainingError(
                f"example {row['id']}: its domain is called {MIXTURE!r}, as the training set of two domains "
                "is: rename the domain in params.yaml (sources.prose)"
            )
        sets.setdefault(row["domain"], []).append(row)
        if row["mixture"]:
            sets.setdefault(MIXTURE, []).append(row)
    return [
        training_set(name, examples, short, pairs_of, most_judges, seed)
        for name, examples in sorted(sets.items())
    ]


def training_set(
    name: str,
    rows: Sequence[Row],
    short: Collection[str],
    pairs: Callable[[Sequence[Row]], Pairs],
    most_judges: int,
    seed: int,
) -> FusionTrainingSet:
    """Return a set of rows with `id` and `split`, of which `pairs` makes texts.

    It is judged by at most `most_judges` of its own validation examples; where it has none, by what it learns
    from. Raises TrainingError where nothing can be learnt from.
    """
    examples = [row for row in rows if row["id"] in short]
    learnt = [row for row in examples if row["split"] == "train"]
    if not learnt:
        training = sum(row["split"] == "train" for row in rows)
        raise TrainingError(
            f"training set {name}: it has {len(rows)} examples, {training} of them in the split train, and 0 "
            "of these are short enough to learn from; give more text, or raise `longest` in params.yaml"
        )
    validating = [row for row in examples if row["split"] == "validation"]
    judges = bounded(validating or learnt, most_judges, seed)
    return FusionTrainingSet(name, examples, pairs(learnt), pairs(judges), JUDGED_ON[bool(validating)])


def pairs_of(rows: Sequence[Row]) -> Pairs:
    """Return examples as pairs of texts."""
    return Pairs(
        [row["id"] for row in rows], [source_of(row) for row in rows], [target_of(row) for row in rows]
    )


def bounded(rows: Sequence[Row], most: int | None, seed: int) -> list[Row]:
    """Return at most so many rows, drawn by seed and id alone, in their order; None: all."""
    if most is None or len(rows) <= most:
        return list(rows)
    ranked = sorted(range(len(rows)), key=lambda index: drawn(seed, rows[index]["id"]))
    return [rows[index] for index in sorted(ranked[:most])]
