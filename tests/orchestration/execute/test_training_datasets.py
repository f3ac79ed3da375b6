"""A dataset that trains on another's files is handed these, its checkpoints and the numerics."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.declare import declaration
from assets.declare.dataset import dataset
from assets.declare.declaration import Key, declarations
from assets.declare.settings import settings
from ops.models.training import CheckpointFolder
from ops.outcome import Outcome, Outcomes, Shape, columns
from ops.params import Strict
from ops.parts import Artifact
from ops.talksumm.models.extractor import EXTRACTOR
from orchestration.execute import checkpoints, materialise
from orchestration.files.identity import folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.state.graph import datasets
from orchestration.state.records import Record

SHAPE = Shape(unit=EXTRACTOR.kept, kept=columns(("strict", pa.bool_())))


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(declaration, "_declared", declarations())
    monkeypatch.setattr(materialise, "STAGING", tmp_path / ".building")
    monkeypatch.setattr(checkpoints, "STATE", tmp_path)
    monkeypatch.setattr(checkpoints, "_WORKSHOP", tmp_path / ".building")
    upstream = tmp_path / "extractor"
    upstream.mkdir()
    row = dict.fromkeys(EXTRACTOR.kept.names) | {"id": "row", "source_ids": ["unit"], "licence": "MIT"}
    write_outcomes(upstream, [Outcome.of(EXTRACTOR, ["unit"], [row], files={"a/model": b"7"})], EXTRACTOR)
    record = Record({}, folder_hashes(upstream))
    monkeypatch.setattr(materialise, "folder", lambda item, month: upstream)
    monkeypatch.setattr(materialise, "remembered", lambda item, month: record)
    return tmp_path


def make(project, key):
    """Make the dataset `better` as a run does; returns its findings."""
    item, extractor = declarations()[Key("talksumm", "better")], datasets()["talksumm/extractor"]
    inputs = materialise._inputs(item, {"extractor": extractor}, {extractor.name: [""]})
    return materialise._make_dataset(item, "", project / "better", inputs, key, {})


@pytest.mark.parametrize("numerics", ["strict", "fast"])
def test_it_goes_on_from_its_own_checkpoint_and_publishes_its_files(project, monkeypatch, numerics):
    monkeypatch.setattr(materialise, "settings", lambda: settings().model_copy(update={"numerics": numerics}))
    begun = []

    @dataset(group="talksumm", shape=SHAPE, consumes="extractor", partitioned=False)
    def better(extractor: Artifact, kept: CheckpointFolder, exact: Strict) -> Outcomes:
        """A better one."""
        begun.append(kept.at("one").read())
        kept.at("one").write({"state": extractor.files("a")["model"]})
        if len(begun) == 1:
            raise RuntimeError("cut short")
        ids = extractor.rows.read(["id"])["id"].to_pylist()
        row = {"id": "new", "source_ids": ids, "licence": "MIT", "strict": exact}
        yield Outcome.of(SHAPE, ids, [row], files={"new/model": b"8"})

    with pytest.raises(RuntimeError, match="cut short"):
        make(project, {"code": "1"})
    assert not (project / "better").exists()
    findings = make(project, {"code": "1"})
    make(project, {"code": "2"})
    assert begun == [None, {"state": b"7"}, None]
    assert all(finding.passed for finding in findings.values()), findings
    assert (project / "better" / "new" / "model").read_bytes() == b"8"
    rows = pq.read_table(project / "better" / "kept-00000.parquet").to_pylist()
    assert [row["strict"] for row in rows] == [numerics == "strict"]
