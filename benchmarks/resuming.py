"""The cost of storing finished parts: mapping parts into Parquet with and without it, in turn.

The op is the project's cheapest, parsing plain prose. For annotation, which takes a thousand times as long,
the cost is negligible. Arguments: number of parts (20), documents per part (256).
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from silverloom.ops.discofuse.schemas import PROSE
from silverloom.ops.discofuse.sources import parse_prose
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import Raw
from silverloom.orchestration.executors.parts import LocalEngine
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.partition.resume import ResumableEngine
from silverloom.orchestration.workspace.workspace import Workspace

ROUNDS = 5
ROOT = Path(__file__).resolve().parents[1]
WORDS = (ROOT / "ops/text/stop_words.txt").read_text().split()


def records(part: int, size: int) -> list[Record]:
    """Return distinct documents of about 2 KB."""
    found = []
    for number in range(part * size, (part + 1) * size):
        words = [WORDS[number * place % len(WORDS)] for place in range(1, 400)]
        raw = Raw(f"{number}.txt", str(number), " ".join(words).encode())
        found.append(Record(f"text/{number}.txt", "text", "plain_prose", "CC0-1.0", "2018-06", raw))
    return found


def seconds(pieces: list[list[Record]], stored: bool) -> float:
    """Return the time of a map."""
    with tempfile.TemporaryDirectory(dir=ROOT) as folder:
        engine = LocalEngine()
        if stored:
            engine = ResumableEngine(Workspace.here(), engine, "prose", Path(folder) / "parts")
        begun = time.perf_counter()
        write_outcomes(Path(folder), engine.map(parse_prose, pieces), PROSE)
        return time.perf_counter() - begun


def main(parts: int, size: int) -> None:
    """Measure both in turn, so that other load affects both."""
    pieces = [records(part, size) for part in range(parts)]
    seconds(pieces[:1], stored=True)
    both = [(seconds(pieces, stored=False), seconds(pieces, stored=True)) for _ in range(ROUNDS)]
    plain, stored = (statistics.median(column) for column in zip(*both, strict=True))
    print(f"{parts} parts of {size} documents: {plain:.2f} s, with storing {stored:.2f} s")
    print(f"ratio {stored / plain:.2f}; {(stored - plain) / parts * 1000:.1f} ms per part")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:])) if len(sys.argv) == 3 else main(20, 256)
