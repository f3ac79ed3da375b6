"""Dagster's webserver and daemon on a project, and GraphQL queries to them."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from silverloom.orchestration.serve.ui import CODE_SERVER
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.waiting import ended, until

LAUNCH = """mutation($it: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $it) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
BACKFILL = """query($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill {
  status isAssetBackfill error { message } runs(limit: 100) { runId status tags { key value } } } } }"""
CAPTURED = """query($id: ID!) { runOrError(runId: $id) { ... on Run { eventConnection(limit: 1000) { events {
  ... on LogsCapturedEvent { fileKey } } } } } }"""
LOG = "query($key: [String!]!) { capturedLogs(logKey: $key) { stderr } }"
END = ("COMPLETED_SUCCESS", "COMPLETED_FAILED", "FAILED", "CANCELED")


class Servers:
    def __init__(self, address, programs):
        self.address = address
        self.programs = programs

    def ask(self, query, **variables):
        request = urllib.request.Request(
            f"{self.address}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            content = json.load(answer)
        assert "errors" not in content, content["errors"]
        return content["data"]

    def backfill(self, datasets, months):
        """Launch a backfill, wait until it has ended, and return GraphQL's answer."""
        keys = [{"path": name.split("/")} for name in datasets]
        launched = self.ask(LAUNCH, it={"assetSelection": keys, "partitionNames": months})[
            "launchPartitionBackfill"
        ]
        assert launched["__typename"] == "LaunchBackfillSuccess", launched
        return self.until(
            lambda: self.ask(BACKFILL, id=launched["backfillId"])["partitionBackfillOrError"],
            lambda found: found["status"] in END,
        )

    def console_log(self, run_id):
        """Return the console log of a run."""
        events = self.ask(CAPTURED, id=run_id)["runOrError"]["eventConnection"]["events"]
        (key,) = [event["fileKey"] for event in events if "fileKey" in event]
        return self.ask(LOG, key=[run_id, "compute_logs", key])["capturedLogs"]["stderr"]

    def until(self, look, good):
        """Poll until the value seen is good, and return it."""
        return until(look, good, self.programs)


@contextlib.contextmanager
def serving(root):
    """Start both processes on a project; they stop when the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **CODE_SERVER,
        **os.environ,
        **STRICT,
        **QUIET,
        "DAGSTER_HOME": str(root / ".dagster"),
        "PYTHONPATH": str(root),
    }
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    module = {"module_name": "silverloom.orchestration.definitions", "working_directory": str(root)}
    locations = root / ".dagster/locations.yaml"
    locations.write_text(json.dumps({"load_from": [{"python_module": module}]}))
    commands = (
        [sys.executable, "-m", "silverloom.orchestration.cli", "serve-dagster", str(port), str(locations)],
        [
            *(str(Path(sys.executable).with_name("dagster-daemon")), "run"),
            *("-m", "silverloom.orchestration.definitions", "--code-server-log-level", "warning"),
        ],
    )
    with (root / "servers.log").open("wb") as log:
        children = [
            subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log)
            for command in commands
        ]
        try:
            servers = Servers(f"http://127.0.0.1:{port}", children)
            servers.until(lambda: _answers(servers, children, root), bool)
            yield servers
        finally:
            for child in children:
                child.terminate()
            for child in children:
                ended(child)


def _answers(servers, children, root):
    assert all(child.poll() is None for child in children), (root / "servers.log").read_text()
    try:
        return servers.ask("{ version }")
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return None


FAILURES = """query($id: ID!) { runOrError(runId: $id) { ... on Run { eventConnection { events {
  ... on ExecutionStepFailureEvent { stepKey failureMetadata { description } error { message } } } } } } }"""


def failures(servers, run_id):
    events = servers.ask(FAILURES, id=run_id)["runOrError"]["eventConnection"]["events"]
    return [
        str(
            (event.get("failureMetadata") or {}).get("description")
            or (event.get("error") or {}).get("message")
        )
        for event in events
        if event
    ]
