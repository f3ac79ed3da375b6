"""Peak memory of training models and of generating with them, over n, 2n and 4n examples.

    python benchmarks/training_memory.py [--only discofuse/fusion_model,...] [--size 4000] [--sizes 3]
        [--code OTHER_CHECKOUT]

Makes synthetic rows of each op's input (pairs, papers or candidates), and calls the op as its declaration
does, in its own process. The process first runs with 16 rows, so that imports, models and encoders do not
count; memory is the peak above that. Models have the size in params.yaml, and train for one update, so growth
shows what is kept in memory of the examples. --code measures another checkout, such as an earlier commit,
with the same rows.

Sentence embeddings are faked; PDBERT's encoder is real. Not here: processor time (growth.py).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_GIVEN = argparse.ArgumentParser(add_help=False)
_GIVEN.add_argument("--code", type=Path, default=Path(__file__).resolve().parents[1])
ROOT = _GIVEN.parse_known_args()[0].code.resolve()
sys.path.insert(0, str(ROOT))
os.chdir(ROOT)

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import growth
from silverloom.ops.core.outcome import Shape

Row = dict[str, Any]

#: Rows per part: the default of store.records_per_part.
PART = 256

_WORDS = [
    "model",
    "parser",
    "corpus",
    "sentence",
    "method",
    "result",
    "network",
    "feature",
    "score",
    "language",
    "graph",
    "token",
]


def main() -> None:
    """Measure, and print a line per dataset."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter, parents=[_GIVEN]
    )
    parser.add_argument("--only", default="", help="datasets, comma-separated; default: all")
    parser.add_argument("--size", type=int, default=4000, help="examples of the smallest set")
    parser.add_argument("--sizes", type=int, default=3, help="number of sets, each twice the previous one")
    given = parser.parse_args()
    names = [name for name in given.only.split(",") if name] or list(INPUTS)
    sizes = [given.size * 2**power for power in range(given.sizes)]
    print(f"{'peak MB over ' + ' '.join(map(str, sizes)) + ' rows':44} exponent  KB/row")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="training-") as folder:
            peaks = [measured(name, Path(folder), size) for size in sizes]
        held = growth.exponent(sizes, [max(peak, 1.0) for peak in peaks])
        each = 1024 * (peaks[-1] - peaks[0]) / (sizes[-1] - sizes[0]) if len(sizes) > 1 else float("nan")
        cells = "".join(f"{peak:9.0f}" for peak in peaks)
        print(f"{name:32}{cells}{held:9.2f}{each:9.2f}", flush=True)


def measured(name: str, folder: Path, size: int) -> float:
    """Return the peak MB of a dataset's op with `size` rows, above that with a few rows."""
    for rows in (growth.TINY, size):
        for source, inputs in INPUTS[name].items():
            write(folder / str(rows) / source, growth.datasets()[source].shape, inputs, rows)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        cost = pool.apply(growth.made, (name, folder / str(size), "256MB"))
    return float(cost.megabytes)


def write(folder: Path, shape: Shape | None, row: Callable[[int], Row], count: int) -> None:
    """Write rows as the kept part files of a dataset, unless they exist; fields that a row lacks are null."""
    assert shape is not None
    if folder.exists():
        return
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, count, PART)):
        rows = [{"licence": "MIT", **row(index)} for index in range(start, min(count, start + PART))]
        rows = [{"source_ids": [found["id"]], **found} for found in rows]
        pq.write_table(pa.Table.from_pylist(rows, schema=shape.kept), folder / f"kept-{number:05d}.parquet")


def text(number: int, words: int) -> str:
    """Return a sentence that is unique to the number; all have the same words."""
    chosen = [_WORDS[(number * 7 + place * (1 + number % 5)) % len(_WORDS)] for place in range(words)]
    digits = []
    while number or not digits:
        number, digit = divmod(number, len(_WORDS))
        digits.append(_WORDS[digit])
    return f"The {' '.join(chosen)} is number {' '.join(digits)} ."


def split_of(number: int) -> str:
    """Return a split: one in ten is validation, one in ten is test."""
    return {8: "validation", 9: "test"}.get(number % 10, "train")


def fusion_example(number: int) -> Row:
    """Return a row of discofuse/examples or discofuse/balanced."""
    first, second = text(number, 10), text(number + 1, 10)
    return {
        "id": f"example-{number:09d}", "split": split_of(number),
        "domain": "encyclopedia" if number % 3 else "sports",
        "discourse_type": "PAIR_CONN", "connective_string": "however ,", "mixture": number % 3 == 0,
        "coherent_first_sentence": first, "coherent_second_sentence": f"However , {second}",
        "incoherent_first_sentence": first, "incoherent_second_sentence": second,
    }  # fmt: skip


def fusion_pair(number: int) -> Row:
    """Return a row of sources/fusion_pairs."""
    first, second = text(number, 10), text(number + 1, 10)
    return {
        "id": f"pair-{number:09d}", "split": split_of(number), "first": first, "second": second,
        "fused": f"{first[:-2]} and {second}",
    }  # fmt: skip


def paraphrase(number: int) -> Row:
    """Return a row of parasci/paraphrases."""
    return {
        "id": f"pair-{number:09d}", "first": text(number, 16), "second": text(number + 3, 16),
        "origin": "intra", "split": split_of(number), "cluster": str(number),
    }  # fmt: skip


def pair_of_others(number: int) -> Row:
    """Return a row of sources/paraphrase_pairs."""
    return {
        "id": f"other-{number:09d}", "document": f"line {number}", "corpus": "quora",
        "first": text(2 * number, 10), "second": text(2 * number + 1, 11),
    }  # fmt: skip


def candidate(number: int) -> Row:
    """Return a row of parasci/intra that PDBERT learns from."""
    return {
        "id": f"pair-{number:09d}", "key": f"paper-{number // 8}", "cosine": 0.99,
        "first": text(number, 14), "second": text(number + 5, 15),
    }  # fmt: skip


def statement(number: int) -> Row:
    """Return a row of parasci/sentences."""
    return {"id": f"sentence-{number:09d}", "text": text(number, 15)}


def labelled_paper(number: int) -> Row:
    """Return a row of talksumm/training_sets: a paper of 60 sentences."""
    sentences = [text(60 * number + place, 18) for place in range(60)]
    return {
        "id": f"paper-{number:09d}", "set": "words_150", "split": split_of(number), "paper_id": str(number),
        "title": f"On {text(number, 5)}", "sentences": sentences, "roles": ["other"] * 60,
        "sections": [place // 10 for place in range(60)],
        "labels": [int(place % 10 == 0) for place in range(60)],
    }  # fmt: skip


Rows = dict[str, Callable[[int], Row]]

#: What each op reads.
INPUTS: dict[str, Rows] = {
    "discofuse/fusion_model": {"discofuse/balanced": fusion_example},
    "discofuse/transfer": {"sources/fusion_pairs": fusion_pair, "discofuse/balanced": fusion_example},
    "parasci/generator": {"parasci/paraphrases": paraphrase},
    "parasci/external_generators": {"sources/paraphrase_pairs": pair_of_others},
    "parasci/pdbert": {"parasci/intra": candidate, "parasci/sentences": statement},
    "talksumm/extractor": {"talksumm/training_sets": labelled_paper},
}


if __name__ == "__main__":
    main()
