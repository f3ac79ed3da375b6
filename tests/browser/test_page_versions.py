"""The pages of versions: what changed, with malicious texts, and with differing words marked."""

import pytest
from playwright.sync_api import expect

from silverloom.ops.versions.difference import KINDS, pieces
from silverloom.orchestration.versions.compare import write_page
from silverloom.orchestration.workspace.workspace import Workspace
from tests.browser.fixtures import VIEWS
from tests.browser.written import write_site

HARM = "<script>window.harmed = true</script> \u202e"


def found(**changes):
    counts = {kind: number for number, kind in enumerate(KINDS)}
    old = "We align talks to papers " * 9 + "slowly. " + HARM
    new = "We align talks to papers " * 9 + "quickly. " + HARM
    example = {"id": "row-1", "partition": "2018-06", "text": HARM, "columns": {"text": pieces(old, new)}}
    moved = {"id": "row-2", "partition": "2018-07", "text": "x" * 300, "from": "kept", "to": "dropped: short"}
    return {
        "dataset": "talksumm/pairs",
        "old": {"label": "HEAD~1 (0123456)", "version": "0" * 32},
        "new": {"label": "the working tree", "version": "1" * 32},
        "same": False,
        "made_of": ["param talksumm.pairs.threshold: 0.78 -> 0.9", f"package {HARM}"],
        "files": {"all": 6, "same": 2},
        "totals": counts,
        "partitions": {"2018-06": counts, "2018-07": counts},
        "moves": [{"from": "kept", "to": "dropped: short", "units": 1}],
        "columns": {"text": 1},
        "new_columns": ["notes"],
        "lost_columns": [],
        "examples": {**{kind: [] for kind in KINDS}, "changed": [example], "other fate": [moved]},
        **changes,
    }


@pytest.fixture
def site(tmp_path):
    """A folder beside a site's shared files."""
    return write_site(tmp_path / "data", []).parent


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_comparison_works_at_every_width_and_marks_the_words_that_differ(site, visit, width, scheme):
    write_page(Workspace(site.parents[1]), site / "versions/one.html", found())
    page = visit(site / "versions/one.html", width=width, scheme=scheme)
    page.assert_text("HEAD~1 (0123456)", "dropped: short", "<script>window.harmed", "notes")
    expect(page.page.locator("del")).to_have_text("slowly")
    expect(page.page.locator("ins")).to_have_text("quickly")
    assert page.page.evaluate("window.harmed") is None
    page.assert_fine()


def test_versions_with_the_same_bytes_say_so(site, visit):
    write_page(
        Workspace(site.parents[1]),
        site / "versions/one.html",
        found(same=True, made_of=[], partitions={}, moves=[], columns={}),
    )
    page = visit(site / "versions/one.html")
    expect(page.page.locator(".by-partition, del, ins")).to_have_count(0)
    page.assert_fine()


def test_comparisons_of_long_texts_are_bounded():
    old, new = "word " * 200_000, "other " * 200_000
    assert sum(len(piece.text) for piece in pieces(old, new)) < 2_000
    assert [piece.sign for piece in pieces("x" * 1_000_000, "y")] == ["-", "+"]
    near = pieces("a " * 90_000 + "old" + " b" * 90_000, "a " * 90_000 + "new" + " b" * 90_000)
    assert [(piece.sign, piece.text) for piece in near if piece.sign != "="] == [("-", "old"), ("+", "new")]
    assert sum(len(piece.text) for piece in near) < 200
