"""Small projects for tests that run whole programs: real Dagster, real DVC, real git.

Belongs here: running programs in a project, and the projects that many tests start from. Each of these is built
once, by the first pytest worker that needs it. Not here: what runs programs (programs.py).
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from ruamel.yaml import YAML

from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.publish import lock_file
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.end_to_end.corpus import write_corpus
from tests.programs import SCRIPTS, Zygote
from tests.systems import leave_out, own_datasets, put_in_toy

ROOT = Path(__file__).resolve().parents[1]
CODE = (*PROJECT, "silverloom")
FILES = (
    "models.txt",
    "requirements.lock",
    "requirements-extras.lock",
    "pyproject.toml",
    "Makefile",
    ".gitignore",
    ".dvcignore",
    ".dvc/config",
    ".dvc/plots/distributions.json",
    ".dvc/plots/funnel.json",
)

#: Systems that most test projects leave out.
LEFT_OUT = ("discofuse", "parasci", "wikisum")

#: Datasets that have no sources in these projects.
WITHOUT_SOURCES = (
    "sources/crawls",
    "sources/articles",
    "sources/cited_pages",
    "sources/found_pages",
    "sources/web_pages",
)

#: The declarations of filters.
FILTERS = "silverloom.assets.filters"

#: Riddles of the second month of the toy.
JULY = "What can you catch but never throw? A cold\nWhat has one eye but cannot see? A needle\nWho? Me\n"

#: Code that loses one of the riddles that are too short.
LOSING = """
all_of = questions
def questions(*arguments):
    from dataclasses import replace
    outcome = all_of(*arguments)
    return replace(outcome, dropped=outcome.dropped.slice(1))
