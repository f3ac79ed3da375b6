"""Expectations about the rows of a dataset, as light data that can be part of its declaration.

Belongs here: the vocabulary of suites, as plain data. Not here: computing the measures that it names, and
validating (orchestration/checks): Great Expectations takes seconds to load.

An expectation is an error if only a bug in the code can violate it (a duplicate id, a similarity of 2), and a
warning if unusual input can: one odd document must not keep a partition from being made.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from silverloom.assets.codehash.names import Symbol
from silverloom.assets.declare.code import rules
from silverloom.ops.core.outcome import Shape, required, values_of

Severity: TypeAlias = Literal["error", "warning"]
#: `counts` has one row: how the partition compares with its previous version.
TableName: TypeAlias = Literal["kept", "dropped", "rejected", "counts"]

#: Placeholder for the name of the partition that is validated.
THIS_PARTITION = "this partition"

#: Measures of texts, for columns and for fields alike.
_OF_TEXTS = frozenset({"control_characters", "foreign"})
#: Measures of a text column (`title.characters`) and of a list column (`sentences.length`).
OF_COLUMNS = _OF_TEXTS | {"length", "characters", "words"}
#: Measures over a field of all items in a list (`words.start.least`); `labels.items`: over the items
#: themselves.
OF_FIELDS = _OF_TEXTS | {"missing", "repeats", "least", "greatest", "descents", "empty", "longest"}
#: Measures that compare a partition with its previous version.
OF_COUNTS = frozenset({"kept.of_previous", "drop_share.rise", "reject_share.rise"})


#: The code that decides whether rows pass: the checks, and which findings keep a partition from publication.
RULES = (
    Symbol("silverloom.orchestration.checks.conservation", "expected_units"),
    Symbol("silverloom.orchestration.checks.conservation", "conservation"),
    Symbol("silverloom.orchestration.checks.conservation", "on_disk"),
    Symbol("silverloom.orchestration.checks.conservation", "schema"),
    Symbol("silverloom.orchestration.checks.conservation", "accepted"),
    Symbol("silverloom.orchestration.checks.validate", "validation"),
    Symbol("silverloom.orchestration.checks.validate", "LEVELS"),
    Symbol("silverloom.assets.declare.checks", "ADVISORY"),
)
#: The same for datasets that read sources.
RULES_OF_SOURCES = Symbol("silverloom.orchestration.checks.rejects", "source_finding")
#: The packages in which code counts that these reach.
WITHIN = ("silverloom.orchestration.checks", "silverloom.ops")


@dataclass(frozen=True)
class Expectation:
    """One expectation: our name for it, its type in Great Expectations, and its arguments.

    A column is a column of the table, or a measure of one: `column.measure`, `column.field.measure`.
    """

    name: str
    type: str
    arguments: Mapping[str, Any]
    severity: Severity = "error"
    table: TableName = "kept"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, or measures of columns, that it checks."""
        arguments = self.arguments
        named = [arguments[word] for word in ("column", "column_A", "column_B") if word in arguments]
        return (*named, *arguments.get("column_list", ()))


Suite: TypeAlias = Sequence[Expectation]


def not_null(*columns: str, severity: Severity = "error", table: TableName = "kept") -> list[Expectation]:
    """Expect a value in every row."""
    kind = "expect_column_values_to_not_be_null"
    return [Expectation(f"{name} is there", kind, {"column": name}, severity, table) for name in columns]


def unique(*columns: str, severity: Severity = "error", table: TableName = "kept") -> Expectation:
    """Expect that no value, or no combination of values, occurs in two rows."""
    kind, arguments = "expect_column_values_to_be_unique", dict[str, Any](column=columns[0])
    if len(columns) > 1:
        kind, arguments = "expect_compound_columns_to_be_unique", {"column_list": list(columns)}
    return Expectation(f"{' and '.join(columns)} once", kind, arguments, severity, table)


def between(
    column: str,
    least: float | None = None,
    greatest: float | None = None,
    severity: Severity = "error",
    table: TableName = "kept",
) -> Expectation:
    """Expect numbers in a range, both ends included; a missing number passes."""
    ends = {"at least": least, "at most": greatest}
    bounds = " and ".join(f"{words} {end:g}" for words, end in ends.items() if end is not None)
    arguments = {"column": column, "min_value": least, "max_value": greatest}
    kind = "expect_column_values_to_be_between"
    return Expectation(f"{column} {bounds}", kind, arguments, severity, table)


def none(*measures: str, severity: Severity = "error", table: TableName = "kept") -> list[Expectation]:
    """Expect that measures that count faults are 0 in every row."""
    return [replace(between(name, 0, 0, severity, table), name=f"no {name}") for name in measures]


def among(
    column: str, *values: object, severity: Severity = "error", table: TableName = "kept"
) -> Expectation:
    """Expect one of some values; `THIS_PARTITION` is replaced by the partition's name."""
    name, kind = f"{column} is {' or '.join(map(str, values))}", "expect_column_values_to_be_in_set"
    return Expectation(name, kind, {"column": column, "value_set": list(values)}, severity, table)


def matches(
    column: str, pattern: str, severity: Severity = "error", table: TableName = "kept"
) -> Expectation:
    """Expect texts that match a regular expression somewhere."""
    name, kind = f"{column} like {pattern}", "expect_column_values_to_match_regex"
    return Expectation(name, kind, {"column": column, "regex": pattern}, severity, table)


