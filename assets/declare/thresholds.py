"""Thresholds of which other values can be judged from stored scores, without computing any model again.

Belongs here: how a dataset declares one. Not here: the rules and the scores (ops), what is shown of them
(orchestration/pages/what_if.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from ops.params import Params
from ops.thresholds import RULES, ThresholdRule

#: The argument of a score function that takes what `*` stands for.
NAME = "name"


class Knob(NamedTuple):
    """A number of params.yaml that is a threshold: its dotted path, what `*` stood for in it, its value."""

    path: str
    name: str
    value: float


@dataclass(frozen=True)
class Threshold:
    """A param that keeps units by a score.

    `scores` is called with the arguments of the asset function that it names (inputs as `Parts`, params), and
    yields tables of `ops.thresholds.SCORED`; `rule` is the one that the op itself applies to score and param.
    """

    params: type[Params]
    param: str
    """Its path inside these params. `budgets.*.words` is one threshold a budget that has words: `scores` and
    `counted` are called with that budget's name, too."""
    rule: ThresholdRule
    scores: Callable[..., Iterable[pa.Table]]
    values: tuple[float, ...]
    """Other values to try."""
    meaning: str
    """What the score is, in a few words: "similarity of the nearest title"."""
    units: str
    """What is counted: "talks"."""
    counted: Callable[..., int] = len
    """Gives the number of kept units from the dataset's kept rows; by default each row is one."""

    def knobs(self, params: Params) -> Iterator[Knob]:
        """Yield the thresholds that some params have."""
        content = params.model_dump(mode="json")
        yield from _find(content, self.param.split("."), str(self.params.section), "")

    @property
    def arguments(self) -> list[str]:
        """The arguments of the asset function that the scores are made of."""
        return [name for name in inspect.signature(self.scores).parameters if name != NAME]

    @property
    def about(self) -> tuple[Any, ...]:
        """What it says, without what a process gives of its own."""
        functions = [
            f"{function.__module__}.{function.__qualname__}"
            for function in (self.rule, self.scores, self.counted)
        ]
        return str(self.params.section), self.param, functions, self.values, self.meaning, self.units

    def check(self, owner: str, arguments: Iterable[str], params: Iterable[type[Params]]) -> None:
        """Raise LookupError for what its dataset does not have, TypeError for a rule of its own."""
        first = self.param.split(".")[0]
        fields = set(self.params.model_fields)
        fields |= {str(field.alias) for field in self.params.model_fields.values() if field.alias}
        if self.params not in set(params) or first not in fields:
            raise LookupError(f"{owner} has no param {self.params.section}.{self.param} to be a threshold")
        if unknown := sorted(set(self.arguments) - set(arguments)):
            raise LookupError(
                f"{owner}: the scores of {self.param} ask for {unknown[0]!r}, which it does not read"
            )
        if self.rule not in RULES:
            raise TypeError(f"{owner}: the rule of {self.param} is none of those in ops/thresholds.py")


def _find(content: Any, steps: list[str], path: str, name: str) -> Iterator[Knob]:
    if not steps:
        if content is not None:
            yield Knob(path, name, content)
        return
    if not isinstance(content, Mapping):
        return
    step, *rest = steps
    for key in sorted(content) if step == "*" else [step]:
        yield from _find(content.get(key), rest, f"{path}.{key}", key if step == "*" else name)
