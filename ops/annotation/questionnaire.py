"""Questions that raters answer about a row, each with its scale.

Belongs here: what a questionnaire is, and those of the papers, in their own wording. Not here: how it is
laid out for raters (sheets.py, label_studio.py).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ops.params import Params

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Scale(Params):
    """The values that an answer may have, in order, and what some of them mean.

    Of a numeric scale the values are whole numbers, and answers have a mean.
    """

    values: tuple[str, ...] = Field(min_length=2)
    labels: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _sound(self) -> Scale:
        if len(set(self.values)) < len(self.values) or any(not v or v != v.strip() for v in self.values):
            raise ValueError(f"the values of a scale are different words, found {list(self.values)}")
        if strange := sorted(set(self.labels) - set(self.values)):
            raise ValueError(f"labels of values that the scale does not have: {strange}")
        return self

    @property
    def numeric(self) -> bool:
        """Whether every value is a whole number."""
        return all(value.isascii() and value.removeprefix("-").isdigit() for value in self.values)

    def shown(self, value: str) -> str:
        """Return a value as raters see it: "3 (good)"."""
        return f"{value} ({self.labels[value]})" if value in self.labels else value

    def value_of(self, answer: str) -> str | None:
        """Return the value that an answer means, None if it is outside of the scale; case is ignored.

        A value with its label ("3 (good)") and a number with a zero fraction ("3.0", which spreadsheets make
        of 3) mean the value.
        """
        said = " ".join(answer.casefold().split())
        meant = {self.shown(value).casefold(): value for value in self.values}
        meant |= {f"{value}.0": value for value in self.values if self.numeric}
        meant |= {value.casefold(): value for value in self.values}
        return meant.get(said)


class Question(Params):
    """One question: its name in tables, its wording, its scale."""

    name: Name
    text: str = Field(min_length=1)
    scale: Scale

    @property
    def wording(self) -> str:
        """The question with the values that an answer may have."""
        return f"{self.text} [{' | '.join(map(self.scale.shown, self.scale.values))}]"


class Questionnaire(Params):
    """Questions about every row of a sample; `shown` are the columns of it that raters read."""

    name: Name
    shown: tuple[Name, ...] = Field(min_length=1)
    questions: tuple[Question, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _once(self) -> Questionnaire:
        names = [*self.shown, *(question.name for question in self.questions)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"a questionnaire names each column and question once, found twice: {twice}")
        return self

    def question(self, name: str) -> Question | None:
        """Return the question of a name, None if there is none."""
        return next((question for question in self.questions if question.name == name), None)


YES_NO = Scale(values=("yes", "no"))
#: Lev et al. (2019), section 4.2, name 1, 3 and 5 only.
QUALITY = Scale(values=("1", "2", "3", "4", "5"), labels={"1": "very bad", "3": "good", "5": "excellent"})

#: Lev et al. (2019), section 4.2: 73 % of the sentences were considered.
TALKSUMM_SENTENCES = Questionnaire(
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
TALKSUMM_SUMMARIES = Questionnaire(
    name="talksumm_summaries",
    shown=("paper_title", "text"),
    questions=(Question(name="quality", text="What is the quality of the summary?", scale=QUALITY),),
)

#: Geva et al. (2019), section 4.1 and Table 2.
DISCOFUSE_CLARITY = Questionnaire(
    name="discofuse_clarity",
    shown=("sentence_1", "sentence_2"),
    questions=(
        Question(name="understandable", text="Can you understand these two sentences?", scale=YES_NO),
    ),
)
#: Geva et al. (2019), section 4.2 and Table 5; the connectives that are offered stand beside each row.
DISCOFUSE_DECISIONS = Questionnaire(
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
DISCOFUSE_DETECTION = Questionnaire(
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
