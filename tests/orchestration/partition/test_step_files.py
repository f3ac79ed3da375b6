"""Files that a step makes next to its rows are written with them, hashed, and never read after a change."""

import pyarrow as pa
import pytest

from silverloom.ops.core.counts import counts
from silverloom.ops.core.outcome import Outcome, Shape, columns
from silverloom.ops.core.parts import FILES
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.partition.inputs import ChangedBytesError, artifact
from silverloom.orchestration.state.freshness import Manifest, write_manifest
from silverloom.orchestration.workspace.workspace import Workspace

SHAPE = Shape(unit=columns(), kept=columns(("text", pa.string())))


def outcome(files, name="a", combinations=None):
    row = {"id": name, "source_ids": ["file"], "licence": "MIT"}
    return Outcome.of(SHAPE, [name], [{**row, "text": "x"}], files=files, combinations=combinations)


@pytest.fixture
def model(tmp_workspace):
    """The folder of a published dataset with files, and a manifest with their hashes."""
    dataset = tmp_workspace.datasets["talksumm/extractor"]
    place = tmp_workspace.folder(dataset)
    place.mkdir(parents=True)
    files = {"models.json": b"[]", "pointer/a/config.json": b"{}", "pointer/a/weights": b"12"}
    write_outcomes(place, [outcome(files)], SHAPE)
    key = {"inputs": {}, "params": {}, "code": {}}
    write_manifest(tmp_workspace, dataset, "", Manifest(key, folder_hashes(place), counts(place)))
    return place


def opened(model):
    here = Workspace(model.parents[2])
    return artifact(here, here.datasets["talksumm/extractor"])


def test_files_of_every_part_are_next_to_its_rows(tmp_path):
    outcomes = [outcome({"a/b.json": b"1"}), outcome({"a/c.json": b"2", "d": b""}, "b")]
    assert write_outcomes(tmp_path, outcomes, SHAPE) == counts(tmp_path)
    files = tmp_path / FILES
    assert (files / "a" / "b.json").read_bytes() == b"1" and (files / "d").read_bytes() == b""
    assert len(list(tmp_path.glob("kept-*.parquet"))) == 2


@pytest.mark.parametrize("name", ["../out", "/silverloom-out", "a/../../out"])
def test_a_file_outside_the_folder_is_refused(tmp_path, name):
    place = tmp_path / "new"
    place.mkdir()
    with pytest.raises(ValueError, match="leaves its folder"):
        write_outcomes(place, [outcome({name: b""})], SHAPE)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_duplicate_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'twice' is written twice"):
        write_outcomes(tmp_path, [outcome({"twice": b"1"}), outcome({"twice": b"2"}, "b")], SHAPE)


def test_an_artifact_is_the_rows_and_the_files_of_a_folder(model):
    found = opened(model)
    assert found.rows.read(["id"])["id"].to_pylist() == ["a"]
    assert found.files("pointer/a") == {"config.json": b"{}", "weights": b"12"}
    assert found.files() == {"models.json": b"[]", "pointer/a/config.json": b"{}", "pointer/a/weights": b"12"}
    assert found.files("no such model") == {}


def test_a_changed_missing_or_added_file_is_refused_by_name(model):
    weights = model / FILES / "pointer/a/weights"
    weights.write_bytes(b"13")
    with pytest.raises(ChangedBytesError, match=r"pointer/a/weights was changed after it was made"):
        opened(model)
    weights.unlink()
    with pytest.raises(ChangedBytesError, match=r"pointer/a/weights was changed .*its MD5 is None"):
        opened(model)
    weights.write_bytes(b"12")
    assert opened(model).files("pointer/a")["weights"] == b"12"
    (model / FILES / "pointer/b").write_bytes(b"")
    with pytest.raises(ChangedBytesError, match=r"pointer/b was changed .*but its manifest has None"):
        opened(model)
