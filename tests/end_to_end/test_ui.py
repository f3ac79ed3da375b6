"""`make ui` serves the project on this machine and ends, all of it, when it is told to or when a part of it dies."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

from orchestration.environment import QUIET, STRICT
from tests.browser.servers import ui
from tests.projects import datasets

QUERY = "{ assetNodes { assetKey { path } groupName description partitionDefinition { name } } }"
PAGES = """{ assetNodes { assetKey { path } partitionKeys
             partitionKeyConnection(limit: 120, ascending: false) { results } } }"""


def test_the_ui_serves_all_datasets_pages_and_runs(done):
    with ui(done.root) as servers:
        nodes = ask(servers.dagster, QUERY)["assetNodes"]
        names = {"/".join(node["assetKey"]["path"]): node for node in nodes}
        assert set(names) == set(datasets())
        assert names["talksumm/pairs"]["groupName"] == "talksumm"
        assert names["talksumm/pairs"]["partitionDefinition"] and names["talksumm/pairs"]["description"]
        for node in ask(servers.dagster, PAGES)["assetNodes"]:
            shown = (node["partitionKeyConnection"] or {"results": []})["results"]
            assert shown == node["partitionKeys"][::-1], "plots show the months that there are"

        home = read(servers.pages)
        assert servers.dagster in home and servers.mlflow in home
        assert "talksumm/alignments" in read(f"{servers.pages}/pages/")
        place = leads_to(servers.pages, "/to/mlflow/talksumm/alignments/2018-06")
        experiment, run = re.search(r"/experiments/(\d+)/runs/(\w+)", place).groups()
        assert place.startswith(servers.mlflow)
        found = json.loads(read(f"{servers.mlflow}/api/2.0/mlflow/runs/get?run_id={run}"))["run"]
        assert (found["info"]["experiment_id"], found["info"]["run_name"]) == (experiment, "2018-06")


def test_all_ends_on_an_interrupt(done):
    with started(done) as process:
        children = descendants(process.pid)
        assert len(children) >= 4
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        gone(children)


def test_when_one_dies_the_others_end_and_its_last_words_are_shown(done):
    (done.root / ".silverloom/mlflow.db").unlink()
    (done.root / ".silverloom/mlflow.db").mkdir()
    with started(done) as process:
        output = process.communicate(timeout=120)[0]
        assert process.returncode == 1
    assert re.search(r"mlflow ended with status 1.*mlflow.db cannot be read", output, re.DOTALL)


@contextmanager
def started(done):
    environment = {**os.environ, **STRICT, **QUIET, "DAGSTER_HOME": str(done.root / ".dagster")}
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestration.ui"],
        cwd=done.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        while "Ctrl-C ends all" not in process.stdout.readline():
            assert process.poll() is None
        yield process
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def descendants(pid) -> set[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], check=True, capture_output=True, text=True).stdout
    parents = dict(map(int, line.split()) for line in listed.splitlines())
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def gone(pids):
    end = time.monotonic() + 60
    while left := {pid for pid in pids if os.path.exists(f"/proc/{pid}")}:  # noqa: PTH110
        assert time.monotonic() < end, f"still there: {left}"
        time.sleep(0.2)


def read(address, patience=120) -> str:
    end = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(address, timeout=20) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


def leads_to(base, path) -> str:
    connection = http.client.HTTPConnection(base.removeprefix("http://"))
    connection.request("GET", path)
    place = connection.getresponse().headers["Location"]
    connection.close()
    return place


def ask(address, query):
    request = urllib.request.Request(
        f"{address}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
    )
    return json.loads(read(request))["data"]
