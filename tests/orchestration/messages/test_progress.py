"""Progress messages of a partition: the parts done, and the remaining time, estimated from recent parts."""

import pytest

from silverloom.orchestration.messages import PartitionProgress, Recent, RecentPace


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def of(recent, done, total, now):
    return PartitionProgress("toy", "op", done, total, recent.pace).text(now)


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (PartitionProgress("toy", "op", 0, 72, RecentPace(7.0)), "op: 0 of 72 parts"),
        (
            PartitionProgress("toy", "op", 14, 72, RecentPace(7.0, 2.0)),
            "op: 14 of 72 parts, 30.0 a minute, 1:56 left",
        ),
        (PartitionProgress("toy", "op", 30, None, RecentPace(7.0, 1 / 3)), "op: 30 parts, 3.0 a second"),
        (PartitionProgress("toy", "op", 9, 9, RecentPace(7.0, 1 / 3)), "op: 9 of 9 parts, 3.0 a second"),
        (
            PartitionProgress("toy", "crawl", 9, 10, RecentPace(7.0, 1 / 3), "pages"),
            "crawl: 9 of 10 pages, 3.0 a second, 0:00 left",
        ),
    ],
)
def test_progress_shows_parts_rate_and_remaining_time(progress, text):
    assert progress.text(7.0) == text


def test_the_remaining_time_follows_recent_parts_and_not_earlier_quick_ones(clock):
    recent = Recent(clock)
    for seconds in [0.1] * 90 + [60] * 5:
        clock.now += seconds
        recent.finished()
    assert of(recent, 95, 100, clock.now) == "op: 95 of 100 parts, 1.0 a minute, 5:00 left"


def test_a_first_part_that_loads_models_is_soon_forgotten(clock):
    recent = Recent(clock)
    for seconds in [300] + [10] * 5:
        clock.now += seconds
        recent.finished()
    assert of(recent, 6, 12, clock.now) == "op: 6 of 12 parts, 6.0 a minute, 1:00 left"


def test_the_remaining_time_counts_down_during_a_part(clock):
    recent = Recent(clock)
    for _ in range(3):
        clock.now += 60
        recent.finished()
    lefts = [of(recent, 3, 5, clock.now + waited).rpartition(", ")[2] for waited in (0, 50, 100, 121, 600)]
    assert lefts == ["2:00 left", "1:10 left", "0:20 left", "1.0 a minute", "1.0 a minute"]


def test_parts_that_several_workers_finish_together_do_not_look_late_in_between(clock):
    recent = Recent(clock)
    for _ in range(4):
        clock.now += 60
        for _ in range(4):
            recent.finished()
    assert of(recent, 16, 32, clock.now + 59) == "op: 16 of 32 parts, 5.0 a minute, 2:13 left"
