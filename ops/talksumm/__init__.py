"""TalkSumm: extractive summaries of papers from their authors' talks (Lev et al., ACL 2019).

Belongs here: the names that other modules use. Not here: anything that runs. Modules import numba, torch,
spacy and NLTK only when they use them.
"""

from silverloom.ops.rank.choose import Budget, summarize
from silverloom.ops.talksumm.align.alignments import align
from silverloom.ops.talksumm.align.hmm import (
    Alignment,
    HmmParams,
    align_words,
    path_log_probability,
    viterbi,
)
from silverloom.ops.talksumm.align.transition import GeometricTransition
from silverloom.ops.talksumm.summarise import SummaryParams, TrainingSetParams, summaries, training_sets

__all__ = [
    "Alignment",
    "Budget",
    "GeometricTransition",
    "HmmParams",
    "SummaryParams",
    "TrainingSetParams",
    "align",
    "align_words",
    "path_log_probability",
    "summaries",
    "summarize",
    "training_sets",
    "viterbi",
]
