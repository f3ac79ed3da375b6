"""How well both models reproduce manual alignments of talks; the paper's over a grid of its four parameters.

Belongs here: the grid, finding the states that labels refer to, scores with their intervals, and the table of
talksumm/tuning. This is only a report: the alignments take their parameters from params.yaml, whatever is
best here. Not here: the model (hmm.py), reading labels (ops/talksumm/sources/gold.py).

Lev et al. (2019), section 3.2: "the values of these parameters were determined based on evaluation over
manually-labeled alignments between the transcripts and the sentences of a small set of papers".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from silverloom.ops.core.identity import joint_licence, made_of, row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_most
from silverloom.ops.metrics.bootstrap import interval
from silverloom.ops.models.word_vectors import word_vectors
from silverloom.ops.talksumm.align.alignments import cells, divide, trellis_of
from silverloom.ops.talksumm.align.hmm import HmmParams, Model, Trellis
from silverloom.ops.talksumm.schemas import TUNING

#: Predictions up to this many sentences off count for `within_two`.
NEAR = 2

MODELS: tuple[Model, ...] = get_args(Model)

Counts: TypeAlias = NDArray[np.int64]
Factors = Annotated[tuple[Annotated[float, Field(gt=0, le=1)], ...], Field(min_length=1)]
Probabilities = Annotated[tuple[Annotated[float, Field(gt=0, lt=1)], ...], Field(min_length=1)]


class KnobSetting(NamedTuple):
    """A model, and values of the paper's four parameters, as named in params.yaml.

    `robust` has no delta and epsilon, so that it is only one point.
    """

    model: Model
    lambda_: float
    gamma: float
    delta: float
    epsilon: float

    def applied(self, params: HmmParams) -> HmmParams:
        """Return `params` with this model and these values; the others are unchanged."""
        return params.model_copy(update=self._asdict())


class TuningParams(Params, section="talksumm.tuning"):
    """The grid (every combination of the four lists), and the bootstrap (`resamples` draws from `seed`).

    The grid is of the model `paper`. The model `robust` is scored with the values of `talksumm.hmm` alone.
    The defaults surround the paper's 0.75, 0.5, 0.33 and 0.1.
    """

    lambda_: Factors = Field((0.65, 0.75, 0.85), alias="lambda")
    """Values of `talksumm.hmm.lambda` to try."""
    gamma: Factors = (0.25, 0.5, 0.75)
    """Values of `talksumm.hmm.gamma` to try."""
    delta: Probabilities = (0.25, 0.33, 0.45)
    """Values of `talksumm.hmm.delta` to try."""
    epsilon: Probabilities = (0.05, 0.1, 0.3)
    """Values of `talksumm.hmm.epsilon` to try."""
    seed: int = Field(0, ge=0)
    """Of the draws behind the intervals."""
    resamples: int = Field(1000, ge=100)
    """Bootstrap draws for each 95 % interval."""

    @field_validator("lambda_", "gamma", "delta", "epsilon")
    @classmethod
    def _distinct(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if len(set(values)) < len(values):
            raise ValueError("a value is listed twice")
        return values

    def points(self, current: HmmParams) -> list[KnobSetting]:
        """Return the points of the grid, and both models at the current values, each once, in order."""
        grid = {KnobSetting("paper", *values) for values in product(*self._axes())}
        return sorted(grid | {current_point(current)._replace(model=model) for model in MODELS})

    def _axes(self) -> tuple[tuple[float, ...], ...]:
        return self.lambda_, self.gamma, self.delta, self.epsilon


def current_point(params: HmmParams) -> KnobSetting:
    """Return the point given by params.yaml."""
    return KnobSetting(params.model, params.lambda_, params.gamma, params.delta, params.epsilon)


@dataclass(frozen=True)
class Run:
    """A labelled run whose sentence was found: its state, and the time steps to score."""

    label: Row
    state: int
    steps: Counts


@dataclass(frozen=True)
class LabelledTalk:
    """A talk with its labelled runs, ready to be decoded at any point."""

    pair: Row
    trellises: Mapping[Model, Trellis]
    runs: Sequence[Run]

    def hits(self, params: HmmParams) -> tuple[Counts, Counts]:
        """Return, for each run, the number of words with the right state, and of those at most NEAR off."""
        states = self.trellises[params.model].decode(params).states
        distances = [np.abs(states[run.steps] - run.state) for run in self.runs]
        return (
            np.array([np.count_nonzero(distance == 0) for distance in distances], np.int64),
            np.array([np.count_nonzero(distance <= NEAR) for distance in distances], np.int64),
        )


def tune(
    gold_alignments: Parts, pairs: Parts, talks: Parts, hmm: HmmParams, params: TuningParams
) -> Outcomes:
    """Yield one kept row per point of the grid, with its scores; the units are the labelled runs.

    A word is scored if the model sees it (stop words are filtered) and its label names a sentence; a word of
    two tokens counts twice. Runs that cannot be scored are dropped: `no_sentence` (labelled as describing
    none), `no_such_talk`, `ambiguous_talk` (talks of several sources have that name), `talk_without_paper`,
    `beyond_the_talk` (more words than the transcript has), `no_such_state` (no state begins like the label),
    `ambiguous_sentence` (several do), `no_words` (stop words only), `too_large` (the pair has more cells than
    `hmm.cells`). If no run can be scored, there are no rows.
    """
    labels = gold_alignments.read(TUNING.unit.names).to_pylist()
    labelled, dropped = labelled_talks(labels, pairs, talks, hmm)
    points = params.points(hmm) if labelled else []
    runs = [run for talk in labelled for run in talk.runs]
    words = np.array([len(run.steps) for run in runs], np.int64)
    hits = [[talk.hits(point.applied(hmm)) for talk in labelled] for point in points]
    exact = np.array([np.concatenate([counts for counts, _ in row]) for row in hits], np.int64)
    near = np.array([np.concatenate([counts for _, counts in row]) for row in hits], np.int64)
    bounds = intervals(words, exact, params.seed, params.resamples)
    sources = [str(run.label["id"]) for run in runs]
    licence = joint_licence(
        licence for talk in labelled for licence in (talk.pair["licence"], *_licences(talk))
    )
    kept = [
        {
            **made_of(row_id("point", *map(repr, point)), sources, licence),
            "words": int(words.sum()),
            **dict(zip(("model", "lambda", "gamma", "delta", "epsilon"), point, strict=True)),
            "accuracy": _share(exact[index].sum(), words.sum()),
            "low": low,
            "high": high,
            "within_two": _share(near[index].sum(), words.sum()),
            "current": point == current_point(hmm),
            "talks": [
                {
                    "talk_id": talk.pair["talk_id"],
                    "title": talk.pair["talk_title"],
                    "words": sum(len(run.steps) for run in talk.runs),
                    "correct": int(right.sum()),
                }
                for talk, (right, _) in zip(labelled, hits[index], strict=True)
            ],
        }
        for index, (point, (low, high)) in enumerate(zip(points, bounds, strict=True))
    ]
    yield Outcome.of(TUNING, [label["id"] for label in labels], kept, dropped)


def intervals(words: Counts, correct: Counts, seed: int, resamples: int) -> list[tuple[float, float]]:
    """Return a 95 % interval of the accuracy at each of P points; words (N) and correct (P x N) of N runs.

    The bootstrap resamples runs: the words of a run tend to be right or wrong together, so that an interval
    over words would be several times too narrow. Runs of one talk are not independent either, but a handful
    of talks cannot show this. So the interval holds for more runs of such talks, and is too narrow for other
    talks. Every point is scored on the same resamples. With P = 0: [].
    """

    def accuracy(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return sums[:, 0] / sums[:, 1]

    estimates = [
        interval(np.stack([row, words], axis=1), resamples, seed, of_sums=accuracy) for row in correct
    ]
    return [(bounds.low, bounds.high) for bounds in estimates]


def labelled_talks(
    labels: Sequence[Row], pairs: Parts, talks: Parts, params: HmmParams
) -> tuple[list[LabelledTalk], list[Row]]:
    """Return the talks with runs that can be scored, by id, and the dropped labels."""
    labelled: list[LabelledTalk] = []
    dropped = [drop(label, "no_sentence") for label in labels if label["sentence"] is None]
    of_talk, lost = _by_talk([label for label in labels if label["sentence"] is not None], talks)
    dropped += lost
    paired = {pair["talk_id"]: pair for pair in pairs.read(where=("talk_id", of_talk)).to_pylist()}
    for talk_id, its_labels in sorted(of_talk.items()):
        if talk_id not in paired:
            dropped += [drop(label, "talk_without_paper") for label in its_labels]
            continue
        talk, lost = _labelled(paired[talk_id], its_labels, params)
        dropped += lost
        labelled += [talk] if talk else []
    return labelled, dropped


def _by_talk(labels: Sequence[Row], talks: Parts) -> tuple[Mapping[str, list[Row]], list[Row]]:
    """Return labels by the id of the talk with their name, and dropped labels without a unique talk."""
    documents = {str(label["document"]) for label in labels}
    named: dict[str, list[str]] = defaultdict(list)
    for row in talks.read(["id", "document"], where=("document", documents)).to_pylist():
        named[row["document"]].append(row["id"])
    of_talk: dict[str, list[Row]] = defaultdict(list)
    dropped: list[Row] = []
    for label in labels:
        ids = named[label["document"]]
        if len(ids) == 1:
            of_talk[ids[0]].append(label)
        else:
            reason = "ambiguous_talk" if ids else "no_such_talk"
            dropped.append(drop(label, reason, detail=", ".join(sorted(ids)) or label["document"]))
    return of_talk, dropped


def _labelled(pair: Row, labels: Sequence[Row], params: HmmParams) -> tuple[LabelledTalk | None, list[Row]]:
    states, _ = divide(pair, params)
    size = cells(pair, states)
    if not at_most(size, params.cells):
        return None, [drop(label, "too_large", float(size)) for label in labels]
    vectors = word_vectors(params.vectors)
    trellises = {
        model: trellis_of(pair, states, vectors, params.model_copy(update={"model": model}))
        for model in MODELS
    }
    possible = {model: trellis for model, trellis in trellises.items() if trellis is not None}
    spoken = next((trellis.origins for trellis in possible.values()), np.empty(0, np.int64))
    runs: list[Run] = []
    dropped: list[Row] = []
    for label in labels:
        meant = [k for k, state in enumerate(states) if str(state["text"]).startswith(label["sentence"])]
        first, last = label["first_word"], label["last_word"]
        steps = np.flatnonzero((spoken >= first) & (spoken <= last))
        if last >= len(pair["words"]):
            detail = f"word {last} of {len(pair['words'])} words"
            dropped.append(drop(label, "beyond_the_talk", detail=detail))
        elif len(meant) != 1:
            reason = "ambiguous_sentence" if meant else "no_such_state"
            dropped.append(drop(label, reason, score=float(len(meant)), detail=label["sentence"]))
        elif not len(steps):
            dropped.append(drop(label, "no_words", detail=f"{last - first + 1} words"))
        else:
            runs.append(Run(label, meant[0], steps))
    return (LabelledTalk(pair, possible, runs) if runs else None), dropped


def _licences(talk: LabelledTalk) -> set[str]:
    return {str(run.label["licence"]) for run in talk.runs}


def _share(part: np.int64, whole: np.int64) -> float:
    return round(int(part) / int(whole), 6)