"""

#: The checks of a dataset that was made.
BLOCKING = {"conservation": True, "schema": True, "expectations": True}


@dataclass
class Project:
    root: Path
    zygote: Zygote

    def module(self, name: str, *argv: str, ok: bool = True, env=None) -> str:
        """Run `python -m name` in the project and return its output. Fails on an unexpected exit status."""
        ended = self.zygote.run(self.root, list(argv), module=name, env=env or {})
        assert (ended.status == 0) == ok, f"{name} {argv} ended with {ended.status}:\n{ended.output}"
        assert "Traceback" not in ended.output, ended.output
        return ended.output

    def silverloom(self, command: str, *argv: str, **options) -> str:
        """Run a command of silverloom's command line and return its output."""
        return self.module("silverloom.orchestration.cli", command, *argv, **options)

    def start(self, name: str, *argv: str, **env: str) -> subprocess.Popen:
        """Start `python -m name` in the project without waiting for it, as a process that may be sent a signal."""
        return subprocess.Popen(
            [sys.executable, "-m", name, *argv],
            cwd=self.root,
            env={**os.environ, **STRICT, **QUIET, **self.zygote.environment, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, **options) -> str:
        return self.silverloom("run", **options)

    def dvc(self, *argv: str, ok: bool = True, env=None) -> str:
        return self.module("dvc", *argv, ok=ok, env=env)

    def dvc_status(self) -> dict:
        """The stages that `dvc status` calls stale, except the one that always runs."""
        found = json.loads(self.dvc("status", "--json").splitlines()[-1])
        assert found.pop("code") == ["always changed"], found
        return found

    def repro(self, **options) -> str:
        return self.dvc("repro", **options)

    def dagster(self) -> dict:
        """Ask Dagster's own resolver for the staleness of every partition."""
        ended = self.zygote.run(self.root, [], path=str(SCRIPTS / "staleness.py"), env={})
        assert ended.status == 0, ended.output
        return json.loads(ended.output.splitlines()[-1])

    def git(self, *argv: str) -> str:
        return subprocess.run(
            ["git", *argv], cwd=self.root, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, message: str = "change") -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty")

    @property
    def lock(self) -> str:
        return (self.root / "dvc.lock").read_text()

    def params(self, change) -> None:
        """Change params.yaml: `change` is called with its content."""
        path = self.root / "params.yaml"
        content = yaml.safe_load(path.read_text())
        change(content)
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def append(self, path: str, code: str) -> None:
        """Add code to the end of a module; what it binds again replaces what the module has."""
        with (self.root / path).open("a") as file:
            file.write(f"\n\n{code}\n")

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text once, in a file that is not code of the product."""
        assert not (path.endswith(".py") and (ROOT / path).exists()), "append to code of the product"
        file = self.root / path
        text = file.read_text()
        assert old in text, f"{old!r} is not in {path}"
        file.write_text(text.replace(old, new, 1))

    def data(self) -> dict[str, bytes]:
        """Every byte that DVC tracks: the datasets, the pages, the manifests."""
        stages = YAML(typ="safe").load(self.lock)["stages"].values()  # in C
        paths = [
            out["path"] for stage in stages for out in stage.get("outs", ()) if out["path"] != "code.json"
        ]
        outs = [self.root / path for path in paths]
        files = [file for out in outs for file in (out, *out.rglob("*")) if file.is_file()]
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in sorted(files)}

    def made(self, output: str) -> list[str]:
        """The partitions that a run reports as made."""
        return [
            line.split(":")[0] for line in output.splitlines() if " kept, " in line and "rejected, " in line
        ]

    def copy(self, to: Path) -> "Project":
        to.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-aT", self.root, to], check=True)  # takes half the time of shutil.copytree
        return Project(to, self.zygote)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory) -> Path:
    """A folder that all pytest workers of this session share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def zygote(shared_folder):
    """The warmed process of all pytest workers."""
    with contextlib.closing(Zygote(shared_folder / "programs")) as zygote:
        yield zygote


@pytest.fixture
def warm(monkeypatch, zygote):
    """Run DVC, crawls and commands of the project in forks of a process that has already imported what they need."""
    monkeypatch.setattr(sys, "executable", str(zygote.bin / "python"))


@pytest.fixture(scope="session")
def made_once(shared_folder, zygote) -> Callable[..., Project]:
    """A project by its name. The first pytest worker that needs it builds it; the others wait."""

    def made_once(name: str, make: Callable[[Project], None], begin: Project | None = None) -> Project:
        root, made = shared_folder / "projects" / name, shared_folder / "projects" / f"{name}.made"
        root.parent.mkdir(exist_ok=True)
        with contextlib.closing(lock_file(made.with_suffix(".lock"), wait=True)):
            if not made.exists():
                shutil.rmtree(root, ignore_errors=True)  # left by a worker that failed
                project = begin.copy(root) if begin else Project(root, zygote)
                make(project)
                made.touch()
        return Project(root, zygote)

    return made_once


@pytest.fixture(scope="session")
def fresh_project(made_once) -> Project:
    """A committed checkout in which nothing has run yet. Copy it, run nothing in it: another worker may be copying it."""
    return made_once("fresh", check_out)


def check_out(project: Project) -> None:
    copy_code(project)
    write_corpus(project.root / "corpus")
    # What these projects show holds for any dataset; a third of the datasets takes a third of the time.
    for system in LEFT_OUT:
        leave_out(project.root, system)
    project.params(small)
    begin(project)


def copy_code(project: Project) -> None:
    """Copy the code and params.yaml of this checkout."""
    root = project.root
    for name in CODE:
        # compiled modules and kernels, too, if there are any: compiling takes longer than running them
        shutil.copytree(ROOT / name, root / name, symlinks=True)
    for name in FILES:
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, root / name)
    (root / "params.yaml").write_text((ROOT / "params.yaml").read_text())


def begin(project: Project) -> None:
    """Turn a project into a repository, with what `make setup` makes."""
    project.git("init", "-q", "-b", "main")
    project.git("config", "user.email", "tests@example.org")
    project.git("config", "user.name", "tests")
    project.git("config", "gc.auto", "0")
    project.silverloom("setup")
    project.silverloom("render")  # after set-up, so that copies need not find again what code reaches
    project.module("compileall", "-q", *CODE)  # what is not compiled, or each copy would do it
    project.commit("start")


def datasets() -> dict[str, Dataset]:
    """The datasets of these projects; none has filters."""
    filters = [name for name, item in workspace().datasets.items() if item.function.__module__ == FILTERS]
    systems = [name for system in LEFT_OUT for name in own_datasets(system)]
    left_out = {*WITHOUT_SOURCES, *systems, *filters}
    return {name: item for name, item in workspace().datasets.items() if name not in left_out}


def spell_out(params, section: str) -> dict:
    """Write the defaults of a section into params too, so that parts of it can be changed; return the section."""
    for dataset in workspace().datasets.values():
        for read in dataset.arguments.values():
            if read.section == section:
                system, name = section.split(".")
                default = type(read)()
                spelled = default.model_copy(
                    update={key: getattr(default, key) for key in type(read).model_fields}
                )
                params[system][name] = (
                    spelled.model_dump(mode="json", exclude_unset=True) | params[system][name]
                )
                return params[system][name]
    raise LookupError(f"no dataset reads {section}")


