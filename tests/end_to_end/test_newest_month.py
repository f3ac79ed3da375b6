"""A new month in the sources: it is reported if it lies outside the partitions, or becomes one by itself."""

import json

from tests.end_to_end.corpus import write_paper


def steps(project):
    planned = json.loads(project.silverloom("plan", "--json"))
    return planned["newest"], {(step["dataset"], step["partition"]) for step in planned["steps"]}


def test_records_outside_the_partitions_are_reported_by_plan_and_by_run(fresh):
    assert "outside the partitions" not in fresh.silverloom("plan")
    write_paper(fresh.root / "corpus", "epsilon", "2018-09")
    write_paper(fresh.root / "corpus", "zeta", "2018-10")
    line = "warning: 2 records lie outside the partitions of sources/papers: 2018-09 (1), 2018-10 (1)"
    assert line in " ".join(fresh.silverloom("plan").split())
    output = fresh.silverloom("run", "--select", "sources/papers")
    assert line.replace(":", "", 1) in " ".join(output.split())


def test_partitions_that_end_with_the_latest_month_follow_the_sources(fresh):
    fresh.params(lambda params: params["partitions"].update(end="latest"))
    fresh.silverloom("render")
    rendered = (fresh.root / "dvc.yaml").read_text()
    for name in ("sources/talks", "sources/papers"):
        made = fresh.made(fresh.silverloom("run", "--select", name))
        assert {name.split()[1] for name in made} == {"2018-06", "2018-07"}
    fresh.dvc("repro", "sources-talks")
    assert steps(fresh)[0] == "2018-07"

    write_paper(fresh.root / "corpus", "epsilon", "2018-09")
    newest, stale = steps(fresh)
    months = [{month for name, month in stale if name == f"sources/{kind}"} for kind in ("talks", "papers")]
    assert newest == "2018-09" and months == [{"2018-08", "2018-09"}] * 2, "the former months are fresh"
    output = fresh.dvc("repro", "sources-talks")  # none of its own files changed
    assert "sources/talks 2018-09" in output and "sources/talks 2018-06" not in output
    assert (fresh.root / "dvc.yaml").read_text() == rendered

    (fresh.root / "corpus/papers/epsilon.txt").unlink()
    assert steps(fresh)[0] == "2018-07"
