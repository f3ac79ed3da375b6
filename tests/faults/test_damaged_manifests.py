"""Manifests and cached measures are trusted only if they are unchanged."""

import dataclasses
import json

import pytest

from silverloom.orchestration.files.identity import folder_hashes, version
from silverloom.orchestration.files.local_state import dump_checked
from silverloom.orchestration.state import dvc_files
from silverloom.orchestration.state.freshness import Manifest, manifest_file, read_manifest, write_manifest
from tests.faults.damage import DAMAGES, damage
from tests.orchestration.dvc.measuring import measured

COUNTS = {"kept": 2, "dropped": 1, "rejected": 0, "reasons": {"short": 1}}
KEY = {"inputs": {"a/b": {"": "1.dir"}}, "params": {"numerics": "strict"}, "code": {"code": "1"}}
FOUND = {"expected": "id once", "severity": "error", "passed": True, "observed": "2 rows"}
MANIFEST = Manifest(KEY, {"kept-00000.parquet": "0" * 32}, COUNTS, {"expectations": [FOUND]})
STORED = {**dataclasses.asdict(MANIFEST), "version": MANIFEST.version}


@pytest.fixture
def pairs(tmp_workspace):
    """A workspace and one of its datasets, which has a record."""
    dataset = tmp_workspace.datasets["talksumm/pairs"]
    tmp_workspace.state.mkdir()
    write_manifest(tmp_workspace, dataset, "2018-06", MANIFEST)
    return tmp_workspace, dataset


@pytest.fixture
def project(tmp_workspace):
    return measured(tmp_workspace)


def test_a_manifest_is_read_as_it_was_written(pairs):
    assert read_manifest(*pairs, "2018-06") == MANIFEST
    assert read_manifest(*pairs, "2018-07") is None


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_manifest_counts_as_missing(pairs, tally, capsys, how):
    """A manifest is damaged."""
    path = manifest_file(*pairs, "2018-06")
    damage(path, how)
    tally.attempt()
    assert read_manifest(*pairs, "2018-06") is None
    (line,) = capsys.readouterr().err.splitlines()
    assert path.name in line and "`dvc checkout --force manifests/talksumm/pairs` restores it" in line
    assert read_manifest(*pairs, "2018-06") is None and not capsys.readouterr().err
    write_manifest(*pairs, "2018-06", MANIFEST)
    assert read_manifest(*pairs, "2018-06") == MANIFEST
    tally.survive()


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["counts"].update(kept=999),
        lambda record: record["key"].pop("inputs"),
        lambda record: record.update(key=[]),
        lambda record: record.update(checksum=None),
        lambda record: record["files"].clear(),
        lambda record: record.update(more=1),
    ],
    ids=["counts", "key", "type", "checksum", "files", "more"],
)
def test_an_edited_manifest_is_not_trusted(pairs, tally, capsys, change):
    """One value of a manifest is edited."""
    path = manifest_file(*pairs, "2018-06")
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    tally.attempt()
    assert read_manifest(*pairs, "2018-06") is None
    assert "its checksum does not match its content" in capsys.readouterr().err
    tally.survive()


def test_a_manifest_with_a_correct_checksum_and_another_shape_is_not_trusted(pairs, tally, capsys):
    """A manifest of another shape has a correct checksum."""
    for content in (
        {**STORED, "counts": {"kept": 1}},
        {**STORED, "key": {"inputs": {}, "params": {}}},
        {**STORED, "key": []},
        {"key": KEY},
    ):
        manifest_file(*pairs, "2018-06").write_bytes(dump_checked(content))
        tally.attempt()
        assert read_manifest(*pairs, "2018-06") is None
        tally.survive()
    assert capsys.readouterr().err.count("it has the wrong structure") == 1, "it is said once"


@pytest.mark.parametrize("how", DAMAGES)
def test_damage_to_the_cache_of_measures_leaves_the_distributions_unchanged(project, tally, capsys, how):
    """The cache of measures is damaged."""
    project.put("2018-06", [3, 12])
    project.write()
    right = project.table("distributions")
    damage(next(project.workspace.state.rglob("2018-06.json")), how)
    tally.attempt()
    project.write()
    assert project.table("distributions") == right
    assert not capsys.readouterr().err
    tally.survive()


def test_edited_measures_are_not_trusted(project, tally):
    """The cache of measures is edited."""
    project.put("2018-06", [3, 12])
    project.write()
    right = project.table("distributions")
    path = next(project.workspace.state.rglob("2018-06.json"))
    checksum, _, content = path.read_text().partition("\n")
    edited = json.loads(content)
    edited["profile"]["last_word"] = [n + 1 for n in edited["profile"]["last_word"]]
    path.write_text(f"{checksum}\n{json.dumps(edited)}")
    tally.attempt()
    project.write()
    assert project.table("distributions") == right
    tally.survive()


@pytest.fixture
def committed(tmp_workspace):
    """The hashes of a dataset's folder, from dvc.lock and DVC's cache."""
    place = tmp_workspace.data / "talksumm/pairs"
    (place / "2018-06").mkdir(parents=True)
    (place / "2018-06/kept-00000.parquet").write_bytes(b"rows")
    hashes = folder_hashes(place)
    for md5, content in (
        (version(hashes), json.dumps([{"md5": m, "relpath": n} for n, m in hashes.items()]).encode()),
        (next(iter(hashes.values())), b"rows"),
    ):
        path = dvc_files.cached(tmp_workspace, md5)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return hashes


def test_a_list_in_dvcs_cache_is_read(committed, tmp_workspace):
    hashes = committed
    assert dvc_files.cached_files(tmp_workspace, version(hashes)) == hashes
    assert dvc_files.cached_files(tmp_workspace, "0" * 32 + ".dir") is None


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_list_in_dvcs_cache_counts_as_absent(committed, tmp_workspace, tally, capsys, how):
    """A list of files in DVC's cache is damaged."""
    hashes = committed
    damage(dvc_files.cached(tmp_workspace, version(hashes)), how)
    tally.attempt()
    assert dvc_files.cached_files(tmp_workspace, version(hashes)) is None
    assert "`dvc pull` or the next commit restores it" in capsys.readouterr().err
    tally.survive()


@pytest.mark.parametrize("md5", ["../../../etc/passwd.dir", "", "abc", "0" * 32, None])
def test_an_invalid_hash_of_a_folder_leads_nowhere(committed, tmp_workspace, md5):
    assert dvc_files.cached_files(tmp_workspace, md5) is None


def test_an_unreadable_dvc_configuration_is_named(tmp_workspace, tmp_path):
    (tmp_path / ".dvc").mkdir(exist_ok=True)
    for name in ("config", "config.local"):
        (tmp_path / ".dvc" / name).write_text("[cache\ndir = x")
        with pytest.raises(
            ValueError,
            match=r"^DVC's configuration cannot be read: .*\[cache.*; correct \.dvc/config, [^\n]*$",
        ):
            dvc_files.cached(tmp_workspace, "0" * 32)
        (tmp_path / ".dvc" / name).unlink()
