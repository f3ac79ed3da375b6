"""DiscoFuse's longest step as in a run, against a bare nlp.pipe, with one process and with several.

    python benchmarks/annotation_workers.py ABSTRACTS.jsonl.gz [--field abstract]
        [--words 300000] [--workers 2] [--rounds 1]
    python benchmarks/annotation_workers.py FOLDER --kind mediawiki_dump [--files "*.bz2"] [--large]
    python benchmarks/annotation_workers.py FOLDER --kind pdf [--large]

Both sides have the same text, pipeline and number of processes, and take turns. Ours makes
discofuse/annotated part by part with the engine of runs. Times are wall time, and processor time of all
processes; on a busy machine only the second is meaningful. Start-up, measured with one document per process,
is reported separately and subtracted on both sides, because for a real corpus it is negligible. Targets on a
quiet machine: at least 90 % of a bare nlp.pipe, and two workers 1.8 times as fast as one. A worker's word
caches start empty, while the single process has filled its caches by counting tokens: for 100,000 words that
is a twentieth of the work. The benchmark takes three minutes on two idle cores.

With --kind, a small corpus goes through all steps from its files to examples (of articles) or to paraphrases
(of papers), with one process and with several. What other load does not change is printed, too: the share of
the characters in the largest part, and from the processor seconds of each part the time that two processors
would take. With --large, parts end by their number of records alone.

Not here: bytes per token on disk (annotation.py).
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.annotation import prose
from silverloom.ops.core.outcome import Outcome, Outcomes
from silverloom.ops.core.parts import OneProcess, Part, Parts
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates_of_documents
from silverloom.ops.discofuse.dataset.evidence import EvidenceParams
from silverloom.ops.discofuse.dataset.examples import ExampleParams, examples
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import ANNOTATED, CANDIDATES, EXAMPLES, PROSE
from silverloom.ops.models.encoder import ENCODER, embedder
from silverloom.ops.parasci.dataset.chain import PARAMS, paraphrases_of_records
from silverloom.ops.parse import scan
from silverloom.ops.parse.one_source import records_of
from silverloom.ops.parse.papers import FORMATS as PAPER_FORMATS
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.schemas import ARTICLES, SENTENCES
from silverloom.ops.parse.source import Source, folder_formats
from silverloom.ops.parse.wikipedia import FORMATS as ARTICLE_FORMATS
from silverloom.ops.parse.wikipedia import parse_articles
from silverloom.orchestration.executors.parts import LocalEngine

_THIS = psutil.Process()

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
    parser.add_argument("--kind", choices=_SMALL, help="of a folder whose corpus goes through all steps")
    parser.add_argument("--files", default="*", help="pattern of its files")
    parser.add_argument("--large", action="store_true", help="parts end by their number of records alone")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.kind:
        return _small_here(given) if given.here else _small(given)
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


def _small(given: argparse.Namespace) -> None:
    """Time all steps on a small corpus, each number of processes in a new process."""
    walls: list[float] = []
    for count in dict.fromkeys((1, given.workers)):
        command = [sys.executable, __file__, *sys.argv[1:], "--here", "--workers", str(count)]
        taken = _timed(lambda command=command: subprocess.run(command, check=True))  # type: ignore[misc]
        walls.append(taken.wall)
        print(f"{count} processes: {taken.wall:.1f} s, {taken.processor:.1f} s of processor", flush=True)
    print(f"{given.workers} processes take {walls[-1] / walls[0]:.2f} of the time of one")


@dataclass
class _Timed(OneProcess):
    """Runs ops in this process and notes the processor seconds of each piece, map by map."""

    maps: list[list[float]] = field(default_factory=list)

    def map(self, op: Callable[..., Outcome], pieces: Iterable[Any], *shared: object) -> Outcomes:
        self.maps.append(seconds := [])
        for piece in pieces:
            before = _processor()
            outcome = op(piece, *shared)
            seconds.append(_processor() - before)
            yield outcome


def _processor() -> float:
    """Return the processor seconds of this process and its children, such as that of the parsers."""
    return sum(sum(process.cpu_times()[:2]) for process in (_THIS, *_THIS.children()))


def _small_here(given: argparse.Namespace) -> None:
    if given.large:
        scan.TEXT_OF_PART = sys.maxsize
    forms = {"mediawiki_dump": ARTICLE_FORMATS, "pdf": PAPER_FORMATS}[given.kind]
    source = Source(kind=given.kind, path=str(given.path.resolve()), licence="-", files=given.files)
    if given.kind == "pdf":
        embedder(ENCODER)(["It rains."])
    else:
        annotator(AnnotationParams().pipeline, AnnotationParams().coreference, whole=False)
    timed, before = _Timed(), _processor()
    with tempfile.TemporaryDirectory() as folder:
        steps = Steps(Path(folder), timed if given.workers == 1 else LocalEngine(given.workers))
        records = records_of("corpus", source, folder_formats(forms), steps.engine)
        made = _SMALL[given.kind](steps, records)
        sizes = [sum(map(len, table["text"].drop_null().to_pylist())) for table in made]
    largest = max(
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"{len(sizes)} parts; the largest has {max(sizes) / sum(sizes):.0%} of {sum(sizes):,} characters")
    print(f"the largest process has {largest / 1024:.0f} MB", flush=True)
    if given.workers == 1:
        whole, of_parts = _processor() - before, sum(map(sum, timed.maps))
        busiest = sum(max(_divided(seconds, 2)) for seconds in timed.maps)
        for seconds in timed.maps:
            busy = max(_divided(seconds, 2))
            print(f"  {len(seconds)} parts, {sum(seconds):.1f} s of processor; {busy:.1f} s by two")
        print(f"{whole:.1f} s of processor, {of_parts:.1f} s of it in parts; two idle processors would take")
        print(f"{(whole - of_parts + busiest) / whole:.2f} of the time, without loading models", flush=True)


def _divided(pieces: Iterable[float], workers: int) -> list[float]:
    """Return how long each worker is busy: one that is done takes the next piece."""
    busy = [0.0] * workers
    for piece in pieces:
        busy[busy.index(min(busy))] += piece
    return busy


def _examples(steps: Steps, records: Records) -> Parts:
    """Make fusion examples; return the articles."""
    articles = steps.made("sources/articles", ARTICLES, records.map(parse_articles))
    params, evidence = AnnotationParams(), EvidenceParams()
    documents = steps.made("sources/prose", PROSE, articles.map(_prose_of))
    annotated = steps.made("discofuse/annotated", ANNOTATED, documents.map(annotate, params))
    found = candidates_of_documents(annotated, params, RuleParams(), evidence, strict=True)
    candidates = steps.made("discofuse/candidates", CANDIDATES, found)
    steps.made("discofuse/examples", EXAMPLES, examples(candidates, ExampleParams()))
    return articles


def _prose_of(articles: pa.Table) -> Outcome:
    documents = prose(articles["text"].to_pylist()).set_column(0, PROSE.kept.field("id"), articles["id"])
    nothing = PROSE.dropped.empty_table(), PROSE.rejected.empty_table()
    return Outcome(articles["id"].combine_chunks(), documents, *nothing)


def _paraphrases(steps: Steps, records: Records) -> Parts:
    """Make paraphrases; return the sentences of the papers."""
    paraphrases_of_records(steps, records, None, Sections.defaults(PARAMS), strict=True)
    paths = sorted((steps.folder / "sources/sentences").glob("*.parquet"))
    return Parts(SENTENCES.kept, tuple(Part(str(path)) for path in paths), steps.engine)


#: All steps on the records of a kind.
_SMALL: dict[str, Callable[[Steps, Records], Parts]] = {"mediawiki_dump": _examples, "pdf": _paraphrases}


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
