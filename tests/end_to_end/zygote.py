"""A warmed process that forks one child for each command, so that whole programs start in milliseconds.

Run it as a script with the descriptor of a listening socket, which tests and python.py connect to, and the names of
variables that count only when a process starts: if an order has others, a new interpreter runs it. Each connection
sends one JSON object (`cwd`, `module` or `path`, `argv`, `env`; `code` for a worker of multiprocessing's spawn) and
its descriptors. The module runs as `__main__` in that folder with these descriptors; later messages are numbers of
signals for it; the answer is its status, negative if a signal ended it. An empty object only keeps the process alive:
it ends when the last such connection closes.
"""

import atexit
import contextlib
import fcntl
import gc
import importlib
import json
import multiprocessing
import os
import random
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
    "spacy",
    "sqlalchemy.dialects.sqlite",
    "torch._dynamo",
    "typer",
    "upath",
    "w3lib.url",
    "warcio",
    "yaml",
    "zc.lockfile",
)


def read_at_start(environment):
    """The variables that count only when a process starts. A fork honours PYTHONPATH, and shares all bytecode."""
    return {
        name: value
        for name, value in environment.items()
        if name in PINNED
        or (name.startswith("PYTHON") and name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"))
    }


def child(order, descriptors):
    """Run a program, and end as any does: after its threads and exit hooks."""
    os.chdir(order["cwd"])
    # move the descriptors away first: one may have the number that another needs
    descriptors = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 1000) for descriptor in descriptors]
    for number, descriptor in zip(order["descriptors"], descriptors, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    if read_at_start(order["env"]) != AT_START:
        flags = {"code": ["-c"], "module": ["-m"], "path": []}
        program = next([*flag, order[kind]] for kind, flag in flags.items() if kind in order)
        os.execve(sys.executable, [sys.executable, *program, *order["argv"]], order["env"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.executable = shutil.which("python")
    multiprocessing.set_executable(sys.executable)
    places = filter(None, order["env"].get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [order["cwd"], *places, *(path for path in sys.path if not path.endswith("end_to_end"))]
    random.seed()
    sys.modules["numpy"].random.seed()
    sys.argv = [order.get("module") or order.get("path") or "-c", *order["argv"]]
    try:
        if "code" in order:
            exec(order["code"], {"__name__": "__main__"})
        elif "module" in order:
            runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(order["path"], run_name="__main__")
    except SystemExit as end:
        STATUS[:] = [end.code if isinstance(end.code, int) else int(end.code is not None)]
        raise
    except BaseException:
        sys.excepthook(*sys.exc_info())
        STATUS[:] = [1]
    sys.exit()


def leave():
    """End before Python takes down all modules, which takes a second."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(*STATUS)


def serve(order, descriptors, connection):
    """Run a command in a grandchild, so that the next one need not wait for it, and answer with its status.

    It gets the signals that its client sends, and ends when its client does.
    """
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        child(order, descriptors)
    threading.Thread(target=pass_signals, args=(connection, pid), daemon=True).start()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(str(status).encode())
    os._exit(0)


def pass_signals(connection, pid):
    with contextlib.suppress(ProcessLookupError):
        while number := connection.recv(8):
            os.kill(pid, int(number))
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    STATUS = [0]
    atexit.register(leave)  # the first one runs last
    PINNED = {"LANG", "LC_ALL", *sys.argv[2:]}
    AT_START = read_at_start(os.environ)
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
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not listener:  # a test session has ended
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                    if len(selector.get_map()) == 1:
                        sys.exit()
                    continue
                connection, _ = listener.accept()
                message, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 200)
                if order := json.loads(message):
                    serve(order, descriptors, connection)
                    connection.close()
                else:
                    selector.register(connection, selectors.EVENT_READ)
                for descriptor in descriptors:
                    os.close(descriptor)
