"""The overhead of computing parts on a Ray cluster, against one and two processes on this machine.

    python benchmarks/cluster.py ABSTRACTS.jsonl.gz [--field abstract] [--documents 20000] [--embedded 1024]
        [--part 256]

Runs DiscoFuse's annotation and rules, and sentence embeddings, part by part as in a run, storing finished
parts: with `local` 1, `local` 2 and `ray` 2, a cluster started here. Work is the ops' processor time in
whatever process they run; overhead is all other processor time, as a share of the work. Each engine first
maps one part per worker, to load the model. Workers of `local` 2 end after each map, so that first map's time
is subtracted. On a busy machine, wall times mean little. Not here: other machines and their network.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.annotation import prose
from silverloom.assets.declare.settings import EngineParams
from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Shape, columns
from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import ANNOTATED, CANDIDATES, PROSE
from silverloom.ops.models.encoder import ENCODER, embedding_size
from silverloom.ops.parasci.slices import embedded_texts
from silverloom.ops.text.sentences import sentence_spans
from silverloom.orchestration.executors.parts import LocalEngine, PartsEngine, RayEngine
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.partition.resume import ResumableEngine
from silverloom.orchestration.workspace.workspace import Workspace

#: The count in a part's outcome that has its duration.
WORK = "nanoseconds of work"

_VECTOR = pa.list_(pa.float32(), embedding_size(ENCODER))
_EMBEDDED = columns(("text", pa.string()), ("truncated", pa.bool_()), ("embedding", _VECTOR))


def embeddings(documents: pa.Table) -> Outcome:
    """Return the documents' sentences with their embeddings."""
    texts = [
        (row["id"], row["text"][start:end])
        for row in documents.select(["id", "text"]).to_pylist()
        for start, end in sentence_spans(row["text"])
    ]
    found = embedded_texts([text for _, text in texts], ENCODER, True)
    rows = [
        {
            "id": row_id("sentence", *of),
            "source_ids": [of[0]],
            "licence": "-",
            "text": of[1],
            "truncated": truncated,
            "embedding": embedding,
        }
        for of, (truncated, embedding) in zip(texts, found, strict=True)
    ]
    return Outcome.of(SHAPES[embeddings], documents["id"].to_pylist(), rows)


SHAPES = {annotate: ANNOTATED, candidates: CANDIDATES, embeddings: Shape(unit=PROSE.kept, kept=_EMBEDDED)}


class Cost(NamedTuple):
    """The cost of a map."""

    wall: float
    work: float
    """Processor time of the ops."""
    all: float
    """Processor time of all processes."""
    sent: int = 0
    received: int = 0

    def without(self, begun: Cost) -> Cost:
        """Return the cost without start-up."""
        return Cost(*(mine - other for mine, other in zip(self, begun, strict=True)))


