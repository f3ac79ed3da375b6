"""Metrics of all systems: ROUGE, BLEU, SARI, exact match, BERTScore; intervals and paired tests.

All have one shape: they take predictions and, for each, a list of references, and return an Arrow table with
a row per item and a column per score, between 0 and 1. `means` turns such a table into means with intervals,
`paired_bootstrap` compares two of its columns. What they are made of is in `silverloom.ops.metrics`.

Examples:
    >>> from silverloom.metrics import means, rouge_items
    >>> scores = rouge_items(["the gunman was shot"], [["police shot the gunman"]])
    >>> scores["rouge1_f"].to_pylist()
    [0.75]
    >>> means(scores)["rouge1_f"].mean
    0.75
"""

from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.metrics.bootstrap import Comparison, Interval, interval, paired_bootstrap
from silverloom.ops.metrics.items import bertscore_items, bleu_items, fusion_items, means, rouge_items

__all__ = [
    "BertScorer",
    "Comparison",
    "Interval",
    "bertscore_items",
    "bleu_items",
    "fusion_items",
    "interval",
    "means",
    "paired_bootstrap",
    "rouge_items",
]
