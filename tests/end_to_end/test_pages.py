"""The pages are an asset like any other; next to them is the current status."""

import json

import pytest

from orchestration.files.identity import folder_hashes
from pages.site import INDEX


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
def test_updated_pages_equal_a_render_from_scratch_in_every_system(made_sample_project, tmp_path):
    project = made_sample_project.copy(tmp_path / "project")
    pages = project.root / "data/quality/pages"
    former = groups(pages)

    def change(params):
        for system in ("discofuse", "parasci", "talksumm", "wikisum"):
            params[system]["rating_sheets"].update(seed=9)

    project.params(change)
    project.run()
    assert 0 < len(groups(pages) - former) < len(former) / 2, "most groups of pages are reused"
    found = folder_hashes(pages)
    project.silverloom("stage", "quality/pages", env={"SILVERLOOM_FORCE": "1"})
    assert folder_hashes(pages) == found


def groups(pages):
    """The groups of pages, with their keys."""
    return {(name, group["key"]) for name, group in json.loads((pages / INDEX).read_bytes()).items()}
