"""What people are asked about examples and fusions, after Geva et al. (2019).

Belongs here: questions and their scales. Not here: which rows are asked about (rating_sheets.py).
"""

from __future__ import annotations

from ops.annotation.questionnaire import YES_NO, Question, Questionnaire, Scale

#: Geva et al. (2019), section 4.1 and Table 2.
CLARITY = Questionnaire(
    name="discofuse_clarity",
    shown=("sentence_1", "sentence_2"),
    questions=(
        Question(name="understandable", text="Can you understand these two sentences?", scale=YES_NO),
    ),
)
#: Geva et al. (2019), section 4.2 and Table 5; the connectives that are offered stand beside each row.
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

#: In the order in which raters answer them.
QUESTIONNAIRES = (CLARITY, DECISIONS, DETECTION)
