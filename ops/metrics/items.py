"""Scores of a corpus, one row per item, as columns of an Arrow table, and their means with intervals.

Belongs here: applying a metric to lists of items. Not here: the metrics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from silverloom.ops.metrics.bleu import sentence_bleu
from silverloom.ops.metrics.bootstrap import Interval, interval
from silverloom.ops.metrics.fusion import Sari, exact_match, sari
from silverloom.ops.metrics.rouge import DIGITS, ROUGE, Combination, Score, Text, rouge_of_references

if TYPE_CHECKING:
    from silverloom.ops.metrics.bertscore import BertScorer

Prediction = TypeVar("Prediction")
Reference = TypeVar("Reference")

#: The columns of `rouge_items`.
COLUMNS = tuple(f"{name}_{field}" for name in ROUGE for field in Score._fields)


def rouge_items(
    predictions: Sequence[Text],
    references: Sequence[Sequence[Text]],
    combine: Combination = "average",
    jackknife: bool = False,
    stem: bool = False,
    stop_words: bool | Collection[str] = False,
    words: int | None = None,
    bytes: int | None = None,
    digits: int | None = DIGITS,
) -> pa.Table:
    """Return ROUGE of each item against its references: N rows, 15 columns of float64.

    The columns are `rouge1_precision`, `rouge1_recall`, `rouge1_f` and so on, in the order of `ROUGE`. The
    options are those of `rouge_of_references`. Raises TypeError for an item whose references are one text,
    ValueError for an item without references, for lists of different length, and for bad limits.
    """
    rows = []
    for prediction, its_own in _aligned(predictions, references):
        scores = rouge_of_references(
            prediction, its_own, combine, jackknife, stem, stop_words, words, bytes, digits
        )
        rows.append([value for name in ROUGE for value in scores[name]])
    return _table(COLUMNS, rows)


def fusion_items(
    sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]]
) -> pa.Table:
    """Return the fusion scores of each item: N rows of `exact_match` (0 or 1) and `sari` with its parts.

    Columns: exact_match, sari, sari_keep, sari_add, sari_delete, all float64. Raises TypeError and
    ValueError as `rouge_items` does.
    """
    if len(sources) != len(predictions):
        raise ValueError(f"{len(sources)} sources and {len(predictions)} predictions")
    rows = []
    for source, (prediction, its_own) in zip(sources, _aligned(predictions, references), strict=True):
        sari_parts: Sari = sari(source, prediction, its_own)
        exact = float(exact_match(prediction, its_own))
        rows.append([exact, sari_parts.score, sari_parts.keep, sari_parts.add, sari_parts.delete])
    return _table(["exact_match", "sari", "sari_keep", "sari_add", "sari_delete"], rows)


def bleu_items(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> pa.Table:
    """Return sentence BLEU of each item: N rows of `bleu`, float64. Raises as `rouge_items` does."""
    rows = [[sentence_bleu(prediction, its)] for prediction, its in _aligned(predictions, references)]
    return _table(["bleu"], rows)


def bertscore_items(
    predictions: Sequence[str], references: Sequence[Sequence[str]], scorer: BertScorer | None = None
) -> pa.Table:
    """Return BERTScore of each item against its best reference by F1: N rows, 3 columns of float64.

    The columns are bertscore_precision, bertscore_recall and bertscore_f. Raises as `rouge_items` does.
    """
    from silverloom.ops.metrics.bertscore import BertScorer

    pairs = [(prediction, text) for prediction, its in _aligned(predictions, references) for text in its]
    scores = (scorer or BertScorer()).score([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    of_pairs = iter(np.stack(scores, axis=1).tolist())
    best = [max(islice(of_pairs, len(its)), key=itemgetter(2)) for its in references]
    return _table([f"bertscore_{name}" for name in Score._fields], best)


def means(items: pa.Table, resamples: int = 1000, seed: int = 0) -> dict[str, Interval]:
    """Return the mean of every column with its 95 % bootstrap interval over rows; all share the resamples.

    Raises ValueError, naming the column, if there are no rows or a column has a missing value or NaN.
    """
    intervals: dict[str, Interval] = {}
    for name in items.column_names:
        column = items[name]
        if column.null_count:
            raise ValueError(f"column {name} has {column.null_count} missing values: score every item")
        try:
            intervals[name] = interval(column.to_numpy(), resamples, seed)
        except ValueError as error:
            raise ValueError(f"column {name}: {error}") from error
    return intervals


def _aligned(
    predictions: Sequence[Prediction], references: Sequence[Sequence[Reference]]
) -> Iterator[tuple[Prediction, Sequence[Reference]]]:
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions and references of {len(references)} items")
    for index, pair in enumerate(zip(predictions, references, strict=True)):
        if isinstance(pair[1], str):
            raise TypeError(
                f"the references of item {index} are a list, also where there is one: [reference]"
            )
        if not pair[1]:
            raise ValueError(f"item {index} has no reference to score against")
        yield pair


def _table(names: Sequence[str], rows: Sequence[Sequence[float]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table(
        {name: pa.array(values, pa.float64()) for name, values in zip(names, columns, strict=True)}
    )
