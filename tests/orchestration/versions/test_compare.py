"""The inputs of two versions are compared by their manifests, for every month."""

import json

import pytest

from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.local_state import dump_checked
from silverloom.orchestration.state.freshness import Manifest
from silverloom.orchestration.versions.compare import made_differently
from silverloom.orchestration.versions.revisions import WORKING_TREE, Version

MONTHS = ("2018-06", "2018-07", "2018-08")
FILES = {f"{month}/kept-00000.parquet": month for month in MONTHS}


def key(inputs="i1", threshold=0.8, code="c1"):
    return {
        "inputs": {"sources/papers": {"2018-06": inputs}},
        "params": {"talksumm.pairs": {"threshold": threshold}},
        "code": {"code": code, "packages": {}, "models": {}},
    }


def write(path, made_from, files):
    """Write a manifest."""
    manifest = Manifest(made_from, files)
    counts = {"kept": 0, "dropped": 0, "rejected": 0, "reasons": {}}
    stored = {"key": made_from, "files": files, "version": manifest.version, "counts": counts}
    path.write_bytes(dump_checked(stored))


@pytest.fixture
def made(tmp_path):
    """Versions whose manifests have these keys, by month; other months have no manifest."""
    number = iter(range(99))

    def made(commit=None, files=FILES, **keys):
        folder = tmp_path / str(next(number))
        folder.mkdir()
        for name, value in keys.items():
            write(folder / f"2018-{name[1:]}.json", value, {"kept-00000.parquet": f"2018-{name[1:]}"})
        manifests = {path.name: path for path in folder.iterdir()}
        label = "HEAD" if commit else WORKING_TREE
        return Version(workspace(), "talksumm/pairs", label, commit, "v", files, manifests)

    return made


@pytest.fixture
def locked(made):
    return made(commit="0" * 40, m06=key(), m07=key(), m08=key())


def test_the_inputs_are_those_that_the_data_on_disk_were_made_from(made, locked):
    assert made_differently(locked, made(m06=key(), m07=key(), m08=key())) == []
    other = made(m06=key("i0"), m07=key(), m08=key("i2"))
    assert made_differently(locked, other) == ["input sources/papers changed (2018-06, 2018-08)"]


def test_every_month_is_compared_with_itself_in_either_direction(made, locked):
    other = made(m06=key(), m07=key(threshold=0.9), m08=key(code="c2"))
    assert made_differently(locked, other) == [
        "param talksumm.pairs.threshold: 0.8 -> 0.9 (2018-07)",
        "code changed (2018-08)",
    ]
    assert made_differently(other, locked) == [
        "param talksumm.pairs.threshold: 0.9 -> 0.8 (2018-07)",
        "code changed (2018-08)",
    ]


@pytest.mark.parametrize("folder", ["", "all/"])
def test_a_dataset_of_one_partition_is_compared_by_its_manifest(tmp_path, folder):
    def version(threshold, commit=None):
        path = tmp_path / str(threshold) / "all.json"
        path.parent.mkdir()
        write(path, key(threshold=threshold), {"kept-00000.parquet": "whole"})
        files = {f"{folder}kept-00000.parquet": "whole"}
        return Version(workspace(), "talksumm/pairs", "HEAD", commit, "v", files, {path.name: path})

    found = made_differently(version(0.8, "0" * 40), version(0.9))
    assert [line.removesuffix(" (all)") for line in found] == ["param talksumm.pairs.threshold: 0.8 -> 0.9"]


def test_inputs_without_a_manifest_are_not_called_equal(made, locked):
    line = "what the working tree was made from is unknown"
    assert made_differently(locked, made(m06=key(), m07=key())) == [f"{line} (2018-08)"]
    others = {**FILES, "2018-08/kept-00000.parquet": "x"}
    assert made_differently(locked, made(files=others, m06=key(), m07=key(), m08=key())) == [
        f"{line} (2018-08)"
    ]
    damaged = made(m06=key(), m07=key(), m08=key())
    damaged.manifests["2018-08.json"].write_text(json.dumps({"key": key()}))
    assert made_differently(locked, damaged) == [f"{line} (2018-08)"]
    assert made_differently(locked, made()) == [f"{line}: there are no manifests for it"]
