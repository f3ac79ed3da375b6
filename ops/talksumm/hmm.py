"""Decode which paper sentence a speaker has in mind at every spoken word.

Belongs here: the hidden Markov model of Lev et al. (2019), section 3.2: its knobs, its exact decoding, and
the alignment of one talk. Not here: tables of talks (alignments.py), word vectors (ops/models), choosing
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
from ops.talksumm.emission import log_emission
from ops.talksumm.tokens import content_tokens, observe
from ops.talksumm.transition import GeometricTransition, stay_probability


class HmmParams(Params, section="talksumm.hmm"):
    """The model's knobs; the defaults are the paper's where it has them (section 3.2).

    `floor` and `start_sentences` are the released code's. `minimum_characters`: shorter sentences are no
    states [released code]. `excluded_roles`: their sections are no states. The paper excludes the abstract,
    related work and acknowledgments; the released code also what stands under no heading (the preamble);
    references are never talked about; appendices stay, as released.
    """

    lambda_: float = Field(0.75, alias="lambda", gt=0, le=1)
    gamma: float = Field(0.5, gt=0, le=1)
    delta: float = Field(0.33, gt=0, lt=1)
    epsilon: float = Field(0.1, gt=0, lt=1)
    floor: float = Field(0.8, ge=0, lt=1)
    start_sentences: int = Field(20, ge=1)
    minimum_characters: int = Field(30, ge=0)
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

    kept (T): as in `Alignment`. observations (T): the row of log_emission (V x K: distinct words by
    sentences) that each step takes. log_start (K).
    """

    kept: NDArray[np.int64]
    observations: NDArray[np.int64]
    log_emission: NDArray[np.float64]
    log_start: NDArray[np.float64]

    def decode(self, params: HmmParams) -> Alignment:
        """Return the most probable path under the transitions of `params`."""
        transition = params.transition(len(self.log_start), len(self.observations))
        arguments = (self.log_emission, self.log_start, transition, self.observations)
        states = viterbi(*arguments)
        return Alignment(
            kept=self.kept,
            states=states,
            counts=np.bincount(states, minlength=len(self.log_start)),
            log_probability=path_log_probability(states, *arguments),
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
    return Trellis(
        kept=np.array(origins, np.int64),
        observations=np.array([row[token] for token in tokens], np.int64),
        log_emission=log_emission(
            vocabulary, [content_tokens(text) for text in sentences], vectors, params.floor
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


def viterbi(
    log_emission: NDArray[np.float64],
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """Return the most probable state at each of T steps, exactly, in O(T K) time and T K bytes.

    log_emission (T x K) has a row for every step; or it has a row for every distinct word (V x K), and
    `observations` (T) says which row each step takes. The transition weights decay geometrically with
    distance, so the best predecessor of every state is found by one running maximum from the left and one
    from the right (Felzenszwalb and Huttenlocher 2004 use the same device for distance transforms).

    Ties go to the lowest state. Raises ValueError if T or K is 0, a row holds no finite value, a value is
    NaN or plus infinity, shapes disagree, or every path has probability 0.
    """
    from ops.talksumm import kernels

    table = np.ascontiguousarray(log_emission, np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"log_emission must be T x K with T and K above 0, not {table.shape}")
    rows = np.arange(len(table)) if observations is None else np.asarray(observations, np.int64)
    if rows.ndim != 1 or not rows.size or rows.min() < 0 or rows.max() >= len(table):
        raise ValueError(f"observations must be T > 0 indices of the {len(table)} rows of log_emission")
    start = np.ascontiguousarray(log_start, np.float64)
    if start.shape != (table.shape[1],) or transition.states != table.shape[1]:
        raise ValueError(
            f"{table.shape[1]} states in log_emission, {transition.states} in the transition, "
            f"log_start of shape {start.shape}"
        )
    best = table.max(axis=1)
    if not np.isfinite(best).all():
        bad = int(np.flatnonzero(~np.isfinite(best))[0])
        raise ValueError(f"row {bad} of log_emission holds no finite value, or NaN or plus infinity")
    if np.isnan(start).any() or not np.isfinite(start.max()):
        raise ValueError("log_start holds no finite value, or NaN or plus infinity")
    path: NDArray[np.int32]
    path, possible = kernels.decode(table, rows, start, *transition.logs)
    if not possible:
        raise ValueError("every path has probability 0: no start state can emit the first observation")
    return path


def path_log_probability(
    states: NDArray[np.int32],
    log_emission: NDArray[np.float64],
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64] | None = None,
) -> float:
    """Return ln p(path, observations) of a path (T), correctly summed; arguments as in `viterbi`."""
    rows = np.arange(len(states)) if observations is None else observations
    return math.fsum(
        [float(log_start[states[0]]), *log_emission[rows, states], *transition.log_probabilities(states)]
    )
