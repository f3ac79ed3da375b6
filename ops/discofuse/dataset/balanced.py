"""The examples with the most frequent kinds thinned out.

Belongs here: down-sampling by caps, and the mixture of two domains. Not here: making examples (examples.py).

Geva et al. (2019), section 3.2: most of what the rules find are examples with anaphora, "and" or "but", and a
model trained on them learns little else. The paper gives no numbers for its sampling. The resulting shares of
"and" and "but" are in its Table 16, that of anaphora only in Figure 4. Pairs without any phenomenon are half
of all pairs in natural text, but few in the result: COPY is exactly right only on these, which is 2.1 % of
Wikipedia's examples and 3.8 % of Sports' (Table 6).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.identity import made_from
from silverloom.ops.core.joins import written_by_part
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import place_of
from silverloom.ops.discofuse.schemas import BALANCED

if TYPE_CHECKING:
    import duckdb

_COLUMNS = ("id", "domain", "split", "discourse_type", "connective_string")


class Caps(Params):
    """The greatest shares in the result, 0 to 1; 1 removes nothing."""

    and_: float = Field(0.125, alias="and", ge=0, le=1, description='the connectives "and" and ", and"')
    but: float = Field(0.107, ge=0, le=1, description='the connectives "but" and ", but"')
    anaphora: float = Field(0.25, ge=0, le=1, description="the types with ANAPHORA in their name")
    control: float = Field(0.021, ge=0, le=1, description="the type PAIR_NONE")


class BalancedParams(Params, section="discofuse.balanced"):
    """How many examples of each kind are kept, by domain."""

    caps: Caps = Field(Caps(), description="by default Wikipedia's in Tables 16 and 6; anaphora is ours")
    domains: Mapping[str, Caps] = Field({}, description="other caps for some domains")
    seed: int = Field(0, ge=0, description="another one draws other examples")


_COUNT = pa.int64()
_GROUP = [("domain", pa.string()), ("split", pa.string())]
_DRAWN = pa.schema(
    [
        ("part", pa.int32()),
        ("place", pa.int32()),
        ("id", pa.string()),
        *_GROUP,
        ("kind", pa.string()),
        ("anaphora", pa.bool_()),
        ("number", pa.float64()),
    ]
)
#: How many examples of a kind are kept, and how many are in the mixture.
_LIMITS = pa.schema([*_GROUP, *((name, _COUNT) for name in ("control", "and", "but", "anaphora"))])
_MIXTURES = pa.schema([*_GROUP, ("count", _COUNT)])
#: The reason for dropping an example, or whether it is in the mixture.
_FATES = pa.schema([("number", pa.float64()), ("reason", pa.string()), ("mixture", pa.bool_())])


def balanced(examples: Parts, params: BalancedParams) -> Outcomes:
    """Yield the kept examples of each part; the others are dropped, with the cap as the reason.

    In each domain and split, the caps apply in this order: `capped_control`, `capped_and` and `capped_but`,
    then `capped_anaphora` to the remaining examples. `score` is the number drawn for the example; examples
    with the lowest numbers are kept. If all examples are anaphora or all are controls, none can be kept. In
    each split, the mixture has the same number of examples from each of the two largest domains.
    """
    with examples.engine.scratch() as folder:
        fates = _fates(examples, params, folder / "fates")
        yield from examples.map(balanced_of, beside=[fates])


def balanced_of(examples: pa.Table, fates: pa.Table) -> Outcome:
    """Return the kept examples of one part, given the decision about each."""
    units = examples.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit, fate in zip(units, fates.to_pylist(), strict=True):
        if fate["reason"] is not None:
            dropped.append(drop(unit, fate["reason"], fate["number"]))
        else:
            identity = made_from(unit, "balanced")
            kept.append({**unit, **identity, "mixture": fate["mixture"]})
    return Outcome.of(BALANCED, [unit["id"] for unit in units], kept, dropped)


def most(total: int, share: float) -> int:
    """Return the greatest number of examples within a share of a total."""
    return int(np.floor(share * total + 1e-9))


def _fates(examples: Parts, params: BalancedParams, folder: Path) -> Parts:
    """Return the decisions about the examples, with the same parts and row order.

    Examples are ordered by their drawn numbers within domain and split, on disk.
    """
    with database(folder) as tables:
        insert(tables, "drawn", _DRAWN.empty_table())
        for index, part in enumerate(examples.parts):
            insert(tables, "drawn", _drawn(index, part.read(_COLUMNS), params.seed))
        tables.execute(
            """CREATE TABLE ranked AS SELECT *,
                row_number() OVER (PARTITION BY domain, split, kind ORDER BY number, id) AS rank
            FROM drawn"""
        )
        tables.execute("DROP TABLE drawn")
        insert(tables, "limits", _limits(tables, params))
        tables.execute(
            """CREATE TABLE capped AS SELECT ranked.* EXCLUDE (kind, rank), limits.anaphora AS most_anaphora,
                CASE WHEN rank > CASE kind WHEN 'control' THEN control WHEN 'and' THEN "and"
                    WHEN 'but' THEN but END THEN 'capped_' || kind END AS reason
            FROM ranked JOIN limits USING (domain, split)"""
        )
        tables.execute("DROP TABLE ranked")
        tables.execute(
            """CREATE TABLE left_over AS SELECT * EXCLUDE (reason, anaphora, most_anaphora), coalesce(reason,
                CASE WHEN anaphora AND row_number() OVER (
                    PARTITION BY domain, split, anaphora AND reason IS NULL ORDER BY number, id
                ) > most_anaphora THEN 'capped_anaphora' END) AS reason
            FROM capped"""
        )
        tables.execute("DROP TABLE capped")
        insert(tables, "mixtures", _mixtures(tables))
        fates = tables.sql(
            """SELECT number, reason, reason IS NULL AND coalesce(row_number() OVER (
                    PARTITION BY domain, split, reason IS NULL ORDER BY number, id
                ) <= mixtures.count, false) AS mixture, part AS __part
            FROM left_over LEFT JOIN mixtures USING (domain, split) ORDER BY part, place"""
        )
        parts = written_by_part(fates.to_arrow_reader(), len(examples.parts), _FATES, folder)
        return Parts(_FATES, tuple(parts), examples.engine)


def _drawn(part: int, examples: pa.Table, seed: int) -> pa.Table:
    """Return the rows of `drawn` for one part; apart from anaphora, at most one cap applies to an example."""
    kinds: list[str] = []
    for row in examples.select(["discourse_type", "connective_string"]).to_pylist():
        connective = row["connective_string"].replace(",", "").strip()
        control = row["discourse_type"] == "PAIR_NONE"
        kinds.append("control" if control else connective if connective in ("and", "but") else "")
    ids = examples["id"].to_pylist()
    columns = {
        "part": [part] * len(ids),
        "place": range(len(ids)),
        "id": examples["id"],
        "domain": examples["domain"],
        "split": examples["split"],
        "kind": kinds,
        "anaphora": pc.match_substring(examples["discourse_type"], "ANAPHORA"),
        "number": [place_of(seed, name) for name in ids],
    }
    return pa.table(columns, schema=_DRAWN)


def _limits(tables: duckdb.DuckDBPyConnection, params: BalancedParams) -> pa.Table:
    """Return how many examples of each kind are kept, by domain and split.

    The caps are shares of the total that is kept, so that total is the greatest n for which n examples are
    kept. The number of kept examples grows with the total that the caps apply to; repeating the step from the
    number of all examples therefore descends to n.
    """
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for domain, split, kind, count in tables.execute(
        "SELECT domain, split, kind, count(*) FROM ranked GROUP BY ALL"
    ).fetchall():
        counts[domain, split][kind] = count
    rows: list[Row] = []
    for (domain, split), kinds in sorted(counts.items()):
        caps = params.domains.get(domain, params.caps)
        total = kinds.total()
        while True:
            limits = {
                "control": most(total, caps.control),
                "and": most(total, caps.and_),
                "but": most(total, caps.but),
                "anaphora": most(total, caps.anaphora),
            }
            lost = sum(max(0, kinds[name] - limits[name]) for name in ("control", "and", "but"))
            anaphora = tables.execute(
                """SELECT count(*) FROM ranked WHERE domain = ? AND split = ? AND anaphora
                AND rank <= CASE kind WHEN 'control' THEN ? WHEN 'and' THEN ? WHEN 'but' THEN ?
                ELSE rank END""",
                [domain, split, limits["control"], limits["and"], limits["but"]],
            ).fetchall()[0][0]
            remaining = kinds.total() - lost - max(0, anaphora - limits["anaphora"])
            if remaining >= total:
                break
            total = remaining
        rows.append({"domain": domain, "split": split, **limits})
    return pa.Table.from_pylist(rows, schema=_LIMITS)


def _mixtures(tables: duckdb.DuckDBPyConnection) -> pa.Table:
    """Return the size of the mixture: in each split, the same number for each of the two largest domains."""
    stay: dict[str, Counter[str]] = defaultdict(Counter)
    for domain, split, count in tables.execute(
        "SELECT domain, split, count(*) FILTER (reason IS NULL) FROM left_over GROUP BY ALL"
    ).fetchall():
        stay[domain][split] = count
    largest = sorted(stay, key=lambda domain: (-stay[domain].total(), domain))[:2]
    rows = [
        {"domain": domain, "split": split, "count": min(stay[name][split] for name in largest)}
        for domain in (largest if len(largest) == 2 else ())
        for split in stay[domain]
    ]
    return pa.Table.from_pylist(rows, schema=_MIXTURES)
