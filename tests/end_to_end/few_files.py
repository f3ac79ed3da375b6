"""Make the datasets named as arguments, and the pages so far, in processes that may open only 64 files each."""

import resource
import sys

from orchestration.cli.command import run as command
from orchestration.definitions import workspace
from orchestration.run.drive import run

FILES = 64

if __name__ == "__main__":  # worker processes import this module, too
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, most))
    command(lambda: max(run(workspace(), select) for select in sys.argv[1:]))
