"""The commands of docs/how-to/dvc.md undo a change that was run, also where most datasets were never made."""

import re

import pytest

from silverloom.orchestration.files.identity import folder_hashes
from tests.projects import ROOT, Project

TALKS = ("--select", "sources/talks")

#: Talks whose address nobody knows.
WITHOUT_URLS = """
parse = parse_talks
def parse_talks(records):
    from dataclasses import replace
    import pyarrow as pa
    outcome = parse(records)
    column = outcome.kept.schema.get_field_index("url")
    unknown = pa.nulls(outcome.kept.num_rows, pa.string())
    return replace(outcome, kept=outcome.kept.set_column(column, outcome.kept.schema.field(column), unknown))
"""


@pytest.fixture(scope="module")
def begun(fresh_project, tmp_path_factory) -> Project:
    """A committed project in which one dataset was made; its talks are tracked by DVC, its papers by git."""
    project = fresh_project.copy(tmp_path_factory.mktemp("undo") / "begun")
    project.git("rm", "-rq", "--cached", "corpus/talks")
    project.dvc("add", "corpus/talks")
    project.silverloom("run", *TALKS)
    project.commit("made")
    return project


def change_params(project: Project) -> None:
    project.params(lambda params: params["sources"]["talks"]["talks"].update(licence="CC-BY-4.0"))


def change_data(project: Project) -> None:
    (project.root / "corpus/talks/lost.txt").write_text("a talk that somebody wrote down in the end")
    next((project.root / "corpus/papers").rglob("*.txt")).write_text("# Another title\n\nAnother text.")


def change_code(project: Project) -> None:
    project.append("ops/talksumm/sources/talks.py", WITHOUT_URLS)


def commands() -> list[list[str]]:
    """The commands of the section, without their comments."""
    section = (ROOT / "docs/how-to/dvc.md").read_text().partition("## Undo a change")[2]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]
    return [line.partition("#")[0].split() for line in block.splitlines()]


@pytest.mark.parametrize(
    "change",
    [change_params, *(pytest.param(change, marks=pytest.mark.long) for change in (change_data, change_code))],
)
def test_a_change_is_undone_with_all_that_was_made_from_it(begun, tmp_path, change):
    project = begun.copy(tmp_path / "changed")
    change(project)
    output = project.silverloom("run", "--select", "talksumm/pairs")
    assert "talksumm/pairs 2018-06" in project.made(output)
    folders = ("corpus", "data/sources", "manifests")
    before, changed = (
        {name: folder_hashes(each.root / name) for name in folders} for each in (begun, project)
    )
    assert before != changed
    for program, *argv in commands():
        if program == "git":
            project.git(*argv)
        elif program == "dvc":
            assert "ERROR" not in project.dvc(*argv)
        else:
            assert (program, argv) == ("silverloom", ["plan"])
            assert "everything is up to date" in project.silverloom("plan", *TALKS)
    assert before == {name: folder_hashes(project.root / name) for name in folders}
    assert project.git("status", "--porcelain") == ""
    assert "up to date" in project.dvc("status", "sources-talks", "corpus/talks.dvc")
