"""What people are asked about sentences and summaries, in the wording of Lev et al. (2019), section 4.2.

Belongs here: questions and their scales. Not here: which rows are asked about (rating_sheets.py).
"""

from __future__ import annotations

from ops.annotation.questionnaire import YES_NO, Question, Questionnaire, Scale

#: Lev et al. (2019), section 4.2, name 1, 3 and 5 only.
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

#: In the order in which raters answer them.
QUESTIONNAIRES = (OF_SENTENCES, OF_SUMMARIES)
