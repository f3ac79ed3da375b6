"""A finished part is read back with exactly the same Parquet bytes, or not at all."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.outcome import Outcome, Shape, column, columns, drop, reject, struct
from silverloom.ops.core.parts import TABLES, part_name
from silverloom.orchestration.files.edits import MovedError, code_stamp
from silverloom.orchestration.files.parquet import write_part
from silverloom.orchestration.files.publish import DiskFullError
from silverloom.orchestration.partition import prune, resume
from silverloom.orchestration.partition.resume import FinishedParts
from silverloom.orchestration.state.freshness import Manifest, View
from silverloom.orchestration.workspace.workspace import Workspace


def count_parts(workspace):
    return len([*(workspace.state / "parts").rglob("*.zip")])


SHAPE = Shape(
    unit=columns(("text", pa.string(), "what it says")),
    kept=columns(
        ("count", pa.int64()),
        ("share", pa.float64()),
        ("raw", pa.binary()),
        ("spans", pa.list_(struct(("start", pa.int32()), column("role", pa.string(), "of it")))),
    ),
)
IDENTITY = {"source_ids": ["x", "y"], "licence": "CC0"}
SPANS = st.lists(st.fixed_dictionaries({"start": st.integers(0, 9), "role": st.none() | st.text(max_size=3)}))
KEPT = st.fixed_dictionaries(
    {
        "count": st.none() | st.integers(-9, 9),
        "share": st.none() | st.floats(),
        "raw": st.none() | st.binary(max_size=9),
        "spans": st.none() | SPANS,
    }
)


@st.composite
def outcomes(draw):
    rows = [{"id": f"r{n}", **IDENTITY, **row} for n, row in enumerate(draw(st.lists(KEPT, max_size=6)))]
    units = [{"id": f"u{n}", **IDENTITY, "text": "é\0" * n} for n in range(draw(st.integers(0, 3)))]
    whole = Outcome.of(
        SHAPE,
        ["x", "y"],
        rows,
        [drop(unit, "short", 0.1) for unit in units],
        [reject(unit, "bad") for unit in units],
        draw(st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2)),
        draw(st.dictionaries(st.text("ab/.é", min_size=1, max_size=5), st.binary(max_size=9), max_size=2)),
    )
    kept = whole.kept
    if draw(st.booleans()):  # chunked differently from the next column
        for index in range(kept.num_columns):
            cut = draw(st.integers(0, kept.num_rows))
            values = kept.column(index)
            pieces = [*values.slice(0, cut).chunks, *values.slice(cut).chunks]
            kept = kept.set_column(index, kept.schema.field(index), pa.chunked_array(pieces, values.type))
    return Outcome(whole.units, kept, whole.dropped, whole.rejected, whole.combinations, whole.files)


def parts_in(folder):
    here = Workspace.here()
    return FinishedParts(here, folder, code_stamp(here))


def parts_of(workspace, dataset, month, key):
    """Begin a partition under a key, and return the parts of its first map."""
    return parts_in(resume.begin_parts(workspace, dataset, month, key) / "0-op")


@given(outcomes())
def test_a_part_is_read_back_unchanged(tmp_path_factory, outcome):
    folder = tmp_path_factory.mktemp("parts")
    parts = parts_in(folder)
    parts.write(3, outcome)
    assert parts.indices() == {3}
    again = parts.read(3)
    assert again.units.equals(outcome.units)
    assert (again.combinations, again.files) == (outcome.combinations, outcome.files)
    for index, part in enumerate((outcome, again)):
        write_part(folder, index, part, SHAPE)
    for name in TABLES:
        assert getattr(again, name).schema.equals(getattr(outcome, name).schema, check_metadata=True)
        first, second = (folder / part_name(name, index) for index in range(2))
        assert first.read_bytes() == second.read_bytes()


@pytest.fixture
def stored(tmp_path):
    parts = parts_in(tmp_path / "parts")
    row = {"id": "r", **IDENTITY, "count": 1, "share": 0.5, "raw": b"raw", "spans": []}
    parts.write(0, Outcome.of(SHAPE, ["x"], [row], files={"model/weights": b"w" * 99}))
    return parts


def test_nothing_is_stored_when_code_was_edited_since_the_partition_was_begun(tmp_path, stored):
    before = tuple({**dict(code_stamp(Workspace.here())), "ops": "those of former bytes"}.items())
    parts = FinishedParts(Workspace.here(), tmp_path / "new", before)
    with pytest.raises(MovedError, match=r"^ops changed while this ran"):
        parts.write(0, stored.read(0))
    assert parts.indices() == set()


def test_parts_under_another_key_are_removed_when_a_partition_is_begun(tmp_workspace, stored):
    papers = tmp_workspace.datasets["sources/papers"]
    one, other = ({"inputs": {}, "params": {"x": x}, "code": {}} for x in (1, 2))
    outcome = stored.read(0)
    parts_of(tmp_workspace, papers, "2018-06", one).write(0, outcome)
    parts_of(tmp_workspace, papers, "2018-07", one).write(0, outcome)
    assert resume.begin_parts(tmp_workspace, papers, "2018-06", one).is_dir()
    assert count_parts(tmp_workspace) == 2
    resume.begin_parts(tmp_workspace, papers, "2018-06", other)
    assert count_parts(tmp_workspace) == 1 and resume.partitions_with_parts(tmp_workspace, papers) >= {
        "2018-07"
    }
    resume.discard_parts(tmp_workspace, papers, "2018-07")
    assert count_parts(tmp_workspace) == 0


def test_parts_of_obsolete_partitions_are_removed(tmp_workspace, monkeypatch, stored):
    monkeypatch.setattr(prune, "leftovers", lambda *_: [])
    papers, outcome = tmp_workspace.datasets["sources/papers"], stored.read(0)
    for month in ("1999-01", papers.made_partitions[0]):
        parts_of(tmp_workspace, papers, month, {}).write(0, outcome)
    assert prune.prune(tmp_workspace, papers) == []
    assert resume.partitions_with_parts(tmp_workspace, papers) == {papers.made_partitions[0]}


def test_parts_left_by_a_kill_next_to_a_manifest_with_their_key_are_removed(
    tmp_workspace, monkeypatch, stored
):
    monkeypatch.setattr(prune, "leftovers", lambda *_: [])
    papers, outcome = tmp_workspace.datasets["sources/papers"], stored.read(0)
    keys = {month: {"key of": month} for month in papers.made_partitions[:3]}
    made, changed, missing = keys
    for month, key in keys.items():
        parts_of(tmp_workspace, papers, month, key).write(0, outcome)
    records = {
        made: Manifest(keys[made], {}, {}),
        changed: Manifest({"key of": "former params"}, {}, {}),
        missing: None,
    }
    monkeypatch.setattr(View, "known", lambda view, dataset, month: records[month])
    prune.prune(tmp_workspace, papers)
    left = [
        folder
        for month in keys
        for folder in (tmp_workspace.state / "parts/sources/papers" / month).iterdir()
    ]
    assert {folder.parent.name for folder in left} == {changed, missing}


def test_a_full_disk_leaves_the_parts_stored_so_far(tmp_path, monkeypatch, stored):
    def full(path, mode="r", *_):
        if mode == "wb":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, mode)

    outcome, opened = stored.read(0), Path.open
    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(DiskFullError, match=r"no space left .* while writing 00001\.zip"):
        stored.write(1, outcome)
    assert stored.indices() == {0} and len(list(stored.folder.iterdir())) == 1
