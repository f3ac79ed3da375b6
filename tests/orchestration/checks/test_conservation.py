"""The conservation check finds every way to lose a unit or to count it twice."""

import weakref

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.counts import counts, total
from silverloom.ops.core.outcome import Outcome, Shape, columns, drop, reject
from silverloom.ops.core.parts import Part, Parts
from silverloom.orchestration.checks import conservation as checks
from silverloom.orchestration.checks.conservation import conservation, on_disk, schema, unit_ids
from silverloom.orchestration.checks.ids import StoredIds, scratch
from silverloom.orchestration.files.identity import folder_files
from silverloom.orchestration.files.parquet import write_outcomes, write_part

SHAPE = Shape(unit=columns(("text", pa.string())), kept=columns(("text", pa.string())))
FATES = ("kept", "made", "dropped", "rejected")


def unit(name, sources=("file",)):
    return {"id": name, "source_ids": list(sources), "licence": "CC0", "text": name}


def outcome(fates, units=None):
    """One unit for each fate: kept as is, made into a row with another id, dropped, rejected."""
    names = {f"u{index}": fate for index, fate in enumerate(fates)}
    kept = [unit(name) for name, fate in names.items() if fate == "kept"]
    kept += [unit(f"row-{name}", [name]) for name, fate in names.items() if fate == "made"]
    dropped = [drop(unit(name), "short", 1.0) for name, fate in names.items() if fate == "dropped"]
    rejected = [reject(unit(name), "broken") for name, fate in names.items() if fate == "rejected"]
    return Outcome.of(SHAPE, list(names) if units is None else units, kept, dropped, rejected)


def check(folder, *outcomes, expected=None):
    counted = write_outcomes(folder, outcomes, SHAPE)
    assert counted == counts(folder)
    due = [name for part in outcomes for name in part.units.to_pylist()] if expected is None else expected
    return conservation(folder, [part.units for part in outcomes], due)


@given(fates=st.lists(st.sampled_from(FATES)))
def test_units_that_each_have_one_fate_are_conserved(tmp_path_factory, fates):
    finding = check(tmp_path_factory.mktemp("part"), outcome(fates))
    assert finding.passed, finding.faults
    assert finding.summary.startswith(f"{len(fates)} in = ")


@given(fates=st.lists(st.sampled_from(FATES), min_size=1), data=st.data())
def test_a_unit_without_a_row_is_lost(tmp_path_factory, fates, data):
    lost = data.draw(st.integers(0, len(fates) - 1))
    names = [f"u{index}" for index in range(len(fates))]
    fates[lost] = "nowhere"
    finding = check(tmp_path_factory.mktemp("part"), outcome(fates, units=names))
    assert not finding.passed
    assert f"u{lost}" in " ".join(finding.faults)


def test_a_unit_with_two_fates_is_found(tmp_path):
    both = Outcome.of(SHAPE, ["u0"], [unit("u0")], [drop(unit("u0"), "short")])
    assert "more than one fate" in check(tmp_path, both).faults[0]


def test_a_unit_that_the_step_never_took_is_found(tmp_path):
    finding = check(tmp_path, outcome(["kept"]), expected=["u0", "u1"])
    assert finding.faults == ("1 units of the input were not taken: u1",)


def test_a_unit_that_is_in_no_input_is_found(tmp_path):
    finding = check(tmp_path, outcome(["kept", "dropped"]), expected=["u0"])
    assert finding.faults == ("1 units were taken that are not in the input: u1",)


def test_the_first_missing_units_are_named_in_order_each_as_often_as_it_is_missing(tmp_path):
    finding = check(tmp_path, outcome(["kept"]), expected=["u0", *"hgfedcba", "a"])
    assert finding.faults == ("9 units of the input were not taken: a, a, b, c, d and 4 more",)


def test_units_of_few_parts_are_in_memory_however_many_there_are(tmp_path):
    for index in range(8):
        write_part(tmp_path, index, outcome(["kept", "dropped"]), SHAPE)

    def held(parts):
        seen, most = [], 0
        for _ in range(parts):
            part = pa.array(["u0", "u1"])
            seen.append(weakref.ref(part))
            most = max(most, sum(known() is not None for known in seen))
            yield part
        held_of[parts] = most

    held_of = {}
    for parts in (4, 8):
        assert conservation(tmp_path, held(parts), ["u0", "u1"] * parts).passed
    assert held_of[4] == held_of[8] <= 3


def test_the_units_of_parts_are_read_back_from_their_file(tmp_path):
    units = StoredIds(tmp_path / "units")
    parts = [outcome(["kept", "dropped"]), outcome([]), outcome(["made"])]
    assert [len(part.units) for part in units.taken_from(iter(parts))] == [0, 0, 0]
    assert [part.to_pylist() for part in units] == [["u0", "u1"], [], ["u0"]]


