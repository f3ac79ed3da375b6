"""Two hosts on one machine: network namespaces, joined by a switch in a third one, whose link can be cut.

Belongs here: making them, entering them, cutting the link. Not here: what runs on them (the tests). A cut is
silent: neither side sees its own end of the cable go down.
"""

import contextlib
import itertools
import os
import shutil
import subprocess
from dataclasses import dataclass

import pytest

_numbers = itertools.count()


def _ip(*argv: str) -> None:
    subprocess.run(["ip", *argv], check=True, capture_output=True, text=True)


@dataclass(frozen=True)
class Host:
    """A host: how to run a command on it, and its address."""

    enter: tuple[str, ...]
    address: str


@dataclass(frozen=True)
class TwoHosts:
    here: Host
    there: Host
    switch: str

    @contextlib.contextmanager
    def cut(self):
        """Let nothing through between the hosts during the block."""
        _ip("-n", self.switch, "link", "set", "there", "nomaster")
        try:
            yield
        finally:
            _ip("-n", self.switch, "link", "set", "there", "master", "switch")


@contextlib.contextmanager
def two_hosts():
    """Yield two hosts, which exist until the block ends. Skips the test where namespaces cannot be made."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("setpriv"):
        pytest.skip("network namespaces need root, ip and setpriv")
    prefix = f"loom{os.getpid()}-{next(_numbers)}"
    names = {place: f"{prefix}-{place}" for place in ("here", "there", "switch")}
    with contextlib.ExitStack() as stack:
        try:
            for name in names.values():
                _ip("netns", "add", name)
                stack.callback(_ip, "netns", "del", name)
                _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", names["switch"], "link", "add", "switch", "type", "bridge")
            _ip("-n", names["switch"], "link", "set", "switch", "up")
            hosts = [
                _host(place, names[place], names["switch"], f"10.213.7.{number}")
                for number, place in enumerate(("here", "there"), 1)
            ]
        except (subprocess.CalledProcessError, OSError) as error:
            pytest.skip(f"no network namespaces: {getattr(error, 'stderr', '') or error}")
        yield TwoHosts(*hosts, names["switch"])


def _host(place: str, name: str, switch: str, address: str) -> Host:
    """Join a namespace to the switch by a cable; both ends have the name of the place."""
    _ip("link", "add", "cable", "netns", name, "type", "veth", "peer", "name", place, "netns", switch)
    _ip("-n", switch, "link", "set", place, "master", "switch", "up")
    _ip("-n", name, "addr", "add", f"{address}/24", "dev", "cable")
    _ip("-n", name, "link", "set", "cable", "up")
    return Host(("ip", "netns", "exec", name), address)
