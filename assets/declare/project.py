"""The project that this process works on, the checkout that its code is from, and what is code in it.

Belongs here: finding both on disk, and refusing the code of another checkout; the names of packages and
files. Not here: params.yaml (params_file.py), the command, which runs the right code (silverloom/command.py).
"""

from __future__ import annotations

import contextlib
import re
from functools import cache
from pathlib import Path

from silverloom.assets.codehash.statements import PROJECT

#: The pinned packages: what set-up installs, and what tests and a cluster need besides.
LOCKS = ("requirements.lock", "requirements-extras.lock")
#: The pinned models.
MODELS = "models.txt"

#: What is code in it.
CODE = (*PROJECT, MODELS, *LOCKS)


@cache
def checkout() -> Path:
    """Return the folder with `ops`, `assets` and their like that this code was imported from.

    It is a checkout's root, to which the links in its folder `silverloom` lead, or the installed package.
    """
    return Path(__file__).resolve().parents[2]


class ForeignCodeError(ImportError):
    """The code of one checkout was imported in another one; the text names both and says what to do."""


def check_checkout() -> None:
    """Raise ForeignCodeError if the working directory is in a checkout other than that of this code.

    Checkouts that share a virtual environment have only one of them installed in it.
    """
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / "orchestration" / "cli" / "app.py").is_file():
                if folder != checkout():
                    raise ForeignCodeError(
                        f"{folder} is a checkout of its own, but this environment would run the code of "
                        f"{checkout()} in it: activate an environment of {folder} (`make setup` there makes "
                        f".venv), or set PYTHONPATH={folder}"
                    )
                return


@cache
def import_root() -> Path:
    """Return the folder on Python's path in which this code's package `silverloom` lies."""
    return Path(__file__).parents[3]


@cache
def project() -> Path:
    """Return the project that this process works on: params.yaml, data and history are its own.

    It is the project around the working directory. Outside of any, it is the checkout of the code.
    """
    return nearest_project() or checkout()


def nearest_project() -> Path | None:
    """Return the nearest folder that is a project and a root of DVC, from the working directory up."""
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / ".dvc").is_dir() and _is_project(folder):
                return folder
    return None


_SECTION = re.compile(rb"""^["']?(partitions|sources)["']?[ \t]*:""", re.MULTILINE)


def _is_project(folder: Path) -> bool:
    """Return whether params.yaml has the sections of a project, because other DVC repositories have one, too.

    It is not parsed: a syntax error in it is reported later. If a section was deleted, or the file cannot be
    read, the state of earlier commands still tells the project.
    """
    sections = set[bytes]()
    try:
        sections = {*_SECTION.findall((folder / "params.yaml").read_bytes())}
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # reported when its content is needed
        pass
    return sections == {b"partitions", b"sources"} or (folder / ".silverloom").is_dir()
