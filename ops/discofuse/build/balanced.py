"""The examples again, with fewer of what is most frequent.

Belongs here: down-sampling by caps, and the mixture of two domains. Not here: what makes an example
(examples.py).

Geva et al. (2019), section 3.2: examples with anaphora, "and" or "but" are most of what the rules find, and a
model of them learns little else. The paper gives no numbers for its sampling; the shares of "and" and "but"
in its result are in its Table 16, that of anaphora in Figure 4 only. Pairs without any phenomenon, half of
all pairs of natural text, are few in it: COPY is exactly right on these alone, on 2.1 % of Wikipedia's
examples and 3.8 % of Sports' (Table 6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from ops.core.identity import row_id
from ops.core.outcome import Outcome, Outcomes, Row, drop
from ops.core.params import Params
from ops.core.parts import Parts
from ops.core.sampling import place_of
from ops.discofuse.schemas import BALANCED

Mask = npt.NDArray[np.bool_]

_COLUMNS = ("id", "domain", "split", "discourse_type", "connective_string")


class Caps(Params):
    """The greatest shares of what is left, 0 to 1; 1 takes nothing away."""

    and_: float = Field(0.125, alias="and", ge=0, le=1, description='the connectives "and" and ", and"')
    but: float = Field(0.107, ge=0, le=1, description='the connectives "but" and ", but"')
    anaphora: float = Field(0.25, ge=0, le=1, description="the types with ANAPHORA in their name")
    control: float = Field(0.021, ge=0, le=1, description="the type PAIR_NONE")


class BalancedParams(Params, section="discofuse.balanced"):
    """How many examples of each kind stay, by domain."""

    caps: Caps = Field(Caps(), description="by default Wikipedia's in Tables 16 and 6; anaphora is ours")
    domains: Mapping[str, Caps] = Field(
        {"sports": Caps(and_=0.12, but=0.109, anaphora=0.25, control=0.038)},
        description="other caps for some domains; by default those of Sports in Tables 16 and 6",
    )
    seed: int = Field(0, ge=0, description="another one draws other examples")


class _Fate(NamedTuple):
    """What becomes of an example: why it is dropped, or whether it is part of the mixture."""

    number: float
    reason: str | None = None
    mixture: bool = False


def balanced(examples: Parts, params: BalancedParams) -> Outcomes:
    """Yield the examples of each part that stay; the others are dropped by the cap that takes them away.

    In each domain and split as many stay as the caps allow: `capped_control`, `capped_and`, `capped_but`,
    and, of what these leave, `capped_anaphora`; `score` is the number drawn for the example, and the lowest
    stay. Where all is anaphora, or nothing but controls, none can stay. The mixture has the same number of
    examples of the two domains that have the most, in each split.
    """
    fates = _fates(examples.read(_COLUMNS), params)
    for table in examples:
        units = table.to_pylist()
        kept: list[Row] = []
        dropped: list[Row] = []
        for unit in units:
            fate = fates[unit["id"]]
            if fate.reason is not None:
                dropped.append(drop(unit, fate.reason, fate.number))
            else:
                identity = {"id": row_id("balanced", unit["id"]), "source_ids": [unit["id"]]}
                kept.append({**unit, **identity, "mixture": fate.mixture})
        yield Outcome.of(BALANCED, [unit["id"] for unit in units], kept, dropped)


def most(total: int, share: float) -> int:
    """Return the most examples that are no more than a share of a total."""
    return int(np.floor(share * total + 1e-9))


def _fates(examples: pa.Table, params: BalancedParams) -> Mapping[str, _Fate]:
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in examples.to_pylist():
        groups[row["domain"], row["split"]].append(row)
    fates: dict[str, _Fate] = {}
    stay: dict[tuple[str, str], list[str]] = {}
    for (domain, split), rows in sorted(groups.items()):
        numbers = {row["id"]: place_of(params.seed, row["id"]) for row in rows}
        rows = sorted(rows, key=lambda row: (numbers[row["id"]], row["id"]))
        reasons = _capped(rows, params.domains.get(domain, params.caps))
        pairs = list(zip(rows, reasons, strict=True))
        fates |= {row["id"]: _Fate(numbers[row["id"]], reason) for row, reason in pairs}
        stay[domain, split] = [row["id"] for row, reason in pairs if reason is None]
    for name in _mixture(stay):
        fates[name] = fates[name]._replace(mixture=True)
    return fates


def _capped(rows: Sequence[Row], caps: Caps) -> list[str | None]:
    """Return why each row goes, None where it stays; the first rows stay first.

    The most that the caps allow: the total that stays is the greatest n for which n examples stay if the caps
    are shares of n. The number that stays grows with the total that the caps are taken of, so that the
    totals found one from the other fall to it.
    """
    connectives = [row["connective_string"].replace(",", "").strip() for row in rows]
    anaphora: Mask = np.array(["ANAPHORA" in row["discourse_type"] for row in rows], bool)
    shares = {"control": caps.control, "and": caps.and_, "but": caps.but}
    kinds = {
        name: np.array([connective == name for connective in connectives], bool) for name in ("and", "but")
    }
    kinds["control"] = np.array([row["discourse_type"] == "PAIR_NONE" for row in rows], bool)

    def lost(total: int) -> dict[str, Mask]:
        gone = {
            f"capped_{name}": mask & (np.cumsum(mask) > most(total, shares[name]))
            for name, mask in kinds.items()
        }
        left = anaphora & ~np.logical_or.reduce(list(gone.values()))
        return {**gone, "capped_anaphora": left & (np.cumsum(left) > most(total, caps.anaphora))}

    total = len(rows)
    while (remaining := total_left(lost(total), len(rows))) < total:
        total = remaining
    reasons: list[str | None] = [None] * len(rows)
    for reason, mask in lost(total).items():
        for index in np.flatnonzero(mask):
            reasons[index] = reason
    return reasons


def total_left(lost: Mapping[str, Mask], rows: int) -> int:
    """Return how many of some rows no cap takes away; no row is taken twice."""
    return rows - sum(int(mask.sum()) for mask in lost.values())


def _mixture(stay: Mapping[tuple[str, str], Sequence[str]]) -> Iterator[str]:
    """Yield the examples of the two largest domains, as many of each in each split, the first ones."""
    sizes: dict[str, int] = defaultdict(int)
    for (domain, _), ids in stay.items():
        sizes[domain] += len(ids)
    largest = sorted(sizes, key=lambda domain: (-sizes[domain], domain))[:2]
    if len(largest) < 2:
        return
    for split in sorted({split for _, split in stay}):
        several = [stay.get((domain, split), ()) for domain in largest]
        for ids in several:
            yield from ids[: min(map(len, several))]
