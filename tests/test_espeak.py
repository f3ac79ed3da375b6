"""espeak-ng is found, or installed from Debian's package; if neither works, the error says what to do."""

import os

import pytest

from tests import espeak
from tests.machine import MissingError


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A machine with an empty PATH, as root."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    put(tmp_path / "env", 'shift\nexec "$@"')
    return tmp_path


def put(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_a_missing_espeak_is_installed(programs):
    target = programs / "espeak-ng"
    made = f'case "$*" in *"install -y --no-install-recommends espeak-ng"*) : > {target}; /bin/chmod +x {target};; esac'
    put(programs / "apt-get", made)
    assert espeak.install() == str(target)


def test_an_installed_espeak_is_used(programs):
    put(programs / "espeak-ng", "")
    assert espeak.install() == str(programs / "espeak-ng")


def test_the_error_names_the_cause_when_it_cannot_be_installed(programs):
    put(programs / "apt-get", 'echo "E: Unable to locate package espeak-ng" >&2; exit 100')
    with pytest.raises(MissingError, match="Unable to locate package espeak-ng"):
        espeak.install()
    with pytest.raises(MissingError, match="run `make speech`"):
        espeak.spoken("text")
