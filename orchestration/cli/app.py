"""What people type: `silverloom run`, `plan`, `explain` and the other commands.

Belongs here: commands, their options, what they print. Not here: commands that programs run (internal.py).
Each command imports what it needs only when it runs, so that `--help` and shell completion stay fast.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from silverloom.ops.core.periods import Every
from silverloom.orchestration.cli import internal
from silverloom.orchestration.cli.command import app, command, main
from silverloom.orchestration.workspace.workspace import Workspace

__all__ = ["app", "internal", "main"]

Select = Annotated[
    str,
    typer.Option("--select", "-s", help="A group (talksumm) or dataset (talksumm/pairs), plus its inputs."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        envvar="SILVERLOOM_JOBS",
        min=1,
        help="Partitions to make in parallel. Default: engine.partitions, or the CPU count, at most 4.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@command(assets=False)
def init(
    workspace: Workspace,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new project's folder.")],
    system: Annotated[str, typer.Option("--system", help="The system, such as discofuse.")],
    source: Annotated[
        list[str],
        typer.Option(
            "--source",
            metavar="[RECORDS=]PATH",
            help="A file or folder of raw texts; for example talks=../talks. May be repeated.",
        ),
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="[SOURCE=]KIND",
            help="How a source is read, such as pdf. Default: detected.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="[SOURCE.]WHAT=COLUMN",
            help="Which column of a table holds what, such as text=abstract. May be repeated.",
        ),
    ] = None,
    licence: Annotated[
        list[str] | None,
        typer.Option(
            "--licence",
            metavar="[SOURCE=]LICENCE",
            help="The texts' licence, as an SPDX name; web pages need their own.",
        ),
    ] = None,
    title: Annotated[
        list[str] | None,
        typer.Option("--title", metavar="[SOURCE=]TEXT", help="What the card of a release calls a source."),
    ] = None,
    attribution: Annotated[
        list[str] | None,
        typer.Option("--attribution", metavar="[SOURCE=]NAMES", help="Whom it credits; CC BY asks for it."),
    ] = None,
    citation: Annotated[
        list[str] | None,
        typer.Option("--citation", metavar="[SOURCE=]TEXT", help="How to cite the source, for that card."),
    ] = None,
    url: Annotated[
        list[str] | None,
        typer.Option("--url", metavar="[SOURCE=]URL", help="Where the source is from, for the same card."),
    ] = None,
    every: Annotated[
        Every, typer.Option("--every", help="Partitions by month or year, if the sources have dates.")
    ] = "none",
    copy: Annotated[
        bool, typer.Option("--copy", help="Copy folders into the project, where DVC tracks them.")
    ] = False,
) -> None:
    """Create a project of your own that uses the installed code, with git, DVC and Dagster."""
    from silverloom.orchestration.dagster.settings import prepare
    from silverloom.orchestration.project.create import Wishes, create
    from silverloom.orchestration.project.told import told

    given = {"title": title, "attribution": attribution, "citation": citation, "url": url}
    credits = {name: texts or () for name, texts in given.items()}
    wishes = Wishes(kind or (), column or (), licence or (), credits, every, copy)
    sources = create(folder, system, source, wishes, lambda root: prepare(root / ".dagster", on_server=False))
    print(*told(system, sources, every), sep="\n")
    print(f"created {folder}; next:")
    if folder.resolve() != Path.cwd():
        print(f"  cd {shlex.quote(str(folder))}")
    print('  git add . && git commit -m "New project"', "  silverloom run", sep="\n")


@command(assets=False)
def convert(
    workspace: Workspace,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file, or a folder of files.")],
    system: Annotated[str, typer.Option("--system", help="The system, such as discofuse.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A name that ends in .parquet, .jsonl or .csv.")],
    kind: Annotated[
        str, typer.Option("--kind", help="How a source is read, such as pdf. Default: detected.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="WHAT=COLUMN",
            help="Which column of a table holds what, such as text=abstract. May be repeated.",
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option("--licence", help="The texts' licence, as an SPDX name; web pages need their own.")
    ] = "",
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-S",
            metavar="SECTION.KEY=VALUE",
            help="A value of params.yaml, such as discofuse.examples.control=1. May be repeated.",
        ),
    ] = None,
) -> int:
    """Turn a file into rows of a system's dataset, without a project."""
    from silverloom.orchestration.cli.convert import run

    return run(workspace, file, system, out, kind, column or [], licence, assignments or [])


@command(assets=False)
def models(workspace: Workspace) -> int:
    """Compare the installed models with their publishers' own files, and fetch what differs."""
    from silverloom.orchestration.project.published import prefer_published

    status = 0
    for right, line in prefer_published():
        print(line, flush=True)
        status |= not right
    return status


@command(assets=False)
def setup(workspace: Workspace) -> None:
    """Create what git does not hold: Dagster's store, and DVC's template of plots."""
    from silverloom.orchestration.dagster.instance import close_stores, instance
    from silverloom.orchestration.dvc.metrics import write_template

    instance()
    close_stores()
    write_template(workspace)


@command()
def run(
    workspace: Workspace,
    select: Select = "",
    jobs: Jobs = None,
    recrawl: Annotated[
        bool, typer.Option("--recrawl", help="Crawl again and fetch what changed on the web.")
    ] = False,
) -> int:
    """Make all stale datasets, inputs first, and commit them to dvc.lock."""
    from silverloom.orchestration.run.drive import run

    return run(workspace, select or None, jobs, recrawl)


