"""Which scores documents get, and the bounds on them: the sections `filters.<source>` of params.yaml.

Belongs here: the params. Not here: their use.

Scores and bounds have separate sections, so that moving a bound does not recompute scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, create_model, field_validator, model_validator

from silverloom.ops.core.params import Params
from silverloom.ops.filters import quality


class ScoreParams(Params):
    """Which scores a document gets; a score that is off costs nothing."""

    #: Whether documents of equal texts are duplicates only if their addresses are equal, too.
    by_address: ClassVar[bool] = False

    language: str | None = Field("en", description="whose probability is scored, ISO 639-1; null: off")
    duplicates: Literal["exact", "near"] | None = Field("exact", description="null: off")
    shingle: int = Field(5, ge=1, description="words of a run that near-duplicates share")
    permutations: int = Field(128, ge=16, description="numbers of a MinHash")
    floor: float = Field(
        0.7, gt=0, lt=1, description="least similarity of near-duplicates that is looked for"
    )
    personal_data: bool = Field(False, description="whether personal data are looked for")
    region: str | None = Field(
        "US", pattern="^[A-Z]{2}$", description="whose telephone numbers need no code; null: none's"
    )
    quality: bool = Field(False, description="whether the rules of Gopher and FineWeb are scored")

    def gives(self, bound: str) -> bool:
        """Return whether the score that a bound needs is on; bounds are named like `language`, `at_least.*`.

        The score of `similarity` is on only for near-duplicates: exact ones are dropped at any bound.
        """
        on = {
            "language": self.language is not None,
            "similarity": self.duplicates == "near",
            "personal_data": self.personal_data,
            **dict.fromkeys(_OF_QUALITY, self.quality),
        }
        return on.get(bound.partition(".")[0], True)


#: The bounds on quality rules.
_OF_QUALITY = ("quality", "at_least", "at_most")


class BoundParams(Params):
    """The bounds on a document. A missing score never drops a document; null: no bound."""

    language: float | None = Field(0.5, ge=0, le=1, description="least probability of the language")
    similarity: float | None = Field(
        0.8,
        gt=0,
        le=1,
        description="a document as similar to an earlier one is a duplicate; 1: the same text",
    )
    personal_data: int | None = Field(None, ge=0, description="pieces of personal data at most")
    mask: bool = Field(True, description="whether personal data that are looked for are masked")
    quality: Literal["published"] | None = Field(
        None, description="published: the bounds of Gopher and FineWeb, where none is given below"
    )
    at_least: Mapping[str, float] = Field({}, description="by rule of quality")
    at_most: Mapping[str, float] = Field({}, description="by rule of quality")

    @model_validator(mode="before")
    @classmethod
    def _published(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or value.get("quality") != "published":
            return value
        bounds = {"at_least": quality.AT_LEAST, "at_most": quality.AT_MOST}
        given = {side: value.get(side, {}) for side in bounds}
        if not all(isinstance(own, Mapping) for own in given.values()):
            return value  # pydantic says what is wrong
        return {**value, **{side: {**bounds[side], **own} for side, own in given.items()}}

    @field_validator("at_least", "at_most")
    @classmethod
    def _known(cls, value: Mapping[str, float]) -> Mapping[str, float]:
        if unknown := sorted(value.keys() - quality.RULES.keys()):
            raise ValueError(f"{unknown[0]!r} is no rule; known: {', '.join(quality.RULES)}")
        return value

    @model_validator(mode="after")
    def _of_its_side(self) -> BoundParams:
        for side in ("at_least", "at_most"):
            own = quality.AT_LEAST if side == "at_least" else quality.AT_MOST
            if odd := sorted(getattr(self, side).keys() - own.keys()):
                raise ValueError(f"{odd[0]} is no rule of {side}")
        return self

    def check(self, scoring: ScoreParams) -> None:
        """Raise ValueError for a bound that cannot drop anything because its score is off.

        Bounds with a default are exempt, so that switching off their scores is enough.
        """
        own, scores = self.section or "bounds", scoring.section or "scores"
        for name in ("personal_data", *_OF_QUALITY):
            if getattr(self, name) not in (None, {}) and not scoring.gives(name):
                score = "quality" if name in _OF_QUALITY else name
                raise ValueError(
                    f"{own}.{name} is set, but {scores}.{score} is off: nothing is scored for it"
                )
        if scoring.duplicates == "near" and self.similarity is not None and self.similarity < scoring.floor:
            raise ValueError(
                f"filters: bounds.similarity ({self.similarity}) is below scores.floor ({scoring.floor}): "
                "documents that are less similar were not looked for"
            )


def compared(bounds: type[BoundParams]) -> type[BoundParams]:
    """Return bounds that depend only on what decides which documents are compared for duplicates.

    To move the bound on similarity, or to mask, is no reason to compare again.
    """
    unread: dict[str, Any] = {
        name: (field.annotation, Field(field.default, description=field.description, exclude=True))
        for name, field in bounds.model_fields.items()
        if name in ("similarity", "mask")
    }
    own: dict[str, Any] = {"section": bounds.section}
    return create_model(f"Compared{bounds.__name__}", __base__=bounds, __cls_kwargs__=own, **unread)


class ProseScoreParams(ScoreParams, section="filters.prose.scores"):
    """The scores of prose."""


class ProseBoundParams(BoundParams, section="filters.prose.bounds"):
    """The bounds on a document of prose."""


class PaperScoreParams(ScoreParams, section="filters.papers.scores"):
    """The scores of papers."""


class PaperBoundParams(BoundParams, section="filters.papers.bounds"):
    """The bounds on a paper."""

    mask: bool = Field(False, description="papers cannot be masked: false")

    @field_validator("mask")
    @classmethod
    def _no_mask(cls, value: bool) -> bool:
        if value:
            raise ValueError("papers cannot be masked: their sentences have a place in the source")
        return value


class WebPageScoreParams(ScoreParams, section="filters.web_pages.scores"):
    """The scores of web pages: an article may cite either of two equal ones, by its address."""

    by_address = True


class WebPageBoundParams(BoundParams, section="filters.web_pages.bounds"):
    """The bounds on a web page."""
