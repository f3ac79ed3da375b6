"""Git merges two branches in which different datasets were made: what is stale then, and how to resolve a conflict."""

import json
import subprocess

import pytest

from tests.end_to_end.corpus import write_paper

#: What a month's new paper always changes: the number of rows of the month.
COUNTED = [f"metrics/sources.{ending}" for ending in ("distributions.csv", "funnel.csv", "json")]
PAPERS = {"june": ("epsilon", "2018-06"), "july": ("zeta", "2018-07")}


def stale(project):
    """The partitions that `plan` would make, or perhaps make."""
    steps = json.loads(project.silverloom("plan", "--json"))["steps"]
    return {f"{step['dataset']} {step['partition'] or ''}".strip() for step in steps}


def branch(project, name, select):
    """Make some datasets from what changed since main, and commit both on a new branch."""
    project.git("checkout", "-qb", name)
    project.silverloom("run", "--select", select)
    project.commit(name)


def back_to_main(project):
    project.git("checkout", "-q", "main")
    project.dvc("checkout")


def test_datasets_made_on_two_branches_are_fresh_after_their_merge(done_toy):
    done_toy.params(lambda params: params["toy"]["questions"].update(words=3))
    branch(done_toy, "words", "toy/questions")
    back_to_main(done_toy)
    done_toy.params(lambda params: params["toy"]["rating_sheets"].update(raters=["ann", "cid"]))
    branch(done_toy, "raters", "toy/rating_sheets")
    left = stale(done_toy)
    done_toy.git("merge", "-q", "--no-edit", "words")
    done_toy.dvc("checkout")
    assert stale(done_toy) == left == {"quality/pages"}, "as before the merge"
    assert done_toy.git("status", "--porcelain") == ""


@pytest.fixture(scope="module")
def in_conflict(done_project, tmp_path_factory):
    """A merge that stopped: each branch had another paper, of another month. Copy it, do not change it."""
    project = done_project.copy(tmp_path_factory.mktemp("merge") / "checkout")
    for name, paper in PAPERS.items():
        write_paper(project.root / "corpus", *paper)
        branch(project, name, "sources")
        back_to_main(project)
    project.git("checkout", "-q", "july")
    project.dvc("checkout")
    with pytest.raises(subprocess.CalledProcessError):
        project.git("merge", "june")
    return project


@pytest.fixture(scope="module")
def together(done_project, tmp_path_factory):
    """The lock and the bytes of a checkout that had both papers from the beginning."""
    project = done_project.copy(tmp_path_factory.mktemp("together") / "checkout")
    for paper in PAPERS.values():
        write_paper(project.root / "corpus", *paper)
    project.run()
    return project.lock, project.data()


@pytest.mark.long
def test_months_made_on_two_branches_conflict_in_the_lock_and_in_the_counts(in_conflict):
    lock, *counted = in_conflict.git("diff", "--name-only", "--diff-filter=U").split()
    assert lock == "dvc.lock" and counted and {*counted} <= {*COUNTED}
    hunk = in_conflict.lock.partition("- path: data/sources/papers\n      hash: md5\n")[2].splitlines()
    assert hunk[0] == "<<<<<<< HEAD" and hunk[1].startswith("      md5: ") and hunk[1].endswith(".dir")
    assert {"=======", ">>>>>>> june"} <= set(hunk)
    said = in_conflict.silverloom("run", ok=False)
    assert "dvc.lock is damaged: it contains merge conflict markers; " in said
    assert "merge: `git checkout --ours dvc.lock` or `--theirs`, then `git add dvc.lock`" in said


@pytest.mark.long
def test_resolving_only_the_lock_is_enough_and_a_run_rewrites_the_counts(in_conflict, together, tmp_path):
    project = in_conflict.copy(tmp_path / "checkout")
    project.git("checkout", "--ours", "dvc.lock")
    project.git("add", "dvc.lock")
    project.run()
    assert (project.lock, project.data()) == together
    assert not [name for name in COUNTED if "<<<<" in (project.root / name).read_text()]
