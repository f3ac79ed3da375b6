"""The overhead of a backfill of 60 months of small partitions.

    python benchmarks/backfill.py [--months 60] [--daemon]

In copies of the checkout with a corpus of their own, the same months are made by one job, by two jobs, by two
commands at once and, with --daemon, by Dagster's daemon. Each case starts from nothing and ends with the
datasets over all months. Every dvc.lock must be complete and equal to the others. The work itself means
calling the datasets' functions and writing their files in one process, without Dagster, DVC, records, locks
or checks.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

PAPERS, START = 2, 2013

DIRECT = """
import json, sys, time
from pathlib import Path
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.state.sources import corpus
from silverloom.orchestration.executors.parts import engine
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.ops.core.parts import Part, Parts
from silverloom.assets.declare.declaration import DECLARED

started, number = time.monotonic(), 0
out = Path(sys.argv[1])
for item in workspace().datasets.values():
    if not item.partitioned:
        continue
    for month in item.made_partitions:
        months = workspace().graph.input_partitions(item, month)
        arguments = dict(item.arguments)
        for source in item.inputs:
            upstream = DECLARED[source.key]
            parts = [
                Part(str(path))
                for one in months[upstream.name]
                for path in sorted((out / upstream.name / one).glob("kept-*.parquet"))
            ]
            arguments[source.argument] = Parts(upstream.shape.kept, tuple(parts), engine())
        if item.records:
            arguments["records"] = corpus(workspace(), item.records).records(month)
        target = out / item.name / month
        target.mkdir(parents=True)
        write_outcomes(target, item.function(**arguments), item.shape)
        number += 1
print(json.dumps({"seconds": time.monotonic() - started, "partitions": number}))
"""


def checkout(folder: Path, months: int) -> Path:
    """Return a fresh copy of the checkout with a committed corpus of `months` months."""
    from tests.projects import CODE, FILES

    root = folder / "checkout"
    for name in CODE:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, root / name)
    shutil.copy(ROOT / "params.yaml", root)
    write_corpus(root, months)
    run(root, "-m", "silverloom.orchestration.cli", "render")
    git = ("git", "-c", "user.email=benchmark@example.org", "-c", "user.name=benchmark")
    for command in (("git", "init", "-q"), ("git", "add", "-A"), (*git, "commit", "-qm", "start")):
        subprocess.run(command, cwd=root, check=True)
    return root


def write_corpus(root: Path, months: int) -> None:
    """Write a corpus of papers and talks into a checkout, and params that name it and its `months`."""
    from tests.end_to_end.corpus import PAPER, TALK

    names = [f"{START + number // 12}-{number % 12 + 1:02d}" for number in range(months)]
    (root / "corpus/papers").mkdir(parents=True)
    (root / "corpus/talks").mkdir()
    rows = ["file,title,date,url,licence"]
    for month in names:
        for number in range(PAPERS):
            name = f"{month}-{number}"
            title = f"Findings of {name} on Rare Words"
            words = {
                "name": name,
                "month": month,
                "title": title,
                "thing": "rare words",
                "tool": "chart parsers",
            }
            (root / f"corpus/papers/{name}.txt").write_text(PAPER.format(**words))
            (root / f"corpus/talks/{name}.txt").write_text(TALK.format(**words))
            rows.append(f"{name}.txt,{title},{month}-20,https://talks.example.org/{name},CC0-1.0")
    (root / "corpus/talks/metadata.csv").write_text("\n".join(rows) + "\n")
    params = yaml.safe_load((root / "params.yaml").read_text())
    params["partitions"] = {"start": names[0], "end": names[-1]}
    del params["filters"]  # would find the months similar
    source = {"month": {"field": "date"}, "licence": "CC0-1.0"}
    params["sources"] = {
        "papers": {"text": {"kind": "plain_text", "path": "corpus/papers", **source}},
        "talks": {"talks": {"kind": "transcripts", "path": "corpus/talks", **source}},
    }
    (root / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))


def run(root: Path, *argv: str) -> str:
    """Run Python in a checkout and return its output. Raises SystemExit if it fails."""
    ended = subprocess.run(
        [sys.executable, *argv], cwd=root, env=environment(root), capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise SystemExit(
            f"{argv} ended with {ended.returncode}:\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}"
        )
    return ended.stdout


def environment(root: Path) -> dict[str, str]:
    """Return the environment for a checkout's commands, with this Python's programs on PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    return {**kept, "PATH": path, "DVC_SITE_CACHE_DIR": str(root.parent / "dvc-site")}


