"""How every command ends: with a line that people can act on, never with a traceback.

Belongs here: turning expected errors into exit statuses. Not here: what the commands do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from orchestration.files.full_disk import full_disk
from orchestration.messages.failures import describe, transient
from orchestration.workspace.workspace import Workspace

EXPECTED = (ValueError, RuntimeError, LookupError, OSError)


def run(main: Callable[[], int | None]) -> None:
    """Call `main` and exit with what it returns; an expected error is one line and status 1."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print(f"interrupted; what was finished is kept{_parts()}, run again to go on", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        if not (isinstance(error, EXPECTED) or transient(error) or full_disk(error)):
            raise
        print(f"error: {describe(error)}", file=sys.stderr)
        sys.exit(1)


def _parts() -> str:
    """Say how many parts of unfinished partitions are kept, if this process could have made any."""
    store = sys.modules.get("orchestration.execute.finished_parts")
    count = store.count_parts(Workspace.here()) if store else 0
    return f" (also {count} parts of unfinished partitions)" if count else ""
