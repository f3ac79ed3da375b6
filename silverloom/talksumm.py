"""TalkSumm (Lev et al., ACL 2019): the summary of a paper from its talk, and their alignment word by word.

The first call in a process loads word vectors and compiled code: some seconds, more right after set-up.

Examples:
    >>> from silverloom.talksumm import align, summarize
    >>> text = "We count words that are rare. Tables show all of the counts."
    >>> paper = f"A title\\n\\n# Introduction\\n\\n{text}"
    >>> made = summarize("we count rare words in a corpus of texts", paper)
    >>> made.target, made.lost  # so short a talk could be about any paper
    ('', 'other_paper')
    >>> spoken = "we count rare words then we draw tables of their counts".split()
    >>> align(spoken, ["We count words that are rare.", "Tables show the counts."]).counts
    array([...])
"""

from __future__ import annotations

from collections.abc import Sequence

from silverloom.ops.models.word_vectors import WordVectors, word_vectors
from silverloom.ops.rank.choose import Budget
from silverloom.ops.rank.choose import summarize as choose_sentences
from silverloom.ops.talksumm.align.hmm import Alignment, HmmParams, align_words, viterbi
from silverloom.ops.talksumm.align.transition import GeometricTransition
from silverloom.ops.talksumm.one_talk import TalkSummary, summarize

__all__ = [
    "Alignment",
    "Budget",
    "GeometricTransition",
    "HmmParams",
    "TalkSummary",
    "WordVectors",
    "align",
    "choose_sentences",
    "summarize",
    "viterbi",
]


def align(
    words: Sequence[str],
    sentences: Sequence[str],
    params: HmmParams | None = None,
    *,
    vectors: WordVectors | None = None,
    introduction: Sequence[int] | None = None,
) -> Alignment:
    """Align a talk's spoken words with its paper's sentences by a hidden Markov model (section 3.2).

    `params` default to the robust model (`HmmParams(model="paper")`: the published one), `vectors` to those
    that `params` name. A talk begins in one of the sentences of the `introduction` (indices); without them,
    in one of the first 20. `counts` of the result has, for each sentence, how many words were spoken about
    it: its score in a summary.

    Raises ValueError if there is no sentence, or no word to align; TypeError for a single text in place of a
    list.
    """
    if isinstance(words, str) or isinstance(sentences, str):
        raise TypeError("words and sentences are lists: pass text.split() and a list of sentences")
    chosen = params or HmmParams()
    found = word_vectors(chosen.vectors) if vectors is None else vectors
    return align_words(words, sentences, found, chosen, introduction)
