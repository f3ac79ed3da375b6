"""A row of the table of benchmarks/reading.py, and how peers run: in their own environment, by JSON.

Not here: what is measured in an area (reading_<area>.py).
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from typing import Any

NOT_MEASURED = "not measured"


@dataclass
class Row:
    """One set of files: what is counted, our score, and the score of each peer by name.

    A score is text ("45 of 48", "F1 0.929"), or None where the set or the peer is missing.
    """

    set: str
    measure: str
    here: str | None
    peers: dict[str, str | None] = field(default_factory=dict)
    wanted: str = ""
    """The score that the readers should reach, if one is set."""

    def line(self, area: str) -> str:
        """Return the row in Markdown."""
        peers = ", ".join(f"{name} {score or NOT_MEASURED}" for name, score in self.peers.items())
        here = self.here or NOT_MEASURED
        return f"| {area} | {self.set} | {self.measure} | {self.wanted} | {here} | {peers or NOT_MEASURED} |"


def ask_peer(peer: str | None, program: str, question: Any) -> Any | None:
    """Run a Python program in the peers' environment: `question` on its standard input, its answer as JSON.

    Returns None if there is no such environment, or the package is missing from it. Raises RuntimeError
    with the peer's message for any other failure.
    """
    if peer is None:
        return None
    run = subprocess.run([peer, "-c", program], input=json.dumps(question), capture_output=True, text=True)
    if run.returncode:
        if "ModuleNotFoundError" in run.stderr:
            return None
        raise RuntimeError(run.stderr[-2000:])
    return json.loads(run.stdout.splitlines()[-1])
