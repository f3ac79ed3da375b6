"""Set-up installs only pinned bytes, and every imported package is a declared requirement."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain

import pytest

from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.declare.project import checkout

LOCKS = ("requirements.lock", "cuda.lock", "torch-cpu.lock", "requirements-extras.lock", "models.txt")


def requirements(name):
    """The requirements of a lock file, each with its hashes on one line."""
    text = (checkout() / name).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_its_hashes(name):
    assert requirements(name)
    for line in requirements(name):
        assert re.fullmatch(
            r"[A-Za-z0-9._-]+==[^\s;]+(\s*;[^\\]*?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*", line
        ), line


def test_every_installation_of_the_makefile_requires_hashes():
    text = (checkout() / "Makefile").read_text()
    assert re.search(
        r"^INSTALL := python -m pip install --no-deps --no-compile --require-hashes$", text, re.M
    )
    project = "pip install --no-deps --no-build-isolation --quiet --editable . --config-settings editable_mode=compat"  # already here
    assert text.count("pip install") == 2 and project in text


def normal(name):
    """A package's name, normalised as in a lock file."""
    return re.sub(r"[-_.]+", "-", name).lower()


def project():
    return tomllib.loads((checkout() / "pyproject.toml").read_text())["project"]


def wanted():
    asked = [*project()["dependencies"], *chain(*project()["optional-dependencies"].values())]
    return {normal(re.match(r"[A-Za-z0-9._-]+", line)[0]) for line in asked}


def test_every_required_package_is_locked():
    locks = ("requirements.lock", "requirements-extras.lock", "models.txt")
    locked = [re.split("==", line)[0] for name in locks for line in requirements(name)]
    assert not wanted() - set(locked)
    assert len(locked) == len(set(locked)), "a package is in two locks"


def test_the_extra_of_models_has_those_of_models_txt():
    pinned = [line.split()[0] for line in requirements("models.txt")]
    assert project()["optional-dependencies"]["models"] == pinned


def imported():
    """The top-level names of all modules that the project imports, except its own."""
    own = {*PROJECT, "docs", "silverloom", "tests", "benchmarks"}
    files = [path for folder in own - {"benchmarks"} for path in (checkout() / folder).rglob("*.py")]
    own |= {path.stem for path in files}  # pytest puts a test's folder on the path
    names = set()
    for path in files:
        for statement in ast.walk(ast.parse(path.read_text())):
            if isinstance(statement, ast.Import):
                names |= {alias.name for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
                names.add(statement.module)
    return {name.partition(".")[0] for name in names} - own - sys.stdlib_module_names


def test_every_imported_package_is_a_named_requirement():
    sources, asked, names = packages_distributions(), wanted(), imported()
    assert {"dagster", "numpy", "pytest"} <= names
    assert not {name for name in names if not asked & {normal(found) for found in sources.get(name, [])}}


def test_packages_that_are_read_as_data_are_named_requirements():
    assert "names" in wanted()


@pytest.fixture
def make(tmp_path):
    """Run a target of the Makefile in a separate folder, with stubs for `python` and `uv`: no network."""
    for name in ("Makefile", "pyproject.toml", *LOCKS):
        shutil.copy(checkout() / name, tmp_path)
    plots = tmp_path / "orchestration/dvc/plots.html"  # set-up makes another one from it
    plots.parent.mkdir(parents=True)
    plots.touch()
    calls = tmp_path / "calls"

    def make(target, **programs):
        (tmp_path / "bin").mkdir()
        for name, script in programs.items():
            program = tmp_path / "bin" / name
            program.write_text(f'#!/bin/sh\necho "{name} $*" >> {calls}\n{script}\n')
            program.chmod(0o755)
        command = ["make", target, f"PYTHON={tmp_path}/bin/python"]
        environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
        ended = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        return ended, calls.read_text()

    return make


#: A stub for `python` that makes an environment, and whose pip fails at one lock file.
PIP = 'case "$*" in *venv*) mkdir -p .venv;; *torch-cpu.lock) echo "{}" >&2; exit 1;; esac'


def test_set_up_fails_if_a_build_of_torch_has_other_bytes_than_pinned(make, tmp_path):
    message = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE"
    ended, calls = make(".venv/.ready", python=PIP.format(message))
    assert ended.returncode and message in ended.stderr
    assert "cuda.lock" not in calls and not (tmp_path / ".venv/.ready").exists()


def test_set_up_uses_the_other_build_of_torch_if_one_is_not_available(make, tmp_path):
    ended, calls = make(".venv/.ready", python=PIP.format("ERROR: No matching distribution found"))
    assert ended.returncode == 0, ended.stderr
    assert "-r cuda.lock" in calls and (tmp_path / ".venv/.ready").exists()


@pytest.mark.parametrize("fails", [True, False])
def test_locking_changes_all_lock_files_or_none(make, tmp_path, fails):
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/.ready").touch()
    before = {name: (tmp_path / name).read_bytes() for name in LOCKS}
    write = 'while [ "$1" != -o ]; do shift; done; printf "numpy==0\\ntriton==0\\nwrapt==0\\n" > "$2"'
    ended, calls = make("lock", python="", silverloom="", uv="exit 1" if fails else write)
    assert "uv pip compile" in calls and bool(ended.returncode) == fails, ended.stderr
    if not fails:
        before |= {"requirements.lock": b"numpy==0\nwrapt==0\n", "cuda.lock": b"triton==0\n"}
        before["requirements-extras.lock"] = b""  # the stub finds nothing else
    assert {name: (tmp_path / name).read_bytes() for name in LOCKS} == before
    assert not [path.name for path in tmp_path.glob(".*.lock")]


def test_both_builds_of_torch_have_the_same_version():
    (cpu,) = requirements("torch-cpu.lock")
    assert (
        re.search(r"^torch==(\S+)", (checkout() / "requirements.lock").read_text(), re.M).group(1)
        == cpu.split()[0][len("torch==") : -len("+cpu")]
    )
