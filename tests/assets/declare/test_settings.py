"""Which folder is the project, which params.yaml is read, and that it is read as DVC reads it."""

import subprocess
import sys

import dvc.api
import pytest

from silverloom.assets.declare.params_file import ParamsError, document, params_from, settings, validated
from silverloom.assets.declare.project import nearest_project, project
from silverloom.assets.declare.yaml import read_yaml
from silverloom.ops.core.params import Params

OURS = "partitions: {every: none}\nsources: {}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A DVC repository around the working directory."""
    (tmp_path / "mine/.dvc").mkdir(parents=True)
    (tmp_path / "mine/below").mkdir()
    monkeypatch.chdir(tmp_path / "mine/below")
    return tmp_path / "mine"


@pytest.mark.parametrize("text", [OURS, f"discofuse: [\n{OURS}", "'sources' :\n\"partitions\":\n"])
def test_a_project_is_found_by_its_sections_even_with_an_error_in_it(folder, text):
    (folder / "params.yaml").write_text(text)
    assert nearest_project() == folder


@pytest.mark.parametrize(
    "text", ["train: {lr: 0.1}", "train:\n  partitions: 3\n  sources: a", "sources: a\n"]
)
def test_another_repository_of_dvc_is_no_project(folder, text):
    (folder / "params.yaml").write_text(text)
    assert nearest_project() is None
    (folder.parent / ".dvc").mkdir()
    (folder.parent / "params.yaml").write_text(OURS)
    assert nearest_project() == folder.parent


def test_a_project_that_was_used_is_found_without_its_sections(folder):
    (folder / "params.yaml").write_text("partition: {every: none}")
    (folder / ".silverloom").mkdir()
    assert nearest_project() == folder


def test_a_project_that_was_used_is_found_although_its_params_cannot_be_read(folder):
    (folder / "params.yaml").mkdir()
    assert nearest_project() is None
    (folder / ".silverloom").mkdir()
    assert nearest_project() == folder
    with (
        params_from(folder),
        pytest.raises(ParamsError, match=r"cannot be read: .*Is a directory: .*params\.yaml"),
    ):
        settings()


def test_params_can_be_those_of_another_folder(tmp_path):
    (tmp_path / "params.yaml").write_text(OURS)
    before = document()
    with params_from(tmp_path):
        assert document().keys() == {"partitions", "sources"} and settings().partitions.every == "none"
        assert document(project()) is before, "params of a named project stay its own"
    assert document() is before


ODD = """a:
  octal: 010
  words: [yes, no, on]
  small: 1e-06
  hex: 0x1F
  time: 12:30
  month: 2018-06
  none: ~
  big: 1_000
"""


def test_params_are_what_dvc_reads(tmp_path, warm):
    (tmp_path / "params.yaml").write_text(ODD)
    subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "--quiet"], cwd=tmp_path, check=True)
    assert document(tmp_path) == dvc.api.params_show("params.yaml", repo=str(tmp_path))
    assert document(tmp_path)["a"]["octal"] == 10


def test_a_key_that_occurs_twice_is_an_error_with_its_line(tmp_path):
    (tmp_path / "params.yaml").write_text("partitions: {every: none}\nstore: {}\nstore: {}\n")
    with pytest.raises(ParamsError, match='line 3: found duplicate key "store"'):
        document(tmp_path)


def test_yes_is_text_and_no_truth(tmp_path):
    class Switch(Params, section="switch"):
        on: bool = True

    with pytest.raises(ParamsError, match="on is 'yes', which is text: write true or false"):
        validated(Switch, read_yaml("{'on': yes}"), "switch")
