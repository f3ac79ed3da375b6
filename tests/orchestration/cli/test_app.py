"""The command line: help for everything, one-line errors, the same options everywhere."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from pydantic_core import SchemaError
from typer.main import get_command

from silverloom import orchestration
from silverloom.orchestration.cli import plan
from silverloom.orchestration.cli.app import app, main
from silverloom.orchestration.cli.command import run
from silverloom.orchestration.state import sources
from silverloom.orchestration.state.dvc_files import DamagedLockError
from silverloom.orchestration.state.freshness import CHECKS_CHANGED, CHECKS_FAILED
from silverloom.orchestration.state.plan import Step

COMMANDS = get_command(app).commands
SHOWN = {name: command for name, command in COMMANDS.items() if not command.hidden}


def call(*words):
    """Call the command line as `silverloom` does; return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main([*words])
    return ended.value.code or 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_description(name, capsys):
    assert call(name, "--help") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Usage: silverloom {name}" in shown and COMMANDS[name].help.split(". ")[0][:40] in shown


def test_every_user_facing_option_and_argument_has_a_description():
    unexplained = [
        (name, param.name)
        for name, command in SHOWN.items()
        for param in command.params
        if param.name != "help" and not param.help
    ]
    assert not unexplained


def test_an_option_has_the_same_name_and_description_everywhere():
    seen = {}
    for command in SHOWN.values():
        for param in command.params:
            seen.setdefault(param.opts[0], set()).add((*param.opts, param.help))
    assert {"--select", "--jobs", "--json"} <= seen.keys()
    assert [option for option, ways in seen.items() if len(ways) > 1] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", "--months"), "error: No such option: --months; see `silverloom plan --help`"),
        (("plans",), "error: No such command 'plans'"),
        (("backfill", "--from", "2018-06"), "error: Missing option '--to'"),
        (("run", "--jobs", "0"), "error: Invalid value for '--jobs'"),
        (("explain",), "error: Missing argument 'ID'"),
    ],
)
def test_usage_errors_end_with_one_line_and_status_2(words, said, capsys):
    assert call(*words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)


@pytest.mark.parametrize("name", ["plan", "run"])
def test_failures_end_with_one_line_and_status_1(name, capsys):
    assert call(name, "--select", "nothing") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: nothing is called 'nothing'; known: ")


def test_the_name_of_a_stage_leads_to_that_of_its_dataset(capsys):
    assert call("plan", "--select", "discofuse-examples") == 1
    said = "error: nothing is called 'discofuse-examples' (did you mean discofuse/examples?); known: "
    assert capsys.readouterr().err.startswith(said)


def test_the_plan_says_the_same_as_a_table_and_as_json(monkeypatch, capsys):
    dataset = SimpleNamespace(name="talksumm/pairs")
    reasons = {"a": (CHECKS_CHANGED,), "b": (CHECKS_FAILED,), "c": ("code changed",), "d": ("if x changes",)}
    steps = [Step(dataset, name, why, name != "d") for name, why in reasons.items()]
    monkeypatch.setattr(plan, "plan", lambda view, select: steps)
    assert call("plan", "--json") == 0
    found = [step["made_again"] for step in json.loads(capsys.readouterr().out)["steps"]]
    assert found == ["checked", "checked", "yes", "perhaps"]
    assert call("plan") == 0
    table = capsys.readouterr().out
    assert re.findall("^talksumm/pairs +[a-d] +([a-z]+)", table, re.MULTILINE) == found


def test_the_plan_counts_the_records_outside_the_partitions_as_json_too(monkeypatch, capsys):
    def corpus(workspace, group):
        return SimpleNamespace(outside=lambda: {"2017-01": 1, "2019-01": 2} if group == "talks" else {})

    monkeypatch.setattr(plan, "plan", lambda view, select: [])
    monkeypatch.setattr(plan, "sources_without_records", lambda workspace, datasets: [])
    monkeypatch.setattr(sources, "corpus", corpus)
    assert call("plan", "--json") == 0
    ((name, left),) = json.loads(capsys.readouterr().out)["outside"].items()
    assert left == {"2017-01": 1, "2019-01": 2}
    assert call("plan") == 0
    line = f"warning: 3 records lie outside the partitions of {name}: 2017-01 (1), 2019-01 (2)"
    assert line in capsys.readouterr().out


def test_a_damaged_lock_stops_the_plan_as_json_too(monkeypatch, capsys):
    def damaged(workspace):
        raise DamagedLockError("dvc.lock is damaged")

    monkeypatch.setattr(plan, "check_lock", damaged)
    assert call("plan", "--json") == 1
    assert capsys.readouterr().err == "error: dvc.lock is damaged\n"


@pytest.mark.parametrize("words", [("--help",), ("plan", "--json")])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_command_ends_silently_when_nobody_reads_its_output(words, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "silverloom.orchestration.cli", *words]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    ended = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, env=environment)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_outside_of_any_project_nothing_is_made(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="1"):
        main(["run"])
    assert capsys.readouterr().err == (
        "error: there is no project here or above; `silverloom init` makes one\n"
    )


def test_without_a_command_the_help_is_shown(capsys):
    assert call() == 2
    seen = capsys.readouterr()
    assert all(name in seen.out + seen.err for name in SHOWN)


def test_shells_are_offered_completion(capsys, monkeypatch):
    monkeypatch.setenv("_SILVERLOOM_COMPLETE", "source_bash")
    assert call() == 0
    assert "silverloom" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrapped", [KeyboardInterrupt(), SchemaError('Error building "model": KeyboardInterrupt: ')]
)
def test_an_interrupt_is_one_line_even_if_a_library_turns_it_into_another_error(wrapped, capsys):
    """Pydantic does so if Ctrl-C comes while it builds a model."""

    def interrupted():
        raise wrapped

    with pytest.raises(SystemExit) as ended:
        run(interrupted)
    said = capsys.readouterr().err
    assert ended.value.code == 130 and said.startswith("interrupted; ") and said.count("\n") == 1


def test_an_error_that_quotes_an_interrupt_is_no_interrupt(capsys):
    def failing():
        raise ValueError("row 3: 'KeyboardInterrupt' is no title")

    with pytest.raises(SystemExit) as ended:
        run(failing)
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: row 3: 'KeyboardInterrupt' is no title\n"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("from assets.filters import x", "`assets` is now `silverloom.assets`: CHANGELOG.md has the command"),
        ("import never_installed", "No module named 'never_installed'"),
    ],
)
def test_an_asset_that_imports_what_is_not_there_is_told_file_and_line(
    tmp_path, monkeypatch, capsys, statement, said
):
    (tmp_path / "definitions.py").write_text("import module_with_an_asset\n")
    (tmp_path / "module_with_an_asset.py").write_text(f"\n\n{statement}\n")
    monkeypatch.delitem(sys.modules, "silverloom.orchestration.definitions", raising=False)
    monkeypatch.setattr(orchestration, "__path__", [str(tmp_path)])
    monkeypatch.syspath_prepend(tmp_path)
    assert call("plan") == 1
    assert capsys.readouterr().err.startswith(f"error: {tmp_path}/module_with_an_asset.py, line 3: {said}")
