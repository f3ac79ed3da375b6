"""A terminal shows one live display; other consoles get lines about what takes long."""

import io
import time

import pytest
from rich.console import Console

from silverloom.orchestration import messages
from silverloom.orchestration.messages import EventLines, Notice, PartitionProgress, RecentPace
from silverloom.orchestration.run.display import Display
from tests.waiting import until


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(messages, "FIRST", 0.0)
    monkeypatch.setattr(messages, "EVERY", 0.0)


def pace():
    """Two seconds a part, the last one finished just now."""
    return RecentPace(time.monotonic(), 2.0)


def shown(console):
    return console.file.getvalue()


def test_a_terminal_shows_each_running_partition_and_the_total():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with Display(console, 3) as display:
        display.begin("sources/papers 2018-06")
        display.begin("sources/talks 2018-06")
        display(PartitionProgress("sources/papers 2018-06", "parse_papers", 2, 9, pace()))
        display.end("sources/talks 2018-06")
        display.advance()
        with display.paused():
            console.print("a line of others")
        last = until(
            lambda: shown(console).rpartition("a line of others")[2], lambda shown: "1 of 3" in shown
        )
        assert "parse_papers: 2 of 9 parts, 30.0 a minute, 0:1" in last
        assert "sources/talks 2018-06" not in last


def test_elsewhere_lines_show_the_progress_of_a_long_partition(soon):
    console = Console(file=io.StringIO(), width=200)
    with Display(console, 3) as display:
        display.begin("talksumm/extractor")
        until(lambda: "talksumm/extractor: running for 0:0" in shown(console))
        display(PartitionProgress("talksumm/extractor", "op", 2, 9, pace()))
        line = "talksumm/extractor: op: 2 of 9 parts, 30.0 a minute, 0:1"
        until(lambda: line in shown(console))


def test_elsewhere_quick_partitions_print_only_notices():
    console = Console(file=io.StringIO(), width=200)
    with Display(console, 3) as display:
        display.begin("sources/papers 2018-06")
        display(PartitionProgress("sources/papers 2018-06", "op", 2, 9, pace()))
        display(Notice("sources/papers 2018-06", "op: resuming after 2 finished parts"))
        display.end("sources/papers 2018-06")
        display.advance()
        display(PartitionProgress("sources/papers 2018-06", "op", 3, 9, pace()))  # from a worker, late
    assert shown(console) == "sources/papers 2018-06: op: resuming after 2 finished parts\n"


def test_the_log_gets_notices_at_once_and_progress_at_intervals(monkeypatch):
    lines = []
    monkeypatch.setattr(messages, "FIRST", 0.0)
    log = EventLines(lines.append)
    for done in range(3):
        log(PartitionProgress("x", "op", done, 9, RecentPace(0.0)))
    log(Notice("x", "to be known"))
    assert lines == ["op: 0 of 9 parts", "to be known"]
