"""The overhead of orchestration over 100, 400 and 1,000 months of small documents, and how it grows.

    python benchmarks/partitions.py [--months 100,400,1000] [--former c702f848] [--files 256]

Each commit gets one clone, in a temporary folder, with a paper and a talk per month. One month is made; all
others except the last ones are copies of it with their own manifests, so that 4,000 months take a minute to
set up. The clone's code is found through PYTHONPATH: nothing is installed, and the shared environment does
not change. --files limits how many files a command may open. Seconds are processor time of all processes.

plan    `silverloom plan` of everything
sync    updating Dagster with everything that no run made
part    a partition of papers, sentences or talks as a Dagster run, without the first of each
months  the same for datasets that read all months: `talksumm/matches` and `talksumm/pairs`
commit  `silverloom run`, which makes nothing and commits two datasets to dvc.lock
idle    the same again
page    the query of Dagster's page of the partitions of `sources/papers`: the first time, then on average
"""

from __future__ import annotations

import argparse
import json
import math
import os
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

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from tests.end_to_end.corpus import PAPER, TALK
from tests.systems import leave_out

#: The number of months that are made to be timed.
LAST = 3
#: Variables to unset: another checkout's state, and one that makes each command recompile the project.
_NOT_KEPT = ("DAGSTER_HOME", "PYTHONDONTWRITEBYTECODE")
#: The last year of months, whatever their number.
END = 2019
LEFT_OUT = ("discofuse", "parasci", "wikisum")
LOCAL, ALL = ("sources/papers", "sources/sentences", "sources/talks"), ("talksumm/matches", "talksumm/pairs")

MAKE = """
import json, shutil, sys
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.freshness import Manifest, read_manifest, write_manifest

here = workspace()
for name in json.loads(sys.argv[1]):
    dataset = here.datasets[name]
    *others, first = dataset.made_partitions[: -int(sys.argv[2])]
    if read_manifest(here, dataset, first) is None:
        Materialisation(here, dataset, first).make("benchmark")
    made, view = read_manifest(here, dataset, first), View(here)
    for month in others:
        if not here.folder(dataset, month).is_dir():
            shutil.copytree(here.folder(dataset, first), here.folder(dataset, month))
            write_manifest(here, dataset, month, Manifest(view.key(dataset, month), made.files, made.counts))
"""

RUN = """
import json, sys, time, uuid
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.run.dagster_run import make

took = {}
for name in json.loads(sys.argv[1]):
    for month in workspace().datasets[name].made_partitions[-int(sys.argv[2]):]:
        begun = time.process_time()
        ran, _ = make(name, month, str(uuid.uuid4()), {}, 1, lambda *_: None)
        if ran.error:
            raise SystemExit(ran.error)
        took.setdefault(name, []).append(time.process_time() - begun)
print(json.dumps({name: sum(each[1:]) / len(each[1:]) for name, each in took.items()}))
"""

#: The query that the "Partitions" tab of an asset sends; then it asks about the partition that is selected.
HEALTH = """
query PartitionHealthQuery($assetKey: AssetKeyInput!) {
  assetNodeOrError(assetKey: $assetKey) {
    ... on AssetNode {
      id
      partitionKeysByDimension { name type partitionKeys }
      assetPartitionStatuses {
        ... on TimePartitionStatuses { ranges { status startTime endTime startKey endKey } }
        ... on DefaultPartitionStatuses { materializedPartitions materializingPartitions failedPartitions }
      }
    }
  }
}
"""
PAGE = """
import json, sys, time
from pathlib import Path
import psutil
from starlette.testclient import TestClient
from silverloom.orchestration.compat import web_application
from silverloom.orchestration.dagster.instance import instance

def used():
    here = psutil.Process()
    return sum(sum(one.cpu_times()[:2]) for one in (here, *here.children(recursive=True)))

def asked():
    answer = client.post("/graphql", json={"query": sys.argv[1], "variables": {"assetKey": {"path": path}}})
    (keys,) = answer.json()["data"]["assetNodeOrError"]["partitionKeysByDimension"]
    assert len(keys["partitionKeys"]) == int(sys.argv[2]), answer.text
    return len(answer.content) / 1e3

path, times = ["sources", "papers"], 10
module = {"module_name": "silverloom.orchestration.definitions", "working_directory": str(Path.cwd())}
place = Path(".dagster/locations.yaml")
place.write_text(json.dumps({"load_from": [{"python_module": module}]}))
with web_application(instance(), place) as application:
    client, begun = TestClient(application), used()
    asked()
    first, begun, wall = used() - begun, used(), time.monotonic()
    for _ in range(times):
        size = asked()
    again, wall = (used() - begun) / times, (time.monotonic() - wall) / times
print(json.dumps({"first page": first, "page": again, "page, clock": wall, "KB of page": size}))
"""


