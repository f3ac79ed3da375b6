"""How time and memory of ParaSCI's joins and groups grow: `python benchmarks/growth_parasci.py [SENTENCES]`.

Belongs here: synthetic sentences with made embeddings, and one function for each op that is measured. Not
here: other systems. Each case runs in a process of its own, with n, 2n and 4n sentences, so that its peak of
memory is its own.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ops.core.parts import OneProcess, Part, Parts, temporary_folder
from ops.parasci.candidates.groups import CitationParams, DefinitionParams, citations, definitions
from ops.parasci.candidates.pairs import stored_embeddings
from ops.parasci.schemas import EMBEDDED_PASSAGES, SENTENCES

_SIZE, _OF_PART, _OF_PAPER = 384, 2_000, 50


def made_sentences(folder: Path, count: int) -> Parts:
    """Write sentences as parts: every fifth cites a work, every twentieth defines a term."""
    folder.mkdir()
    schema = SENTENCES.sized(_SIZE).kept
    paths = []
    for start in range(0, count, _OF_PART):
        random = np.random.default_rng(start)
        numbers = range(start, min(start + _OF_PART, count))
        vectors = random.standard_normal((len(numbers), _SIZE))
        vectors = np.round(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), 4).astype(np.float32)
        rows = [_sentence(number, count, random) for number in numbers]
        table = pa.Table.from_pylist(rows, schema=schema.remove(schema.get_field_index("embedding")))
        embeddings = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), _SIZE)
        path = folder / f"kept-{start // _OF_PART:05d}.parquet"
        pq.write_table(table.append_column("embedding", embeddings).cast(schema), path)
        paths.append(Part(str(path)))
    return Parts(schema, tuple(paths), OneProcess())


def run_citations(sentences: Parts, folder: Path) -> None:
    """Pair sentences that cite one work."""
    for _ in citations(sentences, _none(folder), CitationParams(floor=0.1)):
        pass


def run_definitions(sentences: Parts, folder: Path) -> None:
    """Pair sentences that define one term."""
    for _ in definitions(sentences, _none(folder), DefinitionParams(floor=0.1)):
        pass


def run_look_up(sentences: Parts, folder: Path) -> None:
    """Look the embeddings of a tenth of the sentences up, for each part."""
    texts = ({*part.read(["text"])["text"].to_pylist()[::10]} for part in sentences.parts)
    for _ in stored_embeddings(sentences, texts, folder / "found"):
        pass


CASES: dict[str, Callable[[Parts, Path], None]] = {
    "parasci/citations": run_citations,
    "parasci/definitions": run_definitions,
    "parasci/partial, look-up": run_look_up,
}


def measured(name: str, count: int) -> tuple[float, float]:
    """Return seconds of processor and peak megabytes of a case, without making its sentences."""
    with temporary_folder() as folder:
        context = multiprocessing.get_context("spawn")
        making = context.Process(target=made_sentences, args=(folder / "sentences", count))
        making.start()
        making.join()
        ours, theirs = context.Pipe()
        running = context.Process(target=_run, args=(name, folder, theirs))
        running.start()
        found: tuple[float, float] = ours.recv()
        running.join()
    return found


def _run(name: str, folder: Path, answer: multiprocessing.connection.Connection) -> None:
    files = sorted((folder / "sentences").iterdir())
    schema = SENTENCES.sized(_SIZE).kept
    sentences = Parts(schema, tuple(Part(str(path)) for path in files), OneProcess())
    began = time.process_time()
    CASES[name](sentences, folder)
    answer.send((time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    answer.close()


def _none(folder: Path) -> Parts:
    path = folder / "passages.parquet"
    pq.write_table(EMBEDDED_PASSAGES.sized(_SIZE).kept.empty_table(), path)
    return Parts(EMBEDDED_PASSAGES.sized(_SIZE).kept, (Part(str(path)),), OneProcess())


def _sentence(number: int, count: int, random: np.random.Generator) -> dict[str, object]:
    paper = f"paper {number // _OF_PAPER}"
    works = [f"doi:{random.integers(count // 50 + 1)}"] if number % 5 == 0 else []
    term = f"term {random.integers(count // 100 + 1)}" if number % 20 == 0 else None
    text = f"We say {number} of what the work before us found of this, and of many other things besides."
    place = {"sentence_id": f"s{number}", "paper_id": paper, "section": 0, "role": "introduction"}
    return {
        "id": f"statement {number}", "source_ids": [f"s{number}"], "licence": "MIT", "month": "2018-06",
        "area": "", "text": text, "words": 18, "truncated": False,
        "mentions": [{**place, "term": term, "cited": works}],
    }  # fmt: skip


def main() -> None:
    """Print a line for each case."""
    least = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for name in CASES:
        found = [measured(name, count) for count in (least, 2 * least, 4 * least)]
        power = np.log2(found[-1][0] / found[0][0]) / 2
        listed = ", ".join(f"{seconds:.1f} s {peak:.0f} MB" for seconds, peak in found)
        print(f"{name}: {listed}; exponent {power:.2f}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
