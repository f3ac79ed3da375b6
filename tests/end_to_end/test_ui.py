"""`make ui` ends all its processes when it is interrupted or one of them dies. Its pages: browser/test_make_ui.py."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.browser.servers import end, free_ports
from tests.waiting import ended, until


@pytest.mark.long
def test_an_interrupt_ends_all_processes(done_toy):
    with started(done_toy) as process:
        children = descendants(process.pid)
        assert len(children) >= 4
        process.send_signal(signal.SIGINT)
        assert ended(process) == 0
        gone(children)


@pytest.mark.long
def test_a_kill_ends_all_processes_and_frees_the_ports(done):
    port = free_ports(3)
    with started(done, SILVERLOOM_PORT=str(port)) as process:
        for server in range(3):
            until(lambda server=server: taken(port + server), programs=[process])
        children = descendants(process.pid)
        process.kill()
        gone(children)
    assert not any(taken(port + server) for server in range(3))


def taken(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.long
def test_the_login_of_mlflows_server_is_neither_printed_nor_linked(done):
    named = {"MLFLOW_TRACKING_URI": "http://me:s3cret@127.0.0.1:9"}
    port = free_ports(3)
    with started(done, "MLflow:", SILVERLOOM_PORT=str(port), **named) as process:
        until(lambda: taken(port + 1), programs=[process])
        with urllib.request.urlopen(f"http://127.0.0.1:{port + 1}/", timeout=600) as answer:
            home = answer.read().decode()
        assert "http://127.0.0.1:9/#/experiments" in home and "s3cret" not in home
        process.send_signal(signal.SIGINT)
        ended(process)
        assert "s3cret" not in process.stdout.read()
    assert "s3cret" not in done.silverloom("send", ok=False, env=named)
    assert not [path for path in (done.root / ".silverloom/ui").iterdir() if "s3cret" in path.read_text()]


@pytest.mark.long
def test_when_one_process_dies_the_others_end_and_its_last_words_are_shown(done):
    with sqlite3.connect(done.root / ".silverloom/mlflow.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'another'")
    with started(done, "mlflow ended with status 1") as process:  # before or after all have started
        assert ended(process) == 1
        assert "another" in process.stdout.read()


@contextmanager
def started(done, line="Ctrl-C stops all", **named):
    environment = {**os.environ, **STRICT, **QUIET, "DAGSTER_HOME": str(done.root / ".dagster")}
    environment |= {"SILVERLOOM_PORT": str(free_ports(3)), **named}
    process = subprocess.Popen(
        [sys.executable, "-m", "silverloom.orchestration.cli", "ui"],
        cwd=done.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        while line not in (shown := process.stdout.readline()):
            assert shown, "it ended without a message"
            assert "s3cret" not in shown
        assert "s3cret" not in shown
        yield process
    finally:
        end(process)
        process.stdout.close()


def descendants(pid) -> set[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], check=True, capture_output=True, text=True).stdout
    parents = dict(map(int, line.split()) for line in listed.splitlines())
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def gone(pids):
    until(lambda: {pid for pid in pids if Path(f"/proc/{pid}").exists()}, lambda left: not left)
