"""Annotation: speed against a bare nlp.pipe over the same text, and bytes per token on disk.

Run: python benchmarks/annotation.py [PATH]. PATH is a folder of *.txt files, one document each, or a .tsv or
.tsv.gz file with a column `Text`, such as GAP's. Without PATH, the sample's encyclopedia is read, which is
small. Both sides take turns in this process, on one thread. Times are processor time, so that other programs
on the machine hardly matter.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

import pyarrow as pa
from spacy.tokens import DocBin

from silverloom.ops.discofuse.annotation import AnnotationParams, stored_annotations
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.schemas import ANNOTATED, PROSE
from silverloom.orchestration.files.parquet import write_table

ROUNDS = 5
TARGET = 0.9
_LISTS = ("words", "spaces", "tags", "dependencies", "heads", "lemmas", "entities")


def documents(path: Path, words: int) -> list[str]:
    """Return documents with about `words` words in total."""
    if path.is_dir():
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in sorted(path.rglob("*.txt"))]
    else:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        rows = csv.DictReader(io.StringIO(content.decode()), delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [row["Text"] for row in rows]
    chosen: list[str] = []
    for text in filter(str.strip, texts):
        chosen.append(text)
        words -= len(text.split())
        if words <= 0:
            break
    return chosen


def prose(texts: Sequence[str]) -> pa.Table:
    """Return documents as a table of sources/prose."""
    rows = [
        {
            **dict.fromkeys(PROSE.kept.names),
            "id": str(number),
            "source_ids": ["a"],
            "licence": "-",
            "text": text,
        }
        for number, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schema=PROSE.kept)


def seconds(run: Callable[[], Any]) -> float:
    """Return the processor time of a run."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def size(table: pa.Table, folder: Path) -> int:
    """Return the size of a table as published, in bytes."""
    path = folder / "table.parquet"
    write_table(table, path)
    size = path.stat().st_size
    path.unlink()
    return size


def sizes(texts: Sequence[str], params: AnnotationParams, folder: Path) -> None:
    """Print the bytes per token in several layouts."""
    kept = annotate(prose(texts), params).kept
    tokens = len(kept["words"].combine_chunks().values)
    plain = [{name: getattr(parse, name) for name in _LISTS} for parse in stored_annotations(kept)]
    names = [name for name in _LISTS if name not in ("spaces", "heads")]
    whole = pa.schema(
        [(name, pa.list_(pa.string())) for name in names]
        + [("spaces", pa.list_(pa.bool_())), ("heads", pa.list_(pa.int32()))]
    )
    nlp = annotator(params.pipeline, whole=False)
    attributes = ["ORTH", "SPACY", "TAG", "DEP", "HEAD", "LEMMA", "ENT_TYPE", "SENT_START"]
    store = DocBin(attrs=attributes, docs=nlp.pipe(texts, batch_size=params.batch_size))
    alone = [DocBin(attrs=attributes, docs=[doc]).to_bytes() for doc in nlp.pipe(texts[:200])]
    few = sum(len(nlp.make_doc(text)) for text in texts[:200])
    print(f"bytes per token ({tokens:,} tokens):")
    as_they_are = pa.Table.from_pylist(plain, whole)
    for name, bytes_of, of in (
        ("as stored, without sentences and links", size(kept.select(_LISTS), folder), tokens),
        ("the same lists, unencoded", size(as_they_are, folder), tokens),
        ("DocBin of all documents", len(store.to_bytes()), tokens),
        ("one DocBin per document, in Parquet", size(pa.table({"doc": alone}), folder), few),
        ("as stored, whole rows", size(kept, folder), tokens),
    ):
        print(f"  {name:40} {bytes_of / of:6.2f}")
    for field in ANNOTATED.kept.names[7:]:
        print(f"    {field:12} {size(kept.select([field]), folder) / tokens:6.2f}")
    reading = seconds(lambda: list(stored_annotations(kept)))
    print(f"read back: {tokens / reading:,.0f} tokens/s")


def main() -> None:
    """Print speeds and sizes; exit with status 1 if annotation misses the target speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, help="folder of *.txt, or .tsv[.gz] with a column Text")
    parser.add_argument("--words", type=int, default=30_000, help="words of text")
    given = parser.parse_args()
    if given.path and not given.path.exists():
        raise SystemExit(f"{given.path} does not exist; without PATH, the sample's encyclopedia is read")
    path = given.path or ROOT / "data" / "sample" / "prose" / "encyclopedia"
    texts = documents(path, given.words)
    params = AnnotationParams()
    nlp = annotator(params.pipeline, whole=False)
    table = prose(texts)

    def bare() -> None:
        for _ in nlp.pipe(texts, batch_size=params.batch_size):
            pass

    bare()
    tokens = sum(len(nlp.make_doc(text)) for text in texts)
    times = [(seconds(bare), seconds(lambda: annotate(table, params))) for _ in range(ROUNDS)]
    peer, ours = (min(one) for one in zip(*times, strict=True))
    ratio = peer / ours
    print(
        f"{len(texts)} documents, {tokens:,} tokens: annotate {tokens / ours:,.0f} tokens/s, bare nlp.pipe "
        f"{tokens / peer:,.0f} tokens/s: {ratio:.1%} (target {TARGET:.0%})"
    )
    with tempfile.TemporaryDirectory() as folder:
        sizes(texts, params, Path(folder))
    if ratio < TARGET:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
