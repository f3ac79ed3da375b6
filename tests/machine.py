"""Programs of the machine that tests need: run one, or install its Debian package.

Belongs here: what Chromium (browser/chromium.py) and espeak-ng (espeak.py) have in common. Not here: processes
that tests start and watch (processes.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess

PATIENCE = 900  # seconds, for a download


class MissingError(RuntimeError):
    """A program is missing and could not be installed."""


def install_packages(*packages: str) -> None:
    """Install Debian packages, as root or with a sudo that needs no password. Raises MissingError."""
    if shutil.which("apt-get") is None:
        raise MissingError("Debian's packages: there is no apt-get")
    sudo: list[str] = []
    if os.geteuid() != 0:
        sudo = ["sudo", "-n"]
        if shutil.which("sudo") is None or run([*sudo, "true"]).returncode != 0:
            raise MissingError("Debian's packages: neither root nor a sudo that asks for no password")
    apt = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
    run([*apt, "update"])  # outdated package lists may do: only the installation counts
    done = run([*apt, "install", "-y", "--no-install-recommends", *packages])
    if done.returncode != 0:
        raise MissingError(f"Debian's packages: apt-get install {' '.join(packages)}: {last_line(done)}")


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. A command that cannot start, or does not end, gets an exit status of its own."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no end within {PATIENCE} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 126, "", str(error))


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of a command's output."""
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1] if lines else f"it ended with {done.returncode}"
