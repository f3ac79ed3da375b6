"""Every process pins its numeric kernels before numpy can be loaded."""

import os
import subprocess
import sys

from orchestration.workspace.workspace import STRICT
from tests.projects import ROOT

SHELL = {name: value for name, value in os.environ.items() if name not in STRICT}


def test_in_a_shell_that_pins_nothing_kernels_are_pinned_before_numpy_loads():
    code = "import orchestration, os, sys; print('numpy' in sys.modules, os.environ['OPENBLAS_CORETYPE'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=SHELL, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False Nehalem\n"
