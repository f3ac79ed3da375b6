"""The folder of every dataset reads as its kept rows, whatever lies beside them."""

import pytest

from tests.readers import READERS, misread


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.mark.parametrize("reader", READERS)
def test_the_folder_of_every_dataset_reads_as_its_kept_rows(done_project, reader):
    data = done_project.root / "data"
    assert (data / "talksumm/release_files/__files/data").is_dir()
    assert (data / "talksumm/evaluation/__files/table.json").is_file()
    assert not list(misread(data, reader))


@pytest.mark.long
def test_so_do_those_of_all_systems(sample_project, tmp_path):
    project = sample_project.copy(tmp_path / "sample")
    project.run()
    assert not [line for reader in READERS for line in misread(project.root / "data", reader)]
