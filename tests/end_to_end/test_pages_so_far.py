"""Pages of an incomplete project show what exists and say what is missing, and commands name only existing files."""

import re

import pytest


@pytest.mark.long
def test_a_selection_has_pages_that_say_what_they_do_not_show(fresh):
    output = fresh.silverloom("run", "--select", "talksumm/matches")
    for path in re.findall(r"^(data/\S+) shows them", output, re.M):
        assert (fresh.root / path).is_file()
    assert not (fresh.root / "data/quality/pages").exists(), "the complete pages are an output of DVC"
    so_far = fresh.root / "data/quality/pages-so-far"
    page = (so_far / "index.html").read_text()
    (lacking,) = re.findall("Not shown, since not made or not up to date: (.*)\\.</p>", page)
    assert "talksumm/pairs, talksumm/alignments" in lacking and "talksumm/matches" not in lacking
    assert (so_far / "datasets/talksumm-matches.html").is_file()
    assert not (so_far / "datasets/talksumm-pairs.html").exists()
    assert "../pages-so-far/index.html" in (fresh.root / "data/quality/live/versions.html").read_text()
    assert "quality/pages" in fresh.silverloom("plan")
    fresh.run()
    assert "Not shown" not in (fresh.root / "data/quality/pages/index.html").read_text()
    assert not so_far.exists()
    assert "../pages/index.html" in (fresh.root / "data/quality/live/versions.html").read_text()
    assert "everything is up to date" in fresh.silverloom("plan")
