"""What is committed is what the code renders and makes."""

import json

import yaml

from assets.settings import ROOT
from orchestration.dvc import render
from orchestration.graph import datasets
from orchestration.lockfile import stage_name


def test_dvc_yaml_is_what_the_asset_graph_renders_to():
    assert (ROOT / "dvc.yaml").read_text() == render(), "run `make dvc.yaml`"


def test_code_json_and_dvc_lock_are_those_of_the_code():
    committed = json.loads((ROOT / "code.json").read_text())
    locked = yaml.safe_load((ROOT / "dvc.lock").read_text())["stages"]
    for item in datasets().values():
        group, name = item.key.path
        assert committed[group][name] == item.code, (
            "run `make run` and commit dvc.lock, code.json and metrics"
        )
        assert locked[stage_name(item)]["params"]["code.json"][f"{group}.{name}"] == item.code
