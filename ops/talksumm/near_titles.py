"""Candidate titles for each talk's title: a few of many papers, found by shared letters.

Belongs here: the index of titles. Not here: the similarity of two titles, and choosing a match (pairing.py).

A title is first looked up as a whole, by its letters, and then by its runs of `GRAM` letters (q-grams), like
string joins of Gravano et al. (2001): titles at distance d share all but `GRAM` x d of them. The lookup uses
a talk's rarest runs: at least `FEWEST`, and up to `RARE` as long as they have fewer than `LOOKED_AT` titles
together, but none with more than `COMMON` titles. So the cost per talk does not grow with the number of
papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.joins import written_by_part
from silverloom.ops.core.parts import Parts

if TYPE_CHECKING:
    import duckdb

#: Maximum number of titles compared with a talk's title. If there are no more titles, all are compared.
COMPARED = 50

GRAM, RARE, FEWEST, COMMON, LOOKED_AT = 3, 24, 8, 2_000, 2_000

#: Minimum number of talks compared at once; each may match `FEWEST` x `COMMON` titles that share a run.
TALKS_AT_ONCE = 1_000

#: Parts whose titles are inserted together, since each insertion costs a millisecond or more.
PARTS_AT_ONCE = 64

#: Papers with one title, by id, with their titles as written.
NEAR_TITLES = pa.schema(
    [
        ("talk_id", pa.string()),
        ("papers", pa.list_(pa.struct([("id", pa.string()), ("title", pa.string())]))),
    ]
)

_TITLES = pa.schema(
    [
        ("part", pa.int32()),
        ("place", pa.int32()),
        ("letters", pa.string()),
        ("id", pa.string()),
        ("title", pa.string()),
    ]
)

_GROUPS = """
CREATE TABLE groups AS
    SELECT row_number() OVER (ORDER BY min(id)) AS number, letters,
           list({'id': id, 'title': title} ORDER BY id) AS papers
    FROM papers WHERE letters <> '' GROUP BY letters
"""

_NEAR = "CREATE TABLE near (part INTEGER, place INTEGER, number BIGINT)"

_ALL = "INSERT INTO near SELECT part, place, number FROM talks, groups WHERE talks.letters <> ''"

#: Most shared runs first, then the nearest length, then the lowest number, packed in one integer.
_SOME = f"""
INSERT INTO near SELECT part, place, unnest(best) FROM (
    SELECT part, place, arg_max(
        number, (shared << 50) - (abs(size - length(letters)) << 30) - number, {COMPARED}
    ) AS best
    FROM (
        SELECT part, place, number, size, count(*) AS shared FROM asked JOIN grams USING (gram)
        WHERE part BETWEEN $first AND $last GROUP BY part, place, number, size
    ) JOIN talks USING (part, place) GROUP BY part, place
)
UNION SELECT part, place, number FROM talks JOIN groups USING (letters) WHERE part BETWEEN $first AND $last
"""  # noqa: S608  our own constants

_LISTED = """
SELECT found.id AS talk_id, groups.papers, found.part AS __part
FROM (SELECT DISTINCT part, id, number FROM near JOIN talks USING (part, place)) AS found
JOIN groups USING (number)
ORDER BY found.part, found.id, found.number
"""


def near_titles(
    talks: Parts,
    papers: Parts,
    letters: Callable[[str], str],
    versions: Callable[[str], Sequence[str]],
    folder: Path,
) -> tuple[Parts, int]:
    """Return the candidate titles for the talks of each part, and the total number of titles.

    `letters` returns the significant letters of a title; a title without any is ignored. Each of the
    `versions` of a talk's title has candidates of its own. The rows are `NEAR_TITLES`, sorted by talk and by
    the lowest id of a paper, and stored in `folder`.
    """
    with database(folder) as tables:
        _fill(tables, "papers", papers, lambda title: [letters(title)])
        _fill(tables, "talks", talks, lambda title: [letters(version) for version in versions(title)])
        tables.execute(_GROUPS)
        [(titles,)] = tables.execute("SELECT count(*) FROM groups").fetchall()
        tables.execute(_NEAR)
        if titles > COMPARED:
            tables.execute(_index())
            for first, last in _batches([part.rows for part in talks.parts]):
                tables.execute(_SOME, {"first": first, "last": last})
        else:
            tables.execute(_ALL)
        near = tables.sql(_LISTED).to_arrow_reader()
        parts = tuple(written_by_part(near, len(talks.parts), NEAR_TITLES, folder))
    return Parts(NEAR_TITLES, parts, talks.engine), titles


def _index() -> str:
    return f"""
CREATE TABLE grams AS SELECT DISTINCT number, size, substr(padded, place, {GRAM}) AS gram FROM (
    SELECT number, size, padded, unnest(range(1, length(padded) - {GRAM} + 2)) AS place
    FROM (SELECT number, length(letters) AS size, '  ' || letters || '  ' AS padded FROM groups)
);
CREATE TABLE frequencies AS
    SELECT gram, count(*) AS titles FROM grams GROUP BY gram HAVING count(*) <= {COMMON};
CREATE TABLE asked AS SELECT part, place, gram FROM (
    SELECT DISTINCT part, place, substr(padded, start, {GRAM}) AS gram FROM (
        SELECT part, place, padded, unnest(range(1, length(padded) - {GRAM} + 2)) AS start
        FROM (SELECT part, place, '  ' || letters || '  ' AS padded FROM talks WHERE letters <> '')
    )
) JOIN frequencies USING (gram)
WINDOW rarest AS (PARTITION BY part, place ORDER BY titles, gram ROWS UNBOUNDED PRECEDING)
QUALIFY row_number() OVER rarest <= {FEWEST}
    OR (row_number() OVER rarest <= {RARE} AND sum(titles) OVER rarest - titles < {LOOKED_AT});
"""  # noqa: S608  our own constants


def _batches(talks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last index of consecutive parts that have at least `TALKS_AT_ONCE` talks together."""
    first = count = 0
    for part, its in enumerate(talks):
        count += its
        if count >= TALKS_AT_ONCE or part == len(talks) - 1:
            yield first, part
            first, count = part + 1, 0


def _fill(
    tables: duckdb.DuckDBPyConnection, name: str, rows: Parts, letters: Callable[[str], Sequence[str]]
) -> None:
    """Insert a row for each letters of each title; `place` counts them within a part."""
    batch = [_TITLES.empty_table()]
    for number, part in enumerate(rows.parts):
        titles = part.read(["id", "title"]).to_pylist()
        written = [
            (plain, row["id"], row["title"]) for row in titles for plain in letters(row["title"] or "")
        ]
        columns = list(zip(*written, strict=True)) or [(), (), ()]
        batch.append(pa.table([[number] * len(written), range(len(written)), *columns], schema=_TITLES))
        if len(batch) == PARTS_AT_ONCE:
            insert(tables, name, pa.concat_tables(batch))
            batch = [_TITLES.empty_table()]
    insert(tables, name, pa.concat_tables(batch))
