"""Run `make ui` of a checkout while a test or a picture needs it.

Belongs here: starting the servers on free ports, waiting for them, ending them. Not here: what they show.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.waiting import ended, until

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Servers:
    """The addresses that `make ui` serves, without a final slash."""

    port: int

    @property
    def dagster(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def pages(self) -> str:
        return f"http://{HOST}:{self.port + 1}"

    @property
    def mlflow(self) -> str:
        return f"http://{HOST}:{self.port + 2}"


@contextmanager
def ui(root: Path) -> Iterator[Servers]:
    """Run `silverloom ui` of a checkout, on three free ports in a row.

    Yields when Dagster answers; use `wait` for the other servers. Raises RuntimeError, with the output of the
    servers, if they end early or make no progress.
    """
    servers = Servers(free_ports(3))
    environment = {
        **os.environ,
        **STRICT,
        **QUIET,
        "DAGSTER_HOME": str(root / ".dagster"),
        "SILVERLOOM_PORT": str(servers.port),
    }
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "silverloom.orchestration.cli", "ui"],
            cwd=root,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait(f"{servers.dagster}/server_info", process)
            yield servers
            assert end(process) == 0
        except AssertionError as error:
            output.seek(0)
            raise RuntimeError(f"{error}:\n{output.read()}") from error
        finally:
            end(process)


def wait(address: str, process: subprocess.Popen[bytes] | None = None) -> None:
    """Return when an address answers. Raises AssertionError if its process ends or makes no progress."""
    until(lambda: _answers(address), programs=[process] if process else [])


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=60):
            return True
    except urllib.error.HTTPError:
        raise
    except OSError:
        return False


def end(process: subprocess.Popen[Any]) -> int:
    """Interrupt it, as Ctrl-C does, and return its status; kill it with its session if that does not end it."""
    process.send_signal(signal.SIGINT)
    try:
        return ended(process)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_ports(count: int) -> int:
    """The first of some free ports in a row, below the range that the system uses for outgoing connections."""
    for _ in range(100):
        first = random.randrange(10_000, 30_000)
        if all(_free(port) for port in range(first, first + count)):
            return first
    raise RuntimeError(f"no {count} free ports in a row")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
