"""`make ui`: Dagster, MLflow and the data-quality pages, on this machine only, until Ctrl-C.

Belongs here: starting and ending the processes. Not here: what they show.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import urllib3

from silverloom.assets.declare.logins import without_logins
from silverloom.orchestration.dagster.automation import DEFINITIONS
from silverloom.orchestration.dagster.instance import as_json, instance
from silverloom.orchestration.state.addresses import Addresses, allowed_hosts
from silverloom.orchestration.workspace.workspace import Workspace

_LAST_LINES, _PATIENCE = 15, 30

#: How many seconds Dagster waits for its code server. By default 60, which are too few on a busy machine:
#: before the server answers that a run has started, the new process of the run imports Dagster.
CODE_SERVER = {"DAGSTER_GRPC_TIMEOUT_SECONDS": "300", "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": "300"}

#: Leads the process group of all the others. When its standard input closes, because this process ended or
#: was killed, it ends the group.
_WATCHDOG = "trap '' TERM INT HUP; read _; kill -TERM 0; sleep 10; kill -KILL 0"


@dataclass(frozen=True)
class Child:
    """A process of the UI."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def last_lines(self) -> str:
        """Return the last lines of its log."""
        lines = self.mask_log().splitlines()
        return "\n".join(f"  {line}" for line in lines[-_LAST_LINES:])

    def mask_log(self) -> str:
        """Remove logins from its log, and return the rest."""
        said = self.log.read_text(errors="replace")
        if (shown := without_logins(said)) != said:
            self.log.write_text(shown)
        return shown


def serve(workspace: Workspace) -> int:
    """Run all processes until Ctrl-C. If one ends, end the others and return its status."""
    from silverloom.orchestration.dagster.sync import sync
    from silverloom.orchestration.state.freshness import View

    addresses = Addresses(workspace)
    allowed_hosts()  # fail now if a host name is invalid
    instance()
    sync(View(workspace))
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a shell may start us with SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    wanted = addresses.base_port()
    base = addresses.choose()
    if base != wanted:
        print(f"port {wanted}, {wanted + 1} or {wanted + 2} is in use; using {base} to {base + 2}")
    children: list[Child] = []
    watchdog = subprocess.Popen(["sh", "-c", _WATCHDOG], stdin=subprocess.PIPE, process_group=0)
    place = tempfile.TemporaryDirectory(prefix="silverloom-")  # short: the name of a socket has 107 bytes
    try:
        print(f"starting; the servers' logs are in {workspace.shown(log_folder(workspace))}/", flush=True)
        announce = Announcer(_addresses(workspace))
        children.extend(_start(workspace, base, watchdog.pid, Path(place.name), announce))
        return attend(children, announce)
    except KeyboardInterrupt:
        return 0
    finally:
        _end(children, watchdog)
        place.cleanup()


def log_folder(workspace: Workspace) -> Path:
    """Return the folder of the processes' logs."""
    return workspace.state / "ui"


class Announcer:
    """Prints the line of each server once it answers, and then how to stop them."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        """`lines` are by the address to ask; it may be a line's own."""
        self._lines = dict(lines)

    def __call__(self) -> None:
        """Print what can be said by now."""
        if not self._lines:
            return
        for address in [address for address in self._lines if answers(address)]:
            print(self._lines.pop(address), flush=True)
        if not self._lines:
            print("Ctrl-C stops all servers", flush=True)


def answers(address: str) -> bool:
    """Return whether a server answers a request, with whatever status."""
    try:
        urllib3.request("GET", address, timeout=2, retries=False, redirect=False)
    except urllib3.exceptions.HTTPError:
        return False
    return True


def attend(children: Sequence[Child], meanwhile: Callable[[], None] = lambda: None) -> int:
    """Wait until one of the processes ends, and return its status. Call `meanwhile` again and again."""
    while True:
        meanwhile()
        for child in children:
            if (status := child.process.poll()) is not None:
                said = f"{child.name} ended with status {status}, so everything is shut down. Its last lines:"
                print(f"{said}\n{child.last_lines() or '  (none)'}", file=sys.stderr, flush=True)
                return status if status > 0 else 1
        time.sleep(0.3)