@command()
def backfill(
    workspace: Workspace,
    first: Annotated[str, typer.Option("--from", help="First month (like 2018-06) or year.")],
    last: Annotated[str, typer.Option("--to", help="Last month or year.")],
    select: Select = "",
    jobs: Jobs = None,
    force: Annotated[bool, typer.Option("--force", help="Also remake partitions that are fresh.")] = False,
) -> int:
    """Make a range of partitions, several in parallel."""
    from silverloom.orchestration.run.drive import backfill

    return backfill(workspace, first, last, select or None, jobs, force)


@command()
def plan(workspace: Workspace, select: Select = "", as_json: Json = False) -> None:
    """Show which partitions a run would make, and why. Makes nothing."""
    from silverloom.orchestration.cli import plan

    (plan.show_json if as_json else plan.show)(workspace, select or None)


@command()
def health(workspace: Workspace, as_json: Json = False) -> int:
    """List partitions that are failed, stale or missing, with status 1 if there are any, and warnings."""
    from silverloom.orchestration.dagster.health import show

    return show(workspace, as_json)


@command()
def clean(
    workspace: Workspace,
    days: Annotated[int, typer.Option("--days", min=0, help="Keep failed runs younger than this.")] = 90,
    delete: Annotated[bool, typer.Option("--delete", help="Delete; without it, only list.")] = False,
) -> int:
    """Delete old failed runs, and versions of data that no commit or experiment names."""
    from silverloom.orchestration.cli.clean import clean

    return clean(workspace, days, delete)


@command()
def explain(
    workspace: Workspace,
    row: Annotated[
        str, typer.Argument(metavar="ID", help="A row's id, or your own document's id, URL or file name.")
    ],
) -> None:
    """Show a row's fate, where it comes from, and which rows were made from it."""
    from silverloom.orchestration.cli.explain import explain

    print(explain(workspace, row))


@command()
def compare(
    workspace: Workspace,
    dataset: Annotated[str, typer.Argument(help="A dataset, such as talksumm/pairs.")],
    old: Annotated[str, typer.Argument(help="A commit, branch, tag or experiment.")] = "HEAD",
    new: Annotated[str, typer.Argument(help="The same. Default: the working tree.")] = "",
    limit: Annotated[
        int, typer.Option(min=0, help="At most this many examples of each kind of change.")
    ] = 10,
    as_json: Json = False,
    html: Annotated[Path | None, typer.Option(help="Also write an HTML page to this file.")] = None,
) -> None:
    """Compare two versions of a dataset: their inputs and their rows."""
    from silverloom.orchestration.versions import compare

    comparison = compare.compare(workspace, dataset, old or "HEAD", new, limit)
    print(json.dumps(comparison, indent=1, ensure_ascii=False) if as_json else compare.text(comparison))
    if html:
        compare.write_page(workspace, html, comparison)
        print(f"written: {html}", file=sys.stderr)


@command()
def release(
    workspace: Workspace,
    system: Annotated[str, typer.Argument(help="A system, such as talksumm.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Output folder. Default: release/<system>.")
    ] = None,
    jobs: Jobs = None,
    hub: Annotated[
        str,
        typer.Option(
            "--push", metavar="NAME", help="Also send it to this dataset on a hub, such as my-name/my-data."
        ),
    ] = "",
) -> int:
    """Bring a system's dataset up to date, then write it as a folder of Parquet files with a dataset card."""
    from silverloom.orchestration.release.push import check_name, push
    from silverloom.orchestration.release.write import released, write
    from silverloom.orchestration.run.drive import run

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
    """Tell Dagster what is on disk, for example after `dvc pull` or `dvc checkout`."""
    from silverloom.orchestration.dagster.sync import sync
    from silverloom.orchestration.state.freshness import View

    print("\n".join(sync(View(workspace))) or "Dagster's records match the files on disk")


@command()
def send(workspace: Workspace) -> int:
    """Send MLflow the runs that it lacks. Exits with status 1 if any could not be sent."""
    from silverloom.orchestration.dagster.health import made_by
    from silverloom.orchestration.mlflow.send import send_and_tell

    if status := send_and_tell(workspace, run_of=made_by):
        return status
    print("MLflow has a run of each partition")
    return 0


@command()
def gx(workspace: Workspace, select: Select = "") -> None:
    """Write Great Expectations' project in gx/ with results of kept rows; print where its Data Docs are."""
    from silverloom.orchestration.gx.docs import write_docs

    print(workspace.shown(write_docs(workspace, workspace.graph.selected(select or None))))


@command()
def ui(workspace: Workspace) -> int:
    """Serve Dagster, the data-quality pages and MLflow on this machine until Ctrl-C."""
    from silverloom.orchestration.serve.ui import serve

    return serve(workspace)


@command()
def render(workspace: Workspace) -> None:
    """Render dvc.yaml from the asset graph."""
    from silverloom.orchestration.dvc.stages import write

    write(workspace)


@command()
def repro(workspace: Workspace, jobs: Jobs = None) -> int:
    """Make all stale datasets, then run `dvc repro` to check every stage and retry what failed."""
    from silverloom.orchestration.run.stage import repro

    return repro(workspace, jobs)


@command()
def pages(workspace: Workspace) -> None:
    """Write the data-quality pages of what is made so far, and print where they are."""
    from silverloom.orchestration.present import write_pages

    print(workspace.shown(write_pages(workspace)))
