"""Replacement for `python` and `silverloom` in a test's project, which has programs run in forks of zygote.py.

These are the command line, `python -m` for modules of the packages below, the crawler's child, and the worker
processes of multiprocessing's spawn; the last two inherit descriptors. Anything else goes to the interpreter itself.
It passes SIGINT and SIGTERM to the fork, and ends as the fork does: with its status, or by the same signal.
"""

import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path


def inherited():
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            os.fstat(int(path.name))
            yield int(path.name)


#: Packages whose modules run in forks.
FORKED = ("dagster", "dvc", "mlflow", "silverloom", "tests")

descriptors = [0, 1, 2]
if sys.argv[-1] == "--multiprocessing-fork":
    descriptors = list(inherited())
    order = {"code": sys.argv[-2], "argv": sys.argv[-1:]}
elif Path(sys.argv[0]).name == "silverloom":
    order = {"module": "silverloom.orchestration.cli", "argv": sys.argv[1:]}
elif sys.argv[1:3] == ["-m", "silverloom.ops.crawl.child"]:
    descriptors = list(inherited())
    order = {"module": sys.argv[2], "argv": sys.argv[3:]}
elif sys.argv[1:2] == ["-m"] and sys.argv[2].partition(".")[0] in FORKED:
    order = {"module": sys.argv[2], "argv": sys.argv[3:]}
else:
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
order |= {"cwd": str(Path.cwd()), "env": dict(os.environ), "descriptors": descriptors}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    connection.connect(str(Path(sys.argv[0]).parent.with_name("zygote")))
    socket.send_fds(connection, [json.dumps(order).encode()], descriptors)
    for passed in (signal.SIGINT, signal.SIGTERM):
        signal.signal(passed, lambda number, _: connection.sendall(str(number).encode()))
    status = int(connection.recv(64) or 1)
if status < 0:
    with contextlib.suppress(OSError):  # SIGKILL has no handler
        signal.signal(-status, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
    os.kill(os.getpid(), -status)
sys.exit(status)
