"""What it costs to track a partition in MLflow: rows in one transaction, against MLflow's own client.

Prints seconds for importing, one run, and a run of 81 children, each in a fresh process.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SETUP = """
import sys, time, random
from pathlib import Path
import orchestration
from orchestration.mlflow.store import Experiment, TrackedRun, TrackedDataset, prepare, write
path = Path(sys.argv[1])
params = {f"section.param_{n}": str(n) for n in range(12)}
metrics = {f"dropped/{n}": float(n) for n in range(8)}
tags = {f"tag {n}": "x" for n in range(10)}
"""

OURS = (
    SETUP
    + """
begun = time.monotonic()
tables = [TrackedDataset(f"in {n}", f"{n:032x}.dir", "input", "{}") for n in range(3)]
def run(children=()):
    return TrackedRun("2018-06", "FINISHED", 0, 1, params, metrics, tags, tables, children)
write(path, Experiment("one"), run())
one = time.monotonic()
write(path, Experiment("many"), run([run() for _ in range(81)]))
many = time.monotonic()
print(0.0, one - begun, many - one)
"""
)

THEIRS = (
    SETUP
    + """
begun = time.monotonic()
import mlflow
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag
client = mlflow.MlflowClient(f"sqlite:///{path}")
imported = time.monotonic()
def log(experiment, parent=None):
    context = [InputTag("mlflow.data.context", "input")]
    run = client.create_run(experiment, tags={"mlflow.parentRunId": parent} if parent else {}).info.run_id
    client.log_batch(
        run,
        [Metric(name, value, 1, 0) for name, value in metrics.items()],
        [Param(name, value) for name, value in params.items()],
        [RunTag(name, value) for name, value in tags.items()],
    )
    inputs = [DatasetInput(Dataset(f"in {n}", f"{n:032x}.dir", "local", "{}"), context) for n in range(3)]
    client.log_inputs(run, inputs)
    client.set_terminated(run)
    return run
log(client.create_experiment("one"))
one = time.monotonic()
many = client.create_experiment("many")
parent = log(many)
for _ in range(81):
    log(many, parent)
print(imported - begun, one - imported, time.monotonic() - one)
"""
)


def measure(program: str, folder: Path) -> list[float]:
    """Run a program on a store of its own and return the seconds that it prints."""
    from orchestration.mlflow.store import prepare

    store = folder / "mlflow.db"
    prepare(store)
    command = [sys.executable, "-c", program, str(store)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    import orchestration  # noqa: F401

    print(f"{'':26}{'import':>8}{'one run':>9}{'1 + 81':>9}")
    totals = []
    for name, program in (("rows in one transaction", OURS), ("MLflow's client", THEIRS)):
        with tempfile.TemporaryDirectory() as folder:
            numbers = measure(program, Path(folder))
        totals.append(sum(numbers[:2]))
        print(f"{name:26}{numbers[0]:7.2f} s{numbers[1]:7.3f} s{numbers[2]:7.2f} s")
    print(f"a process that makes one partition: {totals[1] / totals[0]:.0f}x less")
