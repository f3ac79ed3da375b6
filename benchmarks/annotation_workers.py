"""The long step of DiscoFuse as a run does it, beside a bare nlp.pipe: with one process, and with several.

    python benchmarks/annotation_workers.py ../shared/data/abstracts/abstracts.jsonl.gz [--field abstract]
        [--words 200000] [--workers 2] [--rounds 3]

Both sides have the same text, pipeline and number of processes, and take turns. Ours is discofuse/annotated
part by part through the engine of runs. Times are of the wall, and of the processor with that of all
processes, but for what it takes to begin: where others use the machine, only the second means anything. On a
quiet machine, wanted is at least 90 % of a bare nlp.pipe, and two workers that are 1.8 times as fast as one.
Not here: what a token takes on disk (annotation.py).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orchestration  # noqa: F401  isort: skip  pins the numeric kernels before numpy is loaded

import pyarrow.parquet as pq

from benchmarks.annotation import prose
from ops.discofuse.build.annotated import annotate
from ops.discofuse.build.pipeline import annotator
from ops.discofuse.build.stored import AnnotationParams
from ops.discofuse.sources.schemas import PROSE
from ops.parts import Part, Parts
from orchestration.engine.local import LocalEngine

#: Documents of a part, unless all would be too few parts.
_PART = 256


class Seconds(NamedTuple):
    """What a run took."""

    wall: float
    processor: float


def main() -> None:
    """Time both sides in turns, and print the best of each and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("path", type=Path, help="*.jsonl or *.jsonl.gz")
    parser.add_argument("--field", default="abstract", help="of the text")
    parser.add_argument("--words", type=int, default=200_000, help="of text")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts, params = _texts(given.path, given.field, given.words), AnnotationParams()
    nlp = annotator(params.pipeline, params.coreference)
    tokens = sum(len(nlp.make_doc(text)) for text in texts)
    print(f"{len(texts)} documents, {tokens:,} tokens")
    counts = [*dict.fromkeys((1, given.workers))]
    with tempfile.TemporaryDirectory() as folder:
        parts = _parts(Path(folder), texts, max(1, min(_PART, len(texts) // (8 * given.workers))))

        def bare(count: int, some: int) -> Seconds:
            return _timed(lambda: list(nlp.pipe(texts[:some], batch_size=params.batch_size, n_process=count)))

        def ours(count: int, some: int) -> Seconds:
            rows = Parts(PROSE.kept, parts[:some], LocalEngine(count))
            return _timed(lambda: list(rows.map(annotate, params)))

        bare(1, _PART)  # what is loaded at first use
        begin = ours(given.workers, 0 if given.workers == 1 else 2)
        print(f"to begin with {given.workers} processes and two parts: {begin.processor:.1f} s of processor")
        found: dict[tuple[str, int], list[Seconds]] = {}
        for _ in range(given.rounds):
            for count in counts:
                found.setdefault(("bare", count), []).append(bare(count, len(texts)))
                found.setdefault(("ours", count), []).append(ours(count, len(parts)))
    least = {place: Seconds(*map(min, zip(*times, strict=True))) for place, times in found.items()}
    if given.workers > 1:
        whole = least["ours", given.workers]
        least["ours", given.workers] = Seconds(whole.wall, whole.processor - begin.processor)
    for count in counts:
        peer, own = least["bare", count], least["ours", count]
        shares = f"wall {peer.wall / own.wall:.0%}, processor {peer.processor / own.processor:.0%}"
        print(f"{count} processes: {tokens / own.wall:,.0f} tokens/s; of a bare nlp.pipe: {shares}")
    for name in ("bare", "ours"):
        one, several = least[name, 1], least[name, given.workers]
        work = several.processor / one.processor
        faster = f"{one.wall / several.wall:.2f} times as fast"
        print(f"{name}, {given.workers} processes to one: {faster}, {work:.2f} times the work")


def _parts(folder: Path, texts: list[str], documents: int) -> tuple[Part, ...]:
    """Write texts as parts of sources/prose."""
    paths = [Path(folder, f"{first:06d}.parquet") for first in range(0, len(texts), documents)]
    for number, path in enumerate(paths):
        pq.write_table(prose(texts[number * documents : (number + 1) * documents]), path)
    return tuple(Part(str(path)) for path in paths)


def _texts(path: Path, field: str, words: int) -> list[str]:
    chosen: list[str] = []
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if words <= 0:
                break
            if text := (json.loads(line).get(field) or "").strip():
                chosen.append(text)
                words -= len(text.split())
    return chosen


def _timed(run: Callable[[], Any]) -> Seconds:
    """Return what a run takes, with all processes that it starts and ends."""
    wall, before = time.monotonic(), sum(os.times()[:4])
    run()
    return Seconds(time.monotonic() - wall, sum(os.times()[:4]) - before)


if __name__ == "__main__":
    main()
