"""Two versions of a dataset are compared row by row, and nothing different is reported as the same."""

import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.outcome import Outcome, Shape, columns
from silverloom.ops.versions.difference import KINDS, difference
from silverloom.orchestration.files.identity import folder_hashes, version
from silverloom.orchestration.files.parquet import write_part
from silverloom.orchestration.versions.revisions import Version
from silverloom.orchestration.workspace.workspace import Workspace

SHAPE = Shape(
    unit=columns(("text", pa.string())),
    kept=columns(("text", pa.string()), ("score", pa.float64()), ("words", pa.list_(pa.string()))),
)


class OnDisk(Version):
    """A version in a folder of its own."""

    def path(self, file):
        return Path(self.revision, file)


def kept(name, units, text="", score=0.0, words=()):
    return {
        "id": name,
        "source_ids": units,
        "licence": "",
        "text": text,
        "score": score,
        "words": list(words),
    }


def dropped(name, reason, text=""):
    unit = {"id": name, "source_ids": [], "licence": "", "text": text}
    return {**unit, "reason": reason, "score": None, "detail": None}


def rejected(name, error):
    return {"id": name, "source_ids": [], "licence": "", "text": "", "error": error}


def write(folder, months, shape=SHAPE):
    """Write a version: kept, dropped and rejected rows of each part, by month."""
    for month, parts in months.items():
        Path(folder, month).mkdir(parents=True)
        for index, tables in enumerate(parts):
            write_part(Path(folder, month), index, Outcome.of(shape, [], *tables), shape)
    files = folder_hashes(Path(folder))
    return OnDisk(Workspace(Path(folder)), "group/one", str(folder), None, version(files), files)


