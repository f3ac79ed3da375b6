"""Metrics of all systems: ROUGE, BLEU, SARI, exact match, BERTScore, dispersion; intervals and paired tests.

All scores are between 0 and 1. Functions whose names end in `_items` have one shape: predictions and, for
each, a list of references; the result is an Arrow table with a row per item and a column per score. `means`
turns such a table into means with intervals.

Examples:
    >>> from silverloom.metrics import rouge
    >>> rouge("the gunman was shot", "police shot the gunman")["rouge1"].f
    0.75
    >>> from silverloom.metrics import bleu_items, means
    >>> means(bleu_items(["the gunman was shot"], [["the gunman was shot"]]))["bleu"].mean
    1.0
"""

from silverloom.ops.metrics.bert_ibleu import bert_ibleu
from silverloom.ops.metrics.bertscore import BertScore, BertScorer, bertscore
from silverloom.ops.metrics.bleu import Bleu, bleu, bleu_counts, bleu_of_sums, self_bleu, sentence_bleu
from silverloom.ops.metrics.bootstrap import Comparison, Interval, interval, paired_bootstrap
from silverloom.ops.metrics.dispersion import Dispersion, dispersion
from silverloom.ops.metrics.fusion import Sari, exact_match, sari
from silverloom.ops.metrics.items import bertscore_items, bleu_items, fusion_items, means, rouge_items
from silverloom.ops.metrics.rouge import (
    ROUGE,
    Score,
    Text,
    Tokens,
    ngram_counts,
    overlap,
    rouge,
    rouge_of_references,
    rouge_of_tokens,
    rouge_tokens,
    skip_bigram_counts,
)

__all__ = [
    "ROUGE",
    "BertScore",
    "BertScorer",
    "Bleu",
    "Comparison",
    "Dispersion",
    "Interval",
    "Sari",
    "Score",
    "Text",
    "Tokens",
    "bert_ibleu",
    "bertscore",
    "bertscore_items",
    "bleu",
    "bleu_counts",
    "bleu_items",
    "bleu_of_sums",
    "dispersion",
    "exact_match",
    "fusion_items",
    "interval",
    "means",
    "ngram_counts",
    "overlap",
    "paired_bootstrap",
    "rouge",
    "rouge_items",
    "rouge_of_references",
    "rouge_of_tokens",
    "rouge_tokens",
    "sari",
    "self_bleu",
    "sentence_bleu",
    "skip_bigram_counts",
]
