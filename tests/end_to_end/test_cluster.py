"""`silverloom run` on a Ray cluster of three nodes makes the same bytes as without it, and resumes after a kill."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from orchestration.workspace.workspace import QUIET, STRICT
from tests.end_to_end.corpus import write_paper
from tests.projects import differing
from tests.ray_cluster import ROOT, counted, three_nodes
from tests.waiting import until

pytest.importorskip("ray")

MONTHS = ("2018-06", "2018-07")


@pytest.fixture(scope="module")
def on_cluster():
    """The environment of a command that computes on a cluster."""
    with three_nodes() as cluster:
        yield {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}


@pytest.mark.long
def test_several_partitions_at_a_time_give_the_same_bytes(fresh, done, on_cluster):
    output = fresh.silverloom("run", "-s", "talksumm/alignments", "--jobs", "2", env=on_cluster)
    assert "talksumm/alignments 2018-06: " in output
    names = ["sources/papers", "sources/talks", "talksumm/matches", "talksumm/pairs", "talksumm/alignments"]
    assert differing(fresh, done, names) == []
    assert not [path for path in (fresh.root / ".silverloom/parts").rglob("*") if path.is_file()]


@pytest.mark.long
def test_a_plan_is_the_same_with_and_without_a_cluster(done, on_cluster):
    assert done.silverloom("plan") == done.silverloom("plan", env=on_cluster)


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
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_driver_resumes_and_computes_nothing_twice(fresh, tmp_path, on_cluster, how):
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
    os.kill(driver.pid, how)
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


@contextlib.contextmanager
def own_node(*command):
    """A cluster whose only other node is started by a command, in which RAY_START stands for `ray start`."""
    import ray

    with three_nodes(besides=0) as cluster, contextlib.ExitStack() as stack:
        ray_start = f"{Path(sys.executable).with_name('ray')} start --block"
        words = [word.replace("RAY_START", ray_start) for word in command]
        words[-1] += f" --address={cluster.address} --num-cpus=1"
        node = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        stack.callback(node.terminate)
        ray.init(address=cluster.address, log_to_driver=False)
        stack.callback(ray.shutdown)
        until(lambda: node.poll() is not None or len([one for one in ray.nodes() if one["Alive"]]) == 2)
        assert node.poll() is None, node.stdout.read()
        yield {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}


@pytest.mark.long
def test_nodes_need_no_file_of_the_driver(fresh, done):
    """The project's folder is empty for all processes of the node that computes."""
    hidden = f"mount -t tmpfs none {fresh.root} && exec RAY_START"
    with own_node("unshare", "--mount", "sh", "-c", hidden) as env:
        fresh.silverloom("run", "-s", "talksumm/alignments", env=env)
    names = ["sources/papers", "sources/talks", "talksumm/matches", "talksumm/pairs", "talksumm/alignments"]
    assert differing(fresh, done, names) == []


@pytest.mark.long
def test_a_node_that_has_another_version_of_a_package_is_refused_by_name(fresh, tmp_path):
    """The node, not the driver, finds tqdm 0.1 before the one that is installed."""
    folder = tmp_path / "packages/tqdm-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: tqdm\nVersion: 0.1\n")
    paths = f"PYTHONPATH={folder.parent}{os.pathsep}{ROOT}"
    with own_node("sh", "-c", f"{paths} exec RAY_START") as env:
        output = fresh.silverloom("run", "-s", "sources/papers", ok=False, env=env)
    assert "differs: tqdm is 0.1, but requirements.lock has " in output
    assert "Traceback" not in output
    assert not list((fresh.root / "data/sources/papers").rglob("*.parquet"))


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
