"""An interrupted partition resumes from its finished parts, with the same result as without the interruption."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.end_to_end.corpus import write_paper
from tests.processes import alive
from tests.projects import Project
from tests.waiting import until

MONTHS = ("2018-06", "2018-07")
LETTERS = "bcdefghi"

#: Added to the project's parsing of papers: a line before and after, with the process and its parent.
COUNTED = """
parse = parse_papers
def parse_papers(records):
    import os, random, time
    def say(word: str) -> None:
        with open(LOG, "a") as file:
            file.write(f"{word} {records[0].id} {os.getpid()} {os.getppid()}\\n")
    say("begun")
    time.sleep(random.uniform(0, 0.4))
    outcome = parse(records)
    say("ended")
    return outcome
"""


@pytest.fixture
def many_parts(fresh) -> Project:
    """A checkout whose papers of one month are several parts; nothing has run yet."""
    for letter in LETTERS:
        write_paper(fresh.root / "corpus", f"note-{letter}", "2018-06")
    fresh.params(lambda params: params["store"].update(records_per_part=1))
    return fresh


def test_a_partition_resumes_from_its_finished_parts(tally, many_parts):
    """Ctrl-C, `kill -9` and a full disk while the parts of a partition are computed"""
    script = str(Path(__file__).with_name("interrupted_parts.py"))
    for _ in range(6):
        tally.attempt()
    ended = many_parts.zygote.run(many_parts.root, ["7", "6"], path=script)
    assert ended.status == 0, ended.output
    for _ in range(int(ended.output.splitlines()[-1])):
        tally.survive()


@pytest.mark.long
@pytest.mark.parametrize(("driver", "workers"), [("run", 2), ("repro", 1)])
def test_a_driver_resumes_from_finished_parts(tally, many_parts, tmp_path, driver, workers):
    """Ctrl-C and `kill -9` of `make run` and `dvc repro` while they compute the parts of a partition"""
    unbroken = many_parts.copy(tmp_path / "unbroken")
    unbroken.silverloom("run", "--select", "sources/papers")
    log = many_parts.root / "parts.log"
    log.touch()
    many_parts.append("ops/parse/papers/__init__.py", COUNTED.replace("LOG", repr(str(log))))
    many_parts.silverloom("code")  # a stage refuses code that code.json does not know
    chance = random.Random(f"{driver} {workers}")
    kept, begun = set(), Counter()
    for _ in range(4):
        more = begun.total() + chance.randint(1, 3)
        process = start(many_parts, driver, workers)
        until(
            lambda more=more, process=process: (
                count(log, "begun").total() >= more or process.poll() is not None
            )
        )
        time.sleep(chance.uniform(0, 0.3))
        if interrupted := process.poll() is None:
            tally.attempt()
            with contextlib.suppress(ProcessLookupError):
                os.kill(maker(log, workers), chance.choice([signal.SIGKILL, signal.SIGINT]))
        output = process.communicate()[0]
        assert "Traceback" not in output, output
        assert {name: count(log, "begun")[name] for name in kept} == {name: begun[name] for name in kept}
        if process.returncode == 0:  # everything was done, or no process heard the interrupt
            if interrupted:
                tally.survive()
            break
        until(lambda: not alive(maker(log, workers)))
        kept, begun = stored(many_parts), count(log, "begun")
        lost = count(log, "ended").keys() - kept
        assert len(lost) <= workers, f"ended, but lost: {lost}"
        tally.survive()
    process = start(many_parts, driver, workers)
    output = process.communicate()[0]
    assert process.returncode == 0, output
    for month in MONTHS:
        place = f"data/sources/papers/{month}"
        assert folder_hashes(many_parts.root / place) == folder_hashes(unbroken.root / place)


def start(project: Project, driver: str, workers: int) -> subprocess.Popen:
    environment = {**os.environ, **STRICT, **QUIET, **project.zygote.environment}
    select = ["silverloom.orchestration.cli", "run", "--select", "sources/papers"]
    return subprocess.Popen(
        [
            sys.executable,  # a process of its own, which is killed
            *("-m", *(select if driver == "run" else ["dvc", "repro", "sources-papers"])),
        ],
        cwd=project.root,
        env={**environment, "SILVERLOOM_WORKERS": str(workers)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lines(log: Path, word: str) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines() if line.startswith(word)]


def count(log: Path, word: str) -> Counter[str]:
    return Counter(name for _, name, _, _ in lines(log, word))


def maker(log: Path, workers: int) -> int:
    """The process that makes the partition of the part that was started last."""
    _, _, own, parent = lines(log, "begun")[-1]
    return int(own if workers == 1 else parent)


def stored(project: Project) -> set[str]:
    """The papers of the finished parts, one in each part, and those of partitions that are made."""
    found = set()
    for month in MONTHS:
        files = sorted((project.root / "corpus/papers").glob("*.txt"))
        names = [f"text/{file.name}" for file in files if f"date: {month}" in file.read_text()]
        parts = (project.root / ".silverloom/parts/sources/papers" / month).rglob("*.zip")
        made = (project.root / f"manifests/sources/papers/{month}.json").exists()
        found |= set(names) if made else {names[int(path.stem)] for path in parts}
    return found
