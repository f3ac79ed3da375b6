"""Compare two versions of a dataset, found by git and DVC, and show what another threshold would have kept."""

import json
import shutil

import pytest

from tests.projects import Project


@pytest.fixture(scope="module")
def changed_project(done_toy_project, tmp_path_factory) -> Project:
    """A project with a remote, in which a threshold was moved and committed. Copy it, do not change it."""
    place = tmp_path_factory.mktemp("changed")
    project = done_toy_project.copy(place / "checkout")
    project.dvc("remote", "add", "-d", "store", str(place / "store"))
    project.commit("remote")
    project.dvc("push")
    project.params(lambda params: params["toy"]["questions"].update(words=7))
    project.run()
    project.commit("Move <b>the</b> minimum")
    project.dvc("push")
    return project


@pytest.fixture
def changed(changed_project, tmp_path) -> Project:
    return changed_project.copy(tmp_path / "changed")


def compare(project, *argv, **options):
    return json.loads(project.silverloom("compare", *argv, "--json", **options))


def test_a_moved_threshold_is_reported_with_rows_reasons_and_params(changed):
    found = compare(changed, "toy/questions", "HEAD~1")
    assert "param toy.questions.words: 4 -> 7" in found["made_of"]
    assert [(move["from"], move["to"]) for move in found["moves"]] == [("kept", "dropped: short_question")]
    assert found["totals"]["other fate"] == found["moves"][0]["units"] > 0
    assert found["totals"]["added"] == 0
    assert found["totals"]["removed"] == found["totals"]["other fate"]  # a question is made from one riddle
    assert compare(changed, "toy/lengths", "HEAD~1")["totals"]["changed"] > 0
    assert compare(changed, "sources/riddles", "HEAD~1")["same"]
    text = changed.silverloom("compare", "toy/questions", "HEAD~1", "HEAD")
    assert "kept -> dropped: short_question" in text and "2018-06" in text


def test_what_if_predicted_what_the_threshold_then_kept(done_toy_project, changed):
    def tried(project):
        text = (project.root / "data/quality/pages/what-if/toy-questions-toy.questions.words.js").read_text()
        return dict(json.loads(text.removeprefix("silverloom.whatIf(").removesuffix(");\n"))["tried"])

    def kept(project):
        return json.loads((project.root / "metrics/toy.json").read_text())["questions"]["kept"]

    before, after = tried(done_toy_project), tried(changed)
    assert before[4] == kept(done_toy_project)
    assert before[7] == after[7] == kept(changed) < before[4]


@pytest.mark.long
def test_a_version_missing_from_the_cache_is_named_with_the_command_that_fetches_it(changed):
    assert brought(changed, "HEAD~1") == [["dvc", "fetch", "--all-commits", "data/toy/questions"]]
    shutil.rmtree(changed.root / "data/toy/questions")
    changed.dvc("fetch", "data/sources/riddles")
    assert brought(changed, "HEAD", "HEAD~1")[0] == ["dvc", "pull", "data/toy/questions"]


def brought(project, *revisions):
    """Fetch versions missing from an emptied cache with the commands that are suggested; return these."""
    shutil.rmtree(project.root / ".dvc/cache/files")
    commands = []
    for _ in revisions:  # each attempt reports one more missing version
        output = project.silverloom("compare", "toy/questions", *revisions, ok=False)
        named = [piece.split() for piece in output.split("`")[1::2]]
        for program, *arguments in named:
            {"dvc": project.dvc, "git": project.git}[program](*arguments)
        commands += named
    assert compare(project, "toy/questions", *revisions)["totals"]["other fate"] > 0
    return commands


@pytest.mark.long
def test_each_version_that_cannot_be_compared_is_refused_in_one_line(changed):
    def refused(*argv):
        (line,) = changed.silverloom("compare", *argv, ok=False).splitlines()
        return line

    assert "there is no revision or experiment 'never'" in refused("toy/questions", "never")
    assert "has no dataset toy/nothing in its dvc.lock" in refused("toy/nothing")
    assert "is a report" in refused("quality/pages")
    first = changed.git("rev-list", "--max-parents=0", "HEAD").strip()
    assert "has no dvc.lock" in refused("toy/questions", first)
    changed.root.joinpath("dvc.lock").write_text("stages: [")
    changed.commit("broken")
    assert "cannot be read" in refused("toy/questions", "HEAD")
    shutil.rmtree(changed.root / "data/toy/questions")
    assert "data/toy/questions does not exist" in refused("toy/questions", "HEAD~1")


def test_a_broken_part_file_is_named(changed):
    path = changed.root / "data/toy/questions/2018-06/kept-00000.parquet"
    path.write_bytes(b"PAR1 no more")
    output = changed.silverloom("compare", "toy/questions", ok=False)
    assert "2018-06/kept-00000.parquet of the working tree cannot be read as Parquet" in output


def test_a_comparison_is_written_as_a_page(changed):
    changed.silverloom("compare", "toy/questions", "HEAD~1", "--html", "out/page.html")
    assert "dropped: short_question" in (changed.root / "out/page.html").read_text()
