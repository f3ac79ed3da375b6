"""Readers hold no lock: a replaced input is detected, and an input that is being published is waited for."""

import shutil
import threading

import pyarrow as pa
import pytest

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Dataset, declared
from silverloom.assets.declare.project import checkout
from silverloom.ops.core.counts import counts
from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Shape, columns
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.talksumm.models import EXTRACTOR
from silverloom.orchestration.files import identity
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.files.publish import building, making
from silverloom.orchestration.files.transient import InputReplacedError, transient
from silverloom.orchestration.partition import resume
from silverloom.orchestration.partition.inputs import ChangedBytesError, open_inputs
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.state.freshness import Manifest, read_manifest, write_manifest

SHAPE = Shape(unit=EXTRACTOR.kept, kept=columns(("size", pa.int64())))
KEY = {"inputs": {}, "params": {}, "code": {}}


def count_parts(project):
    return len([*(project.state / "parts").rglob("*.zip")])


@pytest.fixture
def project(tmp_workspace, own_declarations, monkeypatch):
    monkeypatch.setattr("silverloom.orchestration.partition.materialise.check_kernels", lambda: None)
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
    record_as_made(project, project.datasets["talksumm/extractor"])


def record_as_made(project, declaration, partition=""):
    folder = project.folder(declaration, partition)
    write_manifest(project, declaration, partition, Manifest(KEY, folder_hashes(folder), counts(folder)))


def reader(meanwhile):
    """Declare a dataset that reads the input's model; the test acts before and after the read."""

    @dataset(group="talksumm", shape=SHAPE, consumes="extractor", partitioned=False)
    def reading(extractor: Artifact) -> Outcomes:
        """Its size."""
        meanwhile()
        model = (extractor.folder / "a/model").read_bytes()
        row = {"id": row_id("reading", "new"), "source_ids": ["row"], "licence": "MIT", "size": len(model)}
        yield Outcome.of(SHAPE, ["row"], [row])

    return declared(reading)


@pytest.mark.parametrize("fate", ["replaced", "removed"])
def test_a_result_from_an_input_that_is_replaced_during_the_run_is_not_published(project, fate):
    folder = project.folder(project.datasets["talksumm/extractor"])

    def meanwhile():
        if fate == "removed":
            shutil.rmtree(folder)
        else:
            publish(project, b"another")

    declaration = reader(meanwhile)
    target = project.folder(declaration)
    target.mkdir(parents=True)
    (target / "of before").touch()
    with pytest.raises(InputReplacedError, match=r"^talksumm/extractor was replaced .*: run again") as raised:
        Materialisation(project, declaration, "").make()
    assert transient(raised.value)
    assert [path.name for path in target.iterdir()] == ["of before"]
    assert read_manifest(project, declaration, "") is None


def test_a_result_from_an_input_that_is_replaced_by_equal_bytes_is_published(project):
    declaration = reader(lambda: publish(project, b"former"))
    Materialisation(project, declaration, "").make()
    assert read_manifest(project, declaration, "") is not None


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


def rows_counted(table):
    row = {"id": "new", "source_ids": ["row"], "licence": "MIT", "size": table.num_rows}
    return Outcome.of(SHAPE, ["row"], [row])


def reader_of_months(project, monkeypatch, months, meanwhile):
    """Declare a dataset that maps over months of sentences; the test acts after the last part."""
    made = [f"{year}-01" for year in range(2000, 2000 + months)]
    for month in made:
        publish_month(project, month)
    partitions = property(lambda dataset: made if dataset.partitioned else [""])
    monkeypatch.setattr(Dataset, "made_partitions", partitions)

    @dataset(group="talksumm", shape=SHAPE, consumes="sentences", partitioned=False)
    def reading(sentences: Parts) -> Outcomes:
        """Their number."""
        yield from sentences.map(rows_counted)
        meanwhile()

    return declared(reading)


def publish_month(project, month, name=None):
    sentences = project.datasets["sources/sentences"]
    row = dict.fromkeys(sentences.shape.kept.names) | {
        "id": name or month,
        "source_ids": ["unit"],
        "licence": "MIT",
    }
    with building(project.staging, project.folder(sentences, month)) as new:
        write_outcomes(new, [Outcome.of(sentences.shape, ["unit"], [row])], sentences.shape)
    record_as_made(project, sentences, month)


def test_files_are_looked_at_a_number_of_times_that_is_linear_in_parts(
    project, own_declarations, monkeypatch
):
    seen = []
    stamp = identity.file_stamp
    monkeypatch.setattr(identity, "file_stamp", lambda path: seen.append(path) or stamp(path))

    def looked(months):
        def cut_short():
            raise RuntimeError("cut short")

        declaration = reader_of_months(project, monkeypatch, months, cut_short)
        seen.clear()
        with pytest.raises(RuntimeError, match="cut short"):
            Materialisation(project, declaration, "").make()
        assert count_parts(project) == months
        return sum(path.is_relative_to(project.data) for path in seen)

    four, eight, sixteen = map(looked, (4, 8, 16))
    assert sixteen - eight == 2 * (eight - four)


def test_parts_are_discarded_if_an_input_file_was_edited_in_place(project, own_declarations, monkeypatch):
    def edit():
        file = next(project.data.glob("sources/sentences/*/kept-00000.parquet"))
        file.write_bytes(file.read_bytes() + b" ")

    declaration = reader_of_months(project, monkeypatch, 2, edit)
    with pytest.raises(InputReplacedError, match="sources/sentences"):
        Materialisation(project, declaration, "").make()
    assert count_parts(project) == 0


@pytest.mark.parametrize("edited", [True, False])
def test_parts_outlive_an_interruption_unless_an_input_file_was_edited(
    project, own_declarations, monkeypatch, edited
):
    def interrupt():
        file = next(project.data.glob("sources/sentences/*/kept-00000.parquet"))
        if edited:
            file.write_bytes(file.read_bytes() + b" ")
        raise KeyboardInterrupt

    declaration = reader_of_months(project, monkeypatch, 2, interrupt)
    with pytest.raises(KeyboardInterrupt):
        Materialisation(project, declaration, "").make()
    assert count_parts(project) == (0 if edited else 2)


def test_no_part_stays_if_a_month_is_replaced_during_a_map(project, own_declarations, monkeypatch):
    declaration = reader_of_months(project, monkeypatch, 3, lambda: None)
    months = project.datasets["sources/sentences"].made_partitions
    write = resume.write_bundle

    def replaced(*arguments, **options):
        publish_month(project, months[0], "another")
        return write(*arguments, **options)

    monkeypatch.setattr(resume, "write_bundle", replaced)
    with pytest.raises(InputReplacedError):
        Materialisation(project, declaration, "").make()
    assert count_parts(project) == 0
