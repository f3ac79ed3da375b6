"""The overhead of Dagster's daemon per partition, on SQLite files and on a Postgres server.

    python benchmarks/daemon.py [--months 50] [--on sqlite,postgres] [--datasets sources/papers,...]

In copies of the checkout whose months have two small papers and two talks each, Dagster's daemon backfills
the monthly datasets. One paper in twenty is not text, and `sources/papers` cannot be made in three months.
Then the cause is removed, and a second backfill of these months makes what is missing. Prints processor
seconds of the daemon, its code server and the runs; of the work itself (functions and their files in one
process, as in backfill.py); and their difference per partition, which is the cost of orchestration. Fails if
anything else is missing, if a failure does not name its partition, if a broken paper has no row, or if the
second backfill remakes finished partitions.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
from dotenv import set_key

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import tests.waiting
from benchmarks.backfill import DIRECT, checkout, run
from tests.end_to_end.servers import Servers, serving
from tests.end_to_end.test_daemon import failures
from tests.postgres import serving as serving_postgres
from tests.waiting import processor_seconds

DATASETS = "sources/papers,sources/sentences,sources/citations,sources/talks"
FAILING, POISON = 3, 20
ERRORS = """query($id: ID!) { runOrError(runId: $id) { ... on Run { eventConnection(limit: 1000) { events {
  ... on MessageEvent { level message } ... on ErrorEvent { error { message } } } } } } }"""


def poison(root: Path) -> int:
    """Turn one paper in twenty into bytes that are not text; return how many."""
    poisoned = sorted((root / "corpus/papers").iterdir())[::POISON]
    for path in poisoned:
        path.write_bytes(b"\xff\xfe\x00" + path.read_bytes())
    return len(poisoned)


def break_months(root: Path, months: list[str]) -> list[Path]:
    """Create folders in place of lock files, so that `sources/papers` cannot be made; return them."""
    places = [root / f".silverloom/locks/sources/papers/{month}.lock" for month in months]
    for place in places:
        place.mkdir(parents=True)
    return places


def manifests(root: Path) -> dict[Path, tuple[int, bytes]]:
    """Return each manifest's modification time and bytes."""
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (root / "manifests").rglob("*.json")
    }


@contextlib.contextmanager
def address(storage: str) -> Iterator[str]:
    """Yield the address of a new database, or "" for SQLite."""
    if storage == "sqlite":
        yield ""
        return
    with serving_postgres() as server:
        yield server.database()


def processor(daemon: subprocess.Popen[bytes]) -> dict[str, float]:
    """Return the processor seconds of the daemon, its code server, and the runs that the server starts."""
    process = psutil.Process(daemon.pid)
    servers = [child for child in process.children() if "grpc" in child.cmdline()]
    own = {"daemon": [process], "code server": servers}
    used = {name: sum(sum(one.cpu_times()[:2]) for one in members) for name, members in own.items()}
    return {**used, "runs": processor_seconds([daemon]) - sum(used.values())}


def errors(servers: Servers, run_id: str) -> list[str]:
    """Return the errors of a run, including those before its first step."""
    events = servers.ask(ERRORS, id=run_id)["runOrError"]["eventConnection"]["events"]
    found = [event for event in events if event.get("error") or event["level"] in ("ERROR", "CRITICAL")]
    messages = [f"{event['message']} {(event.get('error') or {}).get('message', '')}" for event in found]
    return messages + failures(servers, run_id)


def check_ended(root: Path, servers: Servers, ended: dict[str, Any], wanted: str, failing: list[str]) -> None:
    """Raise SystemExit, with all errors, unless it ended as wanted and only the failing months failed."""
    lost = {}
    for launched in ended["runs"]:
        month = next(tag["value"] for tag in launched["tags"] if tag["key"] == "dagster/partition")
        if launched["status"] != "SUCCESS" and month not in failing:
            lost[month] = errors(servers, launched["runId"])
    if lost or ended["status"] != wanted:
        log = (root / "servers.log").read_text()[-3000:]
        raise SystemExit(f"a backfill ended with {ended['status']}, {ended['error']}: {lost}\n{log}")


