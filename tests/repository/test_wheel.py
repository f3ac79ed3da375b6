"""What a wheel of the repository gives where there is no checkout."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from silverloom.assets.codehash.statements import PROJECT
from tests.projects import ROOT

BUILT = ("silverloom", *PROJECT, "pyproject.toml", "README.md", "LICENSE", "models.txt")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A folder with what a wheel installs, built from a copy: a build writes into its folder."""
    copy, built, unpacked = (tmp_path_factory.mktemp(name) for name in ("copy", "built", "unpacked"))
    for name in BUILT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run([*pip, "--wheel-dir", built, copy], check=True)
    [wheel] = built.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    return unpacked


@pytest.fixture
def python(unpacked, tmp_path):
    """Runs code with the unpacked wheel, outside of any checkout; the installation of this one does not count."""
    alone = f"import sys; sys.path[:] = [path for path in sys.path if path != {str(ROOT)!r}]\n"

    def run(code):
        environment = {**os.environ, "PYTHONPATH": str(unpacked)}
        argv = [sys.executable, "-c", alone + code]
        return subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_a_wheel_has_one_top_level_name_and_every_package_below_it(unpacked):
    names = {path.name for path in unpacked.iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"silverloom"}
    for path in (path for name in PROJECT for path in (ROOT / name).rglob("*.py")):
        assert (unpacked / "silverloom" / path.relative_to(ROOT)).is_file()


def test_a_wheel_explains_why_rows_are_lost(python, unpacked):
    code = """
import silverloom
from silverloom.orchestration.messages import why_lost
print(silverloom.__file__)
print(*why_lost({"discofuse/examples": {"long": 1}, "wikisum/examples": {"no_lead": 2}}), sep="\\n")
"""
    assert python(code).stdout.splitlines() == [
        f"{unpacked}/silverloom/__init__.py",
        "dropped for no_lead: the article has no lead",
        "dropped for long: an original sentence has more than `long_tokens` tokens",
    ]


@pytest.mark.parametrize("name", PROJECT)
def test_an_import_by_a_former_name_is_told_the_new_one(python, name):
    told = python(f"import silverloom, {name}").stderr.splitlines()[-1]
    assert told.startswith(f"ModuleNotFoundError: `{name}` is now `silverloom.{name}`")
    in_a_checkout = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True
    )
    assert f"ImportError: `{name}` is now `silverloom.{name}`" in in_a_checkout.stderr
