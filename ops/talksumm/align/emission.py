"""The probability of each spoken word given the paper sentence in mind.

Belongs here: which tokens of a talk and of a paper count, and p(y | k) of Lev et al. (2019), section 3.2,
with the details of the released code, in limited memory. Not here: word vectors (ops/models), cleaning of
papers (ops/parse).
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.models.word_vectors import WordVectors
from silverloom.ops.text.words import STOP_WORDS, is_disfluency, visible

#: Cells of rows that are kept in memory (half a gigabyte), and of rows that are recomputed when needed.
KEPT_CELLS, FRESH_CELLS = 2**26, 2**24


class Similarity(NamedTuple):
    """What similarity and probability are made of; the defaults plus `floor` 0.8 are the paper's."""

    floor: float = 0.0
    """Share of a sentence's least similarity that is subtracted from all of its similarities."""
    sharpness: int = 1
    """The power of exp(cosine)."""
    background: float = 0.0
    """The share of words that come from no sentence: all V distinct words are then equally probable."""
    by_spelling: bool = False
    """Whether a word without a vector equals itself and is unlike all others."""


PAPER = Similarity(floor=0.8)


class Emission:
    """ln p(word | sentence) for V distinct spoken tokens and K sentences: a table of V rows.

    The similarity of a word and a sentence is the greatest exp(cosine) over the sentence's words, to the
    power of `sharpness`. For each sentence, `floor` times the least similarity of any spoken word is
    subtracted, and the V values are scaled to sum to 1. This leaves mostly what distinguishes the words.
    A `background` b then gives p = (1 - b) p + b / V. So a word that no sentence has says little, however
    unlike the sentences are.

    A spoken token without a vector gets the mean of all vectors. A paper token without a vector is skipped; a
    sentence with only such tokens gets the mean. If tokens compare `by_spelling`, those without a vector have
    cosine 1 with themselves and 0 with all others; such names are what best tells sentences apart.

    Rows of the most `frequent` tokens (V counts) are kept, as many as `kept_cells` allows: usually all. The
    others are recomputed on each request, with up to `fresh_cells` at a time. The values depend on neither
    limit. Raises ValueError if a vector contains NaN or infinity.
    """

    def __init__(
        self,
        spoken: Sequence[str],
        sentences: Sequence[Sequence[str]],
        vectors: WordVectors,
        similarity: Similarity = PAPER,
        frequent: NDArray[np.int64] | None = None,
        kept_cells: int = KEPT_CELLS,
        fresh_cells: int = FRESH_CELLS,
    ) -> None:
        from silverloom.ops.talksumm.align import kernels

        mean = vectors.mean.astype(np.float32)
        spoken_vectors, known = vectors.vectors(spoken)
        written = {word for sentence in sentences for word in sentence}
        if not similarity.by_spelling:
            spoken_vectors[~known] = mean
            written = {word for word in written if word in vectors}
        vocabulary = sorted(written)
        paper_vectors = np.vstack([vectors.vectors(vocabulary)[0], mean[np.newaxis]])
        if not (np.isfinite(spoken_vectors).all() and np.isfinite(paper_vectors).all()):
            raise ValueError("the word vectors hold NaN or infinity")
        column = {word: index for index, word in enumerate(vocabulary)}
        members: list[int] = []
        offsets = [0]
        for sentence in sentences:
            members += sorted({column[word] for word in sentence if word in column}) or [len(vocabulary)]
            offsets.append(len(members))
        self._similarity = similarity
        self._spoken = kernels.unit_rows(spoken_vectors.astype(np.float64))
        equal = {word: index for word, index in column.items() if word not in vectors}
        self._same = np.array([equal.get(word, -1) for word in spoken], np.int64)
        self._paper = (
            np.ascontiguousarray(kernels.unit_rows(paper_vectors.astype(np.float64)).T),
            np.array(offsets, np.int64),
            np.array(members, np.int64),
        )
        words, states = len(spoken), len(sentences)
        self.words = words  # V
        kept_words = min(words, kept_cells // states)
        self.at_once = sys.maxsize if kept_words == words else max(1, fresh_cells // states)
        counts = np.zeros(words, np.int64) if frequent is None else frequent
        self._kept = np.sort(np.argsort(-counts, kind="stable")[:kept_words])
        self._row = np.full(words, -1)
        self._row[self._kept] = np.arange(kept_words)
        self._table = np.empty((min(words, kept_words + self.at_once), states))
        self._normalise()

    def rows(self, observations: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return a table, and for each observed token its row in it, valid until the next call.

        Tokens are given by index. At most `at_once` of them may be requested; any number if all rows are
        kept.
        """

        rows, fresh = self._similar(observations)
        self._to_logs(fresh)
        return self._table, rows

    def _similar(self, observations: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the row of each token, and the recomputed rows, not normalised yet."""

        rows = self._row[observations]
        missing, places = np.unique(observations[rows < 0], return_inverse=True)
        rows[rows < 0] = len(self._kept) + places
        fresh = self._table[len(self._kept) : len(self._kept) + len(missing)]
        self._fill(fresh, missing)
        return rows, fresh

    def _fill(self, table: NDArray[np.float64], words: NDArray[np.int64]) -> None:
        from silverloom.ops.talksumm.align import kernels

        sharpness = self._similarity.sharpness
        kernels.similarities(self._spoken[words], self._same[words], *self._paper, sharpness, table)

    def _to_logs(self, table: NDArray[np.float64]) -> None:
        from silverloom.ops.talksumm.align import kernels

        background = self._similarity.background
        kernels.log_shares(table, self._subtracted, self._total, background, background / len(self._spoken))

    def _normalise(self) -> None:
        from silverloom.ops.talksumm.align import kernels

        kept_rows = self._table[: len(self._kept)]
        self._fill(kept_rows, self._kept)
        least = np.full(self._table.shape[1], np.inf)
        for words in self._blocks():
            kernels.lower(least, self._table, self._similar(words)[0])
        self._subtracted = self._similarity.floor * least
        self._total = np.zeros_like(least)
        for words in self._blocks():
            kernels.add(self._total, self._table, self._similar(words)[0], self._subtracted)
        self._to_logs(kept_rows)

    def _blocks(self) -> Iterator[NDArray[np.int64]]:
        words = np.arange(len(self._spoken))
        return (words[first : first + self.at_once] for first in range(0, len(words), self.at_once))


HESITATION = "%hesitation"

#: A word that the tokeniser leaves whole, except for a sign after it, like most. NLTK takes 80 us per word.
_PLAIN = re.compile(r"([a-z]+)[.,?!;:]?")

#: Words of letters only that it splits nevertheless (nltk.tokenize.destructive.MacIntyreContractions).
_COMPOUNDS = frozenset({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"})


def log_emission(
    spoken: Sequence[str],
    sentences: Sequence[Sequence[str]],
    vectors: WordVectors,
    similarity: Similarity = PAPER,
) -> NDArray[np.float64]:
    """Return ln p(word | sentence) for V distinct spoken tokens and K sentences (V x K), as in `Emission`."""
    emission = Emission(spoken, sentences, vectors, similarity, kept_cells=len(spoken) * len(sentences))
    return emission.rows(np.arange(len(spoken)))[0]


def content_tokens(text: str) -> list[str]:
    """Return the tokens of a text, without stop words and single ASCII punctuation signs.

    Tokens are lower-cased Treebank tokens like those of NLTK's word_tokenize, but without splitting into
    sentences. As in the released code, longer punctuation ("...", "``") and clitics that are not stop words
    ("n't", "'s") stay.
    """
    tokens: list[str] = _tokenizer().tokenize(visible(text).lower().replace(HESITATION, " "))
    return [token for token in tokens if token not in _filtered()]


def observe(words: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the observed tokens of a talk's words, and for each token the index of its word.

    Each word is tokenised by itself, so that a full stop is always split off. Most words give one token or
    none: stop words and disfluencies ("um") are no observations. A contraction may give two ("system's":
    "system", "'s"), which are two time steps.
    """
    known: dict[str, list[str]] = {}
    observed: list[str] = []
    origins: list[int] = []
    for index, word in enumerate(words):
        if word not in known:
            plain = _PLAIN.fullmatch(word.lower())
            if plain and plain[1] not in _COMPOUNDS:
                known[word] = [] if _is_silent(plain[1]) else [plain[1]]
            elif is_disfluency(word):
                known[word] = []
            else:
                known[word] = [token for token in content_tokens(word) if not is_disfluency(token)]
        observed += known[word]
        origins += [index] * len(known[word])
    return observed, origins


def says_anything(words: Sequence[str]) -> bool:
    """Say whether a talk's words give any observed token; plain words are usually enough to decide."""
    plain = (_PLAIN.fullmatch(word.lower()) for word in words)
    known = any(match and match[1] not in _COMPOUNDS and not _is_silent(match[1]) for match in plain)
    return known or bool(observe(words)[0])


def _is_silent(word: str) -> bool:
    return word in STOP_WORDS or is_disfluency(word)


@lru_cache(maxsize=1)
def _filtered() -> frozenset[str]:
    return STOP_WORDS | set(string.punctuation)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()
