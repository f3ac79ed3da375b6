"""Which articles stand together in Table 7.

Belongs here: what a group of articles has in common, and the groups of one article. Not here: scores by group
(scores.py), reading an article's categories (ops/parse/wikipedia).

Liu et al. (2018) take two groups of Sauper and Barzilay (2009), Diseases and American Actors, and do not say
how they found their articles. Editors put an article in narrow categories ("Infectious diseases", "American
male film actors"): so a group is a pattern of their names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import Field, model_validator

from ops.params import Params


class Group(Params):
    """What tells the articles of a group: patterns, searched for in lower case."""

    category: re.Pattern[str] | None = Field(
        None, description="of an article's own categories one has it; null: the lead alone tells"
    )
    lead: re.Pattern[str] | None = Field(
        None, description="the normalised lead has it, where an article has no category; null: it is of none"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_lead(cls, value: object) -> object:
        return {"lead": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _told(self) -> Group:
        if self.category is None and self.lead is None:
            raise ValueError("give the pattern of a category, or of the lead")
        return self

    def has(self, categories: Sequence[str], lead: str) -> bool:
        """Return whether an article of these categories and this lead is of the group."""
        if categories and self.category:
            return any(self.category.search(name.lower()) for name in categories)
        return bool(self.lead and self.lead.search(lead))


def groups_of(categories: Sequence[str], lead: str, groups: Mapping[str, Group]) -> list[str]:
    """Return the names of the groups that an article is of."""
    return [name for name, group in groups.items() if group.has(categories, lead)]
