"""`make ui`: Dagster's webserver and daemon, on this machine only, until Ctrl-C.

Belongs here: starting and ending the two processes. Not here: what they show.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from assets.settings import ROOT
from orchestration.graph import datasets
from orchestration.instance import instance

HOST = "127.0.0.1"


def serve() -> int:
    """Run both processes; when one ends, or on Ctrl-C, end the other. SILVERLOOM_PORT chooses the port."""
    from orchestration.sync import sync

    datasets()
    instance()
    sync()
    for ending in (signal.SIGINT, signal.SIGTERM):  # a shell may have handed us SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    port = int(os.environ.get("SILVERLOOM_PORT") or _free_port(3000))
    module = ("-m", "orchestration.definitions", "--code-server-log-level", "warning")
    commands = [
        ("dagster-webserver", "-h", HOST, "-p", str(port), *module),
        ("dagster-daemon", "run", *module),
    ]
    bin_folder = Path(sys.executable).parent
    children = [subprocess.Popen([str(bin_folder / name), *rest], cwd=ROOT) for name, *rest in commands]
    print(f"Dagster: http://{HOST}:{port}   (Ctrl-C ends it)", flush=True)
    try:
        while all(child.poll() is None for child in children):
            time.sleep(0.3)
        return max(child.poll() or 0 for child in children)
    except KeyboardInterrupt:
        return 0
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.wait(timeout=30)


def _free_port(first: int) -> int:
    for port in range(first, first + 100):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) != 0:
                return port
    raise RuntimeError(f"no free port from {first} on; choose one with SILVERLOOM_PORT")


if __name__ == "__main__":
    from orchestration.command import run

    run(serve)
