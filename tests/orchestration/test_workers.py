"""A pool hears everything that a worker process says, whenever it says it."""

import fcntl
import sys
import termios
import time
from threading import Thread

import pytest

from orchestration.graph import datasets
from orchestration.workers import Pool

#: Says "ready" only when it has an order, and the answer in the same breath.
AT_ONCE = """
import sys
for line in sys.stdin:
    sys.stdout.write('{"ready": true}\\n{"error": "as told"}\\n')
    sys.stdout.flush()
    for line in sys.stdin:
        print('{"error": null}', flush=True)
"""
#: Says everything in two pieces, cut within a line.
IN_PIECES = """
import sys, time
print('{"ready": tr', end='', flush=True)
for line in sys.stdin:
    time.sleep(0.1)
    print('ue}\\n{"error": "as', end='', flush=True)
    time.sleep(0.1)
    print(' told"}', flush=True)
"""


@pytest.fixture
def pool():
    pools = []

    def start(program: str) -> Pool:
        pools.append(Pool(1, [sys.executable, "-c", program]))
        pools[0].start(datasets()["sources/papers"], "2018-06", {})
        return pools[0]

    yield start
    pools[0]._workers[0].process.kill()
    pools[0].close()


def heard(pool):
    """What a pool waits for; a pool that is deaf fails the test instead of hanging it."""
    found = []
    thread = Thread(target=lambda: found.extend(pool.wait()), daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "what was said was not heard"
    return [(done.item.name, done.month, done.error) for done in found]


def said(pool) -> int:
    """How many bytes lie unread."""
    number = bytearray(4)
    fcntl.ioctl(pool._workers[0].stdout.fileno(), termios.FIONREAD, number)
    return int.from_bytes(number, sys.byteorder)


def test_an_answer_that_lies_there_together_with_ready_is_heard(pool):
    workers = pool(AT_ONCE)
    while said(workers) < len('{"ready": true}\n{"error": "as told"}\n'):
        time.sleep(0.01)
    assert heard(workers) == [("sources/papers", "2018-06", "as told")]
    assert workers.free
    workers.start(datasets()["sources/papers"], "2018-07", {})
    assert heard(workers) == [("sources/papers", "2018-07", None)]


def test_half_a_line_is_kept_until_the_rest_comes(pool):
    assert heard(pool(IN_PIECES)) == [("sources/papers", "2018-06", "as told")]
