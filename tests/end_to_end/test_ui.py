"""`make ui` serves the project on this machine and ends when it is told to."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from orchestration.environment import QUIET, STRICT

QUERY = "{ assetNodes { assetKey { path } groupName description partitionDefinition { name } } }"


def test_the_ui_shows_every_dataset_and_ends_on_an_interrupt(done):
    environment = {**os.environ, **STRICT, **QUIET, "DAGSTER_HOME": str(done.root / ".dagster")}
    command = [sys.executable, "-m", "orchestration.ui"]
    process = subprocess.Popen(
        command, cwd=done.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline()).group()
        nodes = ask(address, QUERY, patience=90)["assetNodes"]
        names = {"/".join(node["assetKey"]["path"]): node for node in nodes}
        assert len(names) == 8
        assert names["talksumm/pairs"]["groupName"] == "talksumm"
        assert names["talksumm/pairs"]["partitionDefinition"] and names["talksumm/pairs"]["description"]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=40) == 0
    finally:
        process.kill()


def ask(address, query, patience):
    request = urllib.request.Request(
        f"{address}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
    )
    end = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)["data"]
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
