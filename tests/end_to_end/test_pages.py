"""The pages are an asset like any other; next to them is the current status."""

import json
import re

import pyarrow.parquet as pq
import pytest

from orchestration.files.identity import folder_files, folder_hashes
from pages.site import INDEX


def live(project):
    """The status data that the pages read."""
    project.silverloom("live")
    text = (project.root / "data" / "quality" / "live" / "state.js").read_text()
    return json.loads(re.fullmatch(r"window\.silverloomLive = (.*);\n", text, re.DOTALL).group(1))["datasets"]


def test_pages_are_made_again_only_when_a_dataset_changes(done):
    page = done.root / "data" / "quality" / "pages" / "datasets" / "talksumm-pairs.html"
    before = page.read_bytes()
    assert done.made(done.run()) == []
    done.params(lambda params: params["talksumm"]["pairs"].update(threshold=0.99999))
    output = done.run()
    assert "quality/pages: written" in output
    assert page.read_bytes() != before
    assert done.dvc_status() == {}


@pytest.mark.long
def test_updated_pages_equal_a_render_from_scratch_in_every_system(sample_project, tmp_path):
    project = sample_project.copy(tmp_path / "project")
    pages = project.root / "data/quality/pages"
    project.run()
    former = groups(pages)
    for change in (
        lambda params: params["talksumm"]["hmm"].update(minimum_characters=80),
        lambda params: [params[name]["rating_sheets"].update(seed=9) for name in ("parasci", "wikisum")],
        lambda params: params["discofuse"]["balanced"]["caps"].update(control=0.2),
    ):
        project.params(change)
        project.run()
        changed, former = groups(pages) - former, groups(pages)
        assert 0 < len(changed) < len(former) / 2, "most groups of pages are reused"
        found = folder_hashes(pages)
        project.silverloom("stage", "quality/pages", env={"SILVERLOOM_FORCE": "1"})
        assert folder_hashes(pages) == found


def groups(pages):
    """The groups of pages, with their keys."""
    return {(name, group["key"]) for name, group in json.loads((pages / INDEX).read_bytes()).items()}


@pytest.mark.long
def test_the_status_shows_what_is_fresh_stale_and_missing(done):
    datasets = live(done)
    assert {one["status"] for one in datasets.values()} == {"good", "warned"}
    assert all((one["status"] == "warned") == (one["warnings"] > 0) for one in datasets.values())
    before = datasets["talksumm/alignments"]
    assert [partition["name"] for partition in before["partitions"]] == ["2018-06", "2018-07"]
    assert before["version"] in done.lock
    assert before["previous"] is None

    done.params(lambda params: params["talksumm"]["hmm"].update(minimum_characters=80))
    assert live(done)["talksumm/alignments"]["state"] == "stale: 2 of 2 partitions"
    done.run()
    after = live(done)["talksumm/alignments"]
    assert after["status"] in ("good", "warned")
    assert after["version"] != before["version"]
    words = after["previous"]["profile"]["text.words"]
    assert sum(words) == sum(table.num_rows for table in former_rows(done))
    assert live(done)["talksumm/alignments"]["previous"] == after["previous"]

    month = done.root / "data" / "talksumm" / "alignments" / "2018-06"
    for path in folder_files(month).values():
        path.unlink()
    states = {one["name"]: one["state"] for one in live(done)["talksumm/alignments"]["partitions"]}
    assert states == {"2018-06": "missing", "2018-07": "up to date"}


def former_rows(project):
    """The kept rows of the alignments before their last change, from DVC's cache."""
    folder = project.root / "former"
    project.dvc("get", ".", "data/talksumm/alignments", "--rev", "HEAD", "-o", str(folder))
    return [pq.read_table(path) for path in sorted(folder.rglob("kept-*.parquet"))]
