"""A new project: a folder with params.yaml, dvc.yaml, git and DVC, which uses the installed code.

Belongs here: its files, and the programs that set it up. Not here: what its sources are (detect.py).

A folder is read where it is. A single file is copied into the project, below corpus/, where DVC tracks it: a
source is a folder, and the one around the file may hold anything.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import yaml

from assets.declare.declaration import DECLARED
from assets.declare.graph import beginnings
from assets.declare.settings import checkout
from orchestration.project.detect import FoundSource, SourceOptions, UndecidedError, detect, readers, systems

_TEMPLATE = Path(__file__).with_name("template")

#: Files of a new project, by their names in the template.
_FILES = {"pyproject.toml": "pyproject.toml", "gitignore": ".gitignore", "dvcignore": ".dvcignore"}

_HEAD = "# Only what differs from the defaults. After a change of sources: silverloom render\n"


class GivenSource(NamedTuple):
    """A source as people give it: `PATH` or `RECORDS=PATH`."""

    records: str
    path: Path
    name: str
    """What it is called in params.yaml."""


class ProjectSource(NamedTuple):
    """A source of a new project."""

    given: GivenSource
    found: FoundSource
    folder: str
    """Its path in params.yaml."""

    @property
    def told(self) -> str:
        """What was found, in a line."""
        columns = ", ".join(f"{wanted} from {column}" for wanted, column in self.found.columns.items())
        told = f"{self.given.path.name}: {self.found.records}, read as {self.found.kind}"
        return f"{told} ({columns})" if columns else told


def create(
    root: Path, system: str, sources: Sequence[str], asked: SourceOptions, licence: str
) -> list[ProjectSource]:
    """Make a project in a new or empty folder; return its sources. If that fails, nothing is left.

    Raises ValueError for what does not fit, OSError for a missing source or a folder that is not empty,
    RuntimeError if git or DVC fails.
    """
    import assets.systems  # noqa: F401  declares what there is to choose from

    if system not in systems():
        raise ValueError(f"there is no system {system!r}; there are: {', '.join(systems())}")
    root = root.resolve()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise FileExistsError(f"{root} is not empty: name a new folder")
    given = list(_given(system, sources))
    for source in given:
        if root.is_relative_to(source.path):
            raise ValueError(f"{root} is inside its source {source.path}: name a folder outside of it")
    with _gone_if_failed(root):
        made = [_made(root, system, source, asked) for source in given]
        _check_complete(system, made)
        _write(root, system, made, licence)
        _set_up(root, [source.folder for source in made if source.given.path.is_file()])
    return made


def _given(system: str, sources: Sequence[str]) -> Iterator[GivenSource]:
    names: set[str] = set()
    for text in sources:
        records, sign, rest = text.partition("=")
        if not sign or records not in readers(system):
            records, rest = "", text
        path = Path(rest).expanduser()
        if not path.exists():
            wrong = f" ({records or 'it'} is not one of {', '.join(readers(system))})" if "=" in rest else ""
            raise FileNotFoundError(f"there is no file or folder {rest}{wrong}")
        name = re.sub(r"\W+", "_", path.resolve().name.partition(".")[0]).strip("_").lower() or "texts"
        while name in names:
            name = f"{name}_2"
        names.add(name)
        yield GivenSource(records, path.resolve(), name)


@contextlib.contextmanager
def _gone_if_failed(root: Path) -> Iterator[None]:
    existed = root.is_dir()
    root.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        shutil.rmtree(root)
        if existed:
            root.mkdir()
        raise


def _made(root: Path, system: str, given: GivenSource, asked: SourceOptions) -> ProjectSource:
    folder = given.path
    if folder.is_file():
        folder = root / "corpus" / given.name
        folder.mkdir(parents=True)
        shutil.copy2(given.path, folder)
    found = detect(system, folder, given.path.name, given.records, asked)
    return ProjectSource(given, found, os.path.relpath(folder, root))


def _check_complete(system: str, made: Sequence[ProjectSource]) -> None:
    """Raise UndecidedError if a source is missing that the system needs."""
    there = {source.found.reader or source.found.records for source in made}
    all_of, one_of = beginnings(system)
    missing = [records for records in all_of if records not in there]
    if one_of and there.isdisjoint(one_of):
        missing = [" or ".join(one_of)]
    if missing:
        given = f"; given: {', '.join(source.told for source in made)}" if made else ""
        raise UndecidedError(
            f"{system} needs {' and '.join(missing)}{given}; add --source {missing[0].split()[0]}=PATH"
        )


def _write(root: Path, system: str, made: Sequence[ProjectSource], licence: str) -> None:
    for name, target in _FILES.items():
        shutil.copy(_TEMPLATE / name, root / target)
    content = {system: {}, "partitions": {"every": "none"}, "sources": _sources(made, licence)}
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, allow_unicode=True, width=100)
    (root / "params.yaml").write_text(_HEAD + text, encoding="utf-8")
    words = {
        "title": root.name,
        "system": system,
        "sources": "\n".join(f"- {source.told}: `{source.folder}`" for source in made),
        "dataset": f"sources/{made[0].found.records}",
    }
    readme = Template((_TEMPLATE / "README.md").read_text(encoding="utf-8")).substitute(words)
    (root / "README.md").write_text(readme, encoding="utf-8")


def _sources(made: Sequence[ProjectSource], licence: str) -> dict[str, dict[str, Any]]:
    """Return the section `sources` of params.yaml."""
    content: dict[str, dict[str, Any]] = {}
    for given, found, folder in made:
        params: dict[str, Any] = {"kind": found.kind, "path": folder, "licence": licence}
        if found.fields:
            params["fields"] = dict(found.fields)
        content.setdefault(found.records, {})[given.name] = params
        if found.reader:
            content.setdefault(found.reader, {})[given.name] = {"dataset": f"sources/{found.records}"}
    for records, sources in content.items():
        reader = next(d for d in DECLARED.values() if d.key.asset == records == d.records)
        if reader.shape is not None and "domain" in reader.shape.kept.names:
            for name, params in sources.items():
                params["domain"] = name
    return content


def _set_up(root: Path, copied: Sequence[str]) -> None:
    """Make the repositories, and render dvc.yaml. Raises RuntimeError."""
    _run(root, "git", "init", "-q")
    _run(root, sys.executable, "-m", "dvc", "init", "-q")
    shutil.copy(checkout() / ".dvc" / "config", root / ".dvc" / "config")
    shutil.copytree(checkout() / ".dvc" / "plots", root / ".dvc" / "plots", dirs_exist_ok=True)
    for folder in copied:
        _run(root, sys.executable, "-m", "dvc", "add", "-q", folder)
    for command in ("setup", "render"):
        _run(root, sys.executable, "-m", "orchestration.cli", command)


def _run(root: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().removeprefix("error: ")
        raise RuntimeError(f"`{' '.join(map(str, command))}` failed: {said or f'status {done.returncode}'}")
