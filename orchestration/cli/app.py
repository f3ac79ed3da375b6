"""What people type: `silverloom run`, `plan`, `explain` and the rest; `make` has a target for each.

Belongs here: commands, their options, what they print. Not here: commands that programs run (internal.py).
Every command imports what it needs when it runs, so that `--help` and completion answer at once.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli import internal
from orchestration.cli.command import app, command
from orchestration.workspace.workspace import Workspace

__all__ = ["app", "internal"]

Select = Annotated[
    str,
    typer.Option("--select", "-s", help="A group (talksumm) or a dataset (talksumm/pairs), with its inputs."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        envvar="SILVERLOOM_JOBS",
        min=1,
        help="How many partitions are made at once: engine.partitions, or the processors, at most 4.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@command()
def run(
    workspace: Workspace,
    select: Select = "",
    jobs: Jobs = None,
    recrawl: Annotated[
        bool, typer.Option("--recrawl", help="Ask the web again, for what changed since it was crawled.")
    ] = False,
) -> int:
    """Make every dataset that is stale, inputs first, and commit them to dvc.lock."""
    from orchestration.run.drive import run

    return run(workspace, select or None, jobs, recrawl)


@command()
def backfill(
    workspace: Workspace,
    first: Annotated[str, typer.Option("--from", help="The first month, like 2018-06, or year.")],
    last: Annotated[str, typer.Option("--to", help="The last one.")],
    select: Select = "",
    jobs: Jobs = None,
    force: Annotated[bool, typer.Option("--force", help="Make fresh partitions again, too.")] = False,
) -> int:
    """Make the partitions from one to another, several at once."""
    from orchestration.run.drive import backfill

    return backfill(workspace, first, last, select or None, jobs, force)


@command()
def plan(workspace: Workspace, select: Select = "", as_json: Json = False) -> None:
    """Show what would be made again, and why; nothing is made."""
    from orchestration.cli import plan

    (plan.show_json if as_json else plan.show)(workspace, select or None)


@command()
def health(workspace: Workspace) -> int:
    """Show what is failed, stale or missing right now; status 1 if anything is."""
    from orchestration.dagster.health import show

    return show(workspace)


@command()
def explain(
    workspace: Workspace, row: Annotated[str, typer.Argument(metavar="ROW_ID", help="The id of a row.")]
) -> None:
    """Show where a row comes from and what became of it."""
    from orchestration.cli.explain import explain

    print(explain(workspace, row))


@command()
def compare(
    workspace: Workspace,
    dataset: Annotated[str, typer.Argument(help="A dataset, for instance talksumm/pairs.")],
    old: Annotated[str, typer.Argument(help="A commit, branch, tag or experiment.")] = "HEAD",
    new: Annotated[str, typer.Argument(help="The same; left out: the working tree.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="Examples of each kind.")] = 10,
    as_json: Json = False,
    html: Annotated[Path | None, typer.Option(help="Write a page to this file, too.")] = None,
) -> None:
    """Compare two versions of a dataset: what they were made of, and which rows differ."""
    from orchestration.versions import compare

    found = compare.compare(workspace, dataset, old or "HEAD", new, limit)
    print(json.dumps(found, indent=1, ensure_ascii=False) if as_json else compare.text(found))
    if html:
        compare.write_page(workspace, html, found)
        print(f"written: {html}", file=sys.stderr)


@command()
def release(
    workspace: Workspace,
    system: Annotated[str, typer.Argument(help="A system, for instance talksumm.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where to; left out: release/ and the system.")
    ] = None,
    jobs: Jobs = None,
    hub: Annotated[
        str,
        typer.Option(
            "--push", metavar="NAME", help="Send it to this dataset of a hub, too, like my-name/my-data."
        ),
    ] = "",
) -> int:
    """Write a system's dataset as a folder of Parquet with its card, after making what of it is stale."""
    from orchestration.release.push import check_name, push
    from orchestration.release.write import released, write
    from orchestration.run.drive import run

    if hub:
        check_name(hub)
    if status := run(workspace, released(workspace, system).name, jobs):
        return status
    target = write(workspace, system, folder or workspace.root / "release" / system)
    print(f"written: {target}")
    if hub:
        print(f"sent: {push(target, hub)}")
    return 0


@command()
def sync(workspace: Workspace) -> None:
    """Tell Dagster what is on disk, after `dvc pull` or `dvc checkout`."""
    from orchestration.dagster.sync import sync
    from orchestration.state.freshness import View

    print("\n".join(sync(View(workspace))) or "Dagster's view agrees with what is on disk")


@command(assets=False)
def send(workspace: Workspace) -> int:
    """Send the runs that wait in the outbox to MLflow; status 1 if any still waits."""
    from orchestration.mlflow.send import send_and_tell

    if status := send_and_tell(workspace):
        return status
    print("no run waits for MLflow")
    return 0


@command()
def ui(workspace: Workspace) -> int:
    """Serve Dagster, data-quality pages and MLflow, on this machine only, until Ctrl-C."""
    from orchestration.serve.ui import serve

    return serve(workspace)


@command()
def render(workspace: Workspace) -> None:
    """Render dvc.yaml from the asset graph."""
    from orchestration.dvc.stages import write

    write(workspace)


@command()
def repro(workspace: Workspace, jobs: Jobs = None) -> int:
    """Make what is stale, then have `dvc repro` look at every stage, and make again what failed."""
    from orchestration.run.stage import repro

    return repro(workspace, jobs)


@command()
def docs(workspace: Workspace) -> None:
    """Render a page of each partition's latest validation."""
    from orchestration.checks.docs import build

    print(workspace.shown(build(workspace)))
