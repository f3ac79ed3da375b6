"""A dataset that trains on another's files gets these files, its checkpoints and the numerics."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import DECLARED, Key
from silverloom.assets.declare.project import checkout
from silverloom.ops.core.counts import counts
from silverloom.ops.core.outcome import Outcome, Outcomes, Shape, columns
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import FILES, Artifact
from silverloom.ops.models.training import CheckpointFolder
from silverloom.ops.talksumm.models import EXTRACTOR
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.files.publish import building
from silverloom.orchestration.partition import materialise
from silverloom.orchestration.partition.inputs import open_inputs
from silverloom.orchestration.state.freshness import Manifest, write_manifest

SHAPE = Shape(unit=EXTRACTOR.kept, kept=columns(("strict", pa.bool_())))


@pytest.fixture
def project(tmp_workspace, own_declarations):
    declaration = tmp_workspace.datasets["talksumm/extractor"]
    upstream = tmp_workspace.folder(declaration)
    upstream.mkdir(parents=True)
    row = dict.fromkeys(EXTRACTOR.kept.names) | {"id": "row", "source_ids": ["unit"], "licence": "MIT"}
    write_outcomes(upstream, [Outcome.of(EXTRACTOR, ["unit"], [row], files={"a/model": b"7"})], EXTRACTOR)
    key = {"inputs": {}, "params": {}, "code": {}}
    write_manifest(tmp_workspace, declaration, "", Manifest(key, folder_hashes(upstream), counts(upstream)))
    return tmp_workspace


def make(project, key):
    """Make the dataset `better` as a run does; return its findings."""
    declaration, extractor = (
        DECLARED[Key("talksumm", "better")],
        project.datasets["talksumm/extractor"],
    )
    inputs = open_inputs(project, declaration, {extractor.name: [""]})
    partition = materialise.Materialisation(project, declaration, "")
    with building(project.staging, project.data / "better") as new:
        findings, _ = partition.make_rows(new, inputs, key)
        return findings


@pytest.mark.parametrize("numerics", ["strict", "fast"])
def test_a_training_resumes_from_its_own_checkpoint_and_publishes_its_files(project, numerics):
    params = (checkout() / "params.yaml").read_text()
    (project.root / "params.yaml").write_text(params.replace("numerics: strict", f"numerics: {numerics}"))
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
    assert not (project.data / "better").exists()
    findings = make(project, {"code": "1"})
    make(project, {"code": "2"})
    assert begun == [None, {"state": b"7"}, None]
    assert all(finding.passed for finding in findings.values()), findings
    assert (project.data / "better" / FILES / "new" / "model").read_bytes() == b"8"
    rows = pq.read_table(project.data / "better" / "kept-00000.parquet").to_pylist()
    assert [row["strict"] for row in rows] == [numerics == "strict"]
