"""`silverloom pages` shows what exists and says what is missing, and commands name only existing files."""

import re

import pytest


@pytest.mark.long
def test_a_selection_has_pages_that_say_what_they_do_not_show(fresh):
    fresh.silverloom("run", "--select", "talksumm/matches")
    so_far = fresh.root / "data/quality/pages-so-far"
    assert fresh.silverloom("pages").strip().endswith("data/quality/pages-so-far/index.html")
    assert not (fresh.root / "data/quality/pages").exists(), "the complete pages are an output of DVC"
    page = (so_far / "index.html").read_text()
    (lacking,) = re.findall("Not shown, because not made or not up to date: (.*)\\.</p>", page)
    assert "talksumm/pairs, talksumm/alignments" in lacking and "talksumm/matches" not in lacking
    assert (so_far / "datasets/talksumm-matches.html").is_file()
    assert not (so_far / "datasets/talksumm-pairs.html").exists()
    assert "quality/pages" in fresh.silverloom("plan")
    fresh.run()
    assert "Not shown" not in (fresh.root / "data/quality/pages/index.html").read_text()
    assert fresh.silverloom("pages").strip().endswith("data/quality/pages/index.html")
    assert "everything is up to date" in fresh.silverloom("plan")
