"""Whatever kills a run, the previous partitions stay readable and the next run ends like a clean one."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.projects import spell_out


@pytest.mark.long
def test_a_run_killed_at_any_write_leaves_old_or_new_and_the_next_run_ends_the_same(done, tally):
    """A run is killed at a rename, a sync or a new folder of a publication."""
    done.params(
        lambda params: spell_out(params, "talksumm.summaries")["budgets"]["words_150"].update(words=40)
    )
    script = Path(__file__).with_name("killed_publication.py")
    ended = done.zygote.run(done.root, [], path=str(script), env={})
    lines = ended.output.splitlines()
    tally.attempts, tally.survived = lines.count("kill"), lines.count("survived")
    assert ended.status == 0, ended.output
    assert int(re.search(r"(\d+) writes", ended.output).group(1)) > 40


@pytest.mark.long
def test_a_whole_run_killed_midway_is_finished_by_the_next(done, fresh, tally):
    """A whole run is killed midway."""
    tally.attempt()
    environment = {**os.environ, **STRICT, **QUIET}
    command = [sys.executable, "-m", "silverloom.orchestration.cli", "run"]
    process = subprocess.Popen(command, cwd=fresh.root, env=environment, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("talksumm/pairs 2018-06"):
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    made = fresh.made(fresh.run())
    assert "sources/papers 2018-06" not in made
    assert "talksumm/alignments 2018-06" in made
    assert fresh.data() == done.data()
    assert fresh.lock == done.lock
    assert fresh.dvc_status() == {}
    assert {part["status"] for part in fresh.dagster().values()} == {"FRESH"}
    tally.survive()
