"""A new project: a folder with params.yaml, dvc.yaml, git and DVC, which uses the installed code.

Belongs here: its files, and the programs that set it up. Not here: what its sources are (detect.py).

A folder is read where it is. A single file is copied into the project, below corpus/, where DVC tracks it: a
source is a folder, and the one around the file may hold anything. With `copy`, folders are copied, too.

Nothing depends on the project around the working directory: the datasets are declared by params of their own.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import yaml

from silverloom.assets.declare.cache import STATE
from silverloom.assets.declare.code import keep
from silverloom.assets.declare.declaration import DECLARED, Dataset
from silverloom.assets.declare.graph import system_named
from silverloom.assets.declare.params_file import params_from
from silverloom.ops.core.periods import Every, period
from silverloom.ops.core.release import RELEASE_FILES
from silverloom.ops.parse.one_source import source_name
from silverloom.ops.parse.source import Source, folder_formats
from silverloom.orchestration.project.detect import (
    FoundSource,
    SourceOptions,
    UndecidedError,
    detect,
)
from silverloom.orchestration.project.readers import read_through, readers, systems
from silverloom.orchestration.project.survey import MOST, Survey, survey
from silverloom.orchestration.workspace.environment import SERVERS

_TEMPLATE = Path(__file__).with_name("template")
#: DVC's templates of plots.
_PLOTS = Path(__file__).parents[1] / "dvc" / "plots"

#: Files of a new project, by their names in the template.
_FILES = {
    "pyproject.toml": "pyproject.toml",
    "gitignore": ".gitignore",
    "dvcignore": ".dvcignore",
    "dvcconfig": ".dvc/config",
}

#: The SPDX id of an unknown licence, which a release leaves out.
UNKNOWN_LICENCE = "LicenseRef-unknown"
#: Records whose texts belong to their publishers: an option that names no source is not about them.
_OF_PUBLISHERS = ("web_pages",)

_HEAD = "# Only what differs from the defaults.\n"


#: The words for a table that has no column of something.
_LACKING = {"id": "no column of ids: rows are named by file and line", "title": "no column of titles"}


class GivenSource(NamedTuple):
    """A source as people give it: `PATH` or `RECORDS=PATH`."""

    records: str
    path: Path
    name: str
    """What it is called in params.yaml."""


class ProjectSource(NamedTuple):
    """A source of a new project."""

    given: GivenSource
    detected: FoundSource
    folder: str
    """Its path in params.yaml."""
    licence: str
    survey: Survey
    credits: Mapping[str, str] = {}
    """Its title, attribution, citation and URL, as far as they are given."""

    @property
    def is_copied(self) -> bool:
        """Whether it is a copy in the project, which DVC tracks."""
        return self.folder.startswith("corpus/")

    @property
    def named(self) -> GivenSource:
        """The source with the records that were detected in it."""
        return self.given._replace(records=self.detected.records)

    @property
    def told(self) -> str:
        """What was found, in a line."""
        columns = [", ".join(f"{wanted} from {column}" for wanted, column in self.detected.columns.items())]
        columns += [text for wanted, text in _LACKING.items() if wanted in self.detected.lacking]
        told = f"{self.given.path.name}: {self.detected.records}, read as {self.detected.kind}"
        return f"{told} ({'; '.join(columns)})" if self.detected.columns else told


class Wishes(NamedTuple):
    """The options of the command, as given."""

    kinds: Sequence[str] = ()
    """Each `KIND` or `SOURCE=KIND`."""
    columns: Sequence[str] = ()
    """Each `WHAT=COLUMN` or `SOURCE.WHAT=COLUMN`."""
    licences: Sequence[str] = ()
    """Each `LICENCE` or `SOURCE=LICENCE`."""
    credits: Mapping[str, Sequence[str]] = {}
    """By `title`, `attribution`, `citation` and `url`: each `TEXT` or `SOURCE=TEXT`."""
    every: Every = "none"
    """The length of a period, if partitions have any."""
    copy: bool = False
    """Whether folders are copied, too."""


def create(
    root: Path, system: str, sources: Sequence[str], wishes: Wishes, finish: Callable[[Path], None]
) -> list[ProjectSource]:
    """Make a project in a new or empty folder, and `finish` it; return its sources.

    If that fails, nothing is left. Raises ValueError for what does not fit, a missing source, or a folder
    that is not empty, RuntimeError if git or DVC fails.
    """
    with params_from(Path(__file__).with_name("detection")):
        import silverloom.assets.systems  # noqa: F401  declares what there is to choose from

        return _create(root.resolve(), system, sources, wishes, finish)


def _create(
    root: Path, system: str, sources: Sequence[str], wishes: Wishes, finish: Callable[[Path], None]
) -> list[ProjectSource]:
    if system not in systems():
        raise ValueError(f"there is no system {system!r}; there are: {', '.join(systems())}")
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise ValueError(f"{root} is not empty: name a new folder")
    given = list(_given(system, sources))
    for source in given:
        if root.is_relative_to(source.path):
            raise ValueError(f"{root} is inside its source {source.path}: name a folder outside of it")
    asked = _asked(given, wishes)
    with _gone_if_failed(root):
        given_so = {(source.records, source.path) for source in given}
        made = [
            item
            for source in given
            for item in _made(root, system, source, asked[source], wishes)
            if source.records or (item.detected.records, source.path) not in given_so
        ]
        named = [item.named for item in made]
        licences = _texts(named, "licence", wishes.licences)
        credits = {option: _texts(named, option, texts) for option, texts in wishes.credits.items()}
        made = [
            item._replace(
                licence=licences.get(item.named, UNKNOWN_LICENCE),
                credits={option: of[item.named] for option, of in credits.items() if item.named in of},
            )
            for item in made
        ]
        _check_complete(system, made)
        _set_up(root, system, made, _partitions(made, wishes.every))
        with params_from(root):
            finish(root)
    return made


def _given(system: str, sources: Sequence[str]) -> Iterator[GivenSource]:
    known = {**readers(system), **read_through(system)}
    paths: dict[str, Path] = {}
    seen: set[GivenSource] = set()
    for text in sources:
        records, sign, rest = text.partition("=")
        if not sign or records not in known:
            records, rest = "", text
        path = Path(rest).expanduser()
        if not path.exists():
            wrong = f" ({rest.partition('=')[0]} is not one of {', '.join(known)})" if "=" in rest else ""
            raise ValueError(f"there is no file or folder {rest}{wrong}")
        path = path.resolve()
        name = source_name(path)
        for folder in path.parents:
            if paths.setdefault(name, path) == path:
                break
            name = f"{source_name(folder)}_{name}"
        source = GivenSource(records, path, name)
        if source in seen:
            raise ValueError(f"{path} is given twice")
        seen.add(source)
        yield source


def _asked(given: Sequence[GivenSource], wishes: Wishes) -> dict[GivenSource, SourceOptions]:
    """Return what the options say about each source. Raises ValueError."""
    kinds: dict[GivenSource, str] = {}
    columns: dict[GivenSource, dict[str, str]] = {source: {} for source in given}
    for text in wishes.kinds:
        before, _, kind = text.rpartition("=")
        for source in _meant(given, before, "--kind", text, f"={kind}"):
            kinds[source] = kind
    for text in wishes.columns:
        left, _, column = text.partition("=")
        before, _, wanted = left.rpartition(".")
        if not (wanted and column):
            raise ValueError(f"--column takes WHAT=COLUMN, such as text=abstract, not {text!r}")
        for source in _meant(given, before, "--column", text, f".{wanted}={column}"):
            columns[source][wanted] = column
    several = len(given) > 1
    return {
        source: SourceOptions(kinds.get(source, ""), columns[source], source.name if several else "")
        for source in given
    }


def _texts(given: Sequence[GivenSource], option: str, texts: Sequence[str]) -> dict[GivenSource, str]:
    """Return what an option says of each source; one that names no source is about all but publishers' texts.

    Raises ValueError for a licence of an unknown source; any other text may have the sign "=", as a URL does.
    """
    names = {name for source in given for name in (source.name, source.records)}
    text_of: dict[GivenSource, str] = {}
    named = []
    for text in texts:
        before, sign, rest = text.partition("=")
        if sign and (before in names or option == "licence"):
            named += [(source, rest) for source in _meant(given, before, f"--{option}", text, f"={rest}")]
        else:
            text_of.update((source, text) for source in given if source.records not in _OF_PUBLISHERS)
    return {**text_of, **dict(named)}


def _partitions(made: Sequence[ProjectSource], every: Every) -> dict[str, str]:
    """Return the section `partitions` of params.yaml. Raises UndecidedError for a source without dates."""
    if every == "none":
        return {"every": every}
    if undated := [source.given.path.name for source in made if not source.survey.field]:
        raise UndecidedError(
            f"--every {every}: the first records of {undated[0]} have no date; leave the option out, or give "
            "a table's column by --column date=NAME"
        )
    first = min(source.survey.first for source in made)
    last = max(source.survey.last for source in made)
    return {"every": every, "start": period(first, every), "end": period(last, every)}


def _meant(given: Sequence[GivenSource], name: str, option: str, text: str, rest: str) -> list[GivenSource]:
    """Return the sources with a name, or of some records. Raises ValueError if that is not clear."""
    if not name and len(given) > 1:
        ways = " or ".join(f"{option} {shlex.quote(source.name + rest)}" for source in given)
        raise ValueError(f"{option} {text}: which source is meant? Say {ways}")
    if matching := [source for source in given if name in ("", source.name, source.records)]:
        return matching
    there = ", ".join(source.name for source in given)
    raise ValueError(f"{option} {text}: there is no source {name}; there are: {there}")


@contextlib.contextmanager
def _gone_if_failed(root: Path) -> Iterator[None]:
    """Make a folder; if the block fails, remove what is in it, and the folders that were made."""
    made = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for path in root.iterdir() if root.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        with contextlib.suppress(OSError):  # somebody else has put something there
            for folder in made:
                folder.rmdir()
        raise


def _made(
    root: Path, system: str, given: GivenSource, asked: SourceOptions, wishes: Wishes
) -> Iterator[ProjectSource]:
    """Yield what a path is for a system: a source, and others of the same name for other records in it."""
    folder = given.path
    if folder.is_file():
        folder = root / "corpus" / given.name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(given.path, folder)
    elif wishes.copy:
        folder = Path(shutil.copytree(given.path, root / "corpus" / given.name, dirs_exist_ok=True))
    for detected in detect(system, folder, given.path.name, given.records, asked):
        form = folder_formats(_reader(detected.records).formats)[detected.kind]
        read = Source(
            kind=detected.kind, path=str(folder), licence=UNKNOWN_LICENCE, fields=dict(detected.fields)
        )
        surveyed = survey(form, read, MOST if wishes.every == "none" else None)
        yield ProjectSource(given, detected, os.path.relpath(folder, root), UNKNOWN_LICENCE, surveyed)


def _reader(records: str) -> Dataset:
    """Return the dataset that reads some records."""
    return next(dataset for dataset in DECLARED.values() if dataset.key.asset == records == dataset.records)


def _check_complete(system: str, made: Sequence[ProjectSource]) -> None:
    """Raise UndecidedError if a source is missing that the system needs."""
    there = {source.detected.reader or source.detected.records for source in made}
    all_of, one_of = system_named(system).needs, system_named(system).begins_with
    missing = [records for records in all_of if records not in there]
    if one_of and there.isdisjoint(one_of):
        missing = [" or ".join(one_of)]
    if missing:
        given = f"; given: {', '.join(source.told for source in made)}" if made else ""
        raise UndecidedError(
            f"{system} needs {' and '.join(missing)}{given}; add --source {missing[0].split()[0]}=PATH"
        )


def _set_up(root: Path, system: str, made: Sequence[ProjectSource], partitions: Mapping[str, str]) -> None:
    """Make the repositories and all files. Raises RuntimeError."""
    _run(root, "git", "init", "-q")
    _run(root, sys.executable, "-m", "dvc", "init", "-q")
    _write(root, system, made, partitions)
    for folder in dict.fromkeys(source.folder for source in made if source.is_copied):
        _run(root, sys.executable, "-m", "dvc", "add", "-q", folder)
    (root / STATE).mkdir()
    keep(root)  # for the next process, which would hash the code again
    _run(root, sys.executable, "-m", "silverloom.orchestration.cli", "render")


def _write(root: Path, system: str, made: Sequence[ProjectSource], partitions: Mapping[str, str]) -> None:
    shutil.copytree(_PLOTS, root / ".dvc" / "plots", dirs_exist_ok=True)
    for name, target in _FILES.items():
        shutil.copy(_TEMPLATE / name, root / target)
    content = {
        system: {},
        "numerics": "fast",
        "targets": [f"{system}/{RELEASE_FILES}"],
        "partitions": dict(partitions),
        "sources": _sources(made, has_periods=partitions["every"] != "none"),
    }
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)  # as `dvc exp run -S` writes it
    (root / "params.yaml").write_text(_HEAD + text, encoding="utf-8")
    words = {
        "title": root.name,
        "system": system,
        "sources": "\n".join(f"- {source.told}: `{source.folder}`" for source in made),
        "dataset": f"sources/{made[0].detected.records}",
    }
    readme = Template((_TEMPLATE / "README.md").read_text(encoding="utf-8")).substitute(words)
    (root / "README.md").write_text(readme, encoding="utf-8")


def _sources(made: Sequence[ProjectSource], has_periods: bool) -> dict[str, dict[str, Any]]:
    """Return the section `sources` of params.yaml."""
    content: dict[str, dict[str, Any]] = {}
    for given, detected, folder, licence, surveyed, credits in made:
        params: dict[str, Any] = {"kind": detected.kind, "path": folder, "licence": licence, **credits}
        if has_periods:
            params["month"] = {"field": surveyed.field}
        if detected.fields:
            params["fields"] = dict(detected.fields)
        content.setdefault(detected.records, {})[given.name] = params
        read = {"dataset": f"sources/{detected.records}"}
        if detected.reader and read not in content.setdefault(detected.reader, {}).values():
            content[detected.reader][given.name] = read
    for records, sources in content.items():
        reader = _reader(records)
        if reader.shape is not None and "domain" in reader.shape.kept.names:
            for name, params in sources.items():
                params["domain"] = name
    return content


def _run(root: Path, *command: str) -> None:
    bare = {name: value for name, value in os.environ.items() if name not in SERVERS}
    done = subprocess.run(command, cwd=root, env=bare, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().removeprefix("error: ")
        raise RuntimeError(f"`{' '.join(map(str, command))}` failed: {said or f'status {done.returncode}'}")
