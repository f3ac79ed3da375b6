"""Stands in for `python` where a test's project runs its stages: the warmed process of zygote.py runs them.

Anything but `python -m orchestration...` goes to the interpreter itself.
"""

import json
import os
import socket
import sys
from pathlib import Path

if sys.argv[1:2] != ["-m"] or not sys.argv[2].startswith("orchestration."):
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
order = {"cwd": str(Path.cwd()), "module": sys.argv[2], "argv": sys.argv[3:], "env": dict(os.environ)}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    connection.connect(os.environ["ZYGOTE"])
    socket.send_fds(connection, [json.dumps(order).encode()], [0, 1, 2])
    answer = connection.recv(64)
sys.exit(int(answer or 1))
