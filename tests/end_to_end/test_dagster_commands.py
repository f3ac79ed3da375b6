"""Dagster's own commands in a checkout: by the console script of a virtual environment into which it is installed.

Such a script has its own folder on the path, not the one in which it is called.
"""

import json
import os
import re
import subprocess
import sys
import urllib.error
from importlib.metadata import entry_points

import dagster as dg
import duckdb
import polars
import pytest
import yaml

from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.declare.checks import CHECKS
from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.declaration import Key
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.browser.servers import end, free_ports
from tests.end_to_end.servers import Servers
from tests.end_to_end.stores import dagster_of, runs
from tests.projects import ROOT

DEFINITIONS = ("-m", "silverloom.orchestration.definitions")
RIDDLES = ("asset", "materialize", "--select", "sources/riddles", "--partition", "2018-06", *DEFINITIONS)
QUESTIONS = ("asset", "materialize", "--select", "toy/questions", "--partition", "2018-06")
MADE = {"sources/riddles", "toy/questions", "toy/lengths", "toy/model", "toy/rating_sheets", "quality/pages"}
#: The environment of a shell in which the project has set no variable.
SHELL = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("DAGSTER", "PYTHON", "SILVERLOOM")) and name not in STRICT
}
#: Code that says in which checkout it runs.
MARK = "import sys\nprint('loaded by the copy', file=sys.stderr)"
#: Tags that differ between any two runs.
OF_THE_RUN = ("Dagster run id", "mlflow.note.content", "silverloom.checkout")
STATS = "{ assetNodes { assetKey { path } partitionStats { numMaterialized } } }"


@pytest.fixture(scope="module")
def installed(done_toy_project, tmp_path_factory):
    """A checkout that is installed into its own virtual environment, which finds all other packages here."""
    folder = tmp_path_factory.mktemp("installed")
    project = done_toy_project.copy(folder / "checkout")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    packages = folder / "venv/lib/python3.11/site-packages"
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(others))
    pip = ["-m", "pip", "install", "--no-deps", "--no-build-isolation", "--quiet", "--editable", project.root]
    subprocess.run([folder / "venv/bin/python", *pip], check=True)
    for name in ("dagster", "dg"):
        [entry] = entry_points(group="console_scripts", name=name)
        script = folder / "venv/bin" / name
        script.write_text(
            f"#!{folder}/venv/bin/python\nfrom {entry.module} import {entry.attr}\n{entry.attr}()\n"
        )
        script.chmod(0o755)
    project.silverloom("setup")
    return project, folder / "venv/bin"


