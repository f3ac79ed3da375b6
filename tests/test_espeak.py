"""espeak-ng is found, else installed by Debian's package, else its lack is told with what to do."""

import os

import pytest

from tests import espeak
from tests.machine import MissingError


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A machine with nothing on PATH, and root."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    put(tmp_path / "env", 'shift\nexec "$@"')
    return tmp_path


def put(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_it_is_installed_where_there_is_none(programs):
    target = programs / "espeak-ng"
    made = f'case "$*" in *"install -y --no-install-recommends espeak-ng"*) : > {target}; /bin/chmod +x {target};; esac'
    put(programs / "apt-get", made)
    assert espeak.install() == str(target)


def test_one_that_is_there_is_taken(programs):
    put(programs / "espeak-ng", "")
    assert espeak.install() == str(programs / "espeak-ng")


def test_where_it_cannot_be_installed_the_cause_is_told(programs):
    put(programs / "apt-get", 'echo "E: Unable to locate package espeak-ng" >&2; exit 100')
    with pytest.raises(MissingError, match="Unable to locate package espeak-ng"):
        espeak.install()
    with pytest.raises(MissingError, match="run `make speech`"):
        espeak.spoken("text")
