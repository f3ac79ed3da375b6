"""TalkSumm: extractive summaries of papers from their authors' talks (Lev et al., ACL 2019).

Belongs here: the names that other modules use. Not here: anything that runs; numba, torch, spacy and NLTK
are imported by what needs them, when it runs.
"""

from ops.talksumm.hmm import Alignment, HmmParams, align_words, path_log_probability, viterbi
from ops.talksumm.transition import GeometricTransition

__all__ = [
    "Alignment",
    "GeometricTransition",
    "HmmParams",
    "align_words",
    "path_log_probability",
    "viterbi",
]
