"""A warmed process that forks one child a command, so that whole programs start in milliseconds.

Run as a script: it reads one JSON object a line (`cwd`, `module` or `path`, `argv`, `env`, `out`), forks, runs
the module as `__main__` in the given folder, and answers with the exit status.
"""

import json
import os
import runpy
import sys
from pathlib import Path

import dagster
import dvc.repo
import great_expectations
import numpy
import pyarrow.parquet
import rich.table
import yaml

WARM = (dagster, dvc.repo, great_expectations, numpy, pyarrow.parquet, rich.table, yaml)


def child(order):
    os.chdir(order["cwd"])
    os.environ.update(order["env"])
    sys.path[:] = [order["cwd"], *(path for path in sys.path if not path.endswith("end_to_end"))]
    with Path(order["out"]).open("wb", buffering=0) as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    status = 0
    try:
        sys.argv = [order.get("module") or order["path"], *order["argv"]]
        if "module" in order:
            runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(order["path"], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            child(order)
        status = os.waitpid(pid, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)
