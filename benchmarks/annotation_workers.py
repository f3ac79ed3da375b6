"""DiscoFuse's longest step as in a run, against a bare nlp.pipe, with one process and with several.

    python benchmarks/annotation_workers.py ABSTRACTS.jsonl.gz [--field abstract]
        [--words 300000] [--workers 2] [--rounds 1]

Both sides have the same text, pipeline and number of processes, and take turns. Ours makes
discofuse/annotated part by part with the engine of runs. Times are wall time, and processor time of all
processes; on a busy machine only the second is meaningful. Start-up, measured with one document per process,
is reported separately and subtracted on both sides, because for a real corpus it is negligible. Targets on a
quiet machine: at least 90 % of a bare nlp.pipe, and two workers 1.8 times as fast as one. A worker's word
caches start empty, while the single process has filled its caches by counting tokens: for 100,000 words that
is a twentieth of the work. The benchmark takes three minutes on two idle cores. Not here: bytes per token on
disk (annotation.py).
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

import pyarrow.parquet as pq

from benchmarks.annotation import prose
from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.schemas import PROSE
from silverloom.orchestration.executors.parts import LocalEngine

#: Documents per part, unless that gives too few parts.
_PART = 256


class Seconds(NamedTuple):
    """The duration of a run."""

    wall: float
    processor: float

    def without(self, part: Seconds) -> Seconds:
        """Return the rest after subtracting a part."""
        return Seconds(self.wall - part.wall, self.processor - part.processor)


def main() -> None:
    """Time both sides in turn, and print the best of each and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("path", type=Path, help="*.jsonl or *.jsonl.gz")
    parser.add_argument("--field", default="abstract", help="name of the text field")
    parser.add_argument("--words", type=int, default=300_000, help="words of text")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    texts, params = _texts(given.path, given.field, given.words), AnnotationParams()
    nlp = annotator(params.pipeline, params.coreference, whole=False)
    tokens = sum(len(nlp.make_doc(text)) for text in texts)
    print(f"{len(texts)} documents, {tokens:,} tokens")
    counts = [*dict.fromkeys((1, given.workers))]
    with tempfile.TemporaryDirectory() as folder:
        parts = _parts(Path(folder), texts, max(1, min(_PART, len(texts) // (8 * given.workers))))

        def bare(count: int, documents: Sequence[str]) -> Seconds:
            run = nlp.pipe(documents, batch_size=params.batch_size, n_process=count)
            return _timed(lambda: list(run))

        def ours(count: int, pieces: Sequence[Part]) -> Seconds:
            rows = Parts(PROSE.kept, tuple(pieces), LocalEngine(count))
            return _timed(lambda: list(rows.map(annotate, params)))

        sides = {"bare": (bare, texts), "ours": (ours, parts)}
        few = texts[: given.workers]
        small = {"bare": few, "ours": _parts(Path(folder, "small"), few, 1)}
        for side, (run, _) in sides.items():
            run(1, small[side])  # load what is loaded on first use
        by_place: dict[tuple[str, int], list[Seconds]] = {}
        for _ in range(given.rounds):
            for count, (side, (run, whole)) in itertools.product(counts, sides.items()):
                begun, taken = run(count, small[side]), run(count, whole)
                by_place.setdefault((side, count), []).append(taken.without(begun))
                print(
                    f"{side}, {count}: {taken.wall:.1f} s, of which {begun.wall:.1f} s start-up", flush=True
                )
    least = {place: Seconds(*map(min, zip(*times, strict=True))) for place, times in by_place.items()}
    for count in counts:
        peer, own = least["bare", count], least["ours", count]
        shares = f"wall {peer.wall / own.wall:.0%}, processor {peer.processor / own.processor:.0%}"
        print(f"{count} processes: {tokens / own.wall:,.0f} tokens/s; of a bare nlp.pipe: {shares}")
    for side in sides:
        alone, several = least[side, 1], least[side, given.workers]
        work = several.processor / alone.processor
        faster = f"{alone.wall / several.wall:.2f} times as fast"
        print(f"{side}, {given.workers} processes to one: {faster}, {work:.2f} times the work")


def _parts(folder: Path, texts: list[str], documents: int) -> tuple[Part, ...]:
    """Write texts as parts of sources/prose."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{first:06d}.parquet" for first in range(0, len(texts), documents)]
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
    """Return the duration of a run, including all processes that it starts and ends."""
    wall, before = time.monotonic(), sum(os.times()[:4])
    run()
    return Seconds(time.monotonic() - wall, sum(os.times()[:4]) - before)


if __name__ == "__main__":
    main()
