"""The questions for people about examples and fusions, after Geva et al. (2019).

Belongs here: questions and scales, the columns of the rated rows, params. Not here: which rows are drawn,
their gold answers, and the tables (human_evaluation.py).
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import Shape, columns, optional, struct
from silverloom.ops.core.sampling import Split
from silverloom.ops.discofuse.evaluation.alignment import SENSE_NAMES
from silverloom.ops.discofuse.schemas import EXAMPLES
from silverloom.ops.evaluation.human_evaluation import People, judged_shape
from silverloom.ops.evaluation.questionnaire import YES_NO, Question, Questionnaire, Scale
from silverloom.ops.evaluation.raters import RaterParams, Raters
from silverloom.ops.evaluation.table import Bootstrap

_TEXT, _BOOL = pa.string(), pa.bool_()

#: Geva et al. (2019), section 4.1 and Table 2.
CLARITY = Questionnaire(
    name="discofuse_clarity",
    shown=("sentence_1", "sentence_2"),
    questions=(
        Question(name="understandable", text="Can you understand these two sentences?", scale=YES_NO),
    ),
)
#: Geva et al. (2019), section 4.2 and Table 5; each row shows the connectives to choose from.
DECISIONS = Questionnaire(
    name="discofuse_decisions",
    shown=("sentence_1", "sentence_2", "comparison", "expansion", "contingency", "temporal"),
    questions=(
        Question(
            name="merge",
            text="Would you merge the two sentences into a single one, or keep a pair of sentences?",
            scale=Scale(values=("single", "pair")),
        ),
        Question(
            name="anaphor",
            text="Should a name or noun be replaced by a pronoun (he, their) or another noun (the team)?",
            scale=YES_NO,
        ),
        Question(
            name="connective",
            text="Which of the four connectives beside the sentences would you add, if any?",
            scale=Scale(values=("comparison", "expansion", "contingency", "temporal", "none")),
        ),
    ),
)
#: Geva et al. (2019), section 5.3 and Table 8.
DETECTION = Questionnaire(
    name="discofuse_detection",
    shown=("sentence_1", "sentence_2", "fusion_a", "fusion_b"),
    questions=(
        Question(
            name="human",
            text="The two sentences were fused twice. Which of the two texts was written by a person?",
            scale=Scale(values=("a", "b")),
        ),
    ),
)
#: Geva et al. (2019), section 4.1, Tables 3 and 4: why a split text is unclear, and its grammatical errors.
ERRORS = Questionnaire(
    name="discofuse_errors",
    shown=("text", "sentence_1", "sentence_2"),
    questions=(
        Question(
            name="obscurity",
            text="Can you understand the two sentences, and if not, what is the reason?",
            scale=Scale(
                values=("clear", "text", "context", "split"),
                labels={
                    "text": "the original text is unclear",
                    "context": "a broader context is needed",
                    "split": "the split is wrong",
                },
            ),
        ),
        Question(
            name="error",
            text="Which grammatical error of the two sentences is not in the original text?",
            scale=Scale(
                values=("none", "comma", "determiner", "pronoun", "other"),
                labels={
                    "comma": "an extra comma",
                    "determiner": "a missing determiner",
                    "pronoun": "a pronoun replaced wrongly",
                },
            ),
        ),
        Question(
            name="harm",
            text="Does the error change the meaning?",
            scale=Scale(values=("no_error", "harmless", "harmful")),
        ),
    ),
)

_EXAMPLE_ID = ("example_id", _TEXT, "row of discofuse/examples")
_FUSION_ID = optional("fusion_id", _TEXT, "row of discofuse/fusions; null but for detection")
_OFFERED = "offered to the rater"
RATING_SHEETS = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        (
            "questionnaire",
            _TEXT,
            "discofuse_clarity, discofuse_decisions, discofuse_errors or discofuse_detection",
        ),
        _EXAMPLE_ID,
        _FUSION_ID,
        ("domain", _TEXT, "of the example: the stratum that it was drawn from"),
        ("discourse_type", _TEXT, "of the example"),
        optional("text", _TEXT, "the original text; null but for errors"),
        ("sentence_1", _TEXT, "the first independent sentence"),
        ("sentence_2", _TEXT, "the second"),
        *(optional(name, _TEXT, f"connective {_OFFERED}; null but for decisions") for name in SENSE_NAMES),
        optional("fusion_a", _TEXT, f"the fusion that is {_OFFERED} first; null but for detection"),
        optional("fusion_b", _TEXT, f"the fusion that is {_OFFERED} second; null but for detection"),
        ("asked", _BOOL, "whether it is in the sheets: a fusion that is its gold text is not"),
        (
            "gold",
            pa.list_(struct(("question", _TEXT), ("value", _TEXT, "of its scale"))),
            "the gold answers, which raters do not see",
        ),
    ),
)
HUMAN_EVALUATION = judged_shape(
    "discofuse/rating_sheets",
    "understandable; merge, anaphor, connective; obscurity, error, harm; human",
    [_EXAMPLE_ID, _FUSION_ID, ("domain", _TEXT, "of the example")],
    [
        optional("gold", _TEXT, "the answer that the gold text gives; null where it gives none"),
        optional("agrees", _BOOL, "whether the majority is the gold answer; null where `gold` is null"),
        ("counted", _BOOL, "whether it is in the tables: decisions are where the text is understandable"),
    ],
)

PEOPLE = People(
    questionnaires=(CLARITY, DECISIONS, ERRORS, DETECTION),
    sheets=RATING_SHEETS,
    judged=HUMAN_EVALUATION,
    about="""\
# Rate sentences and their fusions

Each row has two sentences that were made of one text. Whether they can be understood, how they should be
fused, what is wrong with them, and which of two fused texts a person wrote is asked in separate sheets:""",
    leave_empty="and how to fuse what you do not understand.",
)


class RatingSheetParams(RaterParams, section="discofuse.rating_sheets"):
    """How much is rated, and who rates it."""

    examples: int = Field(500, ge=0, description="of each domain, for clarity and fusion decisions")
    splits: tuple[Split, ...] = Field(
        ("validation",), min_length=1, description="that examples are drawn from"
    )
    errors: int = Field(100, ge=0, description="of each domain, for the analysis of errors")
    fusions: int = Field(1000, ge=0, description="of each domain by its own model, for detection")
    raters: Raters = ("rater1", "rater2", "rater3", "rater4", "rater5")


class HumanEvaluationParams(Bootstrap, section="discofuse.human_evaluation"):
    """The bootstrap over examples for the 95 % intervals."""
