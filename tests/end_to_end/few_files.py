"""Make the datasets named as arguments, and the pages so far, in a process that may open only 64 files."""

import resource
import sys

from orchestration.cli.command import run as command
from orchestration.definitions import workspace
from orchestration.run.drive import run

FILES = 64

_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, most))
command(lambda: max(run(workspace(), select) for select in sys.argv[1:]))