def commands(root: Path, first: str, last: str, jobs: int, number: int = 1) -> float:
    """Return the seconds that one backfill, or several concurrent ones, took."""
    argv = [
        "-m",
        "silverloom.orchestration.cli",
        "backfill",
        "--from",
        first,
        "--to",
        last,
        "--jobs",
        str(jobs),
    ]
    started = time.monotonic()
    several = [
        subprocess.Popen([sys.executable, *argv], cwd=root, env=environment(root), stdout=subprocess.DEVNULL)
        for _ in range(number)
    ]
    statuses = [process.wait() for process in several]
    if any(statuses):
        raise SystemExit(f"a backfill ended with {statuses}")
    return time.monotonic() - started


def daemon(root: Path, first: str, last: str) -> float:
    """Return the seconds from launch to end of the daemon's backfill."""
    from tests.end_to_end.servers import serving

    steps = json.loads(run(root, "-m", "silverloom.orchestration.cli", "plan", "--json"))["steps"]
    months = sorted({step["partition"] for step in steps} - {""})
    names = list(dict.fromkeys(step["dataset"] for step in steps if step["partition"]))
    run(root, "-m", "silverloom.orchestration.cli", "setup")
    with serving(root) as servers:
        started = time.monotonic()
        ended = servers.backfill(names, [month for month in months if first <= month <= last])
        if ended["status"] != "COMPLETED_SUCCESS":
            raise SystemExit(f"the daemon's backfill ended with {ended}")
        return time.monotonic() - started


def main() -> None:
    """Run every case; print its seconds per partition and the ratio to the work itself."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--months", type=int, default=60)
    parser.add_argument("--daemon", action="store_true", help="also run the daemon's backfill")
    parser.add_argument(
        "--cases", default="1,2,twice", help="1 or 2 jobs; twice: two concurrent commands of 2 jobs each"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="backfill-") as name:
        folder = Path(name)
        root = checkout(folder, arguments.months)
        partitions = yaml.safe_load((root / "params.yaml").read_text())["partitions"]
        first, last = partitions["start"], partitions["end"]
        work = json.loads(run(root, "-c", DIRECT, str(folder / "direct")).splitlines()[-1])
        number, least = work["partitions"], work["seconds"]
        print(f"{number} partitions of {arguments.months} months, the work itself: {least:.1f} s", flush=True)
        cases: dict[str, Callable[[Path], float]] = {
            "1": lambda place: commands(place, first, last, 1),
            "2": lambda place: commands(place, first, last, 2),
            "twice": lambda place: commands(place, first, last, 2, number=2),
            "daemon": lambda place: daemon(place, first, last),
        }
        locks = {}
        for case in [*arguments.cases.split(","), *(["daemon"] if arguments.daemon else [])]:
            place = folder / case.replace(" ", "-") / "checkout"
            shutil.copytree(root, place, symlinks=True)
            seconds = cases[case](place)
            begun = time.monotonic()
            run(place, "-m", "silverloom.orchestration.cli", "run")
            locks[case] = (place / "dvc.lock").read_text()
            stages = yaml.safe_load(locks[case])["stages"]
            wanted = yaml.safe_load((place / "dvc.yaml").read_text())["stages"]
            if stages.keys() != wanted.keys():
                raise SystemExit(f"case {case}: dvc.lock lacks {sorted(wanted.keys() - stages.keys())}")
            rest = time.monotonic() - begun
            each, ratio, beyond = seconds / number, seconds / least, (seconds - least) / number
            print(
                f"{case:7}: {seconds:6.1f} s, {each:.3f} s per partition, {ratio:.1f} times the work; "
                f"overhead {beyond:.3f} s per partition (then the datasets over all months: {rest:.1f} s)",
                flush=True,
            )
        if len(set(locks.values())) != 1:
            raise SystemExit("the cases ended with different dvc.lock files")
        print(f"all {len(locks)} dvc.lock files are complete and equal")


if __name__ == "__main__":
    main()
