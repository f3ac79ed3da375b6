"""A source without a single readable record is a failure, and every tool shows its causes."""

import re
from pathlib import Path

import pytest


def add_source(project, **more):
    folder = project.root / "corpus" / "scans"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_bytes(b"")
    (folder / "d.txt").write_bytes(b"Title: caf\xe9\n")
    source = {
        "kind": "plain_text",
        "path": "corpus/scans",
        "month": {"constant": "2018-06"},
        "licence": "MIT",
        "encoding": "utf-8",
    }
    project.params(lambda params: params["sources"]["papers"].update(scans={**source, **more}))
    project.silverloom("render")


TOLD = r"rejected whole: sources\.papers\.scans, 4 records: the file is empty \(3\); not UTF-8: .*? \(1\)"


def test_a_completely_rejected_source_ends_a_run_with_its_causes_and_status_1(done):
    add_source(done)
    output = " ".join(done.run(ok=False).split())
    assert "sources/papers 2018-06:" in output and "4 rejected" in output
    assert re.search(TOLD, output)
    assert "rejected in sources/papers: 4, most often: the file is empty (3)" in output
    again = done.run(ok=False)
    assert done.made(again) == [] and "rejected whole" in again
    shown = done.silverloom("health", ok=False)
    assert re.search(
        r"rejected +sources/papers: rejected whole: sources\.papers\.scans, 4 records: the file is empty",
        shown,
    )
    assert "1 rejected" in shown


def test_dagster_shows_it_as_a_failed_check_of_a_successful_run(done):
    add_source(done)
    output = make_one(done, "sources/papers", "2018-06")
    found = re.search(r"ERROR sources: (.*)", output)
    assert "4 records: the file is empty (3); not UTF-8" in found[1].replace("\\", "")
    (done.root / "corpus/scans/e.txt").write_bytes(
        next((done.root / "corpus/papers").glob("*.txt")).read_bytes()
    )
    assert "sources:" not in make_one(done, "sources/papers", "2018-06")


def make_one(project, *partition) -> str:
    ended = project.zygote.run(
        project.root, list(partition), path=str(Path(__file__).with_name("make_one.py"))
    )
    assert ended.status == 0, ended.output
    return ended.output


@pytest.mark.long
def test_a_source_without_a_single_matching_file_is_reported_by_plan_and_run_and_shown_by_dagster(done):
    add_source(done, files="*.tex")
    told = (
        "sources.papers.scans, 0 records: no file of kind 'plain_text' in corpus/scans matches files: '*.tex'"
    )
    assert told in done.silverloom("plan")
    assert told in done.silverloom("run", "--select", "sources/papers", ok=False)
    done.params(lambda params: params["sources"]["papers"]["text"].update(licence="MIT"))
    assert told in make_one(done, "sources/papers", "2018-06").replace("\\", "")
