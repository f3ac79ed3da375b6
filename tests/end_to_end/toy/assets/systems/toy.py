"""The datasets of Toy."""

from __future__ import annotations

from silverloom.ops.toy import answering, choice, rating
from silverloom.ops.toy import riddles as riddle_files

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Threshold, Trainings, Trials
from silverloom.assets.declare.expectations import between, text, unique
from silverloom.ops.core import thresholds as rules
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import Parts
from silverloom.ops.parse.scan import Records


@dataset(
    group="sources",
    shape=riddle_files.RIDDLES,
    formats=riddle_files.FORMATS,
)
def riddles(records: Records) -> Outcomes:
    """Riddles with their answers."""
    return records.map(riddle_files.parse_riddles)


@dataset(
    group="toy",
    shape=choice.QUESTIONS,
    consumes="riddles",
    measures=["words"],
    scores={"words": DatasetScore("words")},
    text_pair=("question", "answer"),
    thresholds=[
        Threshold(
            choice.QuestionParams,
            "words",
            rules.at_least,
            choice.scores,
            values=(1, 2, 7, 8),
            meaning="words of the question",
            units="riddles",
        )
    ],
    expectations=[
        unique("question"),
        between("words", 1),
        *text("question", longest=300),
    ],
)
def questions(riddles: Parts, params: choice.QuestionParams) -> Outcomes:
    """The riddles that are long enough to be one."""
    return riddles.map(choice.questions, params)


@dataset(
    group="toy",
    shape=choice.LENGTHS,
    consumes="questions",
    partitioned=False,
    trials=Trials(params=("least",), metrics=("share",)),
    expectations=[between("share", 0, 1)],
)
def lengths(questions: Parts) -> Outcomes:
    """How many riddles other lengths would keep."""
    return choice.lengths(questions)


@dataset(
    group="toy",
    shape=answering.MEMORY,
    consumes="questions",
    partitioned=False,
    trains=Trainings(answering.KIND),
)
def model(questions: Parts) -> Outcomes:
    """A model that knows the answers."""
    return answering.model(questions)


@dataset(
    group="toy",
    shape=rating.RATING_SHEETS,
    consumes="questions",
    partitioned=False,
)
def rating_sheets(questions: Parts, params: rating.RatingParams) -> Outcomes:
    """Riddles for people to rate."""
    return rating.rating_sheets(questions, params)
