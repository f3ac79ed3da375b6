"""Interrupt the making of one partition again and again, and check that no finished part is computed twice.

Runs in a project; the arguments are a seed and the number of interruptions. Children are forked from this warm
process, so that each costs a fraction of a second.
"""

import errno
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import silverloom.assets.sources
from silverloom.ops.parse.papers import parse_papers
from silverloom.orchestration.checks import validate
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.identity import folder_hashes, version
from silverloom.orchestration.files.publish import DiskFullError
from silverloom.orchestration.partition import resume
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.state.freshness import forget, read_manifest
from silverloom.orchestration.state.sources import corpus

LOG = Path("parts.log")
HERE = workspace()
PAPERS, MONTH = HERE.datasets["sources/papers"], "2018-06"


def counted(records):
    """Parse slowly, and write a line to a log before and after."""
    say("begun", records)
    time.sleep(random.uniform(0, 0.05))
    outcome = parse_papers(records)
    say("ended", records)
    return outcome


def say(word, records):
    with LOG.open("a") as file:
        file.write(f"{word} {records[0].id}\n")


def count(word):
    found = [line.split() for line in LOG.read_text().splitlines()]
    return Counter(line[1] for line in found if line[0] == word)


def stored():
    ids = corpus(HERE, "papers").ids(MONTH)
    return {ids[int(path.stem)] for path in (HERE.state / "parts/sources/papers").rglob("*.zip")}


def forked(room=None):
    """Make the partition in a child; with `room`, the disk is full after that many parts."""
    pid = os.fork()
    if pid == 0:
        try:
            if room is not None:
                fill_disk_after(room)
            Materialisation(HERE, PAPERS, MONTH).make()
        except KeyboardInterrupt:
            os._exit(130)
        except DiskFullError:
            os._exit(errno.ENOSPC)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return pid


def fill_disk_after(room):
    write, written = resume.write_bundle, []

    def call(path, contents, **how):
        written.append(path)
        return write(path, contents if len(written) <= room else Full(), **how)

    resume.write_bundle = call


class Full(dict):
    """A write that the disk has no room for."""

    def items(self):
        yield "half", b"of it"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted(chance):
    """Make the partition and interrupt it at a random moment, in one of three ways; return how it ended."""
    if (way := chance.choice([signal.SIGKILL, signal.SIGINT, None])) is None:
        return os.waitstatus_to_exitcode(os.waitpid(forked(chance.randint(0, 3)), 0)[1])
    pid, before = forked(), sum(count("begun").values())
    more = chance.randint(1, 3)
    while sum(count("begun").values()) < before + more and not os.waitid(
        os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT
    ):
        time.sleep(0.001)
    time.sleep(chance.uniform(0, 0.05))
    os.kill(pid, way)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def once(function):
    """Cache the first result: Great Expectations writes nothing, and takes nine tenths of the time."""
    found = []

    def call(*arguments):
        found[:] = found or [function(*arguments)]
        return found[0]

    return call


def main(seed, attempts):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance, survived = random.Random(seed), 0
    validate.validate = once(validate.validate)
    Materialisation(HERE, PAPERS, MONTH).make()  # here, so that the children have everything loaded
    whole = version(folder_hashes(HERE.folder(PAPERS, MONTH)))
    silverloom.assets.sources.parse_papers = counted
    while survived < attempts:
        forget(HERE, PAPERS, MONTH)
        LOG.write_text("")
        kept, begun = set(), Counter()
        while read_manifest(HERE, PAPERS, MONTH) is None:
            ended = interrupted(chance) if survived < attempts else os.waitpid(forked(), 0)[1]
            assert ended in (-signal.SIGKILL, 130, errno.ENOSPC, 0), f"ended with {ended}"
            again = {name for name in kept if count("begun")[name] != begun[name]}
            assert not again, f"finished, but computed again: {again}"
            if ended != 0:
                survived += 1
            if read_manifest(HERE, PAPERS, MONTH) is None:
                kept, begun = stored(), count("begun")
                lost = set(count("ended")) - kept
                assert len(lost) <= 1, f"ended, but lost: {lost}"
        assert version(folder_hashes(HERE.folder(PAPERS, MONTH))) == whole, "other bytes"
    print(survived)


main(int(sys.argv[1]), int(sys.argv[2]))
