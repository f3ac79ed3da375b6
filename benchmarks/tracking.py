"""The cost of tracking partitions in MLflow: asking what it lacks, and sending it.

Prints seconds for importing MLflow's client, for asking if nothing is missing, for one run, and for a run
with 81 child runs.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """
import sys, time
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
import silverloom.orchestration.definitions
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.mlflow.send import send
from silverloom.orchestration.mlflow.store import prepare
from silverloom.orchestration.state.freshness import Manifest, write_manifest
from silverloom.orchestration.workspace.workspace import Workspace
begun = time.monotonic()
import mlflow.tracking
imported = time.monotonic()
workspace = Workspace(Path(sys.argv[1]))
prepare(workspace.mlflow_store)
key = {"inputs": {f"in/{n}": {"": f"{n:032x}.dir"} for n in range(3)},
       "params": {"section": {f"param_{n}": n for n in range(12)}}, "code": {}}
counts = {"kept": 9, "dropped": 8, "rejected": 0, "reasons": {f"reason {n}": 1 for n in range(8)}}
pairs, tuning = workspace.datasets["talksumm/pairs"], workspace.datasets["talksumm/tuning"]
def make(dataset, month, files):
    write_manifest(workspace, dataset, month, Manifest(key, files, counts))
    return sent()
def sent():
    began = time.monotonic()
    assert send(workspace) == ""
    return time.monotonic() - began
names = [*tuning.trials.params, *tuning.trials.metrics]
workspace.folder(tuning).mkdir(parents=True)
rows = [{"id": str(n), **dict.fromkeys(names, n / 100)} for n in range(81)]
pq.write_table(pa.Table.from_pylist(rows), workspace.folder(tuning) / "kept-00000.parquet")
make(pairs, "2018-06", {"kept-00000.parquet": "0" * 32})
nothing = sent()
one = make(pairs, "2018-07", {"kept-00000.parquet": "1" * 32}) - nothing
many = make(tuning, "", folder_hashes(workspace.folder(tuning))) - nothing
print(imported - begun, nothing, one, many)
"""


def measure(folder: str) -> list[float]:
    """Return the seconds that the program prints."""
    command = [sys.executable, "-c", PROGRAM, folder]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        imported, nothing, one, many = measure(folder)
    print(f"import of MLflow's client   {imported:6.2f} s")
    print(f"asking, if it lacks nothing {nothing:6.2f} s")
    print(f"one run                     {one:6.2f} s")
    print(f"one run with 81 child runs  {many:6.2f} s")
