"""`silverloom send` in a checkout that contains only manifests: `python -m tests.orchestration.dagster.send_alone FOLDER`."""

import sys
from pathlib import Path

import silverloom.orchestration.definitions  # noqa: F401 - it declares the datasets
from silverloom.orchestration.mlflow.send import send
from silverloom.orchestration.workspace.workspace import Workspace

if __name__ == "__main__":
    line = send(Workspace(Path(sys.argv[1])))
    print(line, file=sys.stderr)
    sys.exit(bool(line))
