"""What a process stands on, as it was when the process began."""

from orchestration import footing


def test_a_source_that_may_not_be_read_does_not_stop_a_run(tmp_path, monkeypatch):
    def refused(folder):
        raise PermissionError(13, "Permission denied", "closed.txt")

    monkeypatch.setattr(footing, "folder_hashes", refused)
    assert "closed.txt" in footing._version(tmp_path)
