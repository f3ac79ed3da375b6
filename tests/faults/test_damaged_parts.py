"""Damage to finished parts never blocks a partition: damaged parts are computed again."""

import pytest

from silverloom.orchestration.executors.parts import LocalEngine
from silverloom.orchestration.files.edits import code_stamp
from silverloom.orchestration.messages import Notice, listening
from silverloom.orchestration.partition import resume
from silverloom.orchestration.partition.resume import ResumableEngine
from silverloom.orchestration.workspace.workspace import Workspace
from tests.faults.damage import DAMAGES, damage
from tests.orchestration.executors.pieces import numbered, sizes

MONTH, KEY = "2018-06", {"inputs": {}, "params": {}, "code": {}}
PIECES = [1, 2, 3]
HERE = Workspace.here()


@pytest.fixture
def begin(tmp_workspace):
    """Begin a partition, and return the folder of its parts."""
    papers = tmp_workspace.datasets["sources/papers"]
    return lambda key=KEY: resume.begin_parts(tmp_workspace, papers, MONTH, key)


@pytest.fixture
def begun(check, begin):
    """The folder of the one map of a partition, with all parts stored."""
    check(PIECES, kept=0)
    return begin() / "0-numbered"


@pytest.fixture
def check(begin):
    return lambda pieces, kept, factor=1, key=KEY: make(begin(key), pieces, kept, factor)


def make(folder, pieces, kept, factor):
    """Make the partition and check its result and the number of reused parts."""
    events = []
    with listening(events.append):
        outcomes = ResumableEngine(HERE, LocalEngine(), "toy", folder).map(numbered, pieces, factor)
        assert sizes(outcomes) == [piece * factor for piece in pieces]
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == ([f"numbered: resuming after {kept} finished parts"] if kept else [])


def warnings(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_part_is_computed_again(begun, check, tally, capsys, how):
    """A finished part of an interrupted partition is damaged."""
    tally.attempt()
    damage(begun / "00001.zip", how)
    check(PIECES, kept=2)
    (line,) = warnings(capsys)
    assert "00001.zip cannot be used" in line and line.endswith("this part will be computed again")
    check(PIECES, kept=3)
    assert not warnings(capsys)
    tally.survive()


@pytest.mark.long
def test_a_flipped_bit_anywhere_in_a_part_is_detected(begun, check, tally):
    """A bit of a finished part is flipped, or its end is cut off."""
    path = begun / "00001.zip"
    whole = path.read_bytes()
    parts = resume.FinishedParts(HERE, begun, code_stamp(HERE))
    for place in range(0, len(whole), 7):
        for content in (
            whole[:place],
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :],
        ):
            tally.attempt()
            path.write_bytes(content)
            assert parts.indices() == {0, 2}
            tally.survive()
    path.write_bytes(whole)
    assert parts.indices() == {0, 1, 2}


@pytest.mark.parametrize("name", ["copy of 00001.zip", "1.zip", "x.zip", "notes.txt", ".00001.zip.77"])
def test_a_foreign_file_among_parts_is_left_alone(begun, check, tally, capsys, name):
    """A foreign file is among finished parts."""
    tally.attempt()
    (begun / name).write_text("mine")
    check(PIECES, kept=3)
    assert (begun / name).read_text() == "mine" and not warnings(capsys)
    tally.survive()
