"""Questions to raters about sentences and summaries, in the wording of Lev et al. (2019), section 4.2.

Belongs here: questions and scales, the columns of the rated rows, params, the paper's values. Not here:
sampling the rows, and the tables (human_evaluation.py).
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import TEXT, TIME, TITLE, Shape, columns, optional
from silverloom.ops.evaluation.human_evaluation import People, judged_shape
from silverloom.ops.evaluation.questionnaire import YES_NO, Question, Questionnaire, Scale
from silverloom.ops.evaluation.raters import RaterParams
from silverloom.ops.evaluation.table import Bootstrap
from silverloom.ops.talksumm.schemas import SUMMARIES

_TEXT, _REAL, _BOOL = pa.string(), pa.float64(), pa.bool_()

#: Lev et al. (2019), section 4.2, label only 1, 3 and 5.
QUALITY = Scale(values=("1", "2", "3", "4", "5"), labels={"1": "very bad", "3": "good", "5": "excellent"})

#: Lev et al. (2019), section 4.2: 73 % of the sentences were considered.
OF_SENTENCES = Questionnaire(
    name="talksumm_sentences",
    shown=("paper_title", "text"),
    questions=(
        Question(
            name="considered",
            text="Did you consider this sentence when preparing the talk?",
            scale=YES_NO,
        ),
    ),
)
#: Lev et al. (2019), section 4.2: 3.73 on average, standard deviation 0.725.
OF_SUMMARIES = Questionnaire(
    name="talksumm_summaries",
    shown=("paper_title", "text"),
    questions=(Question(name="quality", text="What is the quality of the summary?", scale=QUALITY),),
)

#: Section 4.2, by question; for yes and no the mean is the share of yes.
PAPER = {"considered": {"mean": 0.73, "deviation": None}, "quality": {"mean": 3.73, "deviation": 0.725}}

_SUMMARY_ID = ("summary_id", _TEXT, "row of talksumm/summaries")
_PAPER_ID = ("paper_id", _TEXT, "row of sources/papers")
_PAPER_TITLE = optional("paper_title", _TEXT, "as the paper's source has it", TITLE)

RATING_SHEETS = Shape(
    unit=SUMMARIES.kept,
    kept=columns(
        ("questionnaire", _TEXT, f"{OF_SENTENCES.name}: yes or no; {OF_SUMMARIES.name}: 1 to 5"),
        _SUMMARY_ID,
        ("pair_id", _TEXT, "row of talksumm/pairs"),
        _PAPER_ID,
        _PAPER_TITLE,
        ("month", _TEXT, "of the talk, YYYY-MM: the stratum that it was drawn from", TIME),
        optional("sentence_id", _TEXT, "row of sources/sentences; null where the whole summary is rated"),
        optional(
            "position", pa.int32(), "of the sentence in the paper; null where the whole summary is rated"
        ),
        ("text", _TEXT, "what is rated", TEXT),
    ),
)
HUMAN_EVALUATION = judged_shape(
    "talksumm/rating_sheets",
    "considered (of a sentence), or quality (of a summary)",
    [_SUMMARY_ID, _PAPER_ID, _PAPER_TITLE, ("text", _TEXT, "what was rated", TEXT)],
    [
        ("mean", _REAL, "of all answers; yes counts 1, no 0"),
        optional("deviation", _REAL, "standard deviation of the answers (n - 1); null below two"),
        ("sentence", _BOOL, "whether a sentence was rated"),
        ("summary", _BOOL, "whether a whole summary was rated"),
    ],
)

PEOPLE = People(
    questionnaires=(OF_SENTENCES, OF_SUMMARIES),
    sheets=RATING_SHEETS,
    judged=HUMAN_EVALUATION,
    about="""\
# Rate summaries of papers

Each summary has sentences of a paper, chosen by what was said in a talk about it. Two things are asked:""",
    leave_empty="for instance papers that are not yours.",
)


class RatingSheetParams(RaterParams, section="talksumm.rating_sheets"):
    """Which summaries are rated, and by whom.

    Raters who can judge only their own papers leave the others empty.
    """

    budget: str = Field("sentences_30", description="of the summaries, by its name in talksumm.summaries")
    papers: int = Field(
        15, ge=1, description="drawn, each with the first of its talks by id; of each month its share"
    )


class HumanEvaluationParams(Bootstrap, section="talksumm.human_evaluation"):
    """The bootstrap for the 95 % intervals over papers."""
