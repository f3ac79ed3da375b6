"""The project's hash of a folder is DVC's."""

import os
import shutil
import subprocess
import sys

import pytest
import yaml

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.files.identity import file_md5, folder_hashes, version


def test_the_version_of_a_folder_is_the_hash_that_dvc_records(tmp_path, warm):
    for name, text in {"b.txt": "b", "2018-06/kept.parquet": "k", "2018-06/ä.txt": "umlaut", "A": ""}.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for command in (["init", "--no-scm", "-q"], ["add", "-q", "data"]):
        subprocess.run([sys.executable, "-m", "dvc", *command], cwd=tmp_path, check=True)
    recorded = yaml.safe_load((tmp_path / "data.dvc").read_text())["outs"][0]["md5"]
    assert version(folder_hashes(tmp_path / "data")) == recorded


def test_a_changed_byte_is_detected_in_the_same_process(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"one")
    first = file_md5(path)
    path.write_bytes(b"two")
    assert file_md5(path) != first


def test_files_that_dvc_ignores_are_not_part_of_a_folder(tmp_path):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/x.pyc").write_bytes(b"x")
    (tmp_path / "x.py").write_bytes(b"x")
    assert list(folder_hashes(tmp_path)) == ["x.py"]


HASH = """
import sys
from pathlib import Path
from silverloom.orchestration.files import identity
from silverloom.orchestration.workspace.workspace import Workspace
root = Path(sys.argv[1])
identity.keep_hashes(Workspace(root))
print(identity.file_md5(root / "file"), identity.file_md5(root / "file", former=False))
"""


def hashed(root):
    """The hash that a new process gives a file: from the cache, and by reading the file."""
    program = [sys.executable, "-c", HASH, root]
    return subprocess.run(program, check=True, capture_output=True, text=True, cwd=checkout()).stdout.split()


def test_a_hash_is_cached_for_the_next_process_until_the_stamp_of_the_file_changes(tmp_path):
    path, kept = tmp_path / "file", tmp_path / ".silverloom/cache/hashes.json"
    kept.parent.mkdir(parents=True)
    path.write_bytes(b"one")
    os.utime(path, ns=(10**18, 10**18))
    one = file_md5(path)
    assert hashed(tmp_path) == [one, one] and kept.is_file()
    with path.open("r+b") as file:
        file.write(b"two")
    os.utime(path, ns=(10**18, 10**18))  # what a disk that loses bits would leave
    two = file_md5(shutil.copy(path, tmp_path / "copy"))
    assert hashed(tmp_path) == [one, two], "a computation with its bytes reads the file"
    os.utime(path, ns=(10**18, 10**18 + 1))
    assert hashed(tmp_path) == [two, two]


@pytest.mark.parametrize("damage", [b"", b"no hash\n{}", b"\xff" * 99])
def test_a_corrupt_hash_cache_only_costs_reading_the_files_again(tmp_path, damage):
    path, kept = tmp_path / "file", tmp_path / ".silverloom/cache/hashes.json"
    kept.parent.mkdir(parents=True)
    path.write_bytes(b"one")
    os.utime(path, ns=(10**18, 10**18))
    kept.write_bytes(damage)
    assert hashed(tmp_path) == [file_md5(path)] * 2
    content = kept.read_bytes()
    assert content != damage
    kept.write_bytes(content.replace(file_md5(path).encode(), b"0" * 32))
    assert hashed(tmp_path) == [file_md5(path)] * 2