def check_landed(
    root: Path, servers: Servers, ended: dict[str, Any], failing: list[str], poisoned: int
) -> str:
    """Raise SystemExit unless failures and rejects are the provoked ones; return a description of them."""
    failed = [run["runId"] for run in ended["runs"] if run["status"] == "FAILURE"]
    causes = {cause for run_id in failed for cause in failures(servers, run_id)}
    for month in failing:
        if not any(cause.startswith(f"sources/papers {month}: ") for cause in causes):
            raise SystemExit(f"the failure of {month} is not named: {causes}")
    papers = root / "manifests/sources/papers"
    counts = [json.loads(path.read_bytes())["counts"] for path in papers.glob("*.json")]
    rejected = sum(count["rejected"] for count in counts)
    if rejected != poisoned:
        raise SystemExit(f"{poisoned} papers are broken, but {rejected} are rejected")
    return f"{len(failed)} runs failed, {rejected} papers are rejected"


def measure(
    root: Path, datasets: list[str], months: list[str], server: str, work: float, poisoned: int
) -> None:
    """Run both backfills in a checkout, and print their cost."""
    if server:
        set_key(root / ".env", "SILVERLOOM_DAGSTER_POSTGRES", server)
    run(root, "-m", "silverloom.orchestration.cli", "setup")
    failing = months[1 :: max(1, len(months) // FAILING)][:FAILING]
    places = break_months(root, failing)
    with serving(root) as servers:
        landed: dict[Path, tuple[int, bytes]] = {}
        for wanted, asked in (("COMPLETED_FAILED", months), ("COMPLETED_SUCCESS", failing)):
            begun, used = time.monotonic(), processor(servers.programs[1])
            ended = servers.backfill(datasets, asked)
            check_ended(root, servers, ended, wanted, failing if places else [])
            used = {name: seconds - used[name] for name, seconds in processor(servers.programs[1]).items()}
            now = manifests(root)
            if not landed.items() <= now.items():
                raise SystemExit("the second backfill remade finished partitions")
            made, landed = len(now) - len(landed), now
            number = len(datasets) * len(asked)
            least = work * made / (len(datasets) * len(months))
            said = check_landed(root, servers, ended, failing, poisoned) if places else "nothing is missing"
            beyond = (sum(used.values()) - least) / number
            print(
                f"  {number} partitions requested in {len(ended['runs'])} runs, {made} made; {said}\n"
                f"    {time.monotonic() - begun:.0f} s; processor: "
                + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in used.items())
                + f"; {least:.1f} s of it work; the rest is {beyond:.2f} s per partition",
                flush=True,
            )
            for place in places:
                place.rmdir()
            places = []
        if len(landed) != len(datasets) * len(months):
            raise SystemExit(f"{len(landed)} partitions are made in the end")


def main() -> None:
    """Run on each storage, from the same checkout."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--months", type=int, default=50)
    parser.add_argument("--on", default="sqlite,postgres")
    parser.add_argument("--datasets", default=DATASETS)
    arguments = parser.parse_args()
    datasets = arguments.datasets.split(",")
    tests.waiting.LONGEST = math.inf
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each run would compile the project again
    with tempfile.TemporaryDirectory(prefix="daemon-") as name:
        root = checkout(Path(name), arguments.months)
        steps = json.loads(run(root, "-m", "silverloom.orchestration.cli", "plan", "--json"))["steps"]
        months = sorted({step["partition"] for step in steps} - {""})
        chosen = f"if not item.partitioned or item.name not in {datasets!r}:"
        direct = DIRECT.replace("if not item.partitioned:", chosen)
        direct = direct.replace("time.monotonic()", "time.process_time()")
        work = json.loads(run(root, "-c", direct, str(Path(name) / "direct")).splitlines()[-1])["seconds"]
        poisoned = poison(root)
        print(f"{poisoned} broken papers, {FAILING} failing months of {len(months)}", flush=True)
        for storage in arguments.on.split(","):
            place = Path(name) / storage / "checkout"
            shutil.copytree(root, place, symlinks=True)
            print(storage, flush=True)
            with address(storage) as server:
                measure(place, datasets, months, server, work, poisoned)


if __name__ == "__main__":
    main()
