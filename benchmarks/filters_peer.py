"""Runs lingua and datatrove on a task, in the environment that benchmarks/filters.py creates for them.

Reads a task as JSON from standard input and writes the answer. Imports nothing from the project.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable


def main() -> None:
    """Answer."""
    task = json.load(sys.stdin)
    if task["do"] == "language":
        from lingua import LanguageDetectorBuilder

        detector = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()
        started = time.perf_counter()
        found = [detector.detect_language_of(text) for text in task["texts"]]
        seconds = time.perf_counter() - started
        codes = [language and language.iso_code_639_1.name.lower() for language in found]
        print(json.dumps({"languages": codes, "seconds": seconds}))
        return
    do = DATATROVE[task["do"]]()
    do(task["texts"][0])  # loads models and regular expressions
    started = time.perf_counter()
    for text in task["texts"]:
        do(text)
    print(json.dumps({"seconds": time.perf_counter() - started}))


def quality() -> Callable[[str], object]:
    """Return the Gopher and FineWeb filters; all of them run on each text, as ours do."""
    from datatrove.data import Document
    from datatrove.pipeline.filters import FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter

    filters = (GopherQualityFilter(), GopherRepetitionFilter(), FineWebQualityFilter())
    return lambda text: [found.filter(Document(text, "id")) for found in filters]


def minhash() -> Callable[[str], object]:
    """Return a function that computes signatures of the same size as ours: 16 buckets of 8 hashes."""
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature

    step = MinhashDedupSignature("/tmp", MinhashConfig(n_grams=5, num_buckets=16, hashes_per_bucket=8))  # noqa: S108  nothing is written
    return lambda text: step.get_signature(step.get_shingles(text))


def personal_data() -> Callable[[str], object]:
    """Return a function that masks e-mail and IP addresses."""
    from datatrove.pipeline.formatters import PIIFormatter

    return PIIFormatter().format


DATATROVE = {"quality": quality, "minhash": minhash, "personal data": personal_data}

if __name__ == "__main__":
    main()