def small(params) -> None:
    extractor = spell_out(params, "talksumm.extractor")
    extractor["architectures"] = ["pointer"]
    extractor["sizes"]["tiny"]["pointer_training"] = {"epochs": 1}
    params["partitions"] = {"start": "2018-06", "end": "2018-07"}
    del params["filters"]
    month = {"field": "date"}
    params["sources"] = {
        "papers": {
            "text": {"kind": "plain_text", "path": "corpus/papers", "month": month, "licence": "CC0-1.0"}
        },
        "talks": {
            "talks": {"kind": "transcripts", "path": "corpus/talks", "month": month, "licence": "CC0-1.0"}
        },
    }


@pytest.fixture(scope="session")
def sample_project(made_once) -> Project:
    """The sample corpus with all systems, committed; nothing has run yet. Copy it, run nothing in it."""

    def make(project: Project) -> None:
        copy_code(project)
        shutil.copytree(ROOT / "data/sample", project.root / "data/sample")
        begin(project)

    return made_once("sample", make)


@pytest.fixture(scope="session")
def made_sample_project(made_once, sample_project) -> Project:
    """The checkout of sample_project after one run, which takes minutes. Copy it, run nothing in it."""
    return made_once("made_sample", Project.run, sample_project)


@pytest.fixture(scope="session")
def toy_project(made_once) -> Project:
    """A committed checkout with the toy as its only system; nothing has run yet. Copy it, run nothing in it."""
    return made_once("toy", check_out_toy)


def check_out_toy(project: Project) -> None:
    copy_code(project)
    for system in (*LEFT_OUT, "talksumm"):
        leave_out(project.root, system)
    put_in_toy(project.root)
    (project.root / "corpus/july").mkdir(parents=True)
    (project.root / "data/sample/riddles").rename(project.root / "corpus/riddles")
    (project.root / "corpus/july/july.txt").write_text(JULY)
    project.params(only_toy)
    begin(project)


def only_toy(params) -> None:
    for name in ("release", "judge", "filters"):
        del params[name]
    params["partitions"] = {"start": "2018-06", "end": "2018-07"}
    june = {**params["sources"]["riddles"]["june"], "path": "corpus/riddles"}
    july = {**june, "path": "corpus/july", "month": {"constant": "2018-07"}}
    params["sources"] = {"riddles": {"june": june, "july": july}}


@pytest.fixture(scope="session")
def done_toy_project(made_once, toy_project) -> Project:
    """The toy after one run, committed."""
    return made_once("done_toy", finish, toy_project)


@pytest.fixture(scope="session")
def done_project(made_once, fresh_project) -> Project:
    """The checkout of fresh_project after one run, committed. Copy it, run nothing in it."""
    return made_once("done", finish, fresh_project)


def finish(project: Project) -> None:
    project.run()
    project.commit("made")


@pytest.fixture(scope="session")
def failed_project(made_once, done_toy_project) -> Project:
    """The finished toy, whose questions were made again by code that loses a unit. Copy it, too."""
    return made_once("failed", lose_a_unit, done_toy_project)


def lose_a_unit(project: Project) -> None:
    project.append("ops/toy/choice.py", LOSING)
    project.run(ok=False)


@pytest.fixture
def fresh(fresh_project, tmp_path) -> Project:
    return fresh_project.copy(tmp_path / "fresh")


@pytest.fixture
def done(done_project, tmp_path) -> Project:
    return done_project.copy(tmp_path / "done")


@pytest.fixture
def toy(toy_project, tmp_path) -> Project:
    return toy_project.copy(tmp_path / "toy")


@pytest.fixture
def done_toy(done_toy_project, tmp_path) -> Project:
    return done_toy_project.copy(tmp_path / "done")


@pytest.fixture
def failed(failed_project, tmp_path) -> Project:
    return failed_project.copy(tmp_path / "failed")


def differing(project, other, names):
    """The files of some datasets that differ between two projects; both projects have some."""
    found = [[folder_hashes(one.root / "data" / name) for name in names] for one in (project, other)]
    assert all(map(len, found[0]))
    return [name for name, *hashes in zip(names, *found, strict=True) if hashes[0] != hashes[1]]
