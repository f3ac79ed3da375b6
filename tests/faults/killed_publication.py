"""Kill a small run at its 1st, 2nd, ... write, and check what is left; prints the number of writes.

Prints `kill` before each kill, and `survived` after it if everything was as promised.

In the project that this runs in, only the summaries and their dependents are stale, so that no model is trained
again at every write. Children are forked from this warm process, which has validated the new rows once, so that
each costs a fraction of a second.
"""

import os
import shutil
import signal
import sys
import traceback
from pathlib import Path

from silverloom.orchestration.checks import validate
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files import publish
from silverloom.orchestration.files.identity import folder_hashes, version
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.state.freshness import View

ROOT = Path.cwd()
#: Every write of the first partition, then every sixth, because the other writes are alike.
STOPS = (*range(1, 30), *range(30, 10_000, 6))
STATE = ("data/sources", "data/talksumm", "data/.building", ".silverloom")


def remake():
    """Make what is stale down to the training sets, as a run does, without Dagster."""
    publish.recover(ROOT / "data/.building")
    for dataset in workspace().graph.selected("talksumm/training_sets"):
        for month in dataset.made_partitions:
            if not View(workspace()).status(dataset, month).fresh:
                Materialisation(workspace(), dataset, month).make()


def validated_once(validate):
    """Let Great Expectations validate the same rows only once: it writes nothing, and takes nine tenths of the time."""
    found = {}

    def call(folder, *given):
        key = version(folder_hashes(folder)), repr(given)
        if key not in found:
            found[key] = validate(folder, *given)
        return found[key]

    return call


def versions():
    return {
        f"{dataset.name} {month}": version(folder_hashes(workspace().folder(dataset, month)))
        for dataset in workspace().datasets.values()
        for month in dataset.made_partitions
    }


def records():
    return {path.relative_to(ROOT): path.read_text() for path in (ROOT / "manifests").rglob("*.json")}


def forked(action):
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def die_at(stop):
    count = 0

    def counted(function):
        def call(*arguments, **options):
            nonlocal count
            count += 1
            if count == stop:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    for name in ("fsync", "rename", "replace", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    publish.exchange = counted(publish.exchange)


def save(place):
    for name in STATE:
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, place / name)


def restore(place):
    for name in STATE:
        shutil.rmtree(ROOT / name, ignore_errors=True)
        if (place / name).exists():
            shutil.copytree(place / name, ROOT / name)


def main():
    validate.validate = validated_once(validate.validate)
    place = ROOT / "saved"
    save(place)
    old = versions()
    remake()  # here, so that the children have models, tokenisers and kernels loaded
    new = versions()
    assert old != new, "nothing was stale"
    for stop in STOPS:
        restore(place)

        def killed(stop=stop):
            die_at(stop)
            remake()

        print("kill", flush=True)
        ended = forked(killed)
        assert os.WIFSIGNALED(ended) or ended == 0, f"failed at write {stop}"
        left = versions()
        for name, found in left.items():
            assert found in (old[name], new[name]), f"{name} is neither old nor new after write {stop}"
        if os.WIFSIGNALED(ended):
            assert forked(remake) == 0, f"did not recover from write {stop}"
        assert versions() == new, f"other bytes after write {stop}"
        rooms = [path for path in (ROOT / "data/.building").iterdir() if path.is_dir()]
        assert not rooms, f"left behind after write {stop}: {rooms}"
        print("survived", flush=True)
        if ended == 0:
            print(f"{stop - 1} writes")
            return
    sys.exit("never ended")


main()
