"""Commands of the one application: each ends with a line that people can act on, never with a traceback.

Belongs here: registering a command, and loading the catalogue before it. Not here: the commands (app.py,
internal.py), which errors are expected (messages/command.py).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, ParamSpec

import typer

from orchestration.messages.command import run

Arguments = ParamSpec("Arguments")
Body = Callable[Arguments, int | None]


class _Application(typer.Typer):
    """An application in which what is called wrongly ends with one line, and status 2."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            sys.exit(super().__call__(*args, **kwargs, standalone_mode=False))
        except typer.TyperException as error:
            usage: Any = error
            if wrong := " ".join(usage.format_message().split()).rstrip("."):  # else it was the help
                print(
                    f"error: {wrong}; `{usage.ctx.command_path} --help` shows what there is", file=sys.stderr
                )
            sys.exit(2)


app = _Application(
    name="silverloom",
    help="Raw text to silver-standard text-to-text training sets, reproducibly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(
    name: str | None = None, *, hidden: bool = False, assets: bool = True
) -> Callable[[Body[Arguments]], Body[Arguments]]:
    """Register a function as a command; what it returns is the exit status.

    `assets`: whether it asks for any: then they are declared first.
    """

    def register(function: Body[Arguments]) -> Body[Arguments]:
        @app.command(name, hidden=hidden)
        @functools.wraps(function)
        def ended(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
            def body() -> int | None:
                if assets:
                    import orchestration.catalogue  # noqa: F401  declares them
                return function(*args, **kwargs)

            run(body)

        return function

    return register
