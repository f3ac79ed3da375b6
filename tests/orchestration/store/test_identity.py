"""The project's hash of a folder is DVC's."""

import subprocess
import sys

import yaml

from orchestration.store.identity import file_md5, folder_hashes, version


def test_the_version_of_a_folder_is_the_hash_that_dvc_records(tmp_path):
    for name, text in {"b.txt": "b", "2018-06/kept.parquet": "k", "2018-06/ä.txt": "umlaut", "A": ""}.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for command in (["init", "--no-scm", "-q"], ["add", "-q", "data"]):
        subprocess.run([sys.executable, "-m", "dvc", *command], cwd=tmp_path, check=True)
    recorded = yaml.safe_load((tmp_path / "data.dvc").read_text())["outs"][0]["md5"]
    assert version(folder_hashes(tmp_path / "data")) == recorded


def test_a_changed_byte_is_seen_even_where_size_and_time_are_kept(tmp_path):
    import os

    path = tmp_path / "file"
    path.write_bytes(b"one")
    first, stat = file_md5(path), path.stat()
    with path.open("r+b") as file:
        file.write(b"two")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert file_md5(path, trust_stat=False) != first
