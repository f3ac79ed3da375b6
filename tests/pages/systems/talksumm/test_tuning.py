"""The page of the tuning: the best point and the current one."""

import pytest

from silverloom.assets.declare.graph import Everything
from silverloom.pages.systems.talksumm import site
from tests.browser.talk_corpus import Corpus, point

CURRENT = (0.75, 0.5, 0.33, 0.1)
OTHER = (0.65, 0.5, 0.33, 0.1)


@pytest.fixture
def text(tmp_path):
    def text(*points):
        everything = Corpus(tmp_path, points=points).write()
        ((_, content),) = site.tuning_pages(everything, {})
        return " ".join(content.decode().split())

    return text


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (
            [point(CURRENT, 0.8, current=True), point(OTHER, 0.7)],
            "The current values are the best of 2 points",
        ),
        (
            [point(CURRENT, 0.8, current=True), point(OTHER, 0.82)],
            "does not differ from the current one beyond",
        ),
        (
            [point(CURRENT, 0.6, current=True), point(OTHER, 0.8)],
            "best point differs from the current one beyond",
        ),
        ([point(CURRENT, 0.8, current=True)], "The current values are the best of 1 points"),
        ([point(OTHER, 0.7)], "The point of params.yaml is not in the grid"),
        ([], "No points are scored."),
    ],
)
def test_the_page_compares_the_best_point_with_the_current_one(text, points, said):
    assert said in text(*points)


def test_among_equally_accurate_points_the_current_one_is_the_best():
    points = site.ranked(
        [point(OTHER, 0.8), point(CURRENT, 0.8, current=True), point((0.5, 0.5, 0.3, 0.1), 0.8)]
    )
    assert [one["lambda"] for one in points] == [0.75, 0.5, 0.65]


def test_a_difference_counts_only_beyond_both_intervals():
    current, best = point(CURRENT, 0.7, half=0.2, current=True), point(OTHER, 0.8, half=0.01)
    assert not site.differs(best, current)
    assert site.differs(best, point(CURRENT, 0.7, half=0.01, current=True))


def test_without_the_dataset_the_page_says_what_to_declare():
    ((_, content),) = site.tuning_pages(Everything(), {})
    assert b"gold_alignments:" in content and b"kind: word_runs" in content and b"tuning.js" not in content


def test_a_large_grid_keeps_its_best_points_and_the_current_one(text, monkeypatch):
    monkeypatch.setattr(site, "MOST_POINTS", 2)
    points = [point((0.5, 0.5, 0.3, share), share) for share in (0.5, 0.6, 0.7, 0.8)]
    page = text(*points, point(CURRENT, 0.4, current=True))
    assert "point-0.5-0.5-0.3-0.8" in page and "point-0.75" in page and "point-0.5-0.5-0.3-0.5" not in page
    assert "3 of 5 points are on this page" in page
