"""Decode which paper sentence a speaker has in mind at every spoken word.

Belongs here: the hidden Markov model of Lev et al. (2019), section 3.2: its knobs, and the alignment of one
talk. Not here: decoding (decoding.py), tables of talks (alignments.py), word vectors (ops/models), choosing
summaries (budgets.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from ops.models.word_vectors import WORD_VECTORS, WordVectors
from ops.params import ModelName, Params
from ops.parse.roles import ABSTRACT, ACKNOWLEDGMENTS, PREAMBLE, REFERENCES, RELATED, ROLES
from ops.talksumm.align.decoding import decode, log_probability
from ops.talksumm.align.emission import Emission
from ops.talksumm.align.tokens import content_tokens, observe
from ops.talksumm.align.transition import GeometricTransition, stay_probability


class HmmParams(Params, section="talksumm.hmm"):
    """The model's knobs; the defaults are the paper's where it has them (section 3.2).

    `floor` and `start_sentences` are the released code's. `minimum_characters`: shorter sentences are no
    states [released code]. `excluded_roles`: their sections are no states. The paper excludes the abstract,
    related work and acknowledgments; the released code also what stands under no heading (the preamble);
    references are never talked about; appendices stay, as released.

    `cells`: the most time steps x sentences of a pair that is aligned. Time grows with it: on one core of two
    that were busy, a talk of 100,000 words over 10,000 sentences took 38 s, and 100,000 words that were all
    different, over 5,000, 127 s. Conference talks have some million.
    """

    lambda_: float = Field(0.75, alias="lambda", gt=0, le=1)
    gamma: float = Field(0.5, gt=0, le=1)
    delta: float = Field(0.33, gt=0, lt=1)
    epsilon: float = Field(0.1, gt=0, lt=1)
    floor: float = Field(0.8, ge=0, lt=1)
    start_sentences: int = Field(20, ge=1)
    minimum_characters: int = Field(30, ge=0)
    cells: int = Field(1_000_000_000, ge=1)
    excluded_roles: tuple[str, ...] = (ABSTRACT, PREAMBLE, RELATED, ACKNOWLEDGMENTS, REFERENCES)
    vectors: ModelName = WORD_VECTORS

    @field_validator("excluded_roles")
    @classmethod
    def _known(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        unknown = sorted(set(roles) - set(ROLES))
        if unknown:
            raise ValueError(f"no such role: {', '.join(unknown)}; there are {', '.join(ROLES)}")
        return roles

    def transition(self, states: int, steps: int) -> GeometricTransition:
        """Return the transitions of a talk of `steps` words over a paper of `states` sentences."""
        stay = stay_probability(states, steps, self.delta, self.epsilon)
        return GeometricTransition(states, stay, self.lambda_, self.gamma)


@dataclass(frozen=True)
class Alignment:
    """A talk's most probable path through its paper.

    kept (T): indices of the talk's words, one for every time step; filtered words are missing, and a word
    of two tokens ("system's") stands twice. states (T): the sentence of each step. counts (K): the steps of
    each sentence. log_probability: natural logarithm, of the path and the words together.
    """

    kept: NDArray[np.int64]
    states: NDArray[np.int32]
    counts: NDArray[np.int64]
    log_probability: float


@dataclass(frozen=True)
class Trellis:
    """A talk over its paper before anything is assumed of how speakers move between sentences.

    kept (T): as in `Alignment`. observations (T): the row of `emission` (V x K: distinct words by
    sentences) that each step takes. log_start (K).
    """

    kept: NDArray[np.int64]
    observations: NDArray[np.int64]
    emission: Emission
    log_start: NDArray[np.float64]

    def decode(self, params: HmmParams) -> Alignment:
        """Return the most probable path under the transitions of `params`."""
        transition = params.transition(len(self.log_start), len(self.observations))
        decoded = decode(self.emission, self.log_start, transition, self.observations)
        return Alignment(
            kept=self.kept,
            states=decoded.states,
            counts=np.bincount(decoded.states, minlength=len(self.log_start)),
            log_probability=log_probability(decoded, self.log_start, transition),
        )


def trellis(
    words: Sequence[str],
    sentences: Sequence[str],
    vectors: WordVectors,
    params: HmmParams = HmmParams(),  # noqa: B008 (frozen)
    introduction: Sequence[int] | None = None,
) -> Trellis:
    """Return what a talk's words say of its paper's sentences, all of which are states.

    Nothing in it depends on lambda, gamma, delta and epsilon. `introduction` are the indices of the sentences
    that the talk may begin with, all equally probable; None: the first `params.start_sentences`. Raises
    ValueError if there are no sentences, no word survives the filters, or `introduction` is empty or goes
    beyond the sentences.
    """
    if not sentences:
        raise ValueError("no sentences to align with")
    tokens, origins = observe(words)
    if not tokens:
        raise ValueError("no word of the talk is left after stop words and punctuation")
    start = range(min(params.start_sentences, len(sentences))) if introduction is None else introduction
    if not len(start) or min(start) < 0 or max(start) >= len(sentences):
        raise ValueError(f"the introduction {start!r} must name some of the {len(sentences)} sentences")
    vocabulary = sorted(set(tokens))
    row = {token: index for index, token in enumerate(vocabulary)}
    log_start = np.full(len(sentences), -math.inf)
    log_start[np.array(start, np.int64)] = -math.log(len(set(start)))
    observations = np.array([row[token] for token in tokens], np.int64)
    return Trellis(
        kept=np.array(origins, np.int64),
        observations=observations,
        emission=Emission(
            vocabulary,
            [content_tokens(text) for text in sentences],
            vectors,
            params.floor,
            frequent=np.bincount(observations),
        ),
        log_start=log_start,
    )


def align_words(
    words: Sequence[str],
    sentences: Sequence[str],
    vectors: WordVectors,
    params: HmmParams = HmmParams(),  # noqa: B008 (frozen)
    introduction: Sequence[int] | None = None,
) -> Alignment:
    """Align a talk's words with its paper's sentences; arguments and errors as in `trellis`."""
    return trellis(words, sentences, vectors, params, introduction).decode(params)
