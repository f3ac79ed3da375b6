"""The progress of a partition is shown in the log of its run in Dagster, and in the output of commands."""

import re
from pathlib import Path

SCRIPT = str(Path(__file__).with_name("progress_at_once.py"))


def test_progress_is_in_dagsters_log_and_in_the_output_of_a_command(fresh):
    fresh.params(lambda params: params["store"].update(records_per_part=1))
    ended = fresh.zygote.run(fresh.root, [], path=SCRIPT)
    assert ended.status == 0, ended.output
    printed, log = ended.output.split("LOG\n")
    assert "slowly: 0 of 2 parts\n" in log and re.search(r"slowly: 1 of 2 parts, .* left\n", log)
    assert "sources/papers 2018-06: slowly: 0 of 2 parts, running for 0:0" in printed
