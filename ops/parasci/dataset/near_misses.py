"""Near misses: pairs somewhat below the thresholds, as examples of sentences that are no paraphrases.

Belongs here: which pairs are near misses, in what their sentences differ, and their splits. Not here: the
thresholds (filtered.py), the split of paraphrases (paraphrases.py), the released files (release.py).

[ours] Dong et al. (2021) release no negatives. Of 84 pairs that readers rated, whose predicted consistency is
0.3 to 1 below the threshold of their origin, 12 % are mostly or exactly the same (a mean of 4 or more), and
76 % have 3 or less; of 129 that are nearer, 28 % and 51 % (`benchmarks/parasci_ratings.py near`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import Field, model_validator

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import Split, split_of
from silverloom.ops.core.thresholds import at_least, below
from silverloom.ops.metrics.rouge import porter_stem
from silverloom.ops.parasci.dataset.agreement import numbers
from silverloom.ops.parasci.dataset.filtered import FilterParams, limits_of
from silverloom.ops.parasci.dataset.paraphrases import ParaphraseParams, links_of
from silverloom.ops.parasci.dataset.release import content_of, content_words
from silverloom.ops.parasci.schemas import NEAR_MISSES

#: In what two sentences differ: they contradict, one of them says more, or only the topic is the same.
Difference: TypeAlias = Literal["conflict", "one_sided", "topic"]

#: One sentence says more if it has at least so many times as many content words of its own as the other.
_ONE_SIDED = 2


class NearMissParams(Params, section="parasci.near_misses"):
    """How far below the threshold of its origin the predicted consistency of a near miss is."""

    enabled: bool = Field(
        True, description="whether near misses are released", json_schema_extra={"paper": "false"}
    )
    nearest: float = Field(0.3, gt=0, description="at least: nearer pairs may be paraphrases")
    farthest: float = Field(1.0, gt=0, description="at most: others differ too clearly")

    @model_validator(mode="after")
    def _ordered(self) -> NearMissParams:
        if self.nearest > self.farthest:
            raise ValueError(f"nearest ({self.nearest}) is above farthest ({self.farthest})")
        return self


def near_misses(
    scored: Parts,
    paraphrases: Parts,
    params: NearMissParams,
    filtering: FilterParams,
    splitting: ParaphraseParams,
) -> Outcomes:
    """Yield the near misses among the scored pairs, in the split of the paraphrases that each belongs with.

    It belongs with those with which it shares a sentence, a paper, a term or a cited paper. Reasons, in this
    order: `not_enabled`; `near`, `far` (its consistency, by the lowest threshold among its origins);
    `length_rate` (of this origin: a label must not follow from the lengths); `well_formed`; `repeated` (a
    sentence is in `most_pairs` near misses before it); `two_splits` (it belongs with paraphrases, or shares
    such links with near misses before it, of two splits).

    Holds the links of all paraphrases and near misses in memory.
    """
    splits: dict[str, Split] = {}
    if params.enabled:
        for unit in paraphrases.rows():
            splits.update((link, unit["split"]) for link in links_of(unit))
    uses: Counter[str] = Counter()
    for table in scored:
        units = table.to_pylist()
        kept: list[Row] = []
        dropped: list[Row] = []
        for unit in units:
            origin = min(unit["origins"], key=lambda name: limits_of(filtering, name).consistency)
            shortfall = round(limits_of(filtering, origin).consistency - unit["consistency"], 2)
            sentences = [content_of(unit[side]) for side in ("first", "second")]
            reason = _lost(unit, origin, shortfall, params, filtering)
            if reason is None and max(uses[sentence] for sentence in sentences) >= splitting.most_pairs:
                reason = "repeated"
            links = links_of(unit)
            known = {splits[link] for link in links if link in splits}
            if reason is None and len(known) > 1:
                reason = "two_splits"
            if reason is not None:
                dropped.append(drop(unit, reason, shortfall if reason in ("near", "far") else None))
                continue
            split = known.pop() if known else split_of(min(links), splitting)
            for link in links:
                splits.setdefault(link, split)
            uses.update(sentences)
            kept.append(_row(unit, origin, shortfall, split))
        yield Outcome.of(NEAR_MISSES, [unit["id"] for unit in units], kept, dropped)


def difference(first: str, second: str, agreement: Mapping[str, float]) -> Difference:
    """Return in what two sentences differ that do not mean the same.

    `conflict`: each has a number that the other lacks, only one denies something, or one says more and the
    other less. `one_sided`: one has at least twice as many content words of its own. Else `topic`.
    """
    ours, theirs = numbers(first), numbers(second)
    if (ours - theirs and theirs - ours) or min(agreement["negation"], agreement["direction"]) < 1:
        return "conflict"
    one, other = ({porter_stem(word) for word in content_words(side)} for side in (first, second))
    fewer, more = sorted([len(one - other), len(other - one)])
    return "one_sided" if more >= _ONE_SIDED * max(fewer, 1) else "topic"


def _lost(
    unit: Row, origin: str, shortfall: float, params: NearMissParams, filtering: FilterParams
) -> str | None:
    if not params.enabled:
        return "not_enabled"
    if not at_least(shortfall, params.nearest):
        return "near"
    if not at_least(params.farthest, shortfall):
        return "far"
    if not below(unit["length_rate"], limits_of(filtering, origin).length_rate):
        return "length_rate"
    return None if at_least(unit["well_formed"], filtering.well_formed) else "well_formed"


def _row(unit: Row, origin: str, shortfall: float, split: Split) -> Row:
    return {
        **unit,
        **made_from(unit, "near_miss"),
        "origin": origin,
        "shortfall": shortfall,
        "difference": difference(unit["first"], unit["second"], unit),
        "split": split,
    }
