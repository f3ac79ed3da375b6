"""A fusion example, as the released dataset has it, and the candidate that a rule makes of a text.

Belongs here: names of columns and discourse types. Not here: the rules (rules/).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ops.coreference.links import Link

DiscourseType: TypeAlias = Literal[
    "PAIR_ANAPHORA",
    "PAIR_CONN",
    "PAIR_CONN_ANAPHORA",
    "PAIR_NONE",
    "SINGLE_APPOSITION",
    "SINGLE_CATAPHORA",
    "SINGLE_CONN_INNER",
    "SINGLE_CONN_INNER_ANAPHORA",
    "SINGLE_CONN_START",
    "SINGLE_RELATIVE",
    "SINGLE_S_COORD",
    "SINGLE_S_COORD_ANAPHORA",
    "SINGLE_VP_COORD",
]

DISCOURSE_TYPES: tuple[DiscourseType, ...] = get_args(DiscourseType)


@dataclass(frozen=True, slots=True)
class FusionExample:
    """A text and the two independent sentences that it was un-fused into; space-tokenised, true-cased."""

    coherent_first_sentence: str
    coherent_second_sentence: str
    """Empty where the text is one sentence (SINGLE_*)."""
    incoherent_first_sentence: str
    incoherent_second_sentence: str
    discourse_type: DiscourseType
    connective_string: str
    """In small letters, with its comma: "however ,", ", but"; empty where there is none."""
    has_coref_type_pronoun: float
    has_coref_type_nominal: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one rule, or a combination of two, makes of one text of a document, before any filter."""

    example: FusionExample
    fused_detokenised: str
    """The coherent text as it stands in the document, in one line."""
    unfused_detokenised: str
    """The two incoherent sentences, with blanks where the document has them."""
    sentence: int
    """Of the document, from 0; the first of two."""
    rule: str
    """The name of the rule that split, "anaphora" or "control"; "+anaphora" behind it for a combination."""
    replaced: tuple[Link, ...]
    """The links whose mention was replaced by its antecedent."""

    @property
    def score(self) -> float | None:
        """The least score of the links that were used, None where none was."""
        return min((link.score for link in self.replaced), default=None)
