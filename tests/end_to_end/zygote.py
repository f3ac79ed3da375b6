"""A warmed process that forks one child for each command, so that whole programs start in milliseconds.

Run it as a script with the descriptor of a listening socket. It reads one JSON object a line (`cwd`, `module`
or `path`, `argv`, `env`, `out`), forks, runs the module as `__main__` in the given folder, and answers with the
exit status. Processes that such a child starts as `silverloom ...` (the stages of `dvc repro`), or by
multiprocessing's spawn (the workers of a backfill: `code` instead of a module), come back through the socket
with the descriptors that they inherit; python.py is their `python`.
"""

import contextlib
import fcntl
import gc
import importlib
import json
import multiprocessing
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import threading

#: Third-party modules that the programs of a project import sooner or later.
WARM = (
    "accelerate.state",
    "aiohttp.web",
    "alembic.config",
    "dagster_webserver.app",
    "dulwich.index",
    "dulwich.repo",
    "dvc.commands.repro",
    "dvc.lock",
    "dvc.repo",
    "dvc.repo.datasets",
    "dvc_render",
    "grandalf.graphs",
    "great_expectations",
    "importlib_metadata",
    "mlflow.pyfunc",
    "mlflow.store.tracking.sqlalchemy_store",
    "networkx",
    "nltk.stem.porter",
    "nltk.tokenize",
    "numba",
    "numpy",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "pygments.lexers",
    "rapidfuzz.process",
    "rich.table",
    "safetensors.torch",
    "scipy.sparse",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.crawler",
    "scrapy.downloadermiddlewares.cookies",
    "scmrepo.git",
    "sqlalchemy.dialects.sqlite",
    "torch._dynamo",
    "typer",
    "upath",
    "w3lib.url",
    "warcio",
    "yaml",
    "zc.lockfile",
)


def child(order, descriptors):
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.executable = shutil.which("python")
    multiprocessing.set_executable(sys.executable)
    sys.path[:] = [order["cwd"], *(path for path in sys.path if not path.endswith("end_to_end"))]
    # move the descriptors away first: one may have the number that another needs
    descriptors = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 1000) for descriptor in descriptors]
    for number, descriptor in zip(order["descriptors"], descriptors, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    status = 0
    try:
        sys.argv = [order.get("module") or order.get("path") or "-c", *order["argv"]]
        if "code" in order:
            exec(order["code"], {"__name__": "__main__"})
        elif "module" in order:
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


def serve(order, descriptors, answer, connection=None):
    """Run a command in a grandchild, so that the next one need not wait for it, and answer with its status.

    It ends when its client does.
    """
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        child(order, descriptors)
    if connection is not None:
        threading.Thread(target=end_with, args=(connection, pid), daemon=True).start()
    answer(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    os._exit(0)


def end_with(connection, pid):
    if not connection.recv(1):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def from_parent(line):
    order = json.loads(line)
    order |= {"env": {**os.environ, **order["env"]}, "descriptors": [0, 1, 2]}
    out = os.open(order["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    serve(order, [nothing, out, out], lambda status: print(status, flush=True))
    os.close(out)
    os.close(nothing)


def from_child(connection):
    message, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 200)
    serve(json.loads(message), descriptors, lambda status: connection.sendall(status.encode()), connection)
    for descriptor in descriptors:
        os.close(descriptor)
    connection.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = False  # what one program of a project compiles, the next ones reuse
    gc.disable()  # imported modules stay
    for name in WARM:
        importlib.import_module(name)
    sys.modules["numba"].njit(lambda: None)()  # the rest of numba is imported at its first compilation
    gc.freeze()  # a garbage collection in a child would touch, and so copy, all warm memory
    gc.enable()
    signal.signal(
        signal.SIGCHLD, signal.SIG_IGN
    )  # no process waits for the processes that wait for a grandchild
    listener = socket.socket(fileno=int(sys.argv[1]))
    with open(0, "rb", buffering=0) as orders, selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(orders, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    from_child(listener.accept()[0])
                elif line := orders.readline():
                    from_parent(line)
                else:
                    sys.exit()
