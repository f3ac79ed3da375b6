"""The bounded child: what it refuses, that it recovers, and that it ends with its parent."""

import os
import pickle
import subprocess
import sys
import threading
import time
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.bounded import BoundedChild, Bounds
from silverloom.ops.parse.bounded.messages import (
    KEPT,
    PROGRESS,
    REFUSED,
    ChildMessage,
    TooLargeError,
    received,
    send,
    tell,
    watched,
)
from silverloom.ops.parse.source import ParseError, Raw
from tests.ops.parse.in_child import (
    Evil,
    abort,
    answers,
    crash,
    digests,
    fail,
    fill_json,
    fill_xml,
    grow,
    half,
    half_within,
    large,
    lies,
    nest,
    places,
    process,
    refuse,
    same,
    sleep,
    spin,
)
from tests.processes import alive
from tests.waiting import until

SMALL = Bounds(seconds=1, memory=2**28, output=2**20, patience=60)


@pytest.fixture
def child():
    child = BoundedChild(SMALL)
    yield child
    child.close()


@pytest.fixture(scope="module")
def sound_child():
    """One for all tests that exceed no limit."""
    child = BoundedChild(SMALL)
    yield child
    child.close()


def test_a_result_equals_that_of_the_function(sound_child):
    assert sound_child.call(places) == places()


@pytest.mark.parametrize("size", [2**16 - 1, 2**16, 2**20 + 1])
def test_a_record_of_any_size_arrives_unchanged(sound_child, size):
    raws = [Raw("a", "a", bytes([number]) * size) for number in range(3)]
    assert [sound_child.call(digests, raws[0], raw) for raw in raws] == [
        [raws[0].md5, raw.md5] for raw in raws
    ]


def test_a_text_that_is_the_mark_of_bytes_is_refused_before_it_is_sent(sound_child):
    with pytest.raises(ParseError, match="a mark that stands for bytes"):
        sound_child.call(same, {"\0bytes": 10**9})
    assert sound_child.call(places) == places()


def test_an_answer_of_a_hijacked_child_is_not_executed(child, tmp_path):
    evil = pickle.dumps(Evil(tmp_path / "evil"))
    for kind in (KEPT, REFUSED, PROGRESS, b"?"):
        with pytest.raises(ParseError) as refused:
            child.call(answers, ChildMessage(kind, evil), ChildMessage(KEPT, b"1"))
        assert "the parser failed" not in str(refused.value)
        child.close()
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("kind", [KEPT, REFUSED, PROGRESS, b"?"])
@pytest.mark.parametrize(
    "content",
    [b"\xff\x1b", *(pytest.param(content, marks=pytest.mark.long) for content in (b"", b'{"key": 1}'))],
)
def test_other_answers_of_a_hijacked_child_are_no_result(child, kind, content):
    with pytest.raises(ParseError) as refused:
        child.call(answers, ChildMessage(kind, content), ChildMessage(KEPT, b"1"))
    assert "the parser failed" not in str(refused.value)


def test_an_answer_over_the_limit_is_never_read(child):
    with pytest.raises(ParseError, match="what it becomes is larger than 1048576 bytes"):
        child.call(answers, ChildMessage(KEPT, b"1" * 2**21))
    child.close()
    assert child.call(same, 1) == 1


def test_after_an_invalid_answer_another_child_is_started(child):
    former = child.call(process)
    with pytest.raises(ParseError, match="the parser gave no answer: Input should be a valid integer"):
        child.call(answers, ChildMessage(KEPT, b'"one"'), ChildMessage(KEPT, b"7"))
    assert child.call(process) not in (former, 7)


def slow_and_telling(seconds: float) -> int:
    for step in range(round(seconds / 0.25)):
        time.sleep(0.25)
        tell(step, 100)
    return 1


def test_the_progress_of_a_call_reaches_the_parent(sound_child):
    told = []
    with watched(lambda done, total: told.append((done, total))):
        assert sound_child.call(slow_and_telling, 2.5) == 1
    assert 1 <= len(told) <= 3 and {total for _, total in told} == {100} and sorted(told) == told


