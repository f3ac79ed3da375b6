"""Readers hold no lock: a replaced input is detected, and an input that is being published is waited for."""

import shutil
import threading

import pyarrow as pa
import pytest

from assets.declare.dataset import dataset
from assets.declare.declaration import declared
from assets.declare.settings import checkout
from ops.core.counts import counts
from ops.core.outcome import Outcome, Outcomes, Shape, columns
from ops.core.parts import Artifact
from ops.talksumm.models import EXTRACTOR
from orchestration.files.identity import InputReplacedError, folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.files.publish import building, making
from orchestration.messages import transient
from orchestration.partition.inputs import ChangedBytesError, open_inputs
from orchestration.partition.materialise import Materialisation
from orchestration.state.freshness import Manifest, read_manifest, write_manifest

SHAPE = Shape(unit=EXTRACTOR.kept, kept=columns(("size", pa.int64())))
KEY = {"inputs": {}, "params": {}, "code": {}}


@pytest.fixture
def project(tmp_workspace, own_declarations, monkeypatch):
    monkeypatch.setattr("orchestration.partition.materialise.check_kernels", lambda: None)
    shutil.copy(checkout() / "params.yaml", tmp_workspace.root)
    for name in ("models.txt", "requirements.lock"):
        shutil.copy(checkout() / name, tmp_workspace.root)
    publish(tmp_workspace, b"former")
    return tmp_workspace


def publish(project, model, recorded=True):
    """Publish the input as its maker does: the record is written last."""
    declaration = project.datasets["talksumm/extractor"]
    row = dict.fromkeys(EXTRACTOR.kept.names) | {"id": "row", "source_ids": ["unit"], "licence": "MIT"}
    with building(project.staging, project.folder(declaration)) as new:
        write_outcomes(new, [Outcome.of(EXTRACTOR, ["unit"], [row], files={"a/model": model})], EXTRACTOR)
    if recorded:
        record(project)


def record(project):
    declaration = project.datasets["talksumm/extractor"]
    folder = project.folder(declaration)
    write_manifest(project, declaration, "", Manifest(KEY, folder_hashes(folder), counts(folder)))


def reader(meanwhile):
    """Declare a dataset that reads the input's model; the test acts before and after the read."""

    @dataset(group="talksumm", shape=SHAPE, consumes="extractor", partitioned=False)
    def reading(extractor: Artifact) -> Outcomes:
        """Its size."""
        meanwhile()
        model = (extractor.folder / "a/model").read_bytes()
        row = {"id": "new", "source_ids": ["row"], "licence": "MIT", "size": len(model)}
        yield Outcome.of(SHAPE, ["row"], [row])

    return declared(reading)


@pytest.mark.parametrize("fate", ["replaced", "replaced by equal bytes", "removed"])
def test_a_result_from_an_input_that_is_replaced_during_the_run_is_not_published(project, fate):
    folder = project.folder(project.datasets["talksumm/extractor"])

    def meanwhile():
        if fate == "removed":
            shutil.rmtree(folder)
        else:
            publish(project, b"former" if "equal" in fate else b"another")

    declaration = reader(meanwhile)
    target = project.folder(declaration)
    target.mkdir(parents=True)
    (target / "of before").touch()
    with pytest.raises(
        InputReplacedError, match=r"an input was replaced while it was read: .*; run again"
    ) as raised:
        Materialisation(project, declaration, "").make("run")
    assert transient(raised.value)
    assert [path.name for path in target.iterdir()] == ["of before"]
    assert read_manifest(project, declaration, "") is None


def test_an_input_that_another_process_is_publishing_is_waited_for(project):
    declaration, extractor = reader(lambda: None), project.datasets["talksumm/extractor"]
    opened = []
    with making(project, extractor, ""):
        publish(project, b"another", recorded=False)
        thread = threading.Thread(
            target=lambda: opened.append(open_inputs(project, declaration, {extractor.name: [""]}))
        )
        thread.start()
        thread.join(0.5)
        assert thread.is_alive() and not opened
        record(project)
    thread.join()
    assert opened[0]["extractor"].files("a") == {"model": b"another"}


def test_an_input_that_is_being_made_is_read_in_its_previous_version_until_it_is_published(project):
    declaration, extractor = reader(lambda: None), project.datasets["talksumm/extractor"]
    with making(project, extractor, ""):
        inputs = open_inputs(project, declaration, {extractor.name: [""]})
    assert inputs["extractor"].files("a") == {"model": b"former"}


def test_an_input_with_other_bytes_that_nobody_is_publishing_is_refused(project):
    declaration, extractor = reader(lambda: None), project.datasets["talksumm/extractor"]
    publish(project, b"another", recorded=False)
    with pytest.raises(ChangedBytesError, match="a/model was changed after it was made"):
        open_inputs(project, declaration, {extractor.name: [""]})