def _start(
    workspace: Workspace, base: int, group: int, place: Path, meanwhile: Callable[[], None]
) -> Iterator[Child]:
    """Start all processes, unless one ends. Call `meanwhile` again and again.

    Webserver and daemon share a code server, so reloading definitions is for both.
    """
    log_folder(workspace).mkdir(parents=True, exist_ok=True)
    silverloom = (sys.executable, "-m", "silverloom.orchestration.cli")
    dagster, daemon = (str(Path(sys.executable).with_name(name)) for name in ("dagster", "dagster-daemon"))
    log_format = ("--log-format", "json") if as_json() else ()
    socket, locations = str(place / "code"), place / "workspace.yaml"
    location = {"grpc_server": {"socket": socket, "location_name": DEFINITIONS}}
    locations.write_text(json.dumps({"load_from": [location]}))  # JSON is YAML
    code = ("-m", DEFINITIONS, "--location-name", DEFINITIONS, "--inject-env-vars-from-instance")
    quiet = ("--log-level", "warning", *log_format)
    commands = {
        "dagster-code": (dagster, "code-server", "start", "--socket", socket, *code, *quiet),
        "pages": (*silverloom, "serve-pages", str(base + 1)),
        "mlflow": (*silverloom, "serve-mlflow", str(base + 2)),
        "dagster-webserver": (*silverloom, "serve-dagster", str(base), str(locations)),
        "dagster-daemon": (daemon, "run", "-w", str(locations), *log_format),
    }
    if workspace.tracking_uri.startswith("http"):
        del commands["mlflow"]
    children: dict[str, Child] = {}
    for name, command in commands.items():
        while name == "dagster-webserver" and not (place / "code").exists():
            if any(child.process.poll() is not None for child in children.values()):
                return
            meanwhile()
            time.sleep(0.1)  # the webserver would begin with an error
        children[name] = start_child(workspace, group, name, *command)
        yield children[name]


def start_child(workspace: Workspace, group: int, name: str, *command: str) -> Child:
    """Start a process in the group, so that Ctrl-C reaches only this process."""
    log = log_folder(workspace) / f"{name}.log"
    log.unlink(missing_ok=True)
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=workspace.root,
            env={**CODE_SERVER, **os.environ},
            stdout=out,
            stderr=subprocess.STDOUT,
            process_group=group,
        )
    return Child(name, process, log)


def _addresses(workspace: Workspace) -> dict[str, str]:
    """Return the line about each server, by an address that answers once it is ready."""
    addresses = Addresses(workspace)
    dagster, pages, mlflow = addresses.address("dagster"), addresses.address("pages"), addresses.mlflow()
    # A server elsewhere is not waited for.
    ready = dagster if workspace.tracking_uri.startswith("http") else addresses.address("mlflow")
    shown = [
        (dagster, "Dagster", dagster, "graph, runs and checks; make partitions here"),
        (pages, "Pages", pages, "data quality: which rows were kept or dropped, and why"),
        (ready, "MLflow", mlflow, "what every partition was made from"),
    ]
    lines = dict[str, str]()
    for ask, name, url, what in shown:
        line = f"{name + ':':9}{url}  {what}"
        lines[ask] = f"{lines[ask]}\n{line}" if ask in lines else line
    return lines


def _end(children: list[Child], watchdog: subprocess.Popen[bytes]) -> None:
    """Ask all processes and their children to end, then kill those that remain."""
    os.killpg(watchdog.pid, signal.SIGTERM)
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.process.wait(timeout=_PATIENCE)
    os.killpg(watchdog.pid, signal.SIGKILL)
    for process in (watchdog, *(child.process for child in children)):
        process.wait()
    for child in children:
        with contextlib.suppress(OSError):
            child.mask_log()
