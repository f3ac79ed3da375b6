"""Registration of commands. A failing command ends with one line to act on, never with a traceback.

Belongs here: registering a command, giving it its workspace, turning expected errors into exit statuses. Not
here: the commands (app.py, internal.py).
"""

from __future__ import annotations

import functools
import inspect
import os
import select
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec

import typer
from pydantic_core import SchemaError

from silverloom.assets.declare.project import nearest_project
from silverloom.orchestration.files.full_disk import full_disk
from silverloom.orchestration.files.stores import sqlite_error
from silverloom.orchestration.files.transient import transient
from silverloom.orchestration.messages import describe
from silverloom.orchestration.workspace.postgres import unreachable
from silverloom.orchestration.workspace.workspace import Workspace

Arguments = ParamSpec("Arguments")
Body = Callable[Concatenate[Workspace, Arguments], int | None]

EXPECTED = (ValueError, RuntimeError, LookupError, OSError)


app = typer.Typer(
    name="silverloom",
    help="Raw text to silver-standard text-to-text training sets, reproducibly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run a command line, by default that of this process, and exit.

    Usage errors print one line and exit with status 2.
    """
    try:
        sys.exit(app(words, prog_name="silverloom", standalone_mode=False))
    except typer.TyperException as error:
        usage: Any = error
        if wrong := " ".join(usage.format_message().split()).rstrip("."):  # empty if the help was shown
            print(f"error: {wrong}; see `{usage.ctx.command_path} --help`", file=sys.stderr)
        sys.exit(2)
    except SystemExit as ended:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _reader_left()
            sys.exit(ended.code or 1)
        raise


def _reader_left() -> bool:
    """Return whether nobody reads the output any more, as in `silverloom plan | head`; it then goes nowhere.

    Commands end silently then. SIGPIPE is not set to its default, because servers must outlive their clients.
    """
    left = select.poll()
    left.register(sys.stdout.fileno(), 0)
    if left.poll(0):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def command(*, hidden: bool = False, assets: bool = True) -> Callable[[Body[Arguments]], Body[Arguments]]:
    """Register a function as a command. It gets this workspace, and returns the exit status.

    With `assets`, all assets are declared first.
    """

    def register(function: Body[Arguments]) -> Body[Arguments]:
        @functools.wraps(function)
        def body(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
            run(lambda: function(_workspace(assets), *args, **kwargs))

        signature = inspect.signature(function, eval_str=True)
        options = [option for name, option in signature.parameters.items() if name != "workspace"]
        body.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
        app.command(hidden=hidden)(body)
        return function

    return register


def _workspace(assets: bool) -> Workspace:
    if not assets:
        return Workspace.here()
    if nearest_project() is None:
        raise LookupError("there is no project here or above; `silverloom init` makes one")
    try:
        from silverloom.orchestration.definitions import workspace
    except ImportError as error:
        raise RuntimeError(f"{_importing_line(error)}: {error}") from error

    return workspace()


def _importing_line(error: ImportError) -> str:
    """Return the file and line of the import that failed."""
    frames = traceback.extract_tb(error.__traceback__)
    importing = [frame for frame in frames if "import" in (frame.line or "").split()]
    return f"{Path(importing[-1].filename).resolve()}, line {importing[-1].lineno}"


def run(body: Callable[[], int | None]) -> None:
    """Call `body` and exit with its status; an expected error prints one line and exits with 1."""
    sys.exit(_status(body))


def _status(body: Callable[[], int | None]) -> int | None:
    try:
        return body()
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _reader_left():
            return 1
        # pydantic's core raises this for Ctrl-C while it builds a model, and keeps only the name of its type
        if isinstance(error, SchemaError) and "KeyboardInterrupt" in str(error):
            return _interrupted()
        known = isinstance(error, EXPECTED) or transient(error)
        if not (known or sqlite_error(error) or full_disk(error) or unreachable(error)):
            raise
        print(f"error: {describe(error)}", file=sys.stderr)
        return 1


def _interrupted() -> int:
    print("interrupted; finished work is kept; run again to resume", file=sys.stderr)
    return 130
