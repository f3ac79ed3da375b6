"""`import silverloom`: cheap, from anywhere, with what the documents promise; and the rows of a project by `load`."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import nbformat
import pyarrow as pa
import pytest
from nbclient import NotebookClient

import silverloom
from silverloom.orchestration.workspace.environment import STRICT
from tests.projects import ROOT

MODULES = ("discofuse", "metrics", "parasci", "talksumm", "wikisum")
PAGE = ROOT / "docs/reference/python-api.md"
FENCED = re.compile(r"```python\n(.*?)```", re.DOTALL)
CHEAP = """
import os, sys
before = dict(os.environ)
import silverloom
heavy = {"dagster", "dvc", "mlflow", "numpy", "pyarrow", "pydantic", "silverloom.assets", "spacy", "torch"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
silverloom.load
silverloom.metrics, silverloom.parasci, silverloom.wikisum, silverloom.talksumm, silverloom.discofuse
declaring = {name for name in sys.modules if name.startswith(("silverloom.assets.systems", "silverloom.orchestration", "dagster"))}
assert not declaring, declaring
assert dict(os.environ) == before
print(silverloom.__file__)
"""


def elsewhere(code, cwd, **environment):
    """Run code in a process in another folder, where only the path of installed packages is set."""
    bare = {name: value for name, value in os.environ.items() if name not in STRICT}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**bare, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_to_import_it_loads_declares_and_sets_nothing(tmp_path):
    assert elsewhere(CHEAP, tmp_path).strip() == str(ROOT / "silverloom/__init__.py")


def test_its_version_is_that_of_the_project():
    assert (
        silverloom.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    )


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_there_and_explained(module):
    found = getattr(silverloom, module)
    assert found.__doc__ and ">>>" in found.__doc__
    for name in found.__all__:
        item = getattr(found, name)
        if inspect.isfunction(item) or inspect.isclass(item):
            assert item.__doc__, f"{module}.{name}"


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'discofuze'"):
        _ = silverloom.discofuze
    assert {*MODULES, "load"} <= {*dir(silverloom)}


def test_the_folders_of_the_project_are_found_below_it(tmp_path):
    code = "import silverloom; print(silverloom.ops.__name__, silverloom.pages.__name__)"
    assert elsewhere(code, tmp_path).split() == ["silverloom.ops", "silverloom.pages"]


def test_a_talk_is_aligned_with_its_paper_by_the_default_vectors():
    text = "we count rare words in the corpus and then the tables show the counts of the words"
    spoken = text.split()
    found = silverloom.talksumm.align(spoken, ["We count rare words.", "Tables show the counts."])
    assert found.counts.tolist()[0] > 0 and found.counts.sum() == len(found.states)
    with pytest.raises(ValueError, match="no sentences"):
        silverloom.talksumm.align(spoken, [])


@pytest.mark.parametrize(
    "call",
    [
        lambda: silverloom.talksumm.align("we count", ["We count."]),
        lambda: silverloom.talksumm.align(["we", "count"], "We count."),
        lambda: silverloom.wikisum.rank("Salt", "Salt is flat.", "tf_idf"),
        lambda: silverloom.wikisum.clone_recall("Salt is flat.", "Salt is flat."),
        lambda: silverloom.metrics.rouge_items(["a b"], ["a b"]),
        lambda: silverloom.metrics.fusion_items(["a b"], ["a b"], ["a b"]),
        lambda: silverloom.discofuse.fusion_examples(None, None),
        lambda: silverloom.discofuse.fusion_examples("A text.", "en_core_web_sm"),
    ],
)
def test_a_single_text_in_place_of_a_list_is_refused(call):
    with pytest.raises(TypeError, match=r"list|no string|not a name"):
        call()


DOCTESTS = f"""
import doctest, silverloom
for name in {MODULES}:
    print(name, doctest.testmod(getattr(silverloom, name), optionflags=doctest.ELLIPSIS))
"""


def test_examples_in_docstrings_are_true():
    """In one process, which loads each library and model once."""
    said = elsewhere(DOCTESTS, ROOT)
    assert re.findall(r"^(\w+) .*failed=0, attempted=[1-9]", said, re.MULTILINE) == [*MODULES], said


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with one dataset of two partitions, and one without partitions, both published."""
    import hashlib

    import pyarrow.parquet as pq

    root = tmp_path_factory.mktemp("project")
    (root / ".dvc").mkdir()
    (root / "params.yaml").write_text("partitions: {every: none}\nsources: {}\n")

    def publish(dataset, partition, tables):
        folder = root / "data" / dataset / partition
        listed = {}
        for name, rows in tables.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table({"id": rows, "length": [len(row) for row in rows]}), path)
            listed[name] = hashlib.md5(path.read_bytes()).hexdigest()
        manifest = root / "manifests" / dataset / f"{partition or 'all'}.json"
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps({"files": listed}))

    publish("toys/boats", "2018-06", {"kept-00000.parquet": ["a"], "kept-00001.parquet": ["b"]})
    publish(
        "toys/boats", "2018-07", {"kept-00000.parquet": ["c"], "__dropped/dropped-00000.parquet": ["lost"]}
    )
    publish("toys/model", "", {"kept-00000.parquet": ["all"]})
    publish("toys/prose", "all", {"kept-00000.parquet": ["whole"]})
    return root


