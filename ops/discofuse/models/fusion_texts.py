"""Examples as fusion models read and write them, and how good their answers are.

Belongs here: source and target of a row, the COPY baseline, and the scores by which models are chosen. Not
here: the metrics (ops/metrics), the models (ops/models/seq2seq).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.metrics.exact_match import exact_match
from ops.metrics.sari import sari
from ops.models.seq2seq.pairs import Pairs
from ops.outcome import Row


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
