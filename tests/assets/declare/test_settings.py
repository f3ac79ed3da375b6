"""Which folder is the project, and which params.yaml is read."""

import pytest

from assets.declare.settings import ParamsError, document, nearest_project, params_from, project, settings

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
