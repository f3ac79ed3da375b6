"""Reading the folder of any dataset gives its kept rows, whatever other files are there."""

import ast
import re

import duckdb
import polars
import pyarrow.parquet as pq
import pytest

from tests.projects import ROOT
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


def test_the_documented_calls_find_the_kept_rows_and_those_warned_against_do_not(done_project):
    folder = done_project.root / "data/talksumm/alignments/2018-06"
    kept = sum(pq.read_metadata(path).num_rows for path in folder.glob("kept-*.parquet"))
    dropped = sum(pq.read_metadata(path).num_rows for path in folder.glob("__dropped/*.parquet"))
    assert kept and dropped
    (shown,) = re.findall(
        r"```python\n(import duckdb.*?)```", (ROOT / "docs/how-to/look.md").read_text(), re.DOTALL
    )
    names: dict = {}
    for statement in ast.parse(shown).body:
        if isinstance(statement, ast.Expr):
            assert eval(ast.unparse(statement), names).shape[0] == kept
        else:
            exec(ast.unparse(statement), names)
            names["folder"] = str(folder)
    assert duckdb.sql(f"from read_parquet('{folder}')").shape[0] == kept + dropped
    with pytest.raises(polars.exceptions.PolarsError):
        polars.read_parquet(folder)


@pytest.mark.long
def test_the_folders_of_all_systems_read_as_their_kept_rows(made_sample_project):
    data = made_sample_project.root / "data"
    assert not [line for reader in READERS for line in misread(data, reader)]
