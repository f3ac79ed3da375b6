"""Embed one part of sentences slowly, in slices of 8, by the engine of a partition and with its display.

The argument is a folder: it gets a line for every embedded slice, and finally the rows.
"""

import sys
import time
from pathlib import Path

import pyarrow as pa
from rich.console import Console

from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.parasci import slices
from silverloom.ops.parasci.schemas import EMBEDDED_PASSAGES, PASSAGES
from silverloom.ops.parasci.sentences import StatementParams, embedded_passages
from silverloom.orchestration import messages
from silverloom.orchestration.executors.parts import engine
from silverloom.orchestration.files.parquet import write_outcomes, write_table
from silverloom.orchestration.partition.resume import ResumableEngine
from silverloom.orchestration.run.display import Display
from silverloom.orchestration.workspace.workspace import Workspace

SENTENCES = 40
messages.FIRST = messages.EVERY = 0.0
slices.SLICE = 8
embedder = slices.embedder


def slowly(name, strict):
    embed = embedder(name, strict)

    def embedded(texts):
        rows = embed(texts)
        time.sleep(0.5)
        with (FOLDER / "embedded.log").open("a") as log:
            log.write(f"{len(texts)}\n")
        return rows

    return embedded


def main():
    rows = [
        {**dict.fromkeys(PASSAGES.kept.names), "id": f"s{number}", "source_ids": [f"x{number // 8}"], "licence": "MIT",
         "paper": "P", "cited_id": "Q", "text": f"We show that {number} pairs are found again."}
        for number in range(SENTENCES)
    ]  # fmt: skip
    write_table(pa.Table.from_pylist(rows, schema=PASSAGES.kept), FOLDER / "part.parquet")
    resumable = ResumableEngine(Workspace.here(), engine(), "toy", FOLDER / "parts")
    parts = Parts(PASSAGES.kept, (Part(str(FOLDER / "part.parquet")),), resumable)
    console = Console(file=sys.stdout, width=200)
    with Display(console, 1) as display, messages.listening(display):
        display.begin("toy")
        outcomes = list(embedded_passages(parts, StatementParams(), True))
    (FOLDER / "made").mkdir()
    write_outcomes(FOLDER / "made", outcomes, EMBEDDED_PASSAGES)


FOLDER = Path(sys.argv[1])
slices.embedder = slowly
try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
