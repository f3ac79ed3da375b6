"""The overhead of commands, compared with an earlier commit of this repository.

    python benchmarks/quick.py [--former cb2736a] [--without wikisum,parasci] [--only plan,first]

Both commits run in clones in one temporary folder, with this checkout's virtual environment, so packages,
models and machine are the same. Code is found through PYTHONPATH: nothing is installed into that environment,
and it does not change. The current version is HEAD, so commit first. --without deletes the files of systems
that the former commit lacked, and removes from params.yaml the sources that it lacked. Times are wall seconds
and processor seconds; the second are less disturbed by other load.

plan    `make plan` before, `silverloom plan` now, with everything up to date
idle    `make run`, `silverloom run`, with everything up to date
small   the time of a partition of two documents, from backfills of one and of several months
first   `make run` after set-up, with nothing made yet
repro   `make repro` in another such clone; also compared with the same commit's first run
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import backfill
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from tests.systems import leave_out

PARTS = ("plan", "idle", "small", "first", "repro")
MONTHS = 5


class Seconds(NamedTuple):
    """Wall seconds, and processor seconds of all processes."""

    passed: float
    processor: float

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.passed - other.passed, self.processor - other.processor)

    def __truediv__(self, number: float) -> Seconds:
        return Seconds(self.passed / number, self.processor / number)


@dataclass(frozen=True)
class Commit:
    """A commit and its commands."""

    name: str
    revision: str
    plan: tuple[str, ...]
    run: tuple[str, ...]
    backfill: tuple[str, ...]
    """`{last}` stands for the last month; the first is the corpus's first."""
    repro: tuple[str, ...]
    render: tuple[str, ...]
    setup: tuple[str, ...]
    """Set-up commands after installing packages, once per checkout."""
    without: tuple[str, ...] = ()
    """Systems to delete in its clones."""
    sources: tuple[str, ...] = ()
    """If given, the only sources left in params.yaml."""

    def clone(self, folder: Path) -> Path:
        """Return a new clone of the commit, with this checkout's environment."""
        root = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=folder)) / "checkout"
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", ROOT, root], check=True)
        subprocess.run(["git", "checkout", "-q", self.revision], cwd=root, check=True)
        (root / ".venv").symlink_to((ROOT / ".venv").resolve())
        for system in self.without:
            leave_out(root, system)
        if self.without:
            keep_sources(root, self.sources)
            timed(root, *self.render)
            who = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org")
            subprocess.run(["git", "add", "-A"], cwd=root, check=True)
            subprocess.run(["git", *who, "commit", "-qm", "Leave systems out"], cwd=root, check=True)
        return root


def keep_sources(root: Path, kept: Sequence[str]) -> None:
    """Remove all other kinds of sources from a checkout's params.yaml."""
    path = root / "params.yaml"
    content = yaml.safe_load(path.read_text())
    content["sources"] = {name: part for name, part in content["sources"].items() if name in kept}
    path.write_text(yaml.safe_dump(content, sort_keys=False))


# Keep make from installing anything, whatever the lock files' times in a clone.
MAKE = ("make", "-o", ".venv/.ready", "-o", ".venv/.installed")
SILVERLOOM = ("python", "-m", "silverloom.orchestration.cli")
FIRST = f"{backfill.START}-01"


def commits(former: str, without: Sequence[str]) -> tuple[Commit, Commit]:
    """Return the former commit, whose commands are make targets, and the current one without some systems."""
    shown = subprocess.run(
        ["git", "show", f"{former}:params.yaml"], cwd=ROOT, capture_output=True, check=True
    )
    return (
        Commit(
            "former",
            former,
            plan=(*MAKE, "plan"),
            run=(*MAKE, "run"),
            backfill=(*MAKE, "backfill", f"FROM={FIRST}", "TO={last}", "JOBS=1"),
            repro=(*MAKE, "repro"),
            render=(*MAKE, "dvc.yaml"),
            setup=(*MAKE, "setup"),
        ),
        Commit(
            "now",
            "HEAD",
            plan=(*SILVERLOOM, "plan"),
            run=(*SILVERLOOM, "run"),
            backfill=(*SILVERLOOM, "backfill", "--from", FIRST, "--to", "{last}", "--jobs", "1"),
            repro=(*SILVERLOOM, "repro"),
            render=(*SILVERLOOM, "render"),
            setup=(*SILVERLOOM, "setup"),
            without=tuple(without),
            sources=tuple(yaml.safe_load(shown.stdout)["sources"]),
        ),
    )


