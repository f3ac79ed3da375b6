"""`silverloom run` on a Ray cluster of three nodes makes the same bytes as without it, and resumes after a kill."""

import contextlib
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.corpus import write_paper
from tests.projects import differing
from tests.ray_cluster import PARSER, counted, three_nodes
from tests.waiting import until

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def on_cluster():
    """The environment of a command that computes on a cluster."""
    with three_nodes() as cluster:
        yield {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}


def test_an_unreachable_cluster_is_reported_in_one_line(toy):
    env = {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": "127.0.0.1:1"}
    output = toy.silverloom("run", "-s", "sources/riddles", ok=False, env=env)
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
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_driver_resumes_and_computes_nothing_twice(fresh, tmp_path, on_cluster, how):
    for letter in "bcdefgh":
        write_paper(fresh.root / "corpus", f"note-{letter}", "2018-06")
    fresh.params(lambda params: params["store"].update(records_per_part=1))
    unbroken = fresh.copy(tmp_path / "unbroken")
    unbroken.silverloom("run", "-s", "sources/papers")
    log = tmp_path / "log"
    log.touch()
    fresh.append(PARSER, counted(log))
    driver = start(fresh, on_cluster)
    parts = fresh.root / ".silverloom/parts/sources/papers/2018-06"
    until(lambda: len(list(parts.rglob("*.zip"))) >= 3, programs=[driver])
    driver.send_signal(how)
    assert "Traceback" not in driver.communicate()[0]
    time.sleep(2.0)  # the cluster finishes what the driver had started
    finished, before = {int(path.stem) for path in parts.rglob("*.zip")}, log.read_text().split()
    driver = start(fresh, on_cluster)
    output = driver.communicate()[0]
    assert driver.returncode == 0, output
    again = log.read_text().split()[len(before) :]
    papers = sorted((fresh.root / "corpus/papers").glob("*.txt"))
    month = [f"text/{path.name}" for path in papers if "date: 2018-06" in path.read_text()]
    assert again and not {month[index] for index in finished} & set(again)
    assert Counter(again).most_common(1)[0][1] == 1
    assert differing(fresh, unbroken, ["sources/papers"]) == []


def start(project, env):
    return project.start("silverloom.orchestration.cli", "run", "-s", "sources/papers", **env)


@contextlib.contextmanager
def one_node(*command):
    """A cluster whose second and last node is started by a command, in which RAY_START stands for `ray start`."""
    import ray

    with three_nodes(besides=0) as cluster, contextlib.ExitStack() as stack:
        ray_start = f"{Path(sys.executable).with_name('ray')} start --block"
        words = [word.replace("RAY_START", ray_start) for word in command]
        words[-1] += f" --address={cluster.address} --num-cpus=1"
        node = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        stack.callback(node.terminate)
        ray.init(address=cluster.address, log_to_driver=False)
        stack.callback(ray.shutdown)
        until(lambda: len([row for row in ray.nodes() if row["Alive"]]) == 2, programs=[node])
        yield {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}


@pytest.mark.long
def test_nodes_need_no_file_of_the_driver(fresh, done):
    """The project's folder is empty for all processes of the node that computes."""
    hidden = f"mount -t tmpfs none {fresh.root} && exec RAY_START"
    with one_node("unshare", "--mount", "sh", "-c", hidden) as env:
        fresh.silverloom("run", "-s", "talksumm/alignments", env=env)
    names = ["sources/papers", "sources/talks", "talksumm/matches", "talksumm/pairs", "talksumm/alignments"]
    assert differing(fresh, done, names) == []


@pytest.mark.long
def test_the_datasets_of_all_systems_are_the_same_bytes_on_a_cluster(sample_project, tmp_path, on_cluster):
    """Includes datasets that one task makes, such as trainings, and joins that are spread over tasks."""
    here, there = (sample_project.copy(tmp_path / name) for name in ("here", "there"))
    there.params(lambda params: params.update(engine={"join_bytes": 100_000}))
    selected = ("discofuse/fusion_model", "talksumm/summaries", "wikisum/ranked", "parasci/definitions")
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
