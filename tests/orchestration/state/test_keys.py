"""The versions of inputs in a partition's key, and how often files are read for it."""

import pytest

from silverloom.ops.parse import scan
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.state import sources
from silverloom.orchestration.state.freshness import (
    EVERY_PARTITION,
    Manifest,
    NotReadyError,
    View,
    differences,
    manifest_file,
    read_manifest,
    write_manifest,
)
from tests.projects import ROOT

CODE = {"code": "", "packages": {}, "models": {}}


def make(workspace, name, month, text):
    """Publish a partition of a dataset with a manifest."""
    dataset = workspace.datasets[name]
    folder = workspace.folder(dataset, month)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kept-00000.parquet").write_text(text)
    key = {"inputs": {}, "params": {}, "code": CODE}
    counts = {"kept": 1, "dropped": 0, "rejected": 0, "reasons": {}}
    write_manifest(workspace, dataset, month, Manifest(key, folder_hashes(folder), counts))


@pytest.fixture
def made(tmp_workspace):
    for dataset in ("sources/filtered_papers", "sources/talks"):
        for month in tmp_workspace.datasets[dataset].made_partitions:
            make(tmp_workspace, dataset, month, f"{dataset} {month}")
    (tmp_workspace.root / "params.yaml").write_text((ROOT / "params.yaml").read_text())
    return tmp_workspace


def test_a_key_has_one_version_of_all_months_of_an_input_and_one_of_its_own_month(made):
    matches = made.datasets["talksumm/matches"]
    month, *others = matches.made_partitions
    before = View(made).key(matches, month)["inputs"]
    assert before.keys() == {"sources/talks", "sources/filtered_papers"}
    assert list(before["sources/talks"]) == [month] and list(before["sources/filtered_papers"]) == [
        EVERY_PARTITION
    ]
    make(made, "sources/filtered_papers", others[-1], "others")
    after = View(made).key(matches, month)["inputs"]
    assert after["sources/talks"] == before["sources/talks"]
    assert after["sources/filtered_papers"] != before["sources/filtered_papers"]
    keys = ({"inputs": inputs, "params": {}, "code": CODE} for inputs in (before, after))
    assert differences(*keys) == [f"input sources/filtered_papers.{EVERY_PARTITION} changed"]


def test_a_missing_month_blocks_datasets_that_read_all_months(made):
    matches = made.datasets["talksumm/matches"]
    month, *others = matches.made_partitions
    view = View(made)
    view.key(matches, month)
    manifest_file(made, made.datasets["sources/filtered_papers"], others[-1]).unlink()
    view.renew(made.datasets["sources/filtered_papers"], others[-1])
    with pytest.raises(NotReadyError, match=f"sources/filtered_papers {others[-1]} is missing"):
        view.key(matches, month)


def test_a_rewritten_manifest_is_read_again(made):
    papers = made.datasets["sources/filtered_papers"]
    month = papers.made_partitions[0]
    first = read_manifest(made, papers, month)
    make(made, "sources/filtered_papers", month, "another")
    assert read_manifest(made, papers, month).version != first.version


def test_sources_are_scanned_once_until_one_of_their_files_changes(tmp_workspace, monkeypatch):
    root, scans = tmp_workspace.root, []
    params = (ROOT / "params.yaml").read_text()
    (root / "params.yaml").write_text(params)
    for source in tmp_workspace.settings.folders("papers").values():
        (root / source.path).mkdir(parents=True)
    folder = root / tmp_workspace.settings.folders("papers")["text"].path
    paper = folder / "one.txt"
    paper.write_text("# One\ndate: 2018-06-01\n\n## 1 Introduction\nA sentence.\n")
    write = scan.write_scan
    monkeypatch.setattr(scan, "write_scan", lambda *of: scans.append(1) or write(*of))
    later = sources.time.time_ns() + 10**10
    monkeypatch.setattr(sources.time, "time_ns", lambda: later)  # the files changed a while ago

    def versions():
        found = sources.corpus.__wrapped__(tmp_workspace, "papers")
        assert found.ids("2018-06") == [f"text/{path.name}" for path in sorted(folder.iterdir())]
        return found.version("2018-06")

    first = versions()
    assert versions() == first and len(scans) == 1
    (folder / "two.txt").write_text("# Two\ndate: 2018-06-01\n\n## 1 Introduction\nA sentence.\n")
    assert versions() != first and len(scans) == 2


def test_params_are_shown_as_params_yaml_has_them():
    code = {"code": "1", "packages": {}, "models": {}}
    old, new = ({"inputs": {}, "params": {"a": value}, "code": code} for value in (None, ["it's", True]))
    assert differences(old, new) == ['param a: null -> ["it\'s", true]']
    assert differences(new, {**new, "params": {"a": "text"}}) == ['param a: ["it\'s", true] -> text']
    assert differences({**new, "params": {}}, new) == ['param a: absent -> ["it\'s", true]']
