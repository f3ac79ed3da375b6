"""Count the faults that tests cause, and how many of them were survived.

Belongs here: the counting, and the table of `docs/reports/faults.md` (`python -m tests.faults.tally`). Not here: the faults.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

#: Where faults are caused.
PLACES = ("tests/faults", "tests/orchestration/executors/test_local.py")

#: The folder in which each test leaves its counts.
COUNTS = "SILVERLOOM_FAULT_COUNTS"


@dataclass
class Tally:
    """The faults that one test caused."""

    fault: str
    attempts: int = 0
    survived: int = 0

    def attempt(self) -> None:
        """Count a fault before it is caused; unless `survive` follows, it counts as lost."""
        self.attempts += 1

    def survive(self) -> None:
        """Count a fault after which everything was found as promised."""
        self.survived += 1


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    """Count the faults of a test under the first line of its docstring, else under its name."""
    text = (
        request.function.__doc__ or request.function.__name__.removeprefix("test_").replace("_", " ")
    ).strip()
    counts = Tally(text.splitlines()[0].rstrip("."))
    yield counts
    if folder := os.environ.get(COUNTS):  # also for a failed test: its losses are in the table
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".json", delete=False) as file:
            json.dump(asdict(counts), file)
    assert counts.attempts, "no fault was caused"


def table(folder: Path) -> str:
    """Return the counts of a run as a Markdown table, one row for each fault."""
    found: dict[str, Tally] = defaultdict(lambda: Tally(""))
    for path in folder.glob("*.json"):
        counts = Tally(**json.loads(path.read_text()))
        total = found[counts.fault]
        total.fault = counts.fault
        total.attempts += counts.attempts
        total.survived += counts.survived
    rows = [
        f"| {counts.fault} | {counts.attempts:,} | {counts.survived:,} | {counts.attempts - counts.survived:,} |"
        for counts in sorted(found.values(), key=lambda counts: counts.fault)
    ]
    return "\n".join(["| fault | attempts | survived | lost |", "|---|---|---|---|", *rows])


def main() -> int:
    """Run all tests of these places, including the long ones, and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "2",
            "--dist",
            "loadfile",
            *PLACES,
        ]
        ended = subprocess.run([*command, *sys.argv[1:]], env={**os.environ, COUNTS: folder}, check=False)
        print(table(Path(folder)))
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