@pytest.fixture
def compare(tmp_path):
    def compare(old, new, limit=10):
        for name in ("old", "new"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        return difference(write(tmp_path / "old", old), write(tmp_path / "new", new), limit)

    return compare


def moves(found):
    return {(move["from"], move["to"]): move["units"] for move in found["moves"]}


def counts(found):
    return {kind: rows for kind, rows in found["totals"].items() if rows}


def one(*tables):
    return {"2018-06": [tables]}


def test_kept_rows_are_added_removed_and_changed_by_id(compare):
    old = one([kept("a", ["u1"], "one"), kept("b", ["u2"], "two", words=["x"]), kept("c", ["u3"])])
    new = one([kept("b", ["u2"], "two", words=["y"]), kept("c", ["u3"]), kept("d", ["u4"])])
    found = compare(old, new)
    assert counts(found) == {"added": 1, "removed": 1, "changed": 1}
    assert found["columns"] == {"words": 1}
    assert [case.id for kind in ("added", "removed", "changed") for case in found["cases"][kind]] == [
        "d",
        "a",
        "b",
    ]


def test_a_unit_that_left_a_kept_row_is_reported_with_its_reason(compare):
    old = one([kept("pair-1", ["talk-1", "paper-1"]), kept("pair-2", ["talk-2", "paper-2"])])
    new = one([kept("pair-2", ["talk-2", "paper-2"])], [dropped("talk-1", "unmatched")])
    found = compare(old, new)
    assert counts(found) == {"removed": 1, "other fate": 1}
    assert moves(found) == {("kept", "dropped: unmatched"): 1}
    back = compare(new, old)
    assert counts(back) == {"added": 1, "other fate": 1}
    assert moves(back) == {("dropped: unmatched", "kept"): 1}


def test_a_row_of_many_units_counts_as_removed_whatever_their_fates(compare):
    units = [f"u{number:02d}" for number in range(30)]
    old = one([kept("talk", units)])
    assert counts(compare(old, one([], [dropped("u00", "short")]))) == {"removed": 1, "other fate": 1}
    lost = compare(old, one([], [dropped(unit, "short") for unit in units]))
    assert counts(lost) == {"removed": 1, "other fate": 30}
    less = compare(old, one([kept("talk", units[1:])], [dropped("u00", "short")]))
    assert counts(less) == {"changed": 1, "other fate": 1}


def test_another_reason_and_a_reject_are_other_fates(compare):
    old = one(
        [], [dropped("a", "short"), dropped("b", "short"), dropped("c", "short")], [rejected("d", "bad")]
    )
    new = one(
        [],
        [dropped("a", "long"), dropped("c", "short", "other")],
        [rejected("b", "bad"), rejected("d", "worse")],
    )
    found = compare(old, new)
    assert moves(found) == {("dropped: short", "dropped: long"): 1, ("dropped: short", "rejected"): 1}
    assert counts(found) == {"other fate": 2, "losses changed": 2}


def test_lost_units_that_did_not_exist_before_are_not_moves(compare):
    found = compare(one([], [dropped("a", "short")]), one([], [], [rejected("b", "bad")]))
    assert counts(found) == {"losses added": 1, "losses removed": 1}
    assert moves(found) == {}


def test_rows_may_move_between_parts_and_months_and_parts_of_one_md5_are_not_read(compare, monkeypatch):
    rows = [kept(f"r{number}", [f"u{number}"]) for number in range(6)]
    old = {"2018-06": [(rows[:2],), (rows[2:4],)], "2018-07": [(rows[4:],)]}
    new = {"2018-06": [(rows[:2],), (rows[2:3],)], "2018-07": [(rows[3:],)]}
    asked = []
    path = OnDisk.path
    monkeypatch.setattr(OnDisk, "path", lambda self, file: asked.append(file) or path(self, file))
    found = compare(old, new)
    assert counts(found) == {}
    assert "2018-06/kept-00000.parquet" not in asked
    assert set(asked) == {"2018-06/kept-00001.parquet", "2018-07/kept-00000.parquet"}


def test_months_are_counted_separately_and_examples_are_the_first_by_id(compare):
    new = {month: [([kept(f"{month}-{number:02d}", [f"{month}-u{number}"]) for number in range(9)],)] for month in ("2018-06", "2018-07")}  # fmt: skip
    found = compare({month: [([],)] for month in new}, new, limit=3)
    assert {month: numbers["added"] for month, numbers in found["partitions"].items()} == {
        "2018-06": 9,
        "2018-07": 9,
    }
    assert [case.id for case in found["cases"]["added"]] == ["2018-06-00", "2018-06-01", "2018-06-02"]


def test_two_empty_versions_and_two_equal_ones_do_not_differ(compare):
    assert counts(compare(one([]), one([]))) == {}
    same = one([kept("a", ["u"])], [dropped("b", "short")], [rejected("c", "bad")])
    assert counts(compare(same, same)) == {}


FATES = st.sampled_from(["kept", "kept as x", "short", "long", "rejected", "absent"])


@given(st.lists(st.tuples(FATES, FATES), max_size=12))
def test_every_row_and_every_unit_is_counted_once_by_its_change(pairs):
    def tables(side):
        fates = [(number, pair[side]) for number, pair in enumerate(pairs)]
        return (
            [
                kept(f"row-{n}", [f"u{n}"], "x" * ("as" in fate))
                for n, fate in fates
                if fate.startswith("kept")
            ],
            [dropped(f"u{n}", fate) for n, fate in fates if fate in ("short", "long")],
            [rejected(f"u{n}", "bad") for n, fate in fates if fate == "rejected"],
        )

    def slow(was, now):
        """The kinds of change of one unit and its row, derived from both fates alone."""
        rows = [fate.startswith("kept") for fate in (was, now)]
        lost = [fate != "absent" and not is_row for fate, is_row in zip((was, now), rows, strict=True)]
        if was == now:
            return
        if all(rows):
            yield "changed"
        elif any(rows):
            yield "removed" if rows[0] else "added"
        if any(lost):
            where = "added" if was == "absent" else "removed"
            yield f"losses {where}" if "absent" in (was, now) else "other fate"

    with tempfile.TemporaryDirectory() as folder:
        found = difference(write(f"{folder}/old", one(*tables(0))), write(f"{folder}/new", one(*tables(1))))
    expected = Counter(kind for was, now in pairs for kind in slow(was, now))
    assert counts(found) == {kind: expected[kind] for kind in KINDS if expected[kind]}


SCALARS = st.none() | st.floats(allow_nan=True)
CELLS = st.none() | st.lists(st.none() | st.fixed_dictionaries({"a": SCALARS, "b": st.none() | st.lists(st.none() | st.text("xy", max_size=2), max_size=2)}), max_size=2)  # fmt: skip
NESTED = pa.list_(pa.struct([("a", pa.float64()), ("b", pa.list_(pa.string()))]))


def changed(old, new):
    """The rows reported as changed, if one column has these values."""
    shapes = [Shape(unit=columns(), kept=columns(("cell", side.type))) for side in (old, new)]
    with tempfile.TemporaryDirectory() as folder:
        versions = []
        for name, side, shape in zip(("old", "new"), (old, new), shapes, strict=True):
            rows = [
                {"id": f"{row:03}", "source_ids": [], "licence": "", "cell": cell}
                for row, cell in enumerate(side.to_pylist())
            ]
            versions.append(write(f"{folder}/{name}", one(rows), shape))
        found = difference(*versions, limit=len(old))
    ids = {case.id for case in found["cases"]["changed"]}
    return [f"{row:03}" in ids for row in range(len(old))]


@given(st.lists(st.tuples(CELLS, CELLS) | CELLS.map(lambda cell: (cell, cell)), max_size=6))
def test_nested_cells_are_unequal_if_python_finds_them_unequal(pairs):
    old, new = (pa.array([pair[side] for pair in pairs], NESTED) for side in (0, 1))
    # as text, so that NaN equals NaN
    texts = [[repr(cell).replace("-0.0", "0.0") for cell in side.to_pylist()] for side in (old, new)]
    assert changed(old, new) == [was != now for was, now in zip(*texts, strict=True)]


def test_columns_of_another_type_are_compared_by_value():
    assert changed(pa.array([1, 2, None]), pa.array([1.0, 2.5, None])) == [False, True, False]
    assert changed(pa.array(["1", "x", None]), pa.array([1, 2, None])) == [False, True, False]


def test_columns_that_one_version_has_are_named_and_not_compared(tmp_path):
    def version_of(name, *names):
        shape = Shape(unit=columns(), kept=columns(*((column, pa.string()) for column in names)))
        row = {"id": "a", "source_ids": [], "licence": "", **dict.fromkeys(names, name)}
        return write(tmp_path / name, one([row]), shape)

    found = difference(version_of("old", "text", "gone"), version_of("new", "text", "fresh"))
    assert (found["new_columns"], found["lost_columns"]) == (["fresh"], ["gone"])
    assert found["columns"] == {"text": 1}


@pytest.mark.parametrize("name", ["a[bc]d", "a?b", "**", "id=x"])
def test_folders_are_read_as_they_are_named(tmp_path, name):
    shape = Shape(unit=columns(), kept=columns(("text", pa.string())))
    for folder in (name, "abd", "axb"):
        old, new = (
            write(
                tmp_path / folder / side,
                one([{"id": folder, "source_ids": [], "licence": "", "text": side}]),
                shape,
            )
            for side in ("old", "new")
        )
        if folder == name:
            versions = old, new
    (case,) = difference(*versions)["cases"]["changed"]
    assert (case.id, case.old["text"], case.new["text"]) == (name, "old", "new")


def test_quotes_in_names_of_folders_columns_and_ids_are_literal(tmp_path):
    name = """it's "so" {here}"""
    shape = Shape(unit=columns(), kept=columns((name, pa.string())))
    versions = [
        write(tmp_path / name / side, one([{"id": name, "source_ids": [], "licence": "", name: side}]), shape)
        for side in ("old", "new")
    ]
    found = difference(*versions)
    (case,) = found["cases"]["changed"]
    assert (case.id, case.columns, case.old[name], case.new[name]) == (name, [name], "old", "new")
