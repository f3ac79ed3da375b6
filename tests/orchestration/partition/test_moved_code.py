"""What is recorded if code is edited while a partition is made or checked, and if existing bytes are checked."""

import shutil
from dataclasses import replace

import pyarrow as pa
import pytest

from silverloom.assets.declare.checks import CHECKS
from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Dataset, Key, declared, register
from silverloom.assets.declare.expectations import between
from silverloom.assets.declare.project import checkout
from silverloom.ops.core.counts import counts
from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Shape, columns
from silverloom.ops.core.parts import Artifact
from silverloom.ops.talksumm.models import EXTRACTOR
from silverloom.orchestration.checks import validate
from silverloom.orchestration.files import edits
from silverloom.orchestration.files.edits import MovedError
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.files.publish import building
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.state.freshness import (
    Manifest,
    NotReadyError,
    View,
    read_manifest,
    write_manifest,
)

SHAPE = Shape(unit=EXTRACTOR.kept, kept=columns(("size", pa.int64())))


@pytest.fixture
def project(tmp_workspace, own_declarations, monkeypatch):
    """A project with one input, whose code is a folder of empty files."""
    root = tmp_workspace.root
    monkeypatch.setattr("silverloom.orchestration.partition.materialise.check_kernels", lambda: None)
    monkeypatch.setattr(edits, "checkout", lambda: root / "code")
    shutil.copy(checkout() / "params.yaml", root)
    for place in ("ops/text/words.py", "orchestration/checks/ids.py", "pages/site.py"):
        (root / "code" / place).parent.mkdir(parents=True)
        (root / "code" / place).touch()
    extractor = tmp_workspace.datasets["talksumm/extractor"]
    row = dict.fromkeys(EXTRACTOR.kept.names) | {"id": "row", "source_ids": ["unit"], "licence": "MIT"}
    with building(tmp_workspace.staging, tmp_workspace.folder(extractor)) as new:
        write_outcomes(new, [Outcome.of(EXTRACTOR, ["unit"], [row])], EXTRACTOR)
    record(tmp_workspace, extractor, {"inputs": {}, "params": {}, "code": {}})
    return tmp_workspace


def record(project, declaration, key):
    folder = project.folder(declaration)
    manifest = Manifest(key, folder_hashes(folder), counts(folder))
    write_manifest(project, declaration, "", manifest)
    return manifest


def edit(project, place):
    (project.root / "code" / place).write_text("edited")


def rows_made(project, meanwhile=lambda: None):
    """Declare a dataset; `meanwhile` happens while it is made."""

    @dataset(group="talksumm", shape=SHAPE, consumes="extractor", partitioned=False)
    def own_rows(extractor: Artifact) -> Outcomes:
        """One row."""
        meanwhile()
        row = {"id": row_id("new", "row"), "source_ids": ["row"], "licence": "MIT", "size": 1}
        yield Outcome.of(SHAPE, ["row"], [row])

    return declared(own_rows)


def report_made(meanwhile):
    """Declare a report of one page; `meanwhile` happens while it is made."""

    def own_report(everything):
        meanwhile()
        yield "index.html", b"page"

    return register(Dataset(Key("quality", "own_report"), own_report, None, None, False, (), None, {}))


@pytest.mark.parametrize("place", ["ops/text/words.py", "orchestration/checks/ids.py"])
def test_a_dataset_is_not_recorded_if_code_is_edited_meanwhile(project, place):
    declaration = rows_made(project, lambda: edit(project, place))
    with pytest.raises(MovedError, match=rf"^{place.partition('/')[0]} changed"):
        Materialisation(project, declaration, "").make()
    assert read_manifest(project, declaration, "") is None


def test_a_dataset_is_recorded_although_pages_are_edited_meanwhile(project):
    declaration = rows_made(project, lambda: edit(project, "pages/site.py"))
    Materialisation(project, declaration, "").make()
    assert View(project).status(declaration, "").fresh


def test_a_report_is_not_recorded_if_pages_are_edited_meanwhile(project):
    declaration = report_made(lambda: edit(project, "pages/site.py"))
    with pytest.raises(MovedError, match=r"^pages changed while this ran"):
        Materialisation(project, declaration, "").make()
    assert read_manifest(project, declaration, "") is None


def test_bytes_do_not_count_as_checked_if_the_code_of_checks_is_edited_meanwhile(project, monkeypatch):
    declaration = rows_made(project)
    Materialisation(project, declaration, "").make()
    key = View(project).key(declaration, "")
    stale = record(project, declaration, {**key, "code": {**key["code"], "expectations": "former"}})
    check = validate.check

    def edited(*arguments):
        edit(project, "orchestration/checks/ids.py")
        return check(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(validate, "check", edited)
        with pytest.raises(MovedError, match=r"^orchestration changed"):
            Materialisation(project, declaration, "").check()
    assert read_manifest(project, declaration, "") == stale
    assert View(project).status(declaration, "").unchecked


@pytest.mark.parametrize("names", [["schema"], ["expectations", "warnings"]])
def test_some_checks_alone_do_not_stand_for_all_after_their_code_changed(project, names):
    declaration = rows_made(project)
    Materialisation(project, declaration, "").make()
    key = View(project).key(declaration, "")
    record(project, declaration, {**key, "code": {**key["code"], "expectations": "former"}})
    partition = Materialisation(project, declaration, "")
    partition.check(names)
    assert View(project).status(declaration, "").reasons == ("its checks changed",)
    partition.check()
    assert View(project).status(declaration, "").fresh


def test_a_failed_check_of_existing_bytes_is_in_the_manifest_until_it_passes(project):
    declaration = rows_made(project)
    Materialisation(project, declaration, "").make()
    made = read_manifest(project, declaration, "")
    assert made.passed and {*made.checks} == {*CHECKS}
    strict = replace(declaration, expectations=(*declaration.expectations, between("size", 5, 9)))
    Materialisation(project, strict, "").check(["expectations"])
    failed = read_manifest(project, strict, "")
    (result,) = (result for result in failed.checks["expectations"] if not result["passed"])
    assert result == {
        "expected": "size at least 5 and at most 9",
        "severity": "error",
        "passed": False,
        "observed": "violated in 1 rows (1)",
    }
    assert failed.files == made.files and View(project).status(strict, "").reasons == ("its checks failed",)
    with pytest.raises(NotReadyError, match="failed its checks: make it first"):
        View(project).finished(strict, "")
    Materialisation(project, declaration, "").check()
    assert read_manifest(project, declaration, "") == made
