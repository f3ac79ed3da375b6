"""Sentence boundaries against gold: pySBD's golden rules, the papers of CRAFT, GUM, pairs of WikiSplit.

Belongs here: these sets, how boundaries are compared, the peers. Not here: JATS (reading_jats.py). GUM is its
files DATA/reading/gum/*.conllu. A boundary is the end of a sentence in a paragraph; the end of the paragraph
counts too.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from benchmarks.reading_rows import Row, ask_peer
from silverloom.ops.parse.papers.scirex import detokenised
from silverloom.ops.text.sentences import Span

_PARAGRAPH = re.compile(r"[^\n]+")
_MARK = re.compile(r"\[\d{1,3}(?:[,\u2013-]\s?\d{1,3})*\]")
_ROOT = str(Path(__file__).resolve().parents[1])

#: Programs that define `split(text)`, which returns the spans of the sentences.
_SPLITTERS = {
    "here": f"import sys\nsys.path.insert(0, {_ROOT!r})\n"
    "from silverloom.ops.text.sentences import sentence_spans as split",
    "nupunkt": "import nupunkt\nsplit = lambda text: [list(span) for span in nupunkt.sent_spans(text)]",
    "blingfire": "import blingfire\nsplit = lambda text: blingfire.text_to_sentences_and_offsets(text)[1]",
    "pysbd": "import pysbd\nsegmenter = pysbd.Segmenter(language='en', clean=False, char_span=True)\n"
    "split = lambda text: [[span.start, span.end] for span in segmenter.segment(text)]",
}
_SPANS = (
    "\nimport json, sys\nprint(json.dumps([list(map(list, split(text))) for text in json.load(sys.stdin)]))"
)
_SPEED = """
import json, sys, time
texts = json.load(sys.stdin)
split(texts[0])
start = time.perf_counter()
for text in texts:
    split(text)
print(json.dumps(sum(map(len, texts)) / 1e6 / (time.perf_counter() - start)))
"""


@dataclass(frozen=True)
class Splitter:
    """A splitter in an environment of its own."""

    python: str | None
    program: str

    def spans(self, texts: Sequence[str]) -> list[list[Span]] | None:
        """Return the sentences of each text, or None if the package is missing."""
        return ask_peer(self.python, self.program + _SPANS, texts)

    def speed(self, texts: Sequence[str]) -> float | None:
        """Return the characters split in a second, in millions."""
        return ask_peer(self.python, self.program + _SPEED, texts)


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield a row for each set and measure."""
    splitters = {
        name: Splitter(sys.executable if name == "here" else peer, program)
        for name, program in _SPLITTERS.items()
    }
    measures: list[tuple[str, str, str, Callable[[Path, Splitter], str | None]]] = [
        ("golden rules", "right of 48", "≥ 45", _golden),
        ("CRAFT, 64 papers", "F1 of boundaries", "≥ 99.4", _boundaries),
        ("CRAFT, 64 papers", "citation marks in their sentence", "≥ 99 %", _marks),
        ("CRAFT, 64 papers", "MB/s", "", _speed),
        ("GUM, 20 genres", "F1 of boundaries", "≥ 97", partial(_gum, "GUM_*.conllu")),
        ("GUM, academic", "F1 of boundaries", "≥ 97", partial(_gum, "GUM_academic_*.conllu")),
        ("WikiSplit, pairs of sentences", "F1 of boundaries", "", _pairs),
    ]
    for title, measure, wanted, score in measures:
        scores = {name: score(data, splitter) for name, splitter in splitters.items()}
        yield Row(title, measure, scores.pop("here"), scores, wanted)


def craft(data: Path) -> list[dict[str, Any]]:
    """Return the papers with their gold sentences, or nothing if they are missing."""
    path = data / "reading" / "craft_sentences.jsonl.gz"
    return [json.loads(line) for line in gzip.open(path, "rt")] if path.exists() else []


