"""Replacement for `python` and `silverloom` in a test's project: the warmed process of zygote.py runs its stages.

It also forks the worker processes of multiprocessing's spawn, with the descriptors that they inherit. Anything
else goes to the interpreter itself.
"""

import contextlib
import json
import os
import socket
import sys
from pathlib import Path


def inherited():
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            os.fstat(int(path.name))
            yield int(path.name)


WARM = ("dagster", "dvc", "mlflow", "silverloom", "tests")

descriptors = [0, 1, 2]
if sys.argv[-1] == "--multiprocessing-fork":
    descriptors = list(inherited())
    order = {"code": sys.argv[-2], "argv": sys.argv[-1:]}
elif Path(sys.argv[0]).name == "silverloom":
    order = {"module": "silverloom.orchestration.cli", "argv": sys.argv[1:]}
elif sys.argv[1:3] == ["-m", "silverloom.ops.crawl.child"]:
    descriptors = list(inherited())
    order = {"module": sys.argv[2], "argv": sys.argv[3:]}
elif sys.argv[1:2] == ["-m"] and sys.argv[2].partition(".")[0] in WARM:
    order = {"module": sys.argv[2], "argv": sys.argv[3:]}
else:
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
order |= {"cwd": str(Path.cwd()), "env": dict(os.environ), "descriptors": descriptors}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    connection.connect(str(Path(sys.argv[0]).parent.with_name("zygote")))
    socket.send_fds(connection, [json.dumps(order).encode()], descriptors)
    answer = connection.recv(64)
sys.exit(int(answer or 1))
