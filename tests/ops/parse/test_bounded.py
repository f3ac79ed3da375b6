"""The bounded child: what it refuses, that it goes on, and that it ends with its parent."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ops.parse.bounded import BoundedChild, Bounds
from ops.parse.source import ParseError
from tests.processes import alive
from tests.waiting import until

SMALL = Bounds(seconds=1, memory=2**28, output=2**20, patience=20)


@pytest.fixture
def child():
    child = BoundedChild(SMALL)
    yield child
    child.close()


def same(value):
    return value


def process():
    return os.getpid()


def spin():
    while True:
        pass


def sleep():
    time.sleep(60)


def grow():
    return len(bytearray(2**30))


def nest(depth=0):
    return nest(depth + 1)


def large():
    return b"x" * 2**21


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def refuse():
    raise ParseError("line 3: it is odd")


def fail():
    return {}["missing"]


def unpicklable():
    return threading.Lock()


def test_a_result_is_that_of_the_function(child):
    assert child.call(same, {"text": "é\x00", "bytes": b"\xff"}) == {"text": "é\x00", "bytes": b"\xff"}


def test_one_child_serves_call_after_call_and_is_not_this_process(child):
    processes = {child.call(process) for _ in range(3)}
    assert len(processes) == 1
    assert os.getpid() not in processes


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (spin, "the parser took more than 1 s of the processor"),
        (sleep, "the parser gave no answer within 3 s"),
        (grow, "to read it takes more memory than there is"),
        (nest, "nested too deeply to be read"),
        (large, "what it becomes is larger than 1048576 bytes"),
        (crash, r"the parser ended its process \(SIGSEGV\)"),
        (refuse, "line 3: it is odd"),
        (fail, "the parser failed: KeyError: 'missing'"),
        (unpicklable, "the parser failed: TypeError: cannot pickle"),
    ],
)
def test_an_excess_is_refused_with_its_cause_and_the_next_call_is_served(child, function, cause):
    if function is sleep:
        child.bounds = SMALL._replace(patience=3)
    with pytest.raises(ParseError, match=cause):
        child.call(function)
    assert child.call(same, 1) == 1


def test_time_is_counted_by_call(child):
    for _ in range(3):
        assert child.call(busy, 0.6) is None


def busy(seconds):
    begun = time.process_time()
    while time.process_time() < begun + seconds:
        pass


def test_threads_share_a_child_and_get_their_own_answers(child):
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
        "import threading\n"
        "from tests.ops.parse.test_bounded import *\n"
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