def timed(root: Path, *command: str) -> Seconds:
    """Return the time of a command in a checkout. Raises SystemExit with its output if it fails."""
    others = ("DAGSTER_HOME", "PYTHONDONTWRITEBYTECODE")  # compile modules once, as by default
    kept = {name: value for name, value in os.environ.items() if name not in others}
    path = f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "PYTHONPATH": str(root), "DVC_SITE_CACHE_DIR": str(root.parent / "dvc-site")}
    environment = {**kept, **own}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ended = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    passed, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return Seconds(passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def made(commit: Commit, folder: Path) -> Path:
    """Return a clone with everything up to date, using what this checkout's DVC cache has."""
    root = commit.clone(folder)
    if (ROOT / ".dvc/cache").is_dir():
        shutil.copytree(ROOT / ".dvc/cache", root / ".dvc/cache")
        done = subprocess.run(["dvc", "checkout", "-q"], cwd=root, capture_output=True, check=False)
        if done.returncode != 0:  # data without manifests would be refused
            subprocess.run(["git", "clean", "-qfdX", "data", "manifests"], cwd=root, check=True)
    timed(root, *commit.run)
    return root


def small(commit: Commit, folder: Path) -> Seconds:
    """Return the time of a small partition in a running backfill."""
    took = []
    for months in (1, MONTHS):
        root = commit.clone(folder)
        backfill.write_corpus(root, MONTHS)
        timed(root, *commit.render)
        words = [word.format(last=f"{backfill.START}-{months:02d}") for word in commit.backfill]
        took.append((timed(root, *words), len(list((root / "data").glob("*/*/[12]???-??")))))
    (one, few), (several, many) = took
    return (several - one) / (many - few)


def table(part: str, former: Seconds, now: Seconds) -> None:
    """Print a line: seconds of both, and the speed-up."""
    print(
        f"{part:6} {former.passed:8.2f} {now.passed:8.2f} {former.passed / now.passed:6.1f}x"
        f" {former.processor:10.2f} {now.processor:8.2f} {former.processor / now.processor:6.1f}x",
        flush=True,
    )


def main() -> None:
    """Measure the requested parts, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--former", default="cb2736a", help="the commit to compare with")
    parser.add_argument("--without", default="", help="current systems to leave out, comma-separated")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, comma-separated")
    arguments = parser.parse_args()
    parts = arguments.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; known: {', '.join(PARTS)}")
    both = commits(arguments.former, [*filter(None, arguments.without.split(","))])
    print("            seconds passed              seconds of processor")
    print("part     former      now  ratio     former      now  ratio")
    with tempfile.TemporaryDirectory(prefix="quick-") as name:
        folder = Path(name)
        if {"plan", "idle"} & set(parts):
            roots = [made(commit, folder) for commit in both]
            for commit, root in zip(both, roots, strict=True):
                timed(root, *commit.run)  # the first run after one that made something finishes leftover work
            if "plan" in parts:
                table("plan", *(timed(root, *commit.plan) for commit, root in zip(both, roots, strict=True)))
            if "idle" in parts:
                table("idle", *(timed(root, *commit.run) for commit, root in zip(both, roots, strict=True)))
        if "small" in parts:
            table("small", *(small(commit, folder) for commit in both))
        if "first" in parts or "repro" in parts:
            roots = [commit.clone(folder) for commit in both]
            for commit, root in zip(both, roots, strict=True):
                timed(root, *commit.setup)
            firsts = [timed(root, *commit.run) for commit, root in zip(both, roots, strict=True)]
            table("first", *firsts)
        if "repro" in parts:
            repros = [timed(commit.clone(folder), *commit.repro) for commit in both]
            table("repro", *repros)
            for commit, first, repro in zip(both, firsts, repros, strict=True):
                print(f"{commit.name}: repro takes {repro.passed / first.passed:.2f} times the first run")


if __name__ == "__main__":
    main()
