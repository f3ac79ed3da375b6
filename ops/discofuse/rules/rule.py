"""What a rule is.

Belongs here: the rule, its outcome and its knobs. Not here: the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pydantic import Field

from ops.discofuse.build.example import DiscourseType
from ops.discofuse.rules.operations import TokenList
from ops.discofuse.rules.sentence import ParsedSentence
from ops.params import Params

RuleName = Literal[
    "Discourse connective",
    "Anaphora",
    "Forward connective",
    "Inner connective",
    "Cataphora",
    "Sentence coordination",
    "Verb phrase coordination",
    "Relative clause",
    "Apposition",
]


class RuleParams(Params, section="discofuse.rules"):
    """When a rule fires."""

    pronoun_score: float = Field(default=0.8, ge=0, le=1)
    """Least score of a link by which a pronoun is replaced."""
    thing_score: float = Field(default=0.8, ge=0, le=1)
    """The same for "it" and "they", whose scores are less sure; `pronoun_score` holds for them as well."""
    nominal_score: float = Field(default=0.8, ge=0, le=1)
    """The same for a nominal ("the team")."""
    connective_within: int = Field(default=5, ge=1)
    """A discourse connective begins among so many first tokens of the second sentence (Table 14: 5)."""
    conjunct_within: int = Field(default=5, ge=1)
    """The verb of a second conjunct is so many tokens behind its conjunction at most (Table 14: 5)."""


class RuleResult(NamedTuple):
    """What a rule makes of a text."""

    first: TokenList
    second: TokenList
    connective: str = ""
    """As the released data writes it: small letters, with its comma; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A phenomenon: when a text has it, and the operations that take it out.

    A rule of pairs is asked about the second sentence, whose `before` is the first.
    """

    name: str
    row: RuleName
    """Of the paper's Table 14."""
    discourse_type: DiscourseType
    detect: Callable[[ParsedSentence, RuleParams], Iterator[Any]]
    """Yields a match for every place where the rule applies; it alone decides whether it does."""
    apply: Callable[[ParsedSentence, Any], RuleResult | None]
    """Carries out the operations for one match; None where no sentence comes of it."""
    triggers: frozenset[str] = frozenset()
    """Words in small letters without one of which the text cannot match; empty: any text may."""
    with_anaphora: DiscourseType | None = None
    """The type where the anaphora rule applies to the outcome too; None where the paper does not combine
    them."""
    of_pairs: bool = False
