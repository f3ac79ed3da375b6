"""Set-up installs nothing whose bytes were not written down beforehand."""

import re

import pytest

from assets.settings import ROOT

LOCKS = ("requirements.lock", "cuda.lock", "torch-cpu.lock", "models.txt")


def requirements(name):
    """The requirements of a lock file, each with its hashes, on a line of its own."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_its_hashes(name):
    assert requirements(name)
    for line in requirements(name):
        assert re.fullmatch(
            r"[A-Za-z0-9._-]+==[^\s;]+(\s*;[^\\]*?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*", line
        ), line


def test_every_installation_of_the_makefile_asks_for_hashes():
    text = (ROOT / "Makefile").read_text()
    assert re.search(r"^INSTALL := python -m pip install --no-deps --require-hashes$", text, re.M)
    assert "pip install" not in text.replace("INSTALL := python -m pip install", "")


def test_every_name_that_the_project_asks_for_is_locked():
    wanted = re.findall(r"^[A-Za-z0-9._-]+", (ROOT / "requirements.in").read_text(), re.M)
    locked = {re.split("==", line)[0] for line in requirements("requirements.lock")}
    assert not {re.sub(r"[-_.]+", "-", name).lower() for name in wanted} - locked


def test_both_builds_of_torch_are_of_one_version():
    (cpu,) = requirements("torch-cpu.lock")
    assert (
        re.search(r"^torch==(\S+)", (ROOT / "requirements.lock").read_text(), re.M).group(1)
        == cpu.split()[0][len("torch==") : -len("+cpu")]
    )
