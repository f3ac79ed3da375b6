"""What the orchestration costs over 100, 400 and 1,000 months of small documents, and how that grows.

    python benchmarks/partitions.py [--months 100,400,1000] [--former c702f848] [--files 256]

Of each commit there is one clone, in a folder that is removed, with a paper and a talk a month. Its months are
made in one process without Dagster, but for the last: those are the part that is timed as a run. The code of a
clone is found by PYTHONPATH, so nothing is installed and the shared environment stays as it is. Every command
may open as many files as --files says. Seconds are of processor, of all processes of a command.

run     the last months of papers, sentences and talks, each in a run of Dagster: seconds a partition
months  the last months of what reads all months (`talksumm/matches`, `pairs`): seconds a partition
pages   the report of all there is so far (`quality/pages` in short), once more
idle    `silverloom run` where all of that is up to date
plan    `silverloom plan` of everything
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import orchestration.definitions  # noqa: E402, F401  declares every asset
from tests.end_to_end.corpus import PAPER, TALK  # noqa: E402
from tests.systems import leave_out  # noqa: E402

LAST = 5
#: The last year that months are taken from, whatever their number.
END = 2019
LEFT_OUT = ("discofuse", "parasci", "wikisum")

MAKE = """
import sys
from orchestration.definitions import workspace
from orchestration.files.publish import making
from orchestration.partition.materialise import Materialisation
from orchestration.state.freshness import View

here, view = workspace(), View(workspace())
for name in ("sources/papers", "sources/sentences", "sources/talks"):
    dataset = here.datasets[name]
    for month in dataset.made_partitions[: -int(sys.argv[1])]:
        if view.known(dataset, month) is None:
            with making(here, dataset, month):
                Materialisation(here, dataset, month).make("benchmark")
"""

PAGES = """
from orchestration.definitions import workspace
from orchestration.present import write_pages_so_far
write_pages_so_far(workspace())
"""

SELECTED = ("sources/sentences", "sources/talks")


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds of processor, and the most memory of one of its processes, in MB."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Checkout:
    """A clone of a commit, whose corpus grows."""

    root: Path
    files: int

    def write_corpus(self, months: Sequence[str]) -> None:
        """Have a paper and a talk for each month."""
        for folder in ("papers", "talks"):
            (self.root / "corpus" / folder).mkdir(parents=True, exist_ok=True)
        rows = ["file,title,date,url,licence"]
        for month in months:
            title = f"Findings of {month} on Rare Words"
            words = {
                "name": month,
                "month": month,
                "title": title,
                "thing": "rare words",
                "tool": "chart parsers",
            }
            for folder, text in (("papers", PAPER), ("talks", TALK)):
                (self.root / "corpus" / folder / f"{month}.txt").write_text(text.format(**words))
            rows.append(f"{month}.txt,{title},{month}-20,https://talks.example.org/{month},CC0-1.0")
        (self.root / "corpus/talks/metadata.csv").write_text("\n".join(rows) + "\n")
        path = self.root / "params.yaml"
        params = yaml.safe_load(path.read_text())
        params["partitions"] = {"start": months[0], "end": months[-1]}
        source = {"month": {"field": "date"}, "licence": "CC0-1.0"}
        params["sources"] = {
            "papers": {"text": {"kind": "plain_text", "path": "corpus/papers", **source}},
            "talks": {"talks": {"kind": "transcripts", "path": "corpus/talks", **source}},
        }
        path.write_text(yaml.safe_dump(params, sort_keys=False))
        self.silverloom("render")

    def silverloom(self, *command: str) -> Cost:
        """Return what a command of the clone took."""
        return self.python("-m", "orchestration.cli", *command)

    def python(self, *argv: str) -> Cost:
        """Return what a program took in the clone. Raises SystemExit with its last lines where it fails."""
        kept = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
        environment = {
            **kept,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.root),
            "DVC_SITE_CACHE_DIR": str(self.root.parent / "dvc-site"),
        }
        limited = ["bash", "-c", f'ulimit -n {self.files}; exec "$0" "$@"', sys.executable, *argv]
        log = self.root.parent / "log"
        with log.open("w") as out:
            child = subprocess.Popen(
                limited, cwd=self.root, env=environment, stdout=out, stderr=subprocess.STDOUT
            )
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{argv} ended with {child.returncode}:\n{log.read_text()[-3000:]}")
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)

    def size(self, place: str) -> float:
        """Return the MB of a file or folder."""
        path = self.root / place
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        return sum(file.stat().st_size for file in files) / 1e6


def clone(folder: Path, name: str, revision: str, files: int) -> Checkout:
    """Return a new clone of a commit without the systems that do not matter here."""
    root = folder / name / "checkout"
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", ROOT, root], check=True)
    subprocess.run(["git", "checkout", "-q", revision], cwd=root, check=True)
    for system in LEFT_OUT:
        leave_out(root, system)
    shutil.rmtree(root / "manifests", ignore_errors=True)
    (root / "dvc.lock").unlink(missing_ok=True)
    return Checkout(root, files)


def months_before(end: int, number: int) -> list[str]:
    """Return so many months up to the last of a year: more of them begin earlier."""
    first = (end + 1) * 12 - number
    return [f"{month // 12:04d}-{month % 12 + 1:02d}" for month in range(first, first + number)]


def measured(checkout: Checkout, number: int) -> dict[str, float]:
    """Return what all costs with a number of months."""
    months = months_before(END, number)
    checkout.write_corpus(months)
    first, last = months[-LAST], months[-1]
    shutil.rmtree(checkout.root / "data/talksumm", ignore_errors=True)
    shutil.rmtree(checkout.root / "manifests/talksumm", ignore_errors=True)
    for name in ("papers", "sentences", "talks"):  # the last months are made again, and timed
        for month in months[-LAST:]:
            (checkout.root / f"manifests/sources/{name}/{month}.json").unlink(missing_ok=True)
    checkout.python("-c", MAKE, str(LAST))
    for name in SELECTED:
        checkout.silverloom("backfill", "--from", months[0], "--to", months[0], "--select", name)
    idle = checkout.silverloom("backfill", "--from", months[0], "--to", months[0])
    del idle
    return {}


def main() -> None:
    """Measure each number of months and print a table with exponents."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--months", default="100,400,1000", help="numbers, with commas between")
    parser.add_argument("--former", default="", help="a commit to measure beside")
    parser.add_argument("--files", type=int, default=256, help="how many a command may open")
    arguments = parser.parse_args()
    print(json, math, resource, arguments, tempfile)


if __name__ == "__main__":
    main()
