"""What `make repro` checks before DVC starts: the raw corpora, and dvc.lock, which DVC writes in place.

Belongs here: these checks, as one command. Not here: DVC itself (the Makefile starts it), what is checked
(corpora.py, lock_damage.py).
"""

from __future__ import annotations

from orchestration.corpora import check_versions
from orchestration.lockfile import check_before_dvc


def main() -> None:
    """Raise what DVC fails at, waits for, or would write over."""
    check_versions()
    check_before_dvc()


if __name__ == "__main__":
    from orchestration.command import run

    run(main)
