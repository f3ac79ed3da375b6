"""Web pages: the main text of three sets of real pages, for benchmarks/reading.py.

trafilatura's own set says for each page which strings its main text has (`with`) and has not (`without`);
precision, recall and F1 count these as trafilatura's evaluation does. Its pages are in
web/trafilatura_eval.tar.gz, the strings in web/evaldata.py (tests/evaldata.py of its repository). Mozilla's
readability has the expected HTML of its pages: the mean F1 of the words. article-extraction-benchmark has the
text of its pages (web/article_extraction_benchmark.tar.gz with ground-truth.json and html/*.html.gz): F1 of
runs of four words, as its evaluation counts them.

The text is what the row of a page has with a boilerplate score below 0.5. Pages a second are by processor.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.parsing import f1, visible
from benchmarks.reading_rows import Row, ask_peer
from silverloom.ops.parse.page_text import BOILERPLATE, PageExtractor
from silverloom.ops.parse.web import page_of

#: Reads paths from standard input; writes the seconds of processor time and the texts.
_PEER = """
import json, logging, sys, time
logging.disable(50)
{load}
pages = [open(path, "rb").read() for path in json.load(sys.stdin)]
def tried(page):
    try:
        return read(page) or ""
    except Exception:
        return ""
tried(pages[0])
begun = time.process_time()
texts = [tried(page) for page in pages]
print(json.dumps([time.process_time() - begun, texts]))
"""
PEERS = {
    "trafilatura": """
import trafilatura
read = lambda page: trafilatura.extract(page, include_comments=False)""",
    "readability-lxml": """
import lxml.html, readability
def read(page):
    text = page.decode("utf-8", "replace")
    return lxml.html.fromstring(readability.Document(text).summary()).text_content()""",
    "resiliparse": """
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
read = lambda page: extract_plain_text(
    bytes_to_str(page, detect_encoding(page)), main_content=True, alt_texts=False, comments=False)""",
}


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield a row for each set and each of our two extractors."""
    with tempfile.TemporaryDirectory() as folder:
        for name, wanted, measure in (
            ("article_extraction_benchmark", "≥ .960", _articles),
            ("trafilatura_eval", "≥ .929", _own_set),
            ("readability_test_pages", "", _readability),
        ):
            archive = data / "web" / f"{name}.tar.gz"
            if not archive.exists():
                yield Row(name, "F1", None, dict.fromkeys(PEERS), wanted)
                continue
            with tarfile.open(archive) as tar:
                tar.extractall(Path(folder, name), filter="data")
            paths, score = measure(Path(folder, name), data)
            for row in _measured(name, paths, score, peer):
                yield replace(row, wanted=wanted)


def _measured(
    name: str, paths: Sequence[Path], score: Callable[..., str] | None, peer: str | None
) -> Iterator[Row]:
    peers: dict[str, str | None] = dict.fromkeys(PEERS)
    if score is None:
        yield Row(name, "F1", None, peers)
        return
    for peer_name, load in PEERS.items():
        answer = ask_peer(peer, _PEER.format(load=load), [str(path) for path in paths])
        peers[peer_name] = answer and _told(score(answer[1]), len(paths), answer[0])
    for extractor in ("trafilatura", "resiliparse"):
        seconds, texts = _read(paths, extractor)
        here = _told(score(texts), len(paths), seconds)
        yield Row(f"{name}, {len(paths)} pages, by {extractor}", "F1", here, peers)


def _told(score: str, count: int, seconds: float) -> str:
    return f"{score} ({count / seconds:.0f} pages/s)"


def _read(paths: Sequence[Path], extractor: PageExtractor) -> tuple[float, list[str]]:
    pages = [path.read_bytes() for path in paths]
    page_of(pages[0], extractor=extractor)  # imports it
    begun = time.process_time()
    read = [page_of(page, extractor=extractor) for page in pages]
    seconds = time.process_time() - begun
    return seconds, [
        "\n".join(found.text for found in page.paragraphs if found.boilerplate < BOILERPLATE) for page in read
    ]


def _own_set(folder: Path, data: Path) -> tuple[list[Path], Callable[..., str] | None]:
    strings = data / "web" / "evaldata.py"
    if not strings.exists():
        return [], None
    gold: dict[str, dict[str, Any]] = ast.literal_eval(strings.read_text("utf-8").partition("=")[2].strip())
    files = {path.name: path for path in folder.rglob("*.html")}
    wanted = [page for page in gold.values() if page["file"] in files]

    def score(texts: Sequence[str]) -> str:
        right = missed = wrong = 0
        for page, text in zip(wanted, texts, strict=True):
            inside = sum(part in text for part in page["with"])
            right, missed = right + inside, missed + len(page["with"]) - inside
            wrong += sum(part in text for part in page["without"])
        precision, recall = right / ((right + wrong) or 1), right / ((right + missed) or 1)
        harmonic = 2 * precision * recall / ((precision + recall) or 1)
        return f"{harmonic:.3f}, precision {precision:.3f}, recall {recall:.3f}"

    return [files[page["file"]] for page in wanted], score


def _articles(folder: Path, data: Path) -> tuple[list[Path], Callable[..., str] | None]:
    truth = next(folder.rglob("ground-truth.json"))
    gold = {name: page["articleBody"] for name, page in sorted(json.loads(truth.read_text("utf-8")).items())}
    paths = [truth.parent / "html" / f"{name}.html" for name in gold]
    for path in paths:
        path.write_bytes(gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes()))

    def score(texts: Sequence[str]) -> str:
        right = wrong = missed = 0.0
        for text, due in zip(texts, gold.values(), strict=True):
            ours, theirs = _runs(text), _runs(due)
            every = (ours | theirs).total() or 1
            right += (ours & theirs).total() / every
            wrong, missed = wrong + (ours - theirs).total() / every, missed + (theirs - ours).total() / every
        return f"{2 * right / ((2 * right + wrong + missed) or 1):.3f}"

    return paths, score


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(
        zip(*(words[start:] for start in range(4)), strict=False) if len(words) > 3 else [tuple(words)]
    )


def _readability(folder: Path, data: Path) -> tuple[list[Path], Callable[..., str] | None]:
    places = sorted(path.parent for path in folder.rglob("expected.html"))
    known = [visible((place / "expected.html").read_text(encoding="utf-8")) for place in places]

    def score(texts: Sequence[str]) -> str:
        return f"{mean(f1(text, due) for text, due in zip(texts, known, strict=True)):.3f}"

    return [place / "source.html" for place in places], score
