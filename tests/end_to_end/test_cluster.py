"""`silverloom run` on a Ray cluster of three nodes makes the same bytes as without it, and resumes after a kill."""

import contextlib
import os
import subprocess
import sys
import time
from collections import Counter

import psutil
import pytest

from orchestration.workspace.workspace import QUIET, STRICT
from tests.end_to_end.corpus import write_paper
from tests.projects import differing
from tests.ray_cluster import counted, three_nodes
from tests.waiting import until

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def on_cluster():
    """The environment of a command that computes on a cluster."""
    with three_nodes() as cluster:
        yield {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}


def test_an_unreachable_cluster_is_reported_in_one_line(fresh):
    env = {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": "127.0.0.1:1"}
    output = fresh.silverloom("run", "-s", "sources/papers", ok=False, env=env)
    assert "no Ray cluster at '127.0.0.1:1': start one with `ray start --head`" in output


@pytest.mark.long
def test_a_cluster_that_the_command_starts_serves_all_its_processes_and_ends_with_it(fresh, done):
    fresh.params(lambda params: params.update(engine={"kind": "ray", "address": "local"}))
    fresh.silverloom("run", "-s", "sources/papers", "--jobs", "2")
    assert differing(fresh, done, ["sources/papers"]) == []
    until(lambda: not [one for one in psutil.process_iter(["cmdline"]) if of_ray_below(one, fresh.root)])


def of_ray_below(process, root):
    with contextlib.suppress(psutil.Error):
        return "raylet" in process.name() and process.cwd() == str(root)
    return False


@pytest.mark.long
def test_a_killed_driver_resumes_and_computes_nothing_twice(fresh, tmp_path, on_cluster):
    for letter in "bcdefgh":
        write_paper(fresh.root / "corpus", f"note-{letter}", "2018-06")
    fresh.params(lambda params: params["store"].update(records_per_part=1))
    unbroken = fresh.copy(tmp_path / "unbroken")
    unbroken.silverloom("run", "-s", "sources/papers")
    log = tmp_path / "log"
    log.touch()
    fresh.edit("ops/parse/papers/__init__.py", "    return parse_records(records, FORMATS)\n", counted(log))
    driver = start(fresh, on_cluster)
    parts = fresh.root / ".silverloom/parts/sources/papers/2018-06"
    until(lambda: len(list(parts.rglob("*.zip"))) >= 3)
    driver.kill()
    assert "Traceback" not in driver.communicate()[0]
    time.sleep(2.0)  # the cluster finishes what the driver had started
    kept, before = {int(path.stem) for path in parts.rglob("*.zip")}, log.read_text().split()
    driver = start(fresh, on_cluster)
    output = driver.communicate()[0]
    assert driver.returncode == 0, output
    again = log.read_text().split()[len(before) :]
    files = sorted(path.name for path in (fresh.root / "corpus/papers").glob("*.txt"))
    month = [
        f"text/{name}"
        for name in files
        if "date: 2018-06" in (fresh.root / "corpus/papers" / name).read_text()
    ]
    assert not {month[index] for index in kept} & set(again)
    assert Counter(again).most_common(1)[0][1] == 1
    assert differing(fresh, unbroken, ["sources/papers"]) == []


def start(project, env):
    return subprocess.Popen(
        [sys.executable, "-m", "orchestration.cli", "run", "-s", "sources/papers"],
        cwd=project.root,
        env={**os.environ, **STRICT, **QUIET, **project.zygote.environment, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.long
def test_the_datasets_of_all_systems_are_the_same_bytes_on_a_cluster(sample_project, tmp_path, on_cluster):
    """Includes datasets that one task makes, such as trainings, and joins that are spread over tasks."""
    here, there = (sample_project.copy(tmp_path / name) for name in ("here", "there"))
    there.params(lambda params: params["engine"].update(join_bytes=100_000))
    selected = ("discofuse/evaluation", "talksumm/summaries", "wikisum/examples", "parasci/paraphrases")
    for name in selected:
        here.silverloom("run", "-s", name)
        there.silverloom("run", "-s", name, "--jobs", "2", env=on_cluster)
    made = sorted(
        f"{path.parent.name}/{path.name}"
        for path in (here.root / "data").glob("*/*")
        if path.is_dir() and path.parent.name not in ("sample", "quality", ".building")
    )
    assert {name.partition("/")[0] for name in made} >= {"discofuse", "talksumm", "wikisum", "parasci"}
    assert differing(here, there, made) == []
