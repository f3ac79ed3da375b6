"""Chromium is found, or else installed; if neither works, the error lists everything that was tried."""

import os
import sys
from pathlib import Path

import pytest

from tests.browser import chromium

CHROME = '#!/bin/sh\necho "Chromium 1.2.3"\n'
BROKEN = '#!/bin/sh\necho "libnss3.so: cannot open shared object file" >&2\nexit 127\n'
FAILS = '#!/bin/sh\necho "$@" >> "$LOG"\necho "E: Unable to locate package chromium" >&2\nexit 100\n'


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose PATH has only what `put` puts there; as root, and Playwright is always offline."""
    folder = tmp_path / "bin"
    folder.mkdir()
    log = tmp_path / "log"
    log.touch()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("LOG", str(log))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    machine = Machine(folder, log, tmp_path / "own" / "chrome")
    machine.put("env", '#!/bin/sh\nshift\nexec "$@"\n')
    machine.python(installs=False)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return machine


class Machine:
    def __init__(self, folder: Path, log: Path, own: Path):
        self.folder, self.log, self.own = folder, log, own

    def put(self, name: str, script: str) -> Path:
        path = self.folder / name
        path.write_text(script)
        path.chmod(0o755)
        return path

    def makes(self, path: Path) -> str:
        """A command that creates a browser at a path."""
        lines = "\n".join(CHROME.splitlines())
        return f"/bin/mkdir -p {path.parent}\n/bin/cat > {path} <<'END'\n{lines}\nEND\n/bin/chmod +x {path}\n"

    def apt(self) -> None:
        install = self.makes(self.folder / "chromium")
        self.put("apt-get", f'#!/bin/sh\necho "$@" >> "$LOG"\ncase "$*" in *install*)\n{install};; esac\n')

    def python(self, *, installs: bool) -> None:
        install = self.makes(self.own) if installs else 'echo "getaddrinfo ENOTFOUND" >&2; exit 1'
        self.put(
            "python",
            f'#!/bin/sh\nif [ "$1" = -c ]; then echo {self.own}; exit; fi\necho "$@" >> "$LOG"\n{install}\n',
        )

    @property
    def called(self) -> str:
        return self.log.read_text()


@pytest.mark.parametrize("name", chromium.NAMES)
def test_a_browser_on_path_is_used_and_nothing_is_installed(machine, name):
    machine.apt()
    path = machine.put(name, CHROME)
    assert chromium.install() == path
    assert machine.called == ""


def test_a_configured_browser_comes_first(machine, tmp_path, monkeypatch):
    machine.put("chromium", CHROME)
    mine = machine.put("mine", CHROME)
    monkeypatch.setenv("CHROMIUM", str(mine))
    assert chromium.install() == mine


def test_a_configured_browser_that_does_not_exist_is_an_error_and_nothing_else_is_tried(machine, monkeypatch):
    machine.apt()
    monkeypatch.setenv("CHROMIUM", "/nowhere/chrome")
    with pytest.raises(chromium.NoBrowserError, match="CHROMIUM=/nowhere/chrome is no program"):
        chromium.install()
    assert machine.called == ""


def test_a_browser_that_does_not_start_is_skipped(machine):
    machine.put("chromium", BROKEN)
    good = machine.put("google-chrome", CHROME)
    assert chromium.find() == good


def test_a_missing_browser_is_installed_from_debians_packages(machine):
    machine.apt()
    assert chromium.install() == machine.folder / "chromium"
    update, install = machine.called.splitlines()
    assert update.endswith("update")
    assert install.endswith("install -y --no-install-recommends chromium fonts-liberation")
    assert "playwright" not in machine.called


def test_without_root_sudo_installs_them(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    machine.apt()
    machine.put("sudo", '#!/bin/sh\necho "sudo $*" >> "$LOG"\n[ "$2" = true ] && exit\nshift\nexec "$@"\n')
    assert chromium.install() == machine.folder / "chromium"
    assert machine.called.startswith("sudo -n true\nsudo -n env ")


@pytest.mark.parametrize("sudo", [None, '#!/bin/sh\necho "a password is required" >&2\nexit 1\n'])
def test_without_root_and_sudo_playwright_installs_its_own(machine, monkeypatch, sudo):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    machine.apt()
    if sudo:
        machine.put("sudo", sudo)
    machine.python(installs=True)
    assert chromium.install() == machine.own
    assert machine.called == "-m playwright install chromium\n"
    assert chromium.find() == machine.own, "the second time it is already installed"


def test_if_nothing_works_the_error_lists_what_was_tried_and_what_to_do(machine):
    machine.put("chromium", BROKEN)
    machine.put("apt-get", FAILS)
    with pytest.raises(chromium.NoBrowserError) as failure:
        chromium.install()
    text = str(failure.value)
    assert "chromium does not start: libnss3.so: cannot open shared object file" in text
    assert "apt-get install chromium fonts-liberation: E: Unable to locate package chromium" in text
    assert "python -m playwright install chromium: getaddrinfo ENOTFOUND" in text
    assert "name one by CHROMIUM=/path/to/chrome" in text
