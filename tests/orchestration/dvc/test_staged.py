"""DVC has a stage for what a project wants and for what was made, so that `dvc repro` makes nothing else."""

import yaml

from silverloom.assets.declare.params_file import document, params_from, read_again
from silverloom.orchestration.dvc.stages import render


def stages(workspace):
    return set(yaml.safe_load(render(workspace))["stages"])


def test_stages_are_those_of_the_targets_and_of_what_was_made_besides(tmp_workspace):
    content = {**document(), "targets": ["discofuse/balanced"]}
    (tmp_workspace.root / "params.yaml").write_text(yaml.safe_dump(content))
    with params_from(tmp_workspace.root):
        read_again()
        wanted = stages(tmp_workspace)
        assert {"code", "sources-prose", "discofuse-annotated", "discofuse-balanced"} <= wanted
        assert not {"discofuse-fusion_model", "discofuse-released", "talksumm-pairs"} & wanted
        tmp_workspace.manifests(tmp_workspace.datasets["discofuse/fusions"]).mkdir(parents=True)
        besides = stages(tmp_workspace)
        assert {"discofuse-fusions", "discofuse-fusion_model"} <= besides
        assert not {"discofuse-transfer", "talksumm-pairs"} & besides
        locked = {"schema": "2.0", "stages": {"talksumm-pairs": {"cmd": "x", "deps": [], "outs": []}}}
        (tmp_workspace.root / "dvc.lock").write_text(yaml.safe_dump(locked))
        assert {"talksumm-pairs", "sources-talks"} <= stages(tmp_workspace)
    read_again()
