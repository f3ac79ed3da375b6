"""`silverloom run` trains a model in several processes and gives the same bytes as in one."""

import json
import signal
import zipfile

import psutil
import pytest

from tests.projects import spell_out
from tests.waiting import until

pytestmark = pytest.mark.long

ONE, TWO = 1, 2

#: Enough steps that the test finds the training still running.
EPOCHS = 1000


def trained_by(project, processes):
    """Make a project train one model, in some processes, for a while."""

    def change(params):
        extractor = spell_out(params, "talksumm.extractor")
        extractor["architectures"] = ["transformer"]
        extractor["sizes"]["tiny"]["transformer_training"] = {
            "epochs": EPOCHS,
            "batch_size": 1,
            "accumulation": 2,
            "processes": processes,
            "checkpoint_every": 5,
        }
        params["talksumm"]["training_sets"]["sets"] = ["words_150"]

    project.params(change)
    return project


def run(project, *argv, **env):
    """Run the command as a separate program, the parent of the training processes."""
    program = project.start("silverloom.orchestration.cli", "run", *argv, **env)
    output, _ = program.communicate()
    assert program.returncode == 0, output
    return output


def training_in(project):
    """The processes that train together in a project."""
    found = psutil.process_iter(["cwd", "cmdline"])
    ours = (process.info["cmdline"] or () for process in found if process.info["cwd"] == str(project.root))
    return [words for words in ours if any("multiprocessing.spawn" in word for word in words)]


@pytest.fixture(scope="module")
def alone(done_project, tmp_path_factory):
    """The bytes that one process makes."""
    project = trained_by(done_project.copy(tmp_path_factory.mktemp("alone") / "checkout"), ONE)
    assert "talksumm/extractor" in project.made(project.run())
    return project.data()


def test_a_killed_run_resumes_with_another_number_of_processes(done_project, tmp_path, alone):
    project = trained_by(done_project.copy(tmp_path / "checkout"), TWO)
    program = project.start("silverloom.orchestration.cli", "run", "--jobs", "1")
    checkpoints = project.root / ".silverloom" / "parts"
    [checkpoint] = until(lambda: list(checkpoints.rglob("transformer-*.zip")), programs=[program])
    assert len(training_in(project)) == TWO
    program.send_signal(signal.SIGKILL)
    program.wait()
    until(lambda: not training_in(project))
    state = json.loads(zipfile.ZipFile(checkpoint).read("state.json"))["state"]
    assert state["step"] and not state["reason"], "it was killed before it had ended"
    output = run(trained_by(project, ONE))
    assert f"update {state['step'] + 1}/" in output, "it resumes instead of starting over"
    assert project.data() == alone
