"""Questions that raters answer about a row, each with its scale.

Belongs here: what a questionnaire is. Not here: the papers' questionnaires
(ops/<system>/evaluation/people.py), the layout of sheets for raters (sheets.py).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from silverloom.ops.core.params import Params

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Scale(Params):
    """The allowed answers, in order, with labels for some of them.

    If every value is a whole number, the scale is numeric and answers have a mean.
    """

    values: tuple[str, ...] = Field(min_length=2)
    labels: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _checked(self) -> Scale:
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
        """Return the value that an answer stands for, ignoring case; None if it is not on the scale.

        Also accepted are a value with its label ("3 (good)") and a number with a zero fraction ("3.0", which
        spreadsheets make of 3).
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
        """The question followed by its allowed answers."""
        return f"{self.text} [{' | '.join(map(self.scale.shown, self.scale.values))}]"

    def described(self) -> dict[str, Any]:
        """Return the question for JSON tables: name, wording, and each value as raters see it."""
        scale = [{"value": value, "shown": self.scale.shown(value)} for value in self.scale.values]
        return {"question": self.name, "text": self.text, "scale": scale}


class Questionnaire(Params):
    """Questions about every row of a sample; `shown` are the columns that raters read."""

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
        """Return the question with this name, None if there is no such question."""
        return next((question for question in self.questions if question.name == name), None)


YES_NO = Scale(values=("yes", "no"))