def equal(one: str, other: str, severity: Severity = "error", table: TableName = "kept") -> Expectation:
    """Expect the same value in two columns."""
    name, kind = f"{one} equals {other}", "expect_column_pair_values_to_be_equal"
    return Expectation(name, kind, {"column_A": one, "column_B": other}, severity, table)


def at_most(
    lesser: str, greater: str, severity: Severity = "error", table: TableName = "kept"
) -> Expectation:
    """Expect that the number in one column is never greater than that in another."""
    name, kind = f"{lesser} at most {greater}", "expect_column_pair_values_a_to_be_greater_than_b"
    arguments = {"column_A": greater, "column_B": lesser, "or_equal": True}
    return Expectation(name, kind, arguments, severity, table)


def text(column: str, longest: int, shortest: int = 1, table: TableName = "kept") -> list[Expectation]:
    """Expect sane English: neither too short nor too long (in characters), no control characters.

    Texts come from outside, so these are warnings. The language of a text of few words is not checked.
    """
    return [
        between(f"{column}.characters", shortest, longest, "warning", table),
        *none(f"{column}.control_characters", f"{column}.foreign", severity="warning", table=table),
    ]


def texts(field: str, longest: int, table: TableName = "kept") -> list[Expectation]:
    """Expect the same of a list's items (`sentences.text`, `labels.items`), measured over each row."""
    faults = [f"{field}.{fault}" for fault in ("empty", "control_characters", "foreign")]
    return [
        between(f"{field}.longest", None, longest, "warning", table),
        *none(*faults, severity="warning", table=table),
    ]


def of_shape(shape: Shape, partitioned: bool = True) -> list[Expectation]:
    """Expect what every dataset promises, and what the columns of its kept rows say.

    Ids are unique. Each row has sources, a licence, a value in every column that is not optional, and one of
    the listed values where a column lists them. The month of a dataset with partitions is its partition. The
    partition is like its previous version.
    """
    return [
        *not_null(*required(shape.kept)),
        unique("id"),
        matches("id", r"^[a-z_]+-[0-9a-f]{24}$"),
        between("source_ids.length", 1),
        *none("source_ids.items.missing"),
        matches("licence", r"\S"),
        *(among(name, *values) for name, values in values_of(shape.kept).items()),
        *(among(name, THIS_PARTITION) for name in ("month",) if partitioned and name in shape.kept.names),
        *steady(),
    ]


def votes() -> list[Expectation]:
    """Expect that the votes of rated rows (VOTES of human_evaluation.py) match their answers."""
    return [
        unique("row_id", "question"),
        between("raters", 1),
        between("votes", 1),
        at_most("votes", "raters"),
        equal("answers.length", "raters"),
        *none("answers.rater.repeats"),
    ]


def steady(rows: float = 0.5, rise: float = 0.2) -> list[Expectation]:
    """Expect a partition like its previous version; only warnings, because sources or thresholds may change.

    There are at least `rows` times as many kept rows as before, and the shares of dropped and of rejected
    rows rise by at most `rise`. The first version is not compared.
    """
    return [
        between("kept.of_previous", rows, None, "warning", "counts"),
        between("drop_share.rise", None, rise, "warning", "counts"),
        between("reject_share.rise", None, rise, "warning", "counts"),
    ]


def checks_version(suite: Suite, reads_sources: bool = False, plugins: str = "") -> str:
    """Return a hash of what decides whether a partition passes: its suite, and the code of all checks.

    `plugins` is a hash of a user's own types. The code includes the measures, and Great Expectations. The
    texts and tables that describe a result do not count, except those inside this code.
    """
    symbols = [*RULES, RULES_OF_SOURCES] if reads_sources else RULES
    content = repr(list(suite)) + plugins + "".join(rules(symbol, WITHIN) for symbol in symbols)
    return hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()


def check(suite: Suite, shape: Shape, owner: str) -> None:
    """Raise LookupError for a column that the dataset lacks, ValueError for a duplicate name."""
    names = Counter((expectation.table, expectation.name) for expectation in suite)
    if twice := sorted({name for (_, name), times in names.items() if times > 1}):
        raise ValueError(f"{owner}: expected twice: {', '.join(twice)}")
    for expectation in suite:
        for column in expectation.columns:
            table = expectation.table
            known = column in OF_COUNTS if table == "counts" else _known(column, getattr(shape, table))
            if not known:
                raise LookupError(
                    f"{owner}: {expectation.name!r}: {table} rows have no column or measure {column}"
                )


def _known(column: str, schema: pa.Schema) -> bool:
    name, *rest = column.split(".")
    if name not in schema.names:
        return False
    if len(rest) < 2:
        return not rest or rest[0] in OF_COLUMNS
    kind = schema.field(name).type
    if len(rest) > 2 or rest[1] not in OF_FIELDS or not pa.types.is_list(kind):
        return False
    if pa.types.is_struct(kind.value_type):
        return bool(kind.value_type.get_field_index(rest[0]) >= 0)
    return rest[0] == "items"


def file_columns() -> list[Expectation]:
    """Expect the columns of every file of a release to be valid."""
    return [
        unique("file"),
        between("rows", 1),
        between("bytes", 1),
        matches("md5", "^[0-9a-f]{32}$"),
    ]
