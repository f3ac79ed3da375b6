"""The project's hash of a folder is DVC's."""

import subprocess
import sys

import yaml

from orchestration.files.identity import file_md5, folder_hashes, version


def test_the_version_of_a_folder_is_the_hash_that_dvc_records(tmp_path):
    for name, text in {"b.txt": "b", "2018-06/kept.parquet": "k", "2018-06/ä.txt": "umlaut", "A": ""}.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for command in (["init", "--no-scm", "-q"], ["add", "-q", "data"]):
        subprocess.run([sys.executable, "-m", "dvc", *command], cwd=tmp_path, check=True)
    recorded = yaml.safe_load((tmp_path / "data.dvc").read_text())["outs"][0]["md5"]
    assert version(folder_hashes(tmp_path / "data")) == recorded


def test_a_changed_byte_is_seen_in_the_same_process(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"one")
    first = file_md5(path)
    path.write_bytes(b"two")
    assert file_md5(path) != first


def test_what_dvc_ignores_is_no_part_of_a_folder(tmp_path):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/x.pyc").write_bytes(b"x")
    (tmp_path / "x.py").write_bytes(b"x")
    assert list(folder_hashes(tmp_path)) == ["x.py"]
