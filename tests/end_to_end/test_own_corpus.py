"""The smallest params.yaml of each system, as the documents show it: what it lacks is left out, the rest is made."""

import re
import shutil

import pytest
import yaml

from tests.projects import ROOT, Project, begin, copy_code

BLOCK = re.compile(r"```yaml\n# and: ([\w, ]+)\n(.*?)```", re.DOTALL)
SHOWN = {
    sections.split(", ")[-1]: (sections.split(", "), yaml.safe_load(content))
    for sections, content in BLOCK.findall((ROOT / "docs/own-corpus.md").read_text())
}
#: What is made of each in seconds.
MADE = {
    "discofuse": "discofuse/examples",
    "talksumm": "talksumm/training_sets",
    "parasci": "parasci/released",
    "wikisum": "wikisum/ranked",
}


@pytest.fixture
def project(tmp_path, zygote) -> Project:
    """A checkout with all systems and the sample, whose params.yaml is not written yet."""
    project = Project(tmp_path / "project", zygote)
    copy_code(project)
    shutil.copytree(ROOT / "data/sample", project.root / "data/sample")
    return project


def test_the_documents_show_what_every_system_needs():
    systems = {path.name for path in (ROOT / "assets/systems").iterdir() if (path / "__init__.py").exists()}
    assert SHOWN.keys() == MADE.keys() == systems


@pytest.mark.parametrize("system", sorted(MADE))
def test_a_system_is_made_of_what_the_documents_show(project, system):
    sections, content = SHOWN[system]
    whole = yaml.safe_load((project.root / "params.yaml").read_text())
    text = yaml.safe_dump(content | {name: whole[name] for name in sections}, sort_keys=False)
    (project.root / "params.yaml").write_text(text)
    begin(project)
    output = project.silverloom("run", "--select", MADE[system])
    assert re.search(rf"^{MADE[system]} .*: [1-9]\d* kept, ", output, re.M) or re.search(
        rf"^{MADE[system]}: [1-9]\d* kept, ", output, re.M
    ), output
    assert "the pages do not show" not in output
    lacking = " ".join(project.silverloom("plan").split())
    assert "left out by params.yaml: " in lacking
    stages = yaml.safe_load((project.root / "dvc.yaml").read_text())["stages"]
    groups = {name.partition("-")[0].partition("@")[0] for name in stages}
    for other in MADE.keys() - {system}:
        assert f"{other} (no " in lacking and not any(name.startswith(other) for name in groups)
