"""Every process pins its numeric kernels before numpy can be loaded; an import alone changes nothing."""

import os
import subprocess
import sys

import pytest

from silverloom.orchestration.workspace.environment import STRICT
from tests.projects import ROOT

SHELL = {name: value for name, value in os.environ.items() if name not in STRICT}

MODULES = """
import gc, importlib, os, sys
state = lambda: (dict(os.environ), sys.excepthook, sys.dont_write_bytecode, gc.get_threshold())
before = state()
for name in sys.argv[1:]:
    importlib.import_module(name)
print(state() == before)
"""


def run(code, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=SHELL, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    "entry",
    [
        "from silverloom.orchestration.process import prepare; prepare()",
        "import silverloom.orchestration.definitions",
    ],
)
def test_in_a_shell_that_pins_nothing_kernels_are_pinned_before_numpy_loads(entry):
    code = f"""
import os, sys
at_import = []
class Watch:
    def find_spec(name, path, target=None):
        if name == "numpy":
            at_import.append(os.environ.get("OPENBLAS_CORETYPE"))
sys.meta_path.insert(0, Watch)
{entry}
import numpy
print(at_import, os.environ["DAGSTER_HOME"])
"""
    assert run(code) == f"['Nehalem'] {ROOT / '.dagster'}\n"


def test_importing_modules_changes_neither_the_environment_nor_how_errors_are_reported():
    modules = (
        "silverloom.orchestration",
        "silverloom.orchestration.process",
        "silverloom.orchestration.cli.app",
        "silverloom.orchestration.executors.local",
    )
    assert (
        run(
            MODULES, *modules, "silverloom.orchestration.partition.store", "silverloom.orchestration.run.loop"
        )
        == "True\n"
    )
