"""The smallest params.yaml of each system, as documented: what it lacks is left out, the rest is made."""

import re

import pytest
import yaml

from tests.projects import ROOT, Project

BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
SHOWN = [
    (text.partition(":")[0], text)
    for text in BLOCK.findall((ROOT / "docs/how-to/own-corpus.md").read_text())
    if "path: data/sample/" in text
]
#: Datasets of each system that take only seconds.
MADE = {
    "discofuse": "discofuse/examples",
    "talksumm": "talksumm/training_sets",
    "parasci": "parasci/released",
    "wikisum": "wikisum/ranked",
}


#: The pages of each system that every page links to.
PAGES = {
    "discofuse": {"fusion.html"},
    "talksumm": {"talks.html", "tuning.html", "evaluation.html"},
    "parasci": {"paraphrases.html"},
    "wikisum": {"articles.html", "inputs.html", "leads.html"},
}


@pytest.fixture
def project(sample_project, tmp_path) -> Project:
    """A checkout with all systems and the sample, whose params.yaml a test writes."""
    return sample_project.copy(tmp_path / "project")


def test_the_documents_show_what_every_system_needs():
    systems = {path.name for path in (ROOT / "assets/systems").iterdir() if (path / "__init__.py").exists()}
    assert {system for system, _ in SHOWN} == MADE.keys() == systems


@pytest.mark.long
@pytest.mark.parametrize(
    ("system", "shown"),
    [
        pytest.param(
            system,
            shown,
            id=f"{system} of {', '.join(yaml.safe_load(shown)['sources'])}",
        )
        for system, shown in SHOWN
    ],
)
def test_a_system_is_made_from_the_complete_params_that_the_documents_show(project, system, shown):
    assert len(shown.splitlines()) <= 20 and yaml.safe_load(shown)[system] == {}
    (project.root / "params.yaml").write_text(shown)
    output = project.silverloom("run", "--select", MADE[system])
    assert re.search(rf"^{MADE[system]} .*: [1-9]\d* kept, ", output, re.M) or re.search(
        rf"^{MADE[system]}: [1-9]\d* kept, ", output, re.M
    ), output
    lacking = " ".join(project.silverloom("plan").split())
    assert "not configured in params.yaml: " in lacking
    stages = yaml.safe_load((project.root / "dvc.yaml").read_text())["stages"]
    groups = {name.partition("-")[0].partition("@")[0] for name in stages}
    for other in MADE.keys() - {system}:
        assert f"{other} (no " in lacking and not any(name.startswith(other) for name in groups)
    overview = project.root / project.silverloom("pages").strip()
    pages, overview = overview.parent, overview.read_text()
    for other, names in PAGES.items():
        for name in names:
            shown = (f'href="{name}"' in overview, (pages / name).exists())
            assert shown == ((True, True) if other == system else (False, False)), name
