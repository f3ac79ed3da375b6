"""A record told from dvc.lock names the inputs that a run would; what is not there is not looked for."""

from orchestration.catalogue import workspace
from orchestration.files.identity import folder_hashes, version
from orchestration.state import record_recovery

LOCK = """schema: '2.0'
stages:
  sources-papers:
    cmd: silverloom stage sources/papers
    outs:
    - {path: data/sources/papers, md5: 0123456789abcdef0123456789abcdef.dir, size: 9, nfiles: 3}
"""


def test_of_a_month_without_a_folder_no_file_of_the_dataset_is_read(tmp_workspace, monkeypatch):
    tmp_workspace.lock.write_text(LOCK)
    item = workspace().datasets["sources/papers"]
    read = []
    monkeypatch.setattr(record_recovery, "folder_hashes", lambda folder: read.append(folder) or {})
    assert record_recovery.recover_record(tmp_workspace, item, "2018-07") is None and not read
    tmp_workspace.folder(item, "2018-07").mkdir(parents=True)
    assert record_recovery.recover_record(tmp_workspace, item, "2018-07") is None
    assert read == [tmp_workspace.folder(item)]


def test_the_inputs_that_the_lock_tells_are_those_that_a_partition_reads(tmp_workspace):
    graph, names = tmp_workspace.graph, list(tmp_workspace.datasets)
    deps = []
    for item in tmp_workspace.datasets.values():
        for month in item.made_months:
            folder = tmp_workspace.folder(item, month)
            folder.mkdir(parents=True)
            (folder / "kept.parquet").write_text(f"{item.name} {month}")
        md5 = version(folder_hashes(tmp_workspace.folder(item)))
        deps.append({"path": f"data/{item.name}", "md5": md5})
    looked = set()
    for item in tmp_workspace.datasets.values():
        for month in () if item.records else item.made_months[:1]:
            found = record_recovery.inputs_at(tmp_workspace, item, month, {"deps": deps})
            assert {name: list(parts) for name, parts in found.items()} == graph.input_months(item, month)
            looked |= {(item.partitioned, graph.datasets[name].partitioned) for name in found}
    assert len(looked) == 4, f"every pair is among {names}"
