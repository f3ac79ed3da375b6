"""Where `make ui` serves what: the URLs that servers link to.

Belongs here: the ports, and the links' structure. A URL holds only while the ports stay: Dagster and MLflow,
which keep what they get for ever, get the path of a page instead. Not here: serving (serve/ui.py,
serve/web.py).
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass

from silverloom.assets.declare.logins import without_logins
from silverloom.orchestration.workspace.workspace import Workspace

HOST = "127.0.0.1"
DEFAULT_PORT = "3000"
#: The variable that names another first port. `silverloom ui` sets it for its servers.
PORT = "SILVERLOOM_PORT"

#: The servers on SILVERLOOM_PORT and the two ports after it.
SERVERS = ("dagster", "pages", "mlflow")

#: Shows MLflow's pages of runs with params and metrics; the default is traces of language models.
_TRAINING = "workflowType=machine_learning"


@dataclass(frozen=True)
class Addresses:
    """Where the servers of one checkout are."""

    workspace: Workspace

    def base_port(self) -> int:
        """Return the first of the three ports: SILVERLOOM_PORT, else 3000.

        Raises ValueError if SILVERLOOM_PORT leaves no room for three ports.
        """
        chosen = os.environ.get(PORT) or DEFAULT_PORT
        if not _leaves_room(chosen):
            raise ValueError(f"SILVERLOOM_PORT={chosen}: choose 1 to 65533, the first of three ports")
        return int(chosen)

    def choose(self) -> int:
        """Return the first of three free ports, from `base_port` up; this process's links use them.

        Raises RuntimeError if none of a hundred triples is free.
        """
        first = self.base_port()
        for base in range(first, min(first + 300, 65_534), 3):
            if all(_free(base + offset) for offset in range(3)):
                os.environ[PORT] = str(base)  # for the processes started next
                return base
        raise RuntimeError(f"no three free ports from {first} up; set SILVERLOOM_PORT to try others")

    def address(self, kind: str, path: str = "/") -> str:
        """Return a URL on one of the SERVERS."""
        return f"http://{HOST}:{self.base_port() + SERVERS.index(kind)}{path}"

    def mlflow(self) -> str:
        """Return the URL of MLflow's list of experiments."""
        return f"{self._mlflow()}/#/experiments?{_TRAINING}"

    def _mlflow(self) -> str:
        uri = without_logins(self.workspace.tracking_uri)
        return uri.rstrip("/") if uri.startswith("http") else self.address("mlflow", "")


def allowed_hosts() -> list[str]:
    """Return the host names in SILVERLOOM_ALLOWED_HOSTS, under which a proxy serves this machine's servers.

    Raises ValueError for anything but a name: a wildcard would let every page in.
    """
    given = os.environ.get("SILVERLOOM_ALLOWED_HOSTS", "").lower().split(",")
    names = [name.strip() for name in given if name.strip()]
    for name in names:
        if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name):
            raise ValueError(
                f"SILVERLOOM_ALLOWED_HOSTS: {name!r} is not a host name; "
                "list names without scheme, port or wildcard, separated by commas"
            )
    return names


def _leaves_room(text: str) -> bool:
    """Return whether a text is a port number with room for two more."""
    return text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= 65_533


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
