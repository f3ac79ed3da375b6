"""`make backfill`: one run a partition, several at once, a failure alone, and one dvc.lock."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestration.environment import QUIET, STRICT
from orchestration.store.publish import lock_file

BACKFILL = "orchestration.backfill"
MONTHS = ("--from", "2018-06", "--to", "2018-07")


def test_two_jobs_make_what_one_run_makes_and_the_rest_is_left_to_make_run(done, fresh):
    output = fresh.module(BACKFILL, *MONTHS)
    assert len(fresh.made(output)) == 7 * 2, output
    assert "not by month, so not in a backfill: talksumm/training_sets" in output
    fresh.run()
    assert fresh.lock == done.lock
    assert fresh.data() == done.data()
    assert {part["status"] for part in fresh.dagster().values()} == {"FRESH"}