@dataclass(frozen=True)
class Cost:
    """The cost of a command: processor seconds, and the peak memory of its largest process in MB."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Checkout:
    """A clone of a commit with a growing corpus."""

    root: Path
    files: int

    @property
    def log(self) -> Path:
        """The output of the last program."""
        return self.root.parent / "log"

    def write_corpus(self, months: Sequence[str]) -> None:
        """Write a paper and a talk for each month."""
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
        params.pop("filters", None)  # would find the months similar
        source = {"month": {"field": "date"}, "licence": "CC0-1.0"}
        params["sources"] = {
            "papers": {"text": {"kind": "plain_text", "path": "corpus/papers", **source}},
            "talks": {"talks": {"kind": "transcripts", "path": "corpus/talks", **source}},
        }
        path.write_text(yaml.safe_dump(params, sort_keys=False))
        self.silverloom("render")

    def silverloom(self, *command: str) -> Cost:
        """Return the cost of one of the clone's commands."""
        return self.python("-m", "silverloom.orchestration.cli", *command)

    def python(self, *argv: str) -> Cost:
        """Return the cost of a program in the clone. Raises SystemExit with its last lines if it fails."""
        kept = {name: value for name, value in os.environ.items() if name not in _NOT_KEPT}
        environment = {
            **kept,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.root),
            "SILVERLOOM_JOBS": "1",
            "DVC_SITE_CACHE_DIR": str(self.root.parent / "dvc-site"),
        }
        limited = ["bash", "-c", f'ulimit -n {self.files}; exec "$0" "$@"', sys.executable, *argv]
        with self.log.open("w") as out:
            child = subprocess.Popen(
                limited, cwd=self.root, env=environment, stdout=out, stderr=subprocess.STDOUT
            )
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{argv} ended with {child.returncode}:\n{self.log.read_text()[-3000:]}")
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)

    def size(self, place: str) -> float:
        """Return the MB of a file or folder."""
        path = self.root / place
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        return sum(file.stat().st_size for file in files) / 1e6


def clone(folder: Path, name: str, revision: str, files: int) -> Checkout:
    """Return a new clone of a commit without the irrelevant systems."""
    root = folder / name / "checkout"
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", ROOT, root], check=True)
    subprocess.run(["git", "checkout", "-q", revision], cwd=root, check=True)
    for system in LEFT_OUT:
        leave_out(root, system)
    shutil.rmtree(root / "manifests", ignore_errors=True)
    (root / "dvc.lock").unlink(missing_ok=True)
    return Checkout(root, files)


def months_before(end: int, number: int) -> list[str]:
    """Return that many months up to the end of a year."""
    first = (end + 1) * 12 - number
    return [f"{month // 12:04d}-{month % 12 + 1:02d}" for month in range(first, first + number)]


def measured(checkout: Checkout, number: int) -> dict[str, float]:
    """Return all costs with a number of months."""
    months = months_before(END, number)
    checkout.write_corpus(months)
    for place in ("data/talksumm", "manifests/talksumm"):
        shutil.rmtree(checkout.root / place, ignore_errors=True)
    for name in LOCAL:  # make the last months again, to time them
        for month in months[-LAST:]:
            (checkout.root / "manifests" / name / f"{month}.json").unlink(missing_ok=True)
    checkout.python("-c", MAKE, json.dumps(LOCAL), str(LAST))
    found: dict[str, float] = {"sync": checkout.silverloom("sync").seconds}
    run = checkout.python("-c", RUN, json.dumps([*LOCAL, *ALL]), str(LAST))
    took = json.loads(checkout.log.read_text().splitlines()[-1])
    found |= {
        "part": sum(took[name] for name in LOCAL) / len(LOCAL),
        "months": sum(took[name] for name in ALL) / 2,
    }
    found["MB of memory"] = run.megabytes
    (pairs,) = checkout.root.glob(f"manifests/talksumm/pairs/{months[-1]}.json")
    found["KB of a manifest"] = pairs.stat().st_size / 1e3
    for name in ("commit", "idle"):
        found[name] = checkout.silverloom("run", "--select", "sources/sentences").seconds
    found["plan"] = checkout.silverloom("plan").seconds
    checkout.python("-c", PAGE, HEALTH, str(number))
    found |= json.loads(checkout.log.read_text().splitlines()[-1])
    found |= {f"MB of {place}": checkout.size(place) for place in (".dagster", "manifests", "dvc.lock")}
    return found


def exponent(first: tuple[int, float], last: tuple[int, float]) -> float:
    """Return the exponent with which something grows over the number of months."""
    return math.log(max(last[1], 1e-9) / max(first[1], 1e-9)) / math.log(last[0] / first[0])


def main() -> None:
    """Measure each number of months for each commit, and print a table with exponents."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--months", default="100,400,1000", help="numbers, comma-separated")
    parser.add_argument("--former", default="", help="an earlier commit to measure as well")
    parser.add_argument("--files", type=int, default=256, help="limit of open files per command")
    arguments = parser.parse_args()
    numbers = sorted(map(int, arguments.months.split(",")))
    with tempfile.TemporaryDirectory(prefix="partitions-") as name:
        for title, revision in filter(
            lambda commit: commit[1], (("former", arguments.former), ("now", "HEAD"))
        ):
            checkout = clone(Path(name), title, revision, arguments.files)
            costs: dict[int, dict[str, float]] = {}
            for number in numbers:
                costs[number] = measured(checkout, number)
                print(
                    title, number, {what: round(cost, 3) for what, cost in costs[number].items()}, flush=True
                )
            print(f"\n{title:17}" + "".join(f"{number:>10}" for number in numbers) + "  exponent")
            first, last = numbers[0], numbers[-1]
            for what in costs[first]:
                row = "".join(f"{costs[number][what]:10.3f}" for number in numbers)
                grows = (
                    exponent((first, costs[first][what]), (last, costs[last][what])) if last > first else 0
                )
                print(f"{what:17}{row}{grows:10.2f}", flush=True)


if __name__ == "__main__":
    main()
