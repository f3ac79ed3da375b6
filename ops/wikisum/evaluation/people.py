"""What raters are asked about leads: the questions of DUC, and which of two leads is better.

Belongs here: questions and scales, the columns of the rated rows, params. Not here: drawing leads, and the
tables (human_evaluation.py).

Liu et al. (2018), section 5.3 and appendix A.3. The wording is that of DUC 2007
(duc.nist.gov/duc2007/quality-questions.txt), which the paper cites.
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import TITLE, Shape, columns, optional
from silverloom.ops.evaluation.human_evaluation import People, judged_shape
from silverloom.ops.evaluation.questionnaire import Question, Questionnaire, Scale
from silverloom.ops.evaluation.raters import RaterParams
from silverloom.ops.evaluation.table import Bootstrap
from silverloom.ops.wikisum.evaluation.scores import EVALUATION

_TEXT = pa.string()

_QUALITY = Scale(
    values=("1", "2", "3", "4", "5"),
    labels={"1": "very poor", "2": "poor", "3": "barely acceptable", "4": "good", "5": "very good"},
)

_WORDING = {
    "grammaticality": "Grammaticality: The summary should have no datelines, system-internal formatting, "
    "capitalization errors or obviously ungrammatical sentences (e.g., fragments, missing components) that "
    "make the text difficult to read.",
    "non_redundancy": "Non-redundancy: There should be no unnecessary repetition in the summary. Unnecessary "
    "repetition might take the form of whole sentences that are repeated, or repeated facts, or the repeated "
    'use of a noun or noun phrase (e.g., "Bill Clinton") when a pronoun ("he") would suffice.',
    "referential_clarity": "Referential clarity: It should be easy to identify who or what the pronouns and "
    "noun phrases in the summary are referring to. If a person or other entity is mentioned, it should be "
    "clear what their role in the story is. So, a reference would be unclear if an entity is referenced but "
    "its identity or relation to the story remains unclear.",
    "focus": "Focus: The summary should have a focus; sentences should only contain information that is "
    "related to the rest of the summary.",
    "structure": "Structure and Coherence: The summary should be well-structured and well-organized. The "
    "summary should not just be a heap of related information, but should build from sentence to sentence to "
    "a coherent body of information about a topic.",
}

#: Table 5 and Figure 8.
QUALITY = Questionnaire(
    name="wikisum_quality",
    shown=("title", "text"),
    questions=tuple(Question(name=name, text=text, scale=_QUALITY) for name, text in _WORDING.items()),
)
#: Table 6 and Figure 9.
PREFERENCE = Questionnaire(
    name="wikisum_preference",
    shown=("title", "text_a", "text_b", "target"),
    questions=(
        Question(
            name="preferred",
            text="Compare A and B, given the lead of the article (target): which is better?",
            scale=Scale(
                values=("-2", "-1", "0", "1", "2"), labels={"-2": "A much better", "2": "B much better"}
            ),
        ),
    ),
)

_ARTICLE = (
    ("article_id", _TEXT, "row of sources/articles"),
    ("title", _TEXT, "of the article", TITLE),
)

RATING_SHEETS = Shape(
    unit=EVALUATION.kept,
    kept=columns(
        ("questionnaire", _TEXT, f"{QUALITY.name} of one lead, {PREFERENCE.name} of two"),
        *_ARTICLE,
        optional("system", _TEXT, "whose lead is rated; null of two"),
        optional("system_a", _TEXT, "whose lead is A; null of one"),
        optional("system_b", _TEXT, "whose lead is B; null of one"),
        optional("text", _TEXT, "the lead that is rated; null of two"),
        optional("text_a", _TEXT, "the lead that is A; null of one"),
        optional("text_b", _TEXT, "the lead that is B; null of one"),
        optional("target", _TEXT, "the lead of the article; null of one"),
    ),
)
HUMAN_EVALUATION = judged_shape(
    "wikisum/rating_sheets",
    "one of five about a lead, or preferred, of two",
    [
        *_ARTICLE,
        optional("system", _TEXT, "whose lead was rated; null of two"),
        optional("system_a", _TEXT, "whose lead was A; null of one"),
        optional("system_b", _TEXT, "whose lead was B; null of one"),
    ],
    [("mean", pa.float64(), "of all answers: 1 to 5, or -2 (A much better) to 2")],
)

PEOPLE = People(
    questionnaires=(QUALITY, PREFERENCE),
    sheets=RATING_SHEETS,
    judged=HUMAN_EVALUATION,
    about="""\
# Rate leads of articles

Each text is meant to be the lead of an encyclopedia's article of the title beside it. All are in small
letters, with spaces round every sign: that is no fault of theirs. Rate each by itself, then compare two:""",
    leave_empty="for instance texts in a language that you do not read.",
)


class RatingSheetParams(RaterParams, section="wikisum.rating_sheets"):
    """Which leads are rated, and by whom.

    Systems have the names that the tests in table.json use: "t_dmca (tf_idf-combined-500)".
    """

    articles: int = Field(25, ge=0, description="drawn, the same for every system")
    systems: tuple[str, ...] = Field((), description="whose leads are rated by themselves")
    pairs: tuple[tuple[str, str], ...] = Field((), description="systems whose leads are compared")


class HumanEvaluationParams(Bootstrap, section="wikisum.human_evaluation"):
    """The bootstrap over articles, and when a difference is significant."""

    significant: float = Field(0.001, gt=0, lt=1, description="p of Welch's t-test below which it does")