def test_rows_are_loaded_as_arrow_pandas_and_datasets(project):
    assert silverloom.load("toys/boats", root=project)["id"].to_pylist() == ["a", "b", "c"]
    frame = silverloom.load("toys/boats", "pandas", partition="2018-06", root=project)
    assert type(frame).__name__ == "DataFrame" and frame["id"].tolist() == ["a", "b"]
    rows = silverloom.load("toys/boats", "datasets", columns=["id"], root=str(project))
    assert (
        type(rows).__module__.startswith("datasets")
        and rows.column_names == ["id"]
        and rows[2] == {"id": "c"}
    )
    assert silverloom.load("toys/boats", table="dropped", root=project)["id"].to_pylist() == ["lost"]
    for name, row in (("toys/model", "all"), ("toys/prose", "whole")):
        assert silverloom.load(name, root=project)["id"].to_pylist() == [row]


def test_the_project_is_that_of_the_working_directory(project, monkeypatch):
    (project / "below").mkdir(exist_ok=True)
    monkeypatch.chdir(project / "below")
    assert silverloom.load("toys/model").num_rows == 1


def test_outside_of_a_project_there_are_no_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        LookupError, match=r"there is no project here or above: pass root=, the folder of one"
    ):
        silverloom.load("sources/papers")


def test_what_was_not_made_is_an_error_that_lists_what_was(project):
    with pytest.raises(
        LookupError, match=r"has no dataset 'toys/ships'; made so far: toys/boats, toys/model, toys/"
    ):
        silverloom.load("toys/ships", root=project)
    with pytest.raises(
        LookupError, match=r"toys/boats has no partition '2019-01'; made so far: 2018-06, 2018-07"
    ):
        silverloom.load("toys/boats", partition="2019-01", root=project)
    with pytest.raises(LookupError, match=r"toys/model has no rejected rows"):
        silverloom.load("toys/model", table="rejected", root=project)
    with pytest.raises(LookupError, match="has no dataset None"):
        silverloom.load(None, root=project)
    with pytest.raises(LookupError, match=r"nowhere: no such folder"):
        silverloom.load("toys/model", root=project / "nowhere")
    with pytest.raises(ValueError, match="table must be one of kept, dropped, rejected, not 'droped'"):
        silverloom.load("toys/model", table="droped", root=project)
    assert silverloom.load("toys/boats", columns="length", root=project).column_names == ["length"]
    with pytest.raises(LookupError, match="there is no column 'length_'; there are: id, length"):
        silverloom.load("toys/boats", columns=["id", "length_"], root=project)
    for unknown in ("id.nonsense", "length.words", "id.length", "id.items.least"):
        with pytest.raises(LookupError, match=rf"no measure '{unknown}' of .*characters.*columns: id"):
            silverloom.load("toys/boats", columns=["id", unknown], root=project)
    with pytest.raises(ValueError, match="form must be arrow, pandas or datasets, not 'polars'"):
        silverloom.load("toys/model", "polars", root=project)


@pytest.mark.parametrize("how", ["other bytes", "missing", "not in the manifest"])
def test_a_file_that_is_not_that_of_its_manifest_is_refused(project, tmp_path, how):
    root = shutil.copytree(project, tmp_path / "copy")
    file = root / "data/toys/boats/2018-06/kept-00001.parquet"
    if how == "other bytes":
        file.write_bytes(b"other")
    elif how == "missing":
        file.unlink()
    else:
        shutil.copy(file, file.with_name("kept-00002.parquet"))
    with pytest.raises(
        ValueError, match=r"kept-0000\d\.parquet: its MD5 is \w+, its manifest has \w+: make it again"
    ):
        silverloom.load("toys/boats", root=root)


def test_partitions_of_two_periods_are_not_mixed(project, tmp_path):
    root = shutil.copytree(project, tmp_path / "copy")
    manifests = root / "manifests/toys/boats"
    shutil.copy(manifests / "2018-07.json", manifests / "2018.json")
    with pytest.raises(ValueError, match=r"toys/boats has partitions of two periods \(2018, 2018-07\)"):
        silverloom.load("toys/boats", root=root)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_a_damaged_manifest_is_refused(project, tmp_path, content):
    root = shutil.copytree(project, tmp_path / "copy")
    (root / "manifests/toys/boats/2018-07.json").write_text(content)
    with pytest.raises(ValueError, match=r"toys/boats/2018-07\.json: damaged: make it again, or run `dvc"):
        silverloom.load("toys/boats", root=root)


@pytest.mark.long
def test_the_documented_examples_run_in_a_notebook_of_a_project(made_sample_project, tmp_path):
    cells = FENCED.findall(PAGE.read_text())
    project = made_sample_project.copy(tmp_path / "sample")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(project.root)}})
    environment = {name: value for name, value in os.environ.items() if name not in STRICT}
    client.execute(env={**environment, "PYTHONPATH": str(project.root)})
    assert len(notebook.cells) > 3
