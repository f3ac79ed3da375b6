"""Where `make ui` shows what: the addresses that links in Dagster, MLflow and the pages lead to.

Belongs here: the ports and the shape of the links. Not here: serving anything (serve/ui.py, serve/web.py).
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from assets.declare.settings import without_logins
from orchestration.files.damage import DamagedError, read_state
from orchestration.files.publish import write_file
from orchestration.workspace.workspace import Workspace
from pages.paths import page_path

HOST = "127.0.0.1"
DEFAULT_PORT = 3000

#: What is served on SILVERLOOM_PORT and on the two ports after it.
SERVERS = ("dagster", "pages", "mlflow")

#: MLflow's pages of runs with params and metrics; else it shows those of traces of language models.
_TRAINING = "workflowType=machine_learning"


@dataclass(frozen=True)
class Addresses:
    """Where the servers of one checkout are."""

    workspace: Workspace

    def base_port(self) -> int:
        """Return the first of the three ports: SILVERLOOM_PORT, else where `make ui` was last, else 3000.

        Raises ValueError for a SILVERLOOM_PORT that leaves no room for three.
        """
        if chosen := os.environ.get("SILVERLOOM_PORT"):
            if not _leaves_room(chosen):
                raise ValueError(f"SILVERLOOM_PORT={chosen}: three ports from it on are needed, 1 to 65533")
            return int(chosen)
        try:
            text = (read_state(self.workspace.state / "port") or b"").decode()
        except (DamagedError, UnicodeDecodeError):
            return DEFAULT_PORT
        return int(text) if _leaves_room(text) else DEFAULT_PORT

    def choose(self) -> int:
        """Return the first of three free ports, from `base_port` on; links go there from now on.

        Raises RuntimeError where none of a hundred triples is free.
        """
        first = self.base_port()
        for base in range(first, min(first + 300, 65_534), 3):
            if all(_free(base + offset) for offset in range(3)):
                write_file(self.workspace.state / "port", str(base).encode())
                os.environ["SILVERLOOM_PORT"] = str(base)  # for the processes that are started now
                return base
        raise RuntimeError(f"no three free ports from {first} on; choose some with SILVERLOOM_PORT")

    def address(self, kind: str, path: str = "/") -> str:
        """Return an address on one of the SERVERS."""
        return f"http://{HOST}:{self.base_port() + SERVERS.index(kind)}{path}"

    def dagster_run(self, run_id: str) -> str:
        """Return the page of a Dagster run."""
        return self.address("dagster", f"/runs/{run_id}")

    def dagster_asset(self, name: str, partition: str = "") -> str:
        """Return Dagster's page of a dataset, or of one of its partitions."""
        query = f"?{urlencode({'view': 'partitions', 'partition': partition})}" if partition else ""
        return self.address("dagster", f"/assets/{quote(name)}{query}")

    def mlflow(self) -> str:
        """Return MLflow's list of experiments."""
        return f"{self._mlflow()}/#/experiments?{_TRAINING}"

    def mlflow_run(self, experiment_id: str, run_id: str) -> str:
        """Return MLflow's page of a run."""
        return f"{self._mlflow()}/#/experiments/{experiment_id}/runs/{run_id}?{_TRAINING}"

    def tracked(self, name: str, partition: str, version: str) -> str:
        """Return what leads to MLflow's page of the latest run that made a version of a partition."""
        place = f"/to/mlflow/{quote(name)}/{partition}".rstrip("/")
        return self.address("pages", f"{place}?{urlencode({'version': version})}")

    def _mlflow(self) -> str:
        uri = without_logins(self.workspace.tracking_uri)
        return uri.rstrip("/") if uri.startswith("http") else self.address("mlflow", "")

    def page(self, name: str = "") -> str:
        """Return the data-quality page of a dataset, or the first of all pages."""
        return self.address("pages", f"/pages/{page_path(name) if name else ''}")


def allowed_hosts() -> list[str]:
    """Return the names in SILVERLOOM_ALLOWED_HOSTS: those by which a proxy serves this machine's servers.

    Raises ValueError for what is no name: a wildcard would let every page in.
    """
    given = os.environ.get("SILVERLOOM_ALLOWED_HOSTS", "").lower().split(",")
    names = [name.strip() for name in given if name.strip()]
    for name in names:
        if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name):
            raise ValueError(
                f"SILVERLOOM_ALLOWED_HOSTS: {name!r} is no host name; "
                "give names without scheme, port or wildcard, separated by commas"
            )
    return names


def _leaves_room(text: str) -> bool:
    """Say whether a text is the first of three ports."""
    return text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= 65_533


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
