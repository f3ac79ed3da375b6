"""Metrics of all systems: ROUGE, BLEU, SARI, exact match, BERTScore, dispersion; intervals and paired tests.

    >>> from silverloom.metrics import rouge
    >>> rouge("the gunman was shot", "police shot the gunman")["rouge1"].f
    0.75

All scores are between 0 and 1.
"""

from ops.metrics import *  # noqa: F403
from ops.metrics import __all__ as __all__
