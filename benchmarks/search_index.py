"""The page index: build time, memory and query time by number of pages.

    python benchmarks/search_index.py DATA [--pages 10000] [--words 200] [--former CHECKOUT]

Texts are synthetic, with the word frequencies of DATA/abstracts/*.jsonl.gz. Sizes are n, 2n and 4n, each in
its own process; memory is the peak of the whole process. An exponent of 1 is linear. --former also measures
another checkout's code, which must give the same answers. Not here: real pages (wikisum_real.py).
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_QUERIES, _BEST = 200, 10
_WORD = re.compile(r"[a-z]{2,}")
_NAMES = ("build_seconds", "memory_mb", "query_ms", "disk_mb")


def main() -> None:
    """Measure each size in its own process, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=200, help="mean words per page")
    parser.add_argument("--former", type=Path, help="a checkout whose code to compare with")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(_measured(options.data, options.child, options.words)))
        return
    here = Path(__file__).resolve().parents[1]
    found: dict[Path, list[dict[str, Any]]] = {}
    for checkout in filter(None, (here, options.former)):
        found[checkout] = [_child(checkout, options, options.pages * times) for times in (1, 2, 4)]
        print(f"{'pages':>9}" + "".join(f"{name:>15}" for name in _NAMES))
        for row in found[checkout]:
            print(f"{row['pages']:>9}" + "".join(f"{row[name]:>15.2f}" for name in _NAMES))
        print(f"{'exponent':>9}" + "".join(f"{_exponent(found[checkout], name):>15.2f}" for name in _NAMES))
    if options.former:
        now, then = found[here], found[options.former]
        print(f"{'ratio':>9}" + "".join(f"{now[-1][name] / (then[-1][name] or 1):>15.2f}" for name in _NAMES))
        same = [row["answers"] for row in now] == [row["answers"] for row in then]
        print("answers are the same" if same else "ANSWERS DIFFER")


def _child(checkout: Path, options: argparse.Namespace, pages: int) -> dict[str, Any]:
    command = [
        sys.executable,
        __file__,
        str(options.data),
        "--words",
        str(options.words),
        "--child",
        str(pages),
    ]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(checkout)}, capture_output=True, text=True, check=True
    )
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def _exponent(rows: Sequence[dict[str, Any]], name: str) -> float:
    logs = [(math.log(row["pages"]), math.log(max(row[name], 0.01))) for row in rows]
    return float(np.polyfit(*zip(*logs, strict=True), 1)[0])


def _measured(data: Path, count: int, words: int) -> dict[str, Any]:
    from silverloom.ops.crawl.local_search import LocalIndex

    vocabulary, shares = _frequencies(data)
    queries = [text for _, text in _pages(vocabulary, shares, _QUERIES, 3, seed=1)]
    began = time.process_time()
    given = _pages(vocabulary, shares, count, words, seed=0)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "index"
        if hasattr(LocalIndex, "of_distinct"):
            LocalIndex.of_distinct(given, folder)
        else:
            LocalIndex.of(given).save(folder)
        built, memory = time.process_time() - began, _peak()
        disk = sum(path.stat().st_size for path in folder.iterdir())
        index = LocalIndex.load(folder)
        index.search(queries[0], _BEST)
        began = time.process_time()
        answers = [[(hit.url, hit.score) for hit in index.search(query, _BEST)] for query in queries]
        asked = time.process_time() - began
    return {
        "pages": count,
        "build_seconds": built,
        "memory_mb": memory,
        "query_ms": 1000 * asked / len(queries),
        "disk_mb": disk / 2**20,
        "answers": answers,
    }


def _frequencies(data: Path) -> tuple[list[str], np.ndarray[Any, Any]]:
    counts: Counter[str] = Counter()
    for path in sorted((data / "abstracts").glob("*.jsonl.gz")):
        counts.update(_WORD.findall(gzip.decompress(path.read_bytes()).decode(errors="replace").lower()))
    if not counts:
        raise SystemExit(f"no *.jsonl.gz in {data / 'abstracts'}")
    ordered = counts.most_common()
    return [word for word, _ in ordered], np.array([number for _, number in ordered]) / counts.total()


def _pages(
    vocabulary: list[str], shares: np.ndarray[Any, Any], count: int, words: int, seed: int
) -> Iterator[tuple[str, str]]:
    random = np.random.default_rng(seed)
    cumulated = np.cumsum(shares)
    for number in range(count):
        size = max(1, int(random.exponential(words))) if words > 10 else words
        places = np.minimum(np.searchsorted(cumulated, random.random(size)), len(vocabulary) - 1)
        yield f"http://{number:08}", " ".join(vocabulary[place] for place in places)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
