"""What Dagster's daemon costs a partition, on SQLite files and on a Postgres server.

    python benchmarks/daemon.py [--months 20] [--on sqlite,postgres] [--datasets sources/papers,...]

In copies of the checkout with months of two small papers and two talks each, Dagster's daemon backfills
datasets that have months. One paper of twenty is no text; `sources/papers` cannot be made in three months.
Then the cause is taken away, and a second backfill makes what is missing. Printed are processor seconds: of
all processes, of the work itself (functions and their files in one process, as in backfill.py), and their
difference a partition, which is what the orchestration costs. What landed first must be left as it was.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.backfill import DIRECT, checkout, run  # noqa: E402

DATASETS = "sources/papers,sources/sentences,sources/citations,sources/talks"
FAILING, POISON = 3, 20


def poison(root: Path) -> int:
    """Make one paper of twenty no text; return how many."""
    poisoned = sorted((root / "corpus/papers").iterdir())[::POISON]
    for path in poisoned:
        path.write_bytes(b"\xff\xfe\x00" + path.read_bytes())
    return len(poisoned)


def break_months(root: Path, months: list[str]) -> list[Path]:
    """Put folders where lock files belong, so that `sources/papers` cannot be made; return them."""
    (root / ".silverloom/damaged").symlink_to("/proc")
    places = [root / f".silverloom/locks/sources/papers/{month}.lock" for month in months]
    for place in places:
        place.mkdir(parents=True)
    return places


def manifests(root: Path) -> dict[Path, tuple[int, bytes]]:
    """Return each manifest: when it was written, and its bytes."""
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (root / "manifests").rglob("*.json")
    }


@contextlib.contextmanager
def address(storage: str) -> Iterator[str]:
    """Yield the address of a new database, or nothing for SQLite."""
    if storage == "sqlite":
        yield ""
        return
    from tests.postgres import serving

    with serving() as server:
        yield server.database()


def measure(root: Path, datasets: list[str], months: list[str], server: str, work: float) -> None:
    """Run both backfills in a checkout, and print what they took."""
    from dotenv import set_key

    from tests.end_to_end.servers import serving
    from tests.waiting import processor_seconds

    if server:
        set_key(root / ".env", "SILVERLOOM_DAGSTER_POSTGRES", server)
    run(root, "-m", "orchestration.cli", "setup")
    broken = break_months(root, months[1 :: max(1, len(months) // FAILING)][:FAILING])
    with serving(root) as servers:
        landed: dict[Path, tuple[int, bytes]] = {}
        for name, wanted in (("first", "COMPLETED_FAILED"), ("second", "COMPLETED_SUCCESS")):
            begun, used = time.monotonic(), processor_seconds(servers.programs)
            ended: dict[str, Any] = servers.backfill(datasets, months)
            if ended["status"] != wanted:
                raise SystemExit(f"the {name} backfill ended with {ended}")
            used = processor_seconds(servers.programs) - used
            now = manifests(root)
            if not landed.items() <= now.items():
                raise SystemExit("the second backfill made again what had landed")
            made, landed = len(now) - len(landed), now
            number = len(datasets) * len(months)
            least = work * made / number
            print(
                f"  {name}: {made} of {number} partitions made in {len(ended['runs'])} runs, "
                f"{time.monotonic() - begun:.0f} s, {used:.0f} s of processor, {least:.1f} s of it work; "
                f"orchestration {(used - least) / number:.2f} s a partition asked for",
                flush=True,
            )
            for place in broken:
                place.rmdir()
            broken = []


def main() -> None:
    """Run on each storage, from the same checkout."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--months", type=int, default=20)
    parser.add_argument("--on", default="sqlite,postgres")
    parser.add_argument("--datasets", default=DATASETS)
    arguments = parser.parse_args()
    datasets = arguments.datasets.split(",")
    with tempfile.TemporaryDirectory(prefix="daemon-") as name:
        root = checkout(Path(name), arguments.months)
        steps = json.loads(run(root, "-m", "orchestration.cli", "plan", "--json"))["steps"]
        months = sorted({step["month"] for step in steps} - {""})
        chosen = f"if not item.partitioned or item.name not in {datasets!r}:"
        direct = DIRECT.replace("if not item.partitioned:", chosen)
        direct = direct.replace("time.monotonic()", "time.process_time()")
        work = json.loads(run(root, "-c", direct, str(Path(name) / "direct")).splitlines()[-1])["seconds"]
        print(f"{poison(root)} poisoned papers, {FAILING} failing months of {len(months)}", flush=True)
        for storage in arguments.on.split(","):
            place = Path(name) / storage / "checkout"
            shutil.copytree(root, place, symlinks=True)
            print(storage, flush=True)
            with address(storage) as server:
                measure(place, datasets, months, server, work)


if __name__ == "__main__":
    main()
