"""Make the datasets named as arguments, and the pages so far, in processes that may open only 256 files each."""

import resource
import sys

from silverloom.orchestration.cli.command import run as command
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.run.drive import run

#: DuckDB opens 90 to 150 files at a time, however many it reads. One file for each month of the inputs would be 300.
FILES = 256

if __name__ == "__main__":  # worker processes import this module, too
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, most))
    command(lambda: max(run(workspace(), select) for select in sys.argv[1:]))
