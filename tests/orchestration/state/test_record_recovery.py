"""What is not there is not looked for: a clone without DVC's cache may have hundreds of months."""

from orchestration.catalogue import workspace
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
