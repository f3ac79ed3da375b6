"""A Postgres server for a test, run by the programs of an installed Postgres.

Belongs here: finding these programs, starting and stopping a server in a temporary folder, and creating
databases. Not here: what is stored there (the tests).
"""

import contextlib
import importlib.util
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

#: Postgres refuses to run as root; its packages create this user.
USER = "postgres"

#: Contains characters that must be quoted in URLs.
PASSWORD = "s3cret/pw"
QUOTED = "s3cret%2Fpw"


def programs() -> Path | None:
    """Return the folder with the programs of the newest installed Postgres."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if on_path := shutil.which("initdb"):
        found.append(Path(on_path).parent)
    return max(found, key=lambda path: [int(part) for part in path.parts if part.isdecimal()], default=None)


def absent() -> str:
    """Say why no server can run here, or ""."""
    for module in ("dagster_postgres", "psycopg2"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    return "" if programs() else "no Postgres is installed"


@dataclass
class Postgres:
    """A server on a free port of this machine, or of a network namespace that `enter` enters."""

    folder: Path
    port: int
    host: str = "127.0.0.1"
    enter: tuple[str, ...] = ()
    numbers: itertools.count = field(default_factory=itertools.count)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses={self.host} -c unix_socket_directories={self.folder} -c fsync=off"
        self.run("pg_ctl", "-D", "data", "-l", "log", "-o", options, "-w", "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")

    def database(self) -> str:
        """Return the address of a new database."""
        name = f"state_{next(self.numbers)}"
        self.run("createdb", "-h", str(self.folder), "-p", str(self.port), "-U", "silverloom", name)
        return f"postgresql://silverloom:{QUOTED}@{self.host}:{self.port}/{name}"

    def run(self, name: str, *argv: str) -> None:
        """Run one of Postgres's programs, as a user that it accepts."""
        user = ("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups") if os.geteuid() == 0 else ()
        done = subprocess.run(
            [*self.enter, *user, programs() / name, *argv],
            cwd=self.folder,
            env={**os.environ, "PGPASSWORD": PASSWORD},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"


@contextlib.contextmanager
def serving(host="127.0.0.1", enter=()):
    """Yield a server; it stops when the block ends."""
    with tempfile.TemporaryDirectory(prefix="postgres-") as name, socket.socket() as probe:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, USER, USER)
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)
        probe.bind(("127.0.0.1", 0))
        server = Postgres(folder, probe.getsockname()[1], host, tuple(enter))
        probe.close()
        owner = ["-U", "silverloom", "-A", "scram-sha-256", "--pwfile=password"]
        server.run("initdb", "-D", "data", "--no-sync", "-E", "UTF8", "--locale=C", *owner)
        with (folder / "data/pg_hba.conf").open("a") as file:
            file.write(f"host all all {host}/24 scram-sha-256\n")
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="module")
def postgres():
    """A server for the tests of a module; they are skipped where none can run."""
    if reason := absent():
        pytest.skip(reason)
    with serving() as server:
        yield server