def test_progress_reports_do_not_extend_the_deadline():
    child = BoundedChild(Bounds(patience=4))
    try:
        with pytest.raises(ParseError, match="gave no answer within 4 s"):
            child.call(slow_and_telling, 60)
    finally:
        child.close()


def test_one_child_serves_all_calls_and_is_not_this_process(sound_child):
    processes = {sound_child.call(process) for _ in range(3)}
    assert len(processes) == 1
    assert os.getpid() not in processes


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (spin, "the parser took more than 1 s of the processor"),
        (sleep, "the parser gave no answer within 3 s"),
        (grow, "it needs more memory than the 256 MB that a parser may use"),
        (fill_json, "it needs more memory than the 256 MB that a parser may use"),
        (fill_xml, "it needs more memory than the 256 MB that a parser may use"),
        (abort, r"the parser gave up \(SIGABRT\): it needs more memory than the 256 MB"),
        (nest, "nested too deeply to be read"),
        (large, "what it becomes is larger than 1048576 bytes"),
        (crash, r"the parser ended its process \(SIGSEGV\)"),
        (refuse, "line 3: it is odd"),
        (fail, "the parser failed: KeyError: 'missing'"),
        (lies, "the parser failed: PydanticSerializationError: "),
        (half, "what it becomes holds the character U\\+D800, which is no text"),
        (half_within, r"text holds the character U\+DFFF, which is no text \(line 2, column 2\)"),
    ],
)
def test_an_exceeded_limit_is_refused_with_its_cause_and_the_next_call_works(child, function, cause):
    # A busy machine may leave the child little time: only the one that waits has little patience.
    child.bounds = SMALL._replace(patience=3 if function is sleep else 600)
    if function in (fill_json, fill_xml):
        child.bounds = child.bounds._replace(seconds=30)
    with pytest.raises(ParseError, match=cause):
        child.call(function)
    assert child.call(same, 1) == 1


def test_time_is_measured_by_call(child):
    for _ in range(3):
        child.call(busy, 0.6)


def busy(seconds) -> None:
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        pass


def test_threads_share_a_child_that_starts_and_get_their_own_answers(child):
    child.bounds = SMALL._replace(seconds=30, patience=600)
    found = {}
    threads = [
        threading.Thread(target=lambda number=number: found.update({number: child.call(same, number)}))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: number for number in range(8)}


def test_a_forked_process_has_a_child_of_its_own(child):
    ours = child.call(process)
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, str(child.call(process)).encode())
        child.close()
        os._exit(0)
    os.wait()
    os.close(writer)
    with os.fdopen(reader) as stream:
        assert int(stream.read()) != ours
    assert child.call(process) == ours


@pytest.mark.parametrize("state", ["waits", "sleeps"])
def test_the_child_ends_with_its_parent_also_after_kill_9(state):
    program = (
        "import threading, time\n"
        "from silverloom.ops.parse.bounded import BoundedChild\n"
        "from tests.ops.parse.in_child import process, sleep\n"
        "child = BoundedChild()\n"
        "print(child.call(process), flush=True)\n"
        f"{'child.call(sleep)' if state == 'sleeps' else 'time.sleep(60)'}\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=Path(__file__).resolve().parents[3],
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: not alive(pid))


@given(st.lists(st.builds(ChildMessage, st.binary(min_size=1, max_size=1), st.binary(max_size=100))))
def test_messages_arrive_as_they_were_sent(messages):
    stream = BytesIO()
    for message in messages:
        send(stream, message)
    stream.seek(0)
    assert [received(stream, 100) for _ in messages] == messages
    with pytest.raises(EOFError):
        received(stream, 100)


def test_an_incomplete_or_too_large_message_is_an_error():
    stream = BytesIO()
    send(stream, ChildMessage(KEPT, b"content"))
    for end in range(len(stream.getvalue())):
        with pytest.raises(EOFError):
            received(BytesIO(stream.getvalue()[:end]), 7)
    with pytest.raises(TooLargeError):
        received(BytesIO(stream.getvalue()), 6)
