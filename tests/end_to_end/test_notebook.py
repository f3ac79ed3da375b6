"""The notebook runs unchanged, and numpy may be imported before anything of the project."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.workspace.environment import STRICT

NUMPY_FIRST = """
import numpy
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.partition.materialise import Materialisation
import os, subprocess, sys

found = workspace()
print(len(found.datasets))
try:
    Materialisation(found, found.datasets["talksumm/matches"], "2018-06").make()
except RuntimeError as error:
    print(error)
child = "import silverloom.orchestration.definitions; from silverloom.orchestration.workspace.environment import check_kernels; check_kernels()"
subprocess.run([sys.executable, "-c", child], check=True)
"""


def test_numpy_may_be_imported_first_but_then_no_reproducible_dataset_is_made():
    environment = {name: value for name, value in os.environ.items() if name not in STRICT}
    done = subprocess.run(
        [sys.executable, "-c", NUMPY_FIRST],
        cwd=checkout(),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    datasets, refusal = done.stdout.splitlines()
    assert int(datasets) > 1
    assert refusal.startswith("numpy was imported before silverloom.orchestration")


@pytest.mark.long
def test_the_notebook_runs(made_sample_project, tmp_path):
    project = made_sample_project.copy(tmp_path / "sample")
    notebook = nbformat.read(checkout() / "docs/tutorials/first-look.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear its outputs before it is committed"
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(project.root)}})
    environment = {name: value for name, value in os.environ.items() if name not in STRICT}
    client.execute(env=environment)
    shown = [
        "".join(part.get("text") or part["data"].get("text/plain", "") for part in cell["outputs"])
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    assert "SINGLE_RELATIVE" in shown[1]
    assert "kept" in shown[2] and "dropped" in shown[2]
    assert "made of" in shown[3] and "data/sample/prose" in shown[3]
    assert any("image/png" in part.get("data", {}) for part in notebook.cells[-1]["outputs"])
