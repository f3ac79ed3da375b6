"""A run ends by itself, and later resumes, if its cluster of two nodes is lost: killed, cut off, stopped, without a head.

The second node is in a network namespace of its own, so that its link can be cut.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.end_to_end.corpus import write_paper
from tests.ray_cluster import PARSER, ROOT, counted
from tests.waiting import until

pytest.importorskip("ray")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        os.getuid() != 0 or not shutil.which("ip"), reason="needs root and ip for a link of its own"
    ),
]

HEAD, NODE = "10.77.9.1", "10.77.9.2"

#: So that Ray notices a lost node within seconds; by default within a minute.
HEALTH = {"RAY_health_check_period_ms": "1000", "RAY_health_check_timeout_ms": "2000"}


#: How long a run waits for a node. A silent head does not stop running tasks: all parts together take longer.
TIMEOUT, SECONDS = 40, 6.0


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class TwoNodes:
    """A head without processors, where the driver runs, and a node with one, behind a link."""

    def __init__(self, folder, stack):
        self.folder, self.stack = folder, stack
        self.stack.callback(self.end)
        self.link, self.far = f"sl{os.getpid()}a", f"sl{os.getpid()}b"
        ip("netns", "add", self.far)
        self.stack.callback(ip, "netns", "delete", self.far)
        ip("link", "add", self.link, "type", "veth", "peer", "name", self.far, "netns", self.far)
        ip("address", "add", f"{HEAD}/24", "dev", self.link)
        ip("link", "set", self.link, "up")
        for words in (["address", "add", f"{NODE}/24", "dev", self.far], ["link", "set", self.far, "up"]):
            ip("-n", self.far, *words)
        ip("-n", self.far, "link", "set", "lo", "up")
        ip("-n", self.far, "route", "add", "default", "via", HEAD)
        self.programs = []
        self.start()

    def start(self):
        """Start both nodes."""
        with socket.socket() as free:
            free.bind((HEAD, 0))
            self.address = f"{HEAD}:{free.getsockname()[1]}"
        here = ["--head", f"--port={self.address.rpartition(':')[2]}", f"--node-ip-address={HEAD}"]
        self.head = self.program(
            [], *here, "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={self.folder}"
        )
        until(lambda: self.raylet(self.head))
        self.start_node()

    def start_node(self):
        """Start the second node."""
        far = ["ip", "netns", "exec", self.far]
        self.node = self.program(
            far, f"--address={self.address}", f"--node-ip-address={NODE}", "--num-cpus=1"
        )
        until(lambda: self.raylet(self.node))

    def program(self, before, *words):
        ray = [
            str(Path(sys.executable).with_name("ray")),
            "start",
            "--block",
            "--object-store-memory=100000000",
        ]
        log = (self.folder.parent / "ray.log").open("ab")
        env = {**os.environ, **HEALTH, "RAY_AUTH_MODE": "disabled", "PYTHONPATH": ROOT}
        self.programs.append(
            subprocess.Popen([*before, *ray, *words], env=env, stdout=log, stderr=log, start_new_session=True)
        )
        log.close()
        return self.programs[-1]

    def raylet(self, program, name="raylet"):
        assert program.poll() is None, (self.folder.parent / "ray.log").read_text()
        return next((child for child in psutil.Process(program.pid).children() if child.name() == name), None)

    def lose(self, how):
        """Lose the node, or the head."""
        if how == "killed":
            self.raylet(self.node).kill()
        elif how == "cut":
            ip("link", "set", self.link, "down")
        elif how == "stopped":
            self.raylet(self.node).suspend()
        elif how == "silent head":
            self.raylet(self.head, "gcs_server").suspend()
        else:
            kill_all(self.head)

    def mend(self, how):
        """Start again what was lost."""
        if "head" in how:
            self.end()
            self.start()
        else:
            ip("link", "set", self.link, "up")
            kill_all(self.node)
            self.start_node()

    def end(self):
        for program in self.programs:
            kill_all(program)
        for process in psutil.process_iter():  # what Ray's processes left behind
            with contextlib.suppress(psutil.Error):
                if any(str(self.folder) in word for word in process.cmdline()):
                    process.kill()


def kill_all(program):
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(program.pid)
        for member in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
    program.wait()


@pytest.fixture
def nodes():
    folder = Path("/tmp") / f"sl{os.getpid()}"  # sockets have short names
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield TwoNodes(folder / "ray", stack)


@pytest.fixture
def parts(fresh, tmp_path):
    """The folder of finished parts of a month of papers, which takes some seconds for each."""
    for letter in "bcdefghijkl":
        write_paper(fresh.root / "corpus", f"note-{letter}", "2018-06")
    fresh.params(lambda params: params["store"].update(records_per_part=1))
    (tmp_path / "log").touch()
    fresh.append(PARSER, counted(tmp_path / "log", SECONDS))
    return fresh.root / ".silverloom/parts/sources/papers/2018-06"


def begin(project, nodes):
    env = {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": nodes.address, "RAY_AUTH_MODE": "disabled"}
    return subprocess.Popen(
        [sys.executable, "-m", "silverloom.orchestration.cli", "run", "-s", "sources/papers", "--jobs", "1"],
        cwd=project.root,
        env={**os.environ, **STRICT, **QUIET, **project.zygote.environment, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def stored(parts):
    return {path.stem for path in parts.rglob("*.zip")}


ENDED = "no Ray cluster any more: "
SILENT = f"{ENDED}no answer from Ray's head for .*: at {HEAD}:.*"
LOST = f"{ENDED}no node for .*: .* \\({NODE}\\) was lost, .*; start it again with `ray start"
#: Which of the two is noticed first depends on Ray. In the second, the next partition finds no cluster.
HEADLESS = f"({SILENT}|no Ray cluster at .*: start one with `ray start --head`)"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("killed", LOST),
        ("cut", LOST),
        ("stopped", LOST),
        ("silent head", SILENT),
        ("killed head", HEADLESS),
    ],
)
def test_a_lost_cluster_ends_the_run_with_one_line_and_the_next_run_resumes(fresh, nodes, parts, how, said):
    fresh.params(lambda params: params.update(engine={"kind": "ray", "node_timeout": TIMEOUT}))
    driver = begin(fresh, nodes)
    until(lambda: len(stored(parts)) >= 2, programs=[driver])
    nodes.lose(how)
    output = driver.communicate()[0]
    assert driver.returncode == 1, output
    assert len(re.findall(said, output)) == 1 and output.count("no Ray cluster") == 1, output
    assert "Traceback" not in output
    if how != "killed head":
        assert re.search("papers 2018-06: no (node|answer from Ray's head) for .* of .*: ", output), output
    before = stored(parts)
    assert len(before) >= 2
    nodes.mend(how)
    driver = begin(fresh, nodes)
    output = driver.communicate()[0]
    assert driver.returncode == 0, output
    assert f"resuming after {len(before)} finished parts" in output


def test_a_cluster_that_gets_a_node_back_in_time_goes_on(fresh, nodes, parts):
    fresh.params(lambda params: params.update(engine={"kind": "ray", "node_timeout": 600}))
    driver = begin(fresh, nodes)
    until(lambda: len(stored(parts)) >= 2, programs=[driver])
    nodes.lose("killed")
    lines = []
    until(lambda: lines.append(driver.stdout.readline()) or "no node for" in lines[-1], programs=[driver])
    nodes.mend("killed")
    output = driver.communicate()[0]
    assert driver.returncode == 0, "".join([*lines, output])
