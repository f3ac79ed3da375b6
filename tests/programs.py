"""Whole programs in forks of one warmed process (end_to_end/zygote.py), for all pytest workers.

Belongs here: starting that process, and running programs in it. Not here: projects (projects.py).
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from silverloom.orchestration.files.publish import lock_file
from silverloom.orchestration.workspace.environment import QUIET, STRICT

SCRIPTS = Path(__file__).with_name("end_to_end")


@dataclass
class Ended:
    status: int
    output: str


class Zygote:
    """Runs programs of a project, and what `dvc repro` starts in them, in forks of one warmed process.

    The first that is made for a folder starts the process, which ends with the last.
    """

    def __init__(self, folder: Path):
        self.bin, self.out = folder / "bin", folder / f"output of {os.getpid()}.txt"
        self.inherited = {**os.environ, **STRICT, **QUIET, "DVC_SITE_CACHE_DIR": str(folder / "dvc-site")}
        self.address = str(folder / "zygote")
        folder.mkdir(exist_ok=True)
        with contextlib.closing(lock_file(folder / "zygote.lock", wait=True)):
            if not self.bin.exists():
                self.start()
        self.held = self.connect({})

    def start(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(self.address)
            listener.listen()
            command = [sys.executable, str(SCRIPTS / "zygote.py"), str(listener.fileno()), *STRICT]
            environment = {**self.inherited, "PYTHONPATH": ""}
            self.process = subprocess.Popen(command, env=environment, pass_fds=[listener.fileno()])
        self.bin.mkdir()
        for name in ("python", "silverloom"):
            stand_in = self.bin / name
            stand_in.write_text(f"#!{sys.executable} -IS\n{(SCRIPTS / 'python.py').read_text()}")
            stand_in.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        places = [str(self.bin), str(Path(sys.executable).parent), os.environ["PATH"]]
        return {
            "PATH": os.pathsep.join(places),
            "PYTHONPATH": "",
            "SILVERLOOM_JOBS": "1",  # tests already run in parallel
        }

    def connect(self, order: dict, *descriptors: int) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.connect(self.address)
        socket.send_fds(connection, [json.dumps(order).encode()], descriptors)
        return connection

    def run(self, cwd: Path, argv: list[str], **what: str) -> Ended:
        environment = {**self.inherited, **self.environment, **what.pop("env", {})}
        order = {"cwd": str(cwd), "argv": argv, "env": environment, "descriptors": [0, 1, 2], **what}
        with Path(os.devnull).open() as nothing, self.out.open("w") as out:
            connection = self.connect(order, nothing.fileno(), out.fileno(), out.fileno())
        with connection:
            status = int(connection.recv(64) or 1)
        return Ended(status, self.out.read_text(errors="replace"))

    def close(self) -> None:
        self.held.close()
