"""Decode which paper sentence a speaker has in mind at every spoken word.

Belongs here: the hidden Markov model of Lev et al. (2019), section 3.2, and ours: their parameters, exact
decoding in limited memory by blocks of steps, and the alignment of one talk. Not here: emissions
(emission.py), transitions (transition.py), how sure an alignment is (evidence.py), inner loops (kernels.py),
tables of talks (alignments.py), word vectors (ops/models), choosing summaries (ops/talksumm/summarise.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.models.word_vectors import WORD_VECTORS, WordVectors
from silverloom.ops.parse.roles import ABSTRACT, ACKNOWLEDGMENTS, PREAMBLE, REFERENCES, RELATED, known_roles
from silverloom.ops.talksumm.align.emission import PAPER, Emission, Similarity, content_tokens, observe
from silverloom.ops.talksumm.align.transition import GeometricTransition

Model = Literal["paper", "robust"]


class HmmParams(Params, section="talksumm.hmm"):
    """The model's parameters; defaults are the paper's where it has them (section 3.2).

    `paper` is the model of the paper. It has `delta`, `epsilon` and `floor`. It may fail if the paper is long
    for the talk: with more than a third as many sentences as spoken words, its most probable path may end in
    the last two sentences. `robust` [ours] has `stay`, `sharpness` and `background` instead, and
    transitions with open ends. The three values are the middle of a region in which simulated talks of six
    papers, the paper's Table 4 and the sample's manual alignments all come out better than with `paper`
    (benchmarks/talk_simulation.py).

    `floor` and `start_sentences` are from the released code. Sentences shorter than `minimum_characters` are
    not states [released code]. Neither are the sentences of `excluded_roles`. The paper excludes the
    abstract, related work and acknowledgments; the released code also excludes text without a heading (the
    preamble). References are excluded because no talk is about them. Appendices stay, as in the released
    code.

    `cells` limits time steps x sentences of a pair, to which time is proportional. On one core, with two
    cores busy, a talk of 100,000 words over 10,000 sentences took 38 s, and 100,000 distinct words over 5,000
    sentences took 127 s. Conference talks have about a million cells.
    """

    model: Model = Field("robust", json_schema_extra={"paper": "paper"})
    """`paper`: as published; `robust`: the model that does not collapse on short talks."""
    lambda_: float = Field(0.75, alias="lambda", gt=0, le=1, json_schema_extra={"paper": "0.75"})
    """A step one sentence farther is this many times as likely."""
    gamma: float = Field(0.5, gt=0, le=1, json_schema_extra={"paper": "0.5"})
    """A backward step against a forward one."""
    delta: float = Field(0.33, gt=0, lt=1, json_schema_extra={"paper": "0.33"})
    """The probability to stay is max(delta (1 - K/T), epsilon) (`paper`)."""
    epsilon: float = Field(0.1, gt=0, lt=1, json_schema_extra={"paper": "0.1"})
    """Least probability to stay (`paper`)."""
    floor: float = Field(0.8, ge=0, lt=1, json_schema_extra={"paper": "not said; its code: 0.8"})
    """Share of a sentence's least similarity that is subtracted from all of its similarities (`paper`)."""
    stay: float = Field(0.4, gt=0, lt=1)
    """Probability to stay (`robust`)."""
    sharpness: int = Field(9, ge=1, le=30)
    """Power of the similarities (`robust`): how much more a near word counts than a distant one."""
    background: float = Field(0.6, gt=0, lt=1)
    """Share of the spoken words that are not from the paper (`robust`)."""
    start_sentences: int = Field(20, ge=1)
    """A paper without an Introduction starts with equal probability in so many first sentences."""
    minimum_characters: int = Field(30, ge=0)
    """A shorter sentence is dropped."""
    cells: int = Field(1_000_000_000, ge=1)
    """Words of a talk x sentences of its paper; a larger pair is dropped."""
    excluded_roles: tuple[str, ...] = (ABSTRACT, PREAMBLE, RELATED, ACKNOWLEDGMENTS, REFERENCES)
    """Sections of these roles are dropped."""
    vectors: ModelName = WORD_VECTORS
    """Word vectors that similarities come from."""

    @field_validator("excluded_roles")
    @classmethod
    def _known(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        return known_roles(roles)

    @model_validator(mode="after")
    def _decaying(self) -> HmmParams:
        if self.model == "robust" and self.lambda_ == 1:
            raise ValueError("lambda must be below 1 for the robust model")
        return self

    @property
    def similarity(self) -> Similarity:
        """How similar a spoken word and a sentence are."""
        if self.model == "paper":
            return PAPER._replace(floor=self.floor)
        return Similarity(sharpness=self.sharpness, background=self.background, by_spelling=True)

    def transition(self, states: int, steps: int) -> GeometricTransition:
        """Return the transitions for a talk of `steps` words and a paper of `states` sentences."""
        if self.model == "robust":
            return GeometricTransition(states, self.stay, self.lambda_, self.gamma, open_ends=True)
        stay = stay_probability(states, steps, self.delta, self.epsilon)
        return GeometricTransition(states, stay, self.lambda_, self.gamma)


@dataclass(frozen=True)
class Alignment:
    """A talk's most probable path through its paper.

    origins (T): for each time step, the index of its word in the talk. Filtered words are missing, and a
    word of two tokens ("system's") occurs twice. states (T): the sentence of each step. counts (K): the
    number of steps of each sentence. emitted (T): natural logarithm of the probability of each step's word,
    given its sentence. log_probability: natural logarithm of the joint probability of path and words.
    """

    origins: NDArray[np.int64]
    states: NDArray[np.int32]
    counts: NDArray[np.int64]
    emitted: NDArray[np.float64]
    log_probability: float


@dataclass(frozen=True)
class Trellis:
    """A talk and its paper before any transition probabilities are assumed.

    origins (T): as in `Alignment`. observations (T): the row of `emission` (V x K: distinct words by
    sentences) for each step. log_start (K).
    """

    origins: NDArray[np.int64]
    observations: NDArray[np.int64]
    emission: Emission
    log_start: NDArray[np.float64]

    def decode(self, params: HmmParams) -> Alignment:
        """Return the most probable path under the transitions of `params`."""
        transition = params.transition(len(self.log_start), len(self.observations))
        decoded = decode(self.emission, self.log_start, transition, self.observations)
        return Alignment(
            origins=self.origins,
            states=decoded.states,
            counts=np.bincount(decoded.states, minlength=len(self.log_start)),
            emitted=decoded.emitted,
            log_probability=log_probability(decoded, self.log_start, transition),
        )


#: Cells of the trellis (a byte each) held in memory at once, unless it is very wide.
BLOCK_CELLS = 2**26


class Rows(Protocol):
    """Emissions by row, from a table in memory or computed on demand."""

    @property
    def at_once(self) -> int:
        """The maximum number of steps per request."""

    def rows(self, observations: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return a table of log-emissions (n x K), and for each observation its row in it."""


class Decoded(NamedTuple):
    """A path (T) and the log-emission of each of its steps (T)."""

    states: NDArray[np.int32]
    emitted: NDArray[np.float64]


@dataclass(frozen=True)
class DecodingTable:
    """Emissions that are all in memory."""

    table: NDArray[np.float64]
    at_once: int

    def rows(self, observations: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the whole table."""
        return self.table, observations


def log_probability(
    decoded: Decoded, log_start: NDArray[np.float64], transition: GeometricTransition
) -> float:
    """Return ln p(path, observations), correctly rounded."""
    states, emitted = decoded
    terms: list[Any] = [log_start[states[0]], *emitted, *transition.log_probabilities(states)]
    return math.fsum(terms)


def trellis(
    words: Sequence[str],
    sentences: Sequence[str],
    vectors: WordVectors,
    params: HmmParams = HmmParams(),  # noqa: B008 (frozen)
    introduction: Sequence[int] | None = None,
) -> Trellis:
    """Return the trellis of a talk's words over its paper's sentences, all of which are states.

    It does not depend on the parameters of transitions. `introduction` has the indices of the sentences
    with which the talk may begin, all equally probable; None means the first `params.start_sentences`. Raises
    ValueError if there are no sentences, if no word survives the filters, or if `introduction` is empty or
    out of range.
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
        origins=np.array(origins, np.int64),
        observations=observations,
        emission=Emission(
            vocabulary,
            [content_tokens(text) for text in sentences],
            vectors,
            params.similarity,
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
    """Align a talk's words with its paper's sentences; for arguments and errors see `trellis`."""
    return trellis(words, sentences, vectors, params, introduction).decode(params)


def stay_probability(states: int, steps: int, delta: float, epsilon: float) -> float:
    """Return alpha = max(delta (1 - K / T), epsilon) for K sentences and T spoken words."""
    return max(delta * (1 - states / steps), epsilon)


def viterbi(
    log_emission: NDArray[np.float64],
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """Return the most probable state at each of T steps, exactly, in O(T K) time.

    log_emission (T x K) has a row for every step. Or it has a row for every distinct word (V x K), and
    `observations` (T) gives the row of each step. Transition weights decay geometrically with distance, so
    one running maximum from the left and one from the right find the best predecessor of every state.
    (Felzenszwalb and Huttenlocher 2004 do the same for distance transforms.)

    Ties go to the lowest state. Raises ValueError if T or K is 0, a row has no finite value, a value is NaN
    or plus infinity, shapes disagree, or every path has probability 0.
    """
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
    return decode(DecodingTable(table, len(rows)), start, transition, rows).states


def decode(
    emission: Rows,
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64],
    block_cells: int = BLOCK_CELLS,
) -> Decoded:
    """Return the most probable path; arguments (unchecked) and ties are as in `viterbi`.

    The trellis takes a byte per cell. If that exceeds `block_cells`, one block of steps is in memory at a
    time. The forward pass keeps the scores before every block; the backward pass recomputes each block but
    the last from them, to the same bits. This takes up to twice the time. Raises ValueError if every path has
    probability 0.
    """
    from silverloom.ops.talksumm.align import kernels

    steps, states = len(observations), len(log_start)
    # At least as many bytes for a block as for the scores before all blocks.
    length = min(max(math.isqrt(8 * steps) + 1, block_cells // states), emission.at_once, steps)
    trellis = np.empty((length, states), np.uint8)
    score = log_start.copy()

    def advance(first: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        table, rows = emission.rows(observations[first : first + length])
        kernels.advance(score, trellis, first, table, rows, *transition.logs)
        return table, rows

    firsts = range(0, steps, length)
    before = np.empty((len(firsts), states))
    for block, first in enumerate(firsts):
        before[block] = score
        table, rows = advance(first)
    state = int(np.argmax(score))
    if not score[state] > -math.inf:
        raise ValueError("every path has probability 0: no start state can emit the first observation")
    path, emitted = np.empty(steps, np.int32), np.empty(steps)
    for block, first in reversed(list(enumerate(firsts))):
        if first != firsts[-1]:
            score[:] = before[block]
            table, rows = advance(first)
        here = slice(first, first + len(rows))
        state = kernels.trace(path[here], trellis, state)
        emitted[here] = table[rows, path[here]]
    return Decoded(path, emitted)


def path_log_probability(
    states: NDArray[np.int32],
    log_emission: NDArray[np.float64],
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64] | None = None,
) -> float:
    """Return ln p(path, observations) of a path (T), correctly rounded; arguments are as in `viterbi`."""
    rows = np.arange(len(states)) if observations is None else observations
    return log_probability(Decoded(states, log_emission[rows, states]), log_start, transition)