def call(program, *arguments, cwd, **environment):
    ended = subprocess.run(
        [program, *arguments],
        cwd=cwd,
        env={**SHELL, **QUIET, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_the_packages_are_importable_from_any_folder(installed, tmp_path):
    project, bin = installed
    code = f"from silverloom import {', '.join(PROJECT)}; print(*[package.__file__ for package in ({', '.join(PROJECT)})])"
    found = call(bin / "python", "-c", code, cwd=tmp_path).split()
    assert found == [str(project.root / "silverloom" / package / "__init__.py") for package in PROJECT]


def test_the_definitions_of_the_checkout_are_found(installed):
    project, bin = installed
    assert "All definitions loaded successfully" in call(bin / "dg", "check", "defs", cwd=project.root)


@pytest.mark.long
def test_former_commands_find_the_definitions_and_the_instance_in_the_checkout(installed):
    project, bin = installed
    said = call(bin / "dagster", "definitions", "validate", cwd=project.root)
    assert "All code locations passed validation" in said
    assert "Loaded environment variables from .env file: DAGSTER_HOME" in said
    listed = call(bin / "dagster", "asset", "list", *DEFINITIONS, cwd=project.root)
    assert "toy/questions" in listed.split()


def active(installed, command, root=None):
    """Run a command in a shell in which only the virtual environment was activated."""
    project, bin = installed
    bare = {name: SHELL[name] for name in ("HOME", "LANG", "TMPDIR") if name in SHELL}
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", f". {bin}/activate && {command}"],
        cwd=root or project.root,
        env={**bare, **QUIET, "PATH": os.defpath},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout
    # `dagster definitions validate` itself says that `dg check defs` is newer
    assert not re.search("Traceback|(?<!Supersession)Warning", ended.stdout), ended.stdout
    return ended.stdout


def test_dg_lists_all_definitions_with_only_the_virtual_environment_active(installed):
    said = active(installed, "dg list defs --json")
    listed = json.loads(said[said.index("{") :])
    assets = {asset["asset_key"] for asset in listed["assets"]}
    assert assets == {*MADE, "source_files/riddles"}
    assert {schedule["name"] for schedule in listed["schedules"]} == {"newest_partition", "health"}
    sensors = {sensor["name"] for sensor in listed["sensors"]}
    assert sensors == {"source_files", "runs_to_mlflow"}
    checks = {(check["asset_key"], check["name"]) for check in listed["asset_checks"]}
    assert {("toy/questions", name) for name in CHECKS} <= checks
    assert ("sources/riddles", "sources") in checks and ("quality/pages", "health") in checks


def changed(project):
    """When each store of a project's Dagster was last written to."""
    return {path: path.stat().st_mtime_ns for path in (project.root / ".dagster").rglob("*.db")}


@pytest.mark.long
def test_dg_launches_a_run_of_a_partition_in_the_current_checkout(installed, tmp_path):
    project = installed[0].copy(tmp_path / "copy")
    (project.root / "manifests/sources/riddles/2018-06.json").unlink()  # or it would be fresh
    project.silverloom("setup")
    said = active(installed, "dg launch --assets sources/riddles --partition 2018-06", project.root)
    assert "RUN_SUCCESS" in said
    made = project.made(project.silverloom("run", "--select", "sources/riddles"))
    assert made == [], "the launched run made it"


@pytest.mark.long
@pytest.mark.parametrize("how", ["as set up", "by DAGSTER_HOME"])
def test_a_partition_is_made_by_the_code_of_the_current_checkout(installed, tmp_path, how):
    """In a copy that shares the virtual environment with the checkout installed there."""
    project, bin = installed[0].copy(tmp_path / "copy"), installed[1]
    (project.root / "manifests/sources/riddles/2018-06.json").unlink()  # or it would be fresh
    project.append("ops/toy/riddles.py", MARK)
    if how == "as set up":
        project.silverloom("setup")
    else:
        (project.root / ".env").unlink()
    home = {"DAGSTER_HOME": str(project.root / ".dagster")} if how == "by DAGSTER_HOME" else {}
    before = changed(installed[0])
    said = call(bin / "dagster", *RIDDLES, cwd=project.root, **home)
    assert "RUN_SUCCESS" in said and "loaded by the copy" in said
    assert changed(installed[0]) == before
    made = project.made(project.silverloom("run", "--select", "sources/riddles"))
    assert made == ["sources/riddles 2018-07"], "all months depend on the parser"


@pytest.fixture(scope="module")
def ready(toy_project, tmp_path_factory):
    """The toy of one month with everything that its questions are made from."""
    project = toy_project.copy(tmp_path_factory.mktemp("ready") / "checkout")

    def one_month(params):
        params["partitions"]["end"] = "2018-06"
        del params["sources"]["riddles"]["july"]

    project.params(one_month)
    project.append("ops/toy/choice.py", MARK)
    project.commit()
    project.silverloom("run", "--select", "sources/riddles")
    return project


def test_dagster_asset_materialize_leaves_the_same_state_as_silverloom_run(installed, ready, tmp_path):
    """By the code of the checkout in which it is called, which shares the virtual environment of another one."""
    by_dagster, by_silverloom = (
        ready.copy(tmp_path / name / "checkout") for name in ("dagster", "silverloom")
    )
    by_dagster.silverloom("setup")
    dagster = f"dagster {' '.join(QUESTIONS)}"
    before = changed(installed[0])
    # as in any Dagster project: this command reads a variable or an option, but no pyproject.toml
    said = active(installed, f"DAGSTER_MODULE_NAME={DEFINITIONS[1]} {dagster}", by_dagster.root)
    assert "RUN_SUCCESS" in said and "loaded by the copy" in said
    assert changed(installed[0]) == before
    by_dagster.silverloom("send")
    by_silverloom.silverloom("run", "--select", "toy/questions")
    for folder in ("data/toy", "manifests", "metrics"):
        assert files(by_dagster.root / folder) == files(by_silverloom.root / folder), folder
    locked, expected = (yaml.safe_load(project.lock)["stages"] for project in (by_dagster, by_silverloom))
    assert locked == expected and "toy-questions" in locked
    found = checks(by_dagster)
    assert found == checks(by_silverloom)
    assert {(name, passed) for name, passed, *_ in found} == {(name, True) for name in CHECKS}
    tracked = mlflow_run(by_dagster)
    assert tracked == mlflow_run(by_silverloom)
    assert tracked["status"] == "FINISHED" and tracked["params"] and tracked["metrics"]["kept"]
    assert ("input", "sources/riddles 2018-06") in {item[:2] for item in tracked["datasets"]}
    assert by_dagster.made(by_dagster.silverloom("run", "--select", "toy/questions")) == []


@pytest.mark.long
def test_dagster_asset_materialize_refuses_without_the_module(installed):
    project, bin = installed
    ended = subprocess.run(
        [bin / "dagster", *QUESTIONS],
        cwd=project.root,
        env={**SHELL, **QUIET},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2 and "Invalid set of CLI arguments" in ended.stderr, (
        "docs/how-to/look.md says so"
    )


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def checks(project):
    """The checks of the questions that Dagster shows: name, whether it passed, month, severity."""
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    with dagster_of(project) as instance:
        (made,) = instance.fetch_materializations(asset_key(Key("toy", "questions")), limit=9).records
        assert made.asset_materialization.partition == "2018-06"
        logs = instance.all_logs(made.run_id, of_type=kind)
        found = [entry.dagster_event.asset_check_evaluation_data for entry in logs]
    return sorted(
        (check.check_name, check.passed, check.partition, check.severity.value, check.description)
        for check in found
    )


def mlflow_run(project):
    """The one run of the questions in MLflow, without its Dagster run, checkout and times."""
    (run,) = runs(project, "toy/questions").values()
    sets = [
        (
            item.tags[0].value,
            item.dataset.name,
            item.dataset.digest,
            item.dataset.source,
            item.dataset.profile,
        )
        for item in run.inputs.dataset_inputs
    ]
    return {
        "name": run.info.run_name,
        "status": run.info.status,
        "params": run.data.params,
        "metrics": run.data.metrics,
        "tags": {name: value for name, value in run.data.tags.items() if name not in OF_THE_RUN},
        "datasets": sorted(sets),
    }


@pytest.mark.long
def test_dagster_dev_shows_what_the_project_has_made(installed):
    project, bin = installed
    port = free_ports(1)
    with (project.root / "dev.log").open("wb") as log:
        process = subprocess.Popen(
            [bin / "dagster", "dev", "--port", str(port)],
            cwd=project.root,
            env={**SHELL, **QUIET},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    servers = Servers(f"http://127.0.0.1:{port}", [process])

    def stats():
        try:
            return servers.ask(STATS)["assetNodes"]
        except (OSError, urllib.error.URLError):
            return None

    try:
        found = servers.until(stats, bool)
    finally:
        end(process)
    made = {"/".join(node["assetKey"]["path"]): node["partitionStats"] for node in found}
    assert made["toy/questions"] == {"numMaterialized": 2}


@pytest.mark.long
def test_a_plain_asset_as_documented_is_discovered_and_made(installed, sample_project, tmp_path):
    project, bin = sample_project.copy(tmp_path / "copy"), installed[1]
    page = (ROOT / "docs/how-to/add-an-asset.md").read_text().partition("## A plain asset of Dagster")[2]
    place = re.search(r"`(assets/\w+\.py)`", page)[1]
    (project.root / place).write_text(re.search(r"```python\n(.*?)```", page, re.S)[1])
    (command,) = re.findall(r"^dagster (asset materialize .*)$", page, re.M)
    examples = project.root / "data/discofuse/examples/2018-06/kept-00000.parquet"
    examples.parent.mkdir(parents=True)
    types = ["SINGLE_CATAPHORA", "PAIR_NONE", "PAIR_NONE"]
    columns = {"id": ["a", "b", "c"], "source_ids": [["d"]] * 3, "month": ["2018-06"] * 3}
    polars.DataFrame({**columns, "discourse_type": types}).write_parquet(examples)
    project.silverloom("setup")
    for _ in range(2):  # the rows of a month are replaced
        said = call(bin / "dagster", *command.split(), cwd=project.root)
        assert "RUN_SUCCESS" in said
        assert "Asset check 'every_type_has_a_name' on 'duckdb_examples' passed" in said
    with duckdb.connect(project.root / "data/tables.duckdb", read_only=True) as database:
        kept = database.sql("select discourse_type, count(*) from examples group by all order by all")
        assert kept.fetchall() == [("PAIR_NONE", 2), ("SINGLE_CATAPHORA", 1)]
    said = call(bin / "dg", "list", "defs", "--json", cwd=project.root)
    listed = json.loads(said[said.index("{") :])
    (plain,) = [asset for asset in listed["assets"] if asset["asset_key"] == "duckdb_examples"]
    assert plain["dependency_keys"] == ["discofuse/examples"]
