"""Time and peak memory of making the data-quality pages of very many rows.

    python benchmarks/pages_memory.py [--sentences 150000]

Sentences are synthetic: 25 words each, a hundred per paper, a fifth of them dropped, in parts of 10,000. All
pages are made from them and written in this process. Not here: a page's speed in the browser (rows_page.py).
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.assets.declare.graph import Everything
from silverloom.ops.core.outcome import Outcome, Shape, drop
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.files.publish import write_files
from silverloom.pages.site import site

_PART, _PAPER, _WORDS = 10_000, 100, 25
_MONTH = "2018-06"


def main() -> None:
    """Write rows, make their pages, and print the cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sentences", type=int, default=150_000)
    count = parser.parse_args().sentences
    graph = workspace().graph
    with tempfile.TemporaryDirectory() as place:
        folders = {}
        made = {"papers": _papers, "papers_scores": _scores, "papers_duplicates": _none}
        for name, outcomes in {**made, "filtered_papers": _papers, "sentences": _sentences}.items():
            dataset = graph.datasets[f"sources/{name}"]
            shape = dataset.shape
            assert shape is not None
            folders[dataset.name] = {_MONTH if dataset.partitioned else "": Path(place, name)}
            Path(place, name).mkdir()
            write_outcomes(Path(place, name), outcomes(shape, count), shape)
        before, wall, processor = _peak(), time.monotonic(), time.process_time()
        pages = Path(place, "pages")
        pages.mkdir()
        write_files(pages, site(Everything(folders, graph)))
        files = [path for path in pages.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        print(f"{count:,} sentences: {len(files):,} files, {size:,.1f} MB")
        print(
            f"{time.process_time() - processor:.1f} s of processor time, "
            f"{time.monotonic() - wall:.1f} s wall time"
        )
        print(f"peak in MB: {before:,.0f} before, {_peak():,.0f} with the pages")


def _scores(shape: Shape, count: int) -> Iterator[Outcome]:
    papers = [f"paper-{number}" for number in range(0, count, _PAPER)]
    rows = [_row(shape, f"scores-{name}", name, document_id=name) for name in papers]
    yield Outcome.of(shape, [], rows)


def _none(shape: Shape, count: int) -> Iterator[Outcome]:
    yield Outcome.of(shape, [], [])


def _papers(shape: Shape, count: int) -> Iterator[Outcome]:
    rows = [_row(shape, f"paper-{number}", f"{number}.txt") for number in range(0, count, _PAPER)]
    yield Outcome.of(shape, [], rows)


def _sentences(shape: Shape, count: int) -> Iterator[Outcome]:
    drawn = random.Random(0)  # noqa: S311  not for security
    known = [f"{drawn.getrandbits(24):x}" for _ in range(20_000)]
    for first in range(0, count, _PART):
        kept, dropped = [], []
        for number in range(first, min(first + _PART, count)):
            text = " ".join(drawn.choices(known, k=_WORDS))
            place = {"start": 0, "end": len(text), "position": number, "section": 0, "text": text}
            source = f"paper-{number - number % _PAPER}"
            if number % 5:
                kept.append(_row(shape, f"sentence-{number}", source, **place))
            else:
                unit = {**dict.fromkeys(shape.unit.names), **_identity(f"sentence-{number}", source), **place}
                dropped.append(drop({name: unit[name] for name in shape.unit.names}, "short", 2.0))
        yield Outcome.of(shape, [], kept, dropped)


def _row(shape: Shape, name: str, source: str, **columns: object) -> dict[str, object]:
    return {**dict.fromkeys(shape.kept.names), **_identity(name, source), **columns}


def _identity(name: str, source: str) -> dict[str, object]:
    return {"id": name, "source_ids": [source], "licence": "CC0-1.0"}


def _peak() -> float:
    """Return this process's peak memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
