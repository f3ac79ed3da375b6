"""A source without a single readable record is a failure, and every tool shows its causes."""

import re
from pathlib import Path

import pytest


def add_source(project, **more):
    folder = project.root / "corpus" / "scans"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text("Nobody asks anything.\n")
    (folder / "d.txt").write_bytes(b"Where is the caf\xe9? There\n")
    source = {
        "kind": "riddle_lines",
        "path": "corpus/scans",
        "month": {"constant": "2018-06"},
        "licence": "MIT",
    }
    project.params(lambda params: params["sources"]["riddles"].update(scans={**source, **more}))
    project.silverloom("render")


TOLD = r"rejected whole: sources\.riddles\.scans, 4 records: no question with its answer \(3\); not UTF-8: .*? \(1\)"


def test_a_completely_rejected_source_ends_a_run_with_its_causes_and_status_1(done_toy):
    add_source(done_toy)
    output = " ".join(done_toy.run(ok=False).split())
    assert "sources/riddles 2018-06:" in output and "5 rejected" in output
    assert re.search(TOLD, output)
    assert "rejected in sources/riddles: 5, most often: no question with its answer (4)" in output
    again = done_toy.run(ok=False)
    assert done_toy.made(again) == [] and "rejected whole" in again
    shown = done_toy.silverloom("health", ok=False)
    assert re.search(
        r"rejected +sources/riddles: rejected whole: sources\.riddles\.scans, 4 records: no question",
        shown,
    )
    assert "1 rejected" in shown


def test_dagster_shows_it_as_a_failed_check_of_a_successful_run(done_toy):
    add_source(done_toy)
    output = make_one(done_toy, "sources/riddles", "2018-06")
    found = re.search(r"ERROR sources: (.*)", output)
    assert "4 records: no question with its answer (3); not UTF-8" in found[1].replace("\\", "")
    (done_toy.root / "corpus/scans/e.txt").write_text("Who asks? Nobody\n")
    assert "sources:" not in make_one(done_toy, "sources/riddles", "2018-06")


def make_one(project, *partition) -> str:
    ended = project.zygote.run(
        project.root, list(partition), path=str(Path(__file__).with_name("make_one.py"))
    )
    assert ended.status == 0, ended.output
    return ended.output


@pytest.mark.long
def test_a_source_without_a_single_matching_file_is_reported_by_plan_and_run_and_shown_by_dagster(done_toy):
    add_source(done_toy, files="*.tex")
    told = "sources.riddles.scans, 0 records: no file of kind 'riddle_lines' in corpus/scans matches files: '*.tex'"
    assert told in done_toy.silverloom("plan")
    assert told in done_toy.silverloom("run", "--select", "sources/riddles", ok=False)
    done_toy.params(lambda params: params["sources"]["riddles"]["june"].update(licence="MIT"))
    assert told in make_one(done_toy, "sources/riddles", "2018-06").replace("\\", "")
