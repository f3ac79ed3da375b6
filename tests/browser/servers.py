"""`make ui` of a checkout, for as long as a test or a picture needs it.

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
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from orchestration.environment import QUIET, STRICT

HOST = "127.0.0.1"
PATIENCE = 120  # seconds, for a server to answer or to end


@dataclass(frozen=True)
class Servers:
    """The addresses that `make ui` serves, without a slash at the end."""

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
    """Run `python -m orchestration.ui` of a checkout, on three free ports in a row.

    Yields when Dagster answers; the other servers are waited for with `wait`. Raises RuntimeError, with what
    the servers wrote, when they end before, or do not answer within two minutes.
    """
    servers = Servers(_free_ports(3))
    environment = {
        **os.environ,
        **STRICT,
        **QUIET,
        "DAGSTER_HOME": str(root / ".dagster"),
        "SILVERLOOM_PORT": str(servers.port),
    }
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "orchestration.ui"],
            cwd=root,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait(f"{servers.dagster}/server_info", process)
            yield servers
        except ConnectionError as error:
            output.seek(0)
            raise RuntimeError(f"{error}:\n{output.read()}") from error
        finally:
            _end(process)


def wait(address: str, process: subprocess.Popen[bytes] | None = None) -> None:
    """Return when an address answers. Raises ConnectionError after two minutes, or when the process ends."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            if process is not None and process.poll() is not None:
                raise ConnectionError(f"the servers ended with {process.returncode}") from error
            if time.monotonic() > end:
                raise ConnectionError(f"no answer from {address} within {PATIENCE} s") from error
            time.sleep(0.2)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt it, as Ctrl-C does; kill it with its children if that does not end it."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_ports(count: int) -> int:
    """The first of some free ports in a row, below those that the system gives to outgoing connections."""
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