@pytest.mark.parametrize(
    ("due", "fault"),
    [
        (["u0", "u1", "u2", "u2"], None),
        (["u0", "u1", "u2", "u3"], "1 units are lost: u3"),
        (["u0", "u2"], "1 dropped or rejected ids are not input units: u1"),
    ],
)
def test_fates_are_found_on_disk(tmp_path, due, fault):
    for index, fates in enumerate((["kept", "dropped"], ["nowhere", "nowhere", "made"])):
        write_part(tmp_path, index, outcome(fates), SHAPE)
    finding = on_disk(tmp_path, due)
    assert finding.faults == ((fault,) if fault else ())
    if not fault:
        assert finding.summary == "3 in = 2 used + 1 dropped + 0 rejected"


def test_a_unit_with_two_fates_is_found_on_disk(tmp_path):
    for index, fates in enumerate((["dropped"], ["kept"])):
        write_part(tmp_path, index, outcome(fates), SHAPE)
    assert on_disk(tmp_path, ["u0"]).faults == ("1 units have more than one fate: u0",)


def test_a_dropped_row_that_is_not_a_unit_is_found(tmp_path):
    finding = check(tmp_path, Outcome.of(SHAPE, [], [], [drop(unit("ghost"), "short")]))
    assert not finding.passed


def test_a_step_without_parts_writes_empty_tables_that_pass(tmp_path):
    assert check(tmp_path, expected=[]).passed
    assert sorted(folder_files(tmp_path)) == [
        "__dropped/dropped-00000.parquet",
        "__rejected/rejected-00000.parquet",
        "kept-00000.parquet",
    ]
    assert schema(tmp_path, SHAPE).passed


@pytest.mark.parametrize("few", [0, 100])
def test_a_duplicate_id_is_found_across_parts(tmp_path, monkeypatch, few):
    monkeypatch.setattr(checks, "FEW", few)
    for index in range(2):
        write_part(tmp_path, index, outcome(["kept"]), SHAPE)
    assert schema(tmp_path, SHAPE).faults == ("1 ids occur twice in kept: u0",)


def test_a_row_without_a_source_is_found(tmp_path):
    write_part(tmp_path, 0, Outcome.of(SHAPE, ["u0"], [unit("u0", [])]), SHAPE)
    assert schema(tmp_path, SHAPE).faults == ("kept-00000.parquet: 1 rows without a source",)


def test_undeclared_columns_are_found(tmp_path):
    write_part(tmp_path, 0, outcome(["kept"]), SHAPE)
    wider = Shape(unit=SHAPE.unit, kept=columns(("text", pa.string()), ("count", pa.int32())))
    assert "are declared" in schema(tmp_path, wider).faults[0]


def test_a_row_that_does_not_fit_its_table_is_refused():
    with pytest.raises(pa.ArrowInvalid, match=r"row 'u0'.*\['text'\]"):
        Outcome.of(SHAPE, ["u0"], [{"id": "u0", "source_ids": ["f"], "licence": "CC0"}])


def test_units_of_a_nested_column_are_counted(tmp_path):
    nested = pa.list_(pa.struct([("id", pa.string())]))
    shape = Shape(unit=SHAPE.unit, kept=columns(("sentences", nested)))
    row = {"id": "p", "source_ids": ["f"], "licence": "CC0", "sentences": [{"id": "s1"}, {"id": "s2"}]}
    empty = {**row, "id": "q", "sentences": []}
    write_part(tmp_path, 0, Outcome.of(shape, ["p", "q"], [row, empty]), shape)
    parts = Parts(shape.kept, (Part(str(tmp_path / "kept-00000.parquet")),), engine=None)
    assert list(unit_ids(parts, "sentences")) == ["s1", "s2"]
    assert list(unit_ids(parts, None)) == ["p", "q"]


def test_combinations_are_stored_counted_and_summed(tmp_path):
    parts = [Outcome.of(SHAPE, [], [], combinations={"farther off": number}) for number in (2, 3)]
    write_outcomes(tmp_path, parts, SHAPE)
    one = counts(tmp_path)
    assert one == {"kept": 0, "dropped": 0, "rejected": 0, "reasons": {}, "combinations": {"farther off": 5}}
    assert total([one, one])["combinations"] == {"farther off": 10}


def test_the_folder_of_a_killed_check_is_removed_by_the_next_one(tmp_workspace):
    dataset = next(iter(tmp_workspace.datasets.values()))
    left = tmp_workspace.state_file("parts", dataset, "2018-06") / "silverloom-killed"
    left.mkdir(parents=True)
    with scratch(tmp_workspace, dataset, "2018-06") as space:
        assert space.is_dir() and not left.exists()
    assert not left.parent.exists()