def _golden(data: Path, splitter: Splitter) -> str | None:
    path = data / "reading" / "golden_rules_en.json"
    rules = json.loads(path.read_text()) if path.exists() else []
    spans = splitter.spans([rule["text"] for rule in rules])
    if not rules or spans is None:
        return None
    pairs = zip(rules, spans, strict=True)
    return str(sum(_texts(rule["text"], found) == rule["sentences"] for rule, found in pairs))


def _texts(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[start:end].strip() for start, end in spans]


def _split_papers(data: Path, splitter: Splitter) -> Iterator[tuple[dict[str, Any], list[Span]]]:
    """Yield each paper and the sentences in its paragraphs; nothing if papers or splitter are missing."""
    papers = craft(data)
    places = [
        (index, found.start(), found[0])
        for index, paper in enumerate(papers)
        for found in _PARAGRAPH.finditer(paper["text"])
    ]
    spans = splitter.spans([text for _, _, text in places])
    if spans is None:
        return
    sentences: list[list[Span]] = [[] for _ in papers]
    for (index, shift, text), found in zip(places, spans, strict=True):
        for start, end in found:
            bare = text[start:end]
            left = len(bare) - len(bare.lstrip())
            sentences[index].append((shift + start + left, shift + start + len(bare.rstrip())))
    yield from zip(papers, sentences, strict=True)


def _boundaries(data: Path, splitter: Splitter) -> str | None:
    right = gold = here = 0
    for paper, spans in _split_papers(data, splitter):
        gold_ends = {end for _, end, _ in paper["sentences"]}
        ends = {end for _, end in spans}
        right, gold, here = right + len(gold_ends & ends), gold + len(gold_ends), here + len(ends)
    return f"{200 * right / (gold + here):.2f}" if gold else None


def _marks(data: Path, splitter: Splitter) -> str | None:
    """Return the share of citation marks whose sentence ends where the gold sentence ends."""
    right = marks = 0
    for paper, spans in _split_papers(data, splitter):
        for mark in _MARK.finditer(paper["text"]):
            gold = [end for start, end, _ in paper["sentences"] if start <= mark.start() < end]
            ends = [end for start, end in spans if start <= mark.start() < end]
            if gold:
                right, marks = right + (gold == ends), marks + 1
    return f"{100 * right / marks:.2f} %" if marks else None


def _gum(files: str, data: Path, splitter: Splitter) -> str | None:
    """Split the paragraphs of GUM's files, which begin at its sentences with `# newpar`."""
    paragraphs: list[list[str]] = []
    for path in sorted((data / "reading" / "gum").glob(files)):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("# newpar") or not paragraphs:
                paragraphs.append([])
            if line.startswith("# text = "):
                paragraphs[-1].append(line.removeprefix("# text = ").strip())
    return _joined_again([paragraph for paragraph in paragraphs if paragraph], splitter)


def _pairs(data: Path, splitter: Splitter) -> str | None:
    """Join the two sentences into which editors split one; the gold boundary is between them."""
    pairs = []
    for path in sorted((data / "fusion_transfer").glob("*.tsv.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
            halves = line.partition("\t")[2].split(" <::::> ")
            texts = [detokenised(half.replace("''", '"').split()) for half in halves]
            if len(texts) == 2 and all(text.count('"') % 2 == 0 for text in texts):
                pairs.append(texts)
    return _joined_again(pairs, splitter)


def _joined_again(gold: Sequence[Sequence[str]], splitter: Splitter) -> str | None:
    """Return the F1 of the boundaries of sentences that were joined with a space."""
    spans = splitter.spans([" ".join(sentences) for sentences in gold])
    if not gold or spans is None:
        return None
    right = here = 0
    for sentences, found in zip(gold, spans, strict=True):
        text = " ".join(sentences)
        gold_ends = {end - 1 for end in accumulate(len(sentence) + 1 for sentence in sentences)}
        ends = {start + len(text[start:end].rstrip()) for start, end in found}
        right, here = right + len(ends & gold_ends), here + len(ends)
    return f"{200 * right / (sum(map(len, gold)) + here):.2f}"


def _speed(data: Path, splitter: Splitter) -> str | None:
    papers = craft(data)
    speed = splitter.speed([paper["text"] for paper in papers]) if papers else None
    return f"{speed:.2f}" if speed else None
