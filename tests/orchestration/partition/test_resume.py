"""Results computed under a partition's key are reused, in the same order."""

import os
import pickle
import signal
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.bounded.messages import tell
from silverloom.orchestration.executors.base import WorkerDiedError
from silverloom.orchestration.executors.parts import LocalEngine
from silverloom.orchestration.files.edits import code_stamp
from silverloom.orchestration.files.local_state import UnreadableError
from silverloom.orchestration.messages import Notice, PartitionProgress, describe, listening
from silverloom.orchestration.partition import resume
from silverloom.orchestration.partition.resume import ResumableEngine
from silverloom.orchestration.workspace.workspace import Workspace
from tests.orchestration.executors.pieces import fails_at_row_5, numbered, sizes, three_rows_each
from tests.waiting import until


def logged(piece, log):
    with log.open("a") as file:
        file.write(f"{piece}\n")
    return numbered(piece, 1)


def resumable(folder, workers=1):
    return ResumableEngine(Workspace.here(), LocalEngine(workers), "toy", folder)


def computed(log):
    return [int(line) for line in log.read_text().split()]


@given(st.lists(st.integers(1, 9), unique=True, max_size=6), st.integers(0, 6), st.booleans())
def test_a_map_that_is_left_resumes_where_it_was(tmp_path_factory, pieces, taken, sized):
    folder = tmp_path_factory.mktemp("parts")
    log = folder / "log"
    log.touch()
    cut = resumable(folder)
    outcomes = cut.map(logged, pieces if sized else iter(pieces), log)
    for _ in range(min(taken, len(pieces))):
        next(outcomes)
    cut.close()
    again = resumable(folder).map(logged, pieces if sized else iter(pieces), log)
    assert sizes(again) == pieces
    several = not sized or len(pieces) > 1  # the only part is stored if it took long
    assert sorted(computed(log)) == sorted(pieces) or not several


def test_parts_that_workers_finished_ahead_of_their_turn_are_kept(tmp_path):
    log = tmp_path / "log"
    cut = resumable(tmp_path, workers=2)
    outcomes = cut.map(logged, range(1, 8), log)
    next(outcomes)
    cut.close()
    stored = {path.stem for path in tmp_path.rglob("*.zip")}
    assert sizes(resumable(tmp_path, workers=2).map(logged, range(1, 8), log)) == list(range(1, 8))
    begun = computed(log)
    assert all(begun.count(piece) == 1 for piece in range(1, 8) if f"{piece - 1:05d}" in stored)


def returned(engine):
    """What the workers of an engine return for each part."""
    found, inner = [], engine.engine.map

    def watching(*arguments, **options):
        for computed in inner(*arguments, **options):
            found.append(computed)
            yield computed

    engine.engine = SimpleNamespace(locality=engine.engine.locality, map=watching)
    return found


def test_workers_return_counts_and_checksums_instead_of_tables(tmp_path):
    engine = resumable(tmp_path, workers=2)
    found = returned(engine)
    assert sizes(engine.map(numbered, [1, 2, 3], 1)) == [1, 2, 3]
    files = sorted(tmp_path.rglob("*.zip"))
    assert [part.checksum for part in found] == [path.read_bytes()[-16:].hex() for path in files]
    assert [part.rows for part in found] == 3 * [{"kept": 1, "dropped": 0, "rejected": 0}]
    assert all(len(pickle.dumps(part)) < 300 for part in found)


def test_a_workers_part_that_is_replaced_on_disk_is_refused(tmp_path):
    engine = resumable(tmp_path, workers=2)
    outcomes = engine.map(logged, [1, 2, 3, 4, 5, 6], tmp_path / "log")
    next(outcomes)
    (folder,) = tmp_path.glob("0-*")
    until(lambda: (folder / "00001.zip").exists())
    other = resume.FinishedParts(engine.workspace, folder, code_stamp(engine.workspace))
    other.write(1, numbered(7, 7))
    with pytest.raises(UnreadableError, match=r"00001\.zip was damaged or removed"):
        list(outcomes)


@pytest.mark.parametrize(("long", "stored"), [(0.0, 1), (600.0, 0)])
def test_the_only_part_is_stored_when_it_took_long(tmp_path, monkeypatch, long, stored):
    monkeypatch.setattr(resume, "LONG", long)
    list(resumable(tmp_path).map(numbered, [1], 1))
    assert len(list(tmp_path.rglob("*.zip"))) == stored


def listening_to_sound(piece):
    for seconds in (60, 120):
        tell(seconds, 600)
    return numbered(piece, 1)


def test_the_progress_of_a_recording_is_shown_next_to_the_parts(tmp_path):
    events = []
    with listening(events.append):
        list(resumable(tmp_path).map(listening_to_sound, [1, 2]))
        tell(180, 600)  # the display is closed
    told = [(event.op, event.done, event.total, event.unit) for event in events]
    of_parts = [("listening_to_sound", done, 2, "parts") for done in range(3)]
    first, second = (
        [(f"listening_to_sound, part {part}", seconds, 600, "seconds of sound") for seconds in (60, 120)]
        for part in (1, 2)
    )
    assert told == [of_parts[0], *first, of_parts[1], *second, of_parts[2]]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_an_op_names_the_part_and_its_rows(tmp_path, workers):
    rows = three_rows_each(tmp_path / "rows", resumable(tmp_path / "finished", workers))
    with pytest.raises(ValueError, match="no such page") as caught:
        list(rows.map(fails_at_row_5))
    assert describe(caught.value) == "fails_at_row_5, part 2, rows row-3 to row-5: no such page"


def dies_at_2(piece):
    if piece == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return numbered(piece, 1)


def test_the_death_of_a_worker_names_the_part(tmp_path):
    with pytest.raises(WorkerDiedError) as caught:
        list(resumable(tmp_path, 2).map(dies_at_2, range(4)))
    assert describe(caught.value).startswith("dies_at_2, part ")


def test_maps_of_one_partition_are_kept_apart(tmp_path):
    for _ in range(2):
        engine = resumable(tmp_path)
        assert sizes(engine.map(numbered, [1, 2], 1)) == [1, 2]
        assert sizes(engine.map(numbered, [1, 2], 10)) == [10, 20]


def test_a_corrupt_part_is_computed_again_and_reported_in_one_line(tmp_path, capsys):
    log, events = tmp_path / "log", []
    list(resumable(tmp_path).map(logged, [1, 2, 3], log))
    (tmp_path / "0-logged/00001.zip").write_bytes(b"torn")
    with listening(events.append):
        assert sizes(resumable(tmp_path).map(logged, [1, 2, 3], log)) == [1, 2, 3]
    assert computed(log) == [1, 2, 3, 2]
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == ["logged: resuming after 2 finished parts"]
    (line,) = capsys.readouterr().err.splitlines()
    assert "00001.zip cannot be used" in line and "this part will be computed again" in line
    told = [event for event in events if isinstance(event, PartitionProgress)]
    assert [(event.done, event.pace.seconds is None) for event in told] == [
        (0, True), (1, True), (2, False), (3, False)
    ]  # fmt: skip
