"""The cost of tracking a partition in MLflow: putting its run into the outbox, and sending it.

Prints seconds for importing MLflow's client, for one run, and for a run with 81 child runs.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """
import sys, time
from pathlib import Path
import orchestration
from orchestration.mlflow.tracking import WaitingRun, TrackedDataset, TrackedRun, put
from orchestration.mlflow.send import send
from orchestration.mlflow.store import prepare
from orchestration.workspace.workspace import Workspace
begun = time.monotonic()
import mlflow.tracking
imported = time.monotonic()
workspace = Workspace(Path(sys.argv[1]))
prepare(workspace.mlflow_store)
params = {f"section.param_{n}": str(n) for n in range(12)}
metrics = {f"dropped/{n}": float(n) for n in range(8)}
tags = {f"tag {n}": "x" for n in range(10)}
datasets = [TrackedDataset(f"in {n}", f"{n:032x}.dir", "input", "{}") for n in range(3)]
def track(name, children=()):
    seconds = [time.monotonic()]
    run = TrackedRun("2018-06", "FINISHED", 0, 1, params, metrics, tags, datasets, children)
    put(workspace, WaitingRun(name, run))
    seconds.append(time.monotonic())
    assert send(workspace) == ""
    seconds.append(time.monotonic())
    return seconds[1] - seconds[0], seconds[2] - seconds[1]
child = TrackedRun("gamma=1", "FINISHED", 0, 1, params, metrics, tags)
track("first")
print(imported - begun, *track("one"), *track("many", [child] * 81))
"""


def measure(folder: str) -> list[float]:
    """Return the seconds that the program prints."""
    command = [sys.executable, "-c", PROGRAM, folder]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        imported, *numbers = measure(folder)
    print(f"import of MLflow's client {imported:5.2f} s")
    print(f"{'':26}{'one run':>9}{'1 + 81':>9}")
    for name, one, many in (("put into the outbox", *numbers[::2]), ("sent to MLflow", *numbers[1::2])):
        print(f"{name:26}{one:7.3f} s{many:7.2f} s")
