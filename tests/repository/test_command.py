"""The code of the checkout in which a command is called is run, or none: two may share a virtual environment."""

import os
import shutil
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
        shutil.copytree(ROOT / "silverloom", tmp_path / "silverloom", symlinks=True)
        for package in ("orchestration", "orchestration/cli"):
            (tmp_path / package / "__init__.py").touch()
        (tmp_path / "orchestration/cli/app.py").write_text(code)
        (tmp_path / "orchestration/process.py").write_text("def prepare():\n    pass\n")
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


@pytest.fixture
def elsewhere(tmp_path):
    """Run a program, in a folder of another checkout, with an environment in which this checkout is installed."""
    (tmp_path / "orchestration/cli").mkdir(parents=True)
    (tmp_path / "orchestration/cli/app.py").touch()
    (tmp_path / "below").mkdir()

    unset = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}

    def elsewhere(*argv):
        return subprocess.run(
            [sys.executable, *argv],
            cwd=tmp_path / "below",
            capture_output=True,
            text=True,
            env={**unset, "PYTHONPATH": str(ROOT)},
        )

    return elsewhere


def test_code_of_one_checkout_refuses_to_run_in_another_and_names_both(elsewhere, tmp_path):
    ended = elsewhere("-c", "import silverloom.orchestration.definitions")
    (line,) = ended.stderr.splitlines()
    assert ended.returncode == 1 and line.startswith("error: ")
    for part in (tmp_path, ROOT, "activate an environment", f"PYTHONPATH={tmp_path}"):
        assert str(part) in line


@pytest.mark.parametrize("command", ["asset list", "definitions validate"])
def test_dagsters_commands_say_that_the_code_is_another_checkouts(elsewhere, tmp_path, command):
    ended = elsewhere("-m", "dagster", *command.split(), "-m", "silverloom.orchestration.definitions")
    output = ended.stdout + ended.stderr
    assert ended.returncode != 0
    assert f"{tmp_path} is a checkout of its own, but" in output and f"run the code of {ROOT} in it" in output


@pytest.mark.parametrize("use", ["load", "metrics", "discofuse"])
def test_the_library_of_one_checkout_refuses_to_run_in_another(elsewhere, tmp_path, use):
    ended = elsewhere("-c", f"import silverloom; print(silverloom.__version__); silverloom.{use}")
    assert ended.returncode == 1 and ended.stdout
    assert f"{tmp_path} is a checkout of its own" in ended.stderr.splitlines()[-1]


def test_a_folder_of_the_checkout_itself_and_a_folder_outside_of_any_run_its_code(tmp_path):
    for folder in (ROOT / "docs", tmp_path):
        ended = subprocess.run(
            [sys.executable, "-c", "import silverloom; print(silverloom.metrics.__file__)"],
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert ended.stdout.strip() == str(ROOT / "silverloom/metrics.py"), ended.stderr
