"""Committed files equal what the code renders and makes."""

import ast
import json
import subprocess

import yaml
from dvc.repo import Repo

from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.declare.project import checkout
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.dvc.stages import render
from silverloom.orchestration.state.dvc_files import stage_name


def test_dvc_yaml_is_rendered_from_the_asset_graph():
    assert (checkout() / "dvc.yaml").read_text() == render(workspace()), "run `make dvc.yaml`"


def test_code_json_and_dvc_lock_match_the_code():
    committed = json.loads((checkout() / "code.json").read_text())
    locked = yaml.safe_load((checkout() / "dvc.lock").read_text())["stages"]
    for dataset in workspace().datasets.values():
        group, name = dataset.key.path
        assert committed[group][name] == dataset.code, (
            "run `make run` and commit dvc.lock, code.json and metrics"
        )
        assert locked[stage_name(dataset)]["params"]["code.json"][f"{group}.{name}"] == dataset.code


UNSAFE = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}


def test_nothing_is_pickled_and_nothing_unsafe_is_loaded():
    for name in (*PROJECT, "benchmarks"):
        for path in (checkout() / name).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    assert not UNSAFE & {alias.name.split(".")[0] for alias in node.names}, path
                elif isinstance(node, ast.ImportFrom):
                    assert (node.module or "").split(".")[0] not in UNSAFE, path
                elif isinstance(node, ast.Call):
                    check_call(
                        path,
                        ast.unparse(node.func),
                        {word.arg: ast.unparse(word.value) for word in node.keywords},
                    )


def check_call(path, function, keywords):
    assert keywords.get("allow_pickle", "False") == "False", path
    assert not function.endswith("torch.load") or keywords.get("weights_only") == "True", path
    assert function not in ("yaml.load", "yaml.unsafe_load", "yaml.full_load", "eval", "exec"), path


def test_no_path_of_a_machine_and_no_registry_is_named():
    import re

    listed = subprocess.run(
        ["git", "ls-files"], cwd=checkout(), capture_output=True, text=True, check=True
    ).stdout
    odd = re.compile(r"(?<![\w.])/(home|root|work|opt|Users)/\w|pypi\.org|pythonhosted|npmjs")
    for name in listed.splitlines():
        path = checkout() / name
        if (
            path.suffix in (".py", ".md", ".yaml", ".toml", ".txt", ".lock", "")
            and name != "tests/repository/test_committed.py"
            and path.is_file()
        ):
            assert not odd.search(path.read_text(encoding="utf-8", errors="replace")), name


def test_dvc_looks_for_its_files_next_to_the_sample_and_nowhere_else_in_data():
    with Repo(str(checkout())) as repo:
        ignored = {
            name: repo.scm.is_ignored(f"{checkout()}/data/{name}") for name in ("", "sample/", "sources/")
        }
    assert ignored == {"": False, "sample/": False, "sources/": True}
