"""`silverloom` as installed by set-up: it runs the code of the checkout in which it is called."""

import signal
import subprocess
import sys

import pytest

from tests.projects import ROOT

CALL = "from silverloom import main; main()"
WHILE_IT_LOADS = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(600)"
WHILE_IT_RUNS = """
import os, signal, time
def main():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(600)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.fixture
def interrupted(tmp_path):
    """Call `silverloom` in a folder of a checkout with the given command line code; return the finished process."""

    def interrupted(code):
        (tmp_path / "orchestration/cli").mkdir(parents=True)
        for package in ("orchestration", "orchestration/cli"):
            (tmp_path / package / "__init__.py").touch()
        (tmp_path / "orchestration/cli/app.py").write_text(code)
        (tmp_path / "below").mkdir()
        return subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r}); {CALL}"],
            cwd=tmp_path / "below",
            capture_output=True,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    return interrupted


def test_ctrl_c_while_its_modules_load_ends_it_without_a_traceback(interrupted):
    ended = interrupted(WHILE_IT_LOADS)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_while_it_runs_is_handled_by_the_command(interrupted):
    ended = interrupted(WHILE_IT_RUNS)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")
