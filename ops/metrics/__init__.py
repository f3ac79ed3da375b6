"""Metrics shared by all systems: overlap, meaning, dispersion, confidence intervals and the paired test.

Belongs here: the public names; docs/reference/metrics.md says which variant each one is. Not here: any code
that runs. NLTK and sacrebleu are imported only by the functions that use them. A dataset imports from the
module that it needs (`silverloom.ops.metrics.rouge`), so that its code version does not depend on the other
metrics.
"""

from silverloom.ops.metrics.bert_ibleu import bert_ibleu
from silverloom.ops.metrics.bertscore import BertScore, BertScorer, bertscore
from silverloom.ops.metrics.bleu import Bleu, bleu, bleu_counts, bleu_of_sums, self_bleu, sentence_bleu
from silverloom.ops.metrics.bootstrap import Comparison, Interval, interval, paired_bootstrap
from silverloom.ops.metrics.dispersion import Dispersion, dispersion
from silverloom.ops.metrics.fusion import Sari, exact_match, sari
from silverloom.ops.metrics.items import fusion_items, means, rouge_items
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
    "bleu",
    "bleu_counts",
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
