"""Pieces of work, for tests that map an op over them, and a model for them to use."""

import os
import time
from pathlib import Path

import pyarrow as pa

from ops.core.loaded import Loaded
from ops.core.outcome import Outcome, Shape, columns
from ops.core.parts import Artifact, OneProcess, Parts

SHAPE = Shape(unit=columns(), kept=columns(("size", pa.int64())))


def numbered(piece, factor):
    time.sleep(0.02 * (piece % 3))  # later pieces may finish earlier
    row = {"id": f"row-{piece}", "source_ids": ["x"], "licence": "CC0", "size": piece * factor}
    return Outcome.of(SHAPE, ["x"], [row])


def sizes(outcomes):
    return [outcome.kept["size"][0].as_py() for outcome in outcomes]


def sleeps_after_two(piece, folder):
    if piece >= 2:
        (folder / str(piece)).touch()
        time.sleep(3600)  # longer than any test may take
    return numbered(piece, 1)


def takes_memory():
    held = bytearray(200 << 20)
    time.sleep(60)
    return len(held)


def stored_model(folder):
    """Return a model's only file, which has no content yet, and its artifact."""
    (folder / "model").mkdir()
    (folder / "model/weights").touch()
    return folder / "model/weights", Artifact(Parts(pa.schema([]), (), OneProcess()), folder / "model")


def load_of(artifact, folder):
    """Return a model for tasks: the text of its file. Each load is recorded in the folder."""
    return Loaded(_read, (artifact, str(folder / "loads")))


def _read(artifact, record):
    text = artifact.files()["weights"].decode()
    with Path(record).open("a") as file:
        file.write(f"{os.getpid()} {text}\n")
    return text


def loads_of(folder, text):
    """Return the processes that loaded this text, once for each time."""
    lines = (folder / "loads").read_text().splitlines()
    return [pid for pid, read in map(str.split, lines) if read == text]


def used(piece, model):
    return os.getpid(), model.model