def main() -> None:
    """Measure each engine on both steps, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("path", type=Path, help="*.jsonl or *.jsonl.gz")
    parser.add_argument("--field", default="abstract", help="name of the text field")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--embedded", type=int, default=1024, help="documents whose sentences are embedded")
    parser.add_argument("--part", type=int, default=256, help="documents per part")
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = sys.path[0]  # workers get only the checkout's code, not the benchmarks
    texts = _texts(given.path, given.field, given.documents)
    engines: dict[str, tuple[int, PartsEngine]] = {
        "local 1": (1, LocalEngine(1)),
        "local 2": (2, LocalEngine(2)),
        "ray 2": (2, RayEngine(EngineParams(kind="ray", address="local"))),
    }
    print(f"{len(texts)} documents in parts of {given.part}; machine load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        texts_as_parts = _prose_parts(folder / "prose", texts, given.part)
        first: list[bytes] = []
        for name, (workers, engine) in engines.items():
            made = folder / name
            annotation = _measured(engine, workers, texts_as_parts, annotate, (AnnotationParams(),), made)
            _tell(name, "annotation", annotation, len(texts_as_parts), len(texts))
            annotated = tuple(Part(str(path)) for path in sorted((made / "annotate").glob("kept-*.parquet")))
            params = (AnnotationParams(), RuleParams())
            rules = _measured(engine, workers, annotated, candidates, params, made)
            _tell(name, "rules", rules, len(annotated), len(texts))
            some = texts_as_parts[: -(-given.embedded // given.part)]
            embedded = _measured(engine, workers, some, embeddings, (), made)
            _tell(name, "embeddings", embedded, len(some), min(given.embedded, len(texts)))
            content = [
                path.read_bytes()
                for step in ("candidates", "embeddings")
                for path in sorted((made / step).rglob("*.parquet"))
            ]
            first = first or content
            assert content == first, "the bytes differ"
    print("all engines made the same bytes")


def _measured(
    engine: PartsEngine,
    workers: int,
    parts: Sequence[Part],
    op: Callable[..., Outcome],
    params: tuple[object, ...],
    folder: Path,
) -> Cost:
    begun = _map(engine, parts[:workers], op, params, folder / f"begin {op.__name__}")
    whole = _map(engine, parts, op, params, folder / op.__name__)
    return whole.without(begun) if isinstance(engine, LocalEngine) and workers > 1 else whole


def _map(
    engine: PartsEngine,
    parts: Sequence[Part],
    op: Callable[..., Outcome],
    params: tuple[object, ...],
    target: Path,
) -> Cost:
    target.mkdir(parents=True)
    resumable = ResumableEngine(Workspace.here(), engine, "benchmark", target / "parts")
    rows = Parts(PROSE.kept, tuple(parts), resumable)
    wall, before, (sent, received) = time.monotonic(), _processor(), _traffic()
    work = 0.0

    def measured() -> Outcomes:
        nonlocal work
        for outcome in rows.map(_worked, op, *params):
            counts = dict(outcome.combinations)
            work += counts.pop(WORK) / 1e9
            yield replace(outcome, combinations=counts)

    write_outcomes(target, measured(), SHAPES[op])
    seconds, now = time.monotonic() - wall, _traffic()
    if isinstance(engine, LocalEngine):  # a worker that ended between two readings would count nowhere
        psutil.wait_procs(psutil.Process().children(), timeout=5)
    return Cost(seconds, work, _processor() - before, now[0] - sent, now[1] - received)


def _worked(table: pa.Table, op: Callable[..., Outcome], *params: object) -> Outcome:
    """Run an op, and add its processor time to its counts."""
    before = time.process_time_ns()
    outcome = op(table, *params)
    return replace(outcome, combinations={**outcome.combinations, WORK: time.process_time_ns() - before})


def _processor() -> float:
    """Return the processor time of this process, its ended children, and its living descendants."""
    seconds = sum(os.times()[:4])
    for process in psutil.Process().children(recursive=True):
        try:
            seconds += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue
    return seconds


def _traffic() -> tuple[int, int]:
    if "silverloom.orchestration.executors.ray" not in sys.modules:
        return 0, 0
    from silverloom.orchestration.executors.ray import traffic

    return traffic.sent, traffic.received


def _tell(engine: str, step: str, cost: Cost, parts: int, documents: int) -> None:
    other = cost.all - cost.work
    print(
        f"{engine:8} {step:10} {cost.wall:7.1f} s wall time, {cost.work:7.1f} s work,"
        f" {other / cost.work:6.1%} overhead, {1000 * other / parts:6.1f} ms per part;"
        f" through the driver {cost.sent / documents:7,.0f} bytes per document out,"
        f" {cost.received / documents:7,.0f} back",
        flush=True,
    )


def _prose_parts(folder: Path, texts: list[str], documents: int) -> tuple[Part, ...]:
    folder.mkdir()
    paths = [folder / f"{first:07d}.parquet" for first in range(0, len(texts), documents)]
    for number, path in enumerate(paths):
        pq.write_table(prose(texts[number * documents : (number + 1) * documents]), path)
    return tuple(Part(str(path)) for path in paths)


def _texts(path: Path, field: str, documents: int) -> list[str]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        found = (text for line in lines if (text := (json.loads(line).get(field) or "").strip()))
        return [text for text, _ in zip(found, range(documents), strict=False)]


if __name__ == "__main__":
    from benchmarks import cluster  # workers import its functions by this name

    cluster.main()
