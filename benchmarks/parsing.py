"""Parsers: speed by format, the cost of the bounded child, and PDF, web pages and articles against peers.

Run: python benchmarks/parsing.py DATA [--peer PYTHON | --fates]. DATA has unpacked real corpora: folders of
papers by kind (`papers/unarxive`, ...), `web/` with folders of source.html and expected.html, `warc/`,
`wikipedia/` with dumps and `wikitext/`, `abstracts/` with lines of JSON. PYTHON is the interpreter of an
environment in which the peers run:
python -m venv PEERS && PEERS/bin/pip install pdfminer.six trafilatura lxml_html_clean.
Missing corpora and peers are skipped.

Times are processor time of this process and the child together. F1 compares lower-cased bags of words with
the known text.
"""

from __future__ import annotations

import argparse
import bz2
import html
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import mwparserfromhell
import psutil

from silverloom.assets.systems.discofuse.sources import prose
from silverloom.ops.parasci import sources as passages
from silverloom.ops.parse import lines, papers, web, wikipedia
from silverloom.ops.parse.bounded import BoundedFormat, Bounds, child_of
from silverloom.ops.parse.page_text import BOILERPLATE
from silverloom.ops.parse.papers.xml_tree import descend, root_of
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source
from silverloom.ops.parse.web import page_of
from silverloom.ops.parse.wikipedia import Dump
from tests.papers_as_pdf import printed

MOST, ABSTRACTS = 150, 5000
PDFS = 20
COPIES = 50
ROUNDS = 15

#: Reads paths from standard input and writes, as JSON, the seconds of processor time and the texts.
PDF_PEER = """
import json, sys, time
from pdfminer.high_level import extract_text
paths = json.load(sys.stdin)
begun = time.process_time()
texts = [extract_text(path) for path in paths]
print(json.dumps([time.process_time() - begun, texts]))
"""
WEB_PEER = """
import json, logging, sys, time
import trafilatura
logging.disable(50)
pages = [open(path, "rb").read() for path in json.load(sys.stdin)]
begun = time.process_time()
texts = [trafilatura.extract(page, include_comments=False) or "" for page in pages]
print(json.dumps([time.process_time() - begun, texts]))
"""


def main() -> None:
    """Measure everything that there is data for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--peer", help="Python of an environment with the peers")
    parser.add_argument("--fates", action="store_true", help="print the outcome of every record instead")
    given = parser.parse_args()
    if given.fates:
        tell_fates(given.data)
        return
    for kind in sorted(papers.FORMATS):
        if (folder := given.data / "papers" / kind).is_dir():
            measure_papers(kind, folder)
    if (folder := given.data / "abstracts").is_dir():
        measure_abstracts(folder)
    if (folder := given.data / "papers" / "cl_scisumm").is_dir():
        measure_written(folder)
        measure_pdf(folder, given.peer)
    if (folder := given.data / "web").is_dir():
        measure_web(folder, given.peer)
    if (folder := given.data / "wikipedia").is_dir():
        measure_articles(folder)


def tell_fates(data: Path) -> None:
    """Print how many records are kept, dropped and rejected, with reasons, by kind."""
    kinds = {
        **{kind: (papers, papers.parse_papers, f"papers/{kind}") for kind in sorted(papers.FORMATS)},
        "html": (web, web.parse_web_pages, "web"),
        "warc": (web, web.parse_web_pages, "warc"),
        "mediawiki_dump": (wikipedia, wikipedia.parse_articles, "wikipedia"),
        "wikitext": (wikipedia, wikipedia.parse_articles, "wikitext"),
    }
    for kind, (module, op, folder) in kinds.items():
        if (data / folder).is_dir():
            raws = module.FORMATS[kind].split(data / folder, _source(kind))
            found = op([Record(record_id("-", raw), "-", kind, "-", "2018-06", raw) for raw in raws])
            causes = (
                re.sub(r"^\S+?(, line \d+)?: ", "", error) for error in found.rejected["error"].to_pylist()
            )
            lost = Counter(found.dropped["reason"].to_pylist()) + Counter(cause[:60] for cause in causes)
            print(f"{kind:14} {len(found.units):5} records, {found.kept.num_rows:5} kept; {dict(lost)}")


def records(form: Any, kind: str, folder: Path) -> list[Raw]:
    """Return the intact records of a folder."""
    return [raw for raw in form.split(folder, _source(kind)) if raw.error is None]


def _source(kind: str) -> Source:
    return Source(kind=kind, path=".", month=MonthRule(constant="2018-06"), licence="-")


def measure_papers(kind: str, folder: Path) -> None:
    """Print papers per second of one format, and the cost of the bounded child (median of several rounds)."""
    form = papers.FORMATS[kind]
    if isinstance(form, BoundedFormat):  # `crawled` combines several others
        _measure(form, _source(kind), folder, MOST)


def measure_abstracts(folder: Path) -> None:
    """Print the same for abstracts as prose: lines of JSON, which the child reads first."""
    for kind, form in (
        ("table", prose.PROSE_FORMATS["table"]),
        ("abstracts", passages.PASSAGE_FORMATS["abstracts"]),
    ):
        source = _source(kind).model_copy(update={"fields": {"text": "abstract"}})
        _measure(form, source, folder, ABSTRACTS)


def _measure(form: Any, source: Source, folder: Path, most: int) -> None:
    ways = (False, True)
    rounds = [[_spent_on(form, source, folder, most, way) for way in ways] for _ in range(ROUNDS + 1)][1:]
    found = list(islice(form.split(folder, source), most))
    rejected = sum(not _reads(form, raw) for raw in found)
    rate = len(found) / min(direct for direct, _ in rounds)
    cost = f"{median(bounded / direct for direct, bounded in rounds) - 1:+.1%}"
    print(
        f"{source.kind:14} {len(found):4} records, {rejected} rejected: "
        f"{rate:6.1f} per second, bounded child {cost}"
    )


def measure_written(folder: Path) -> None:
    """Print papers per second of the formats without a corpus: CL-SciSumm's papers are converted to them."""
    written: dict[str, dict[str, str]] = {
        "plain_text": {},
        "science_parse": {},
        "s2orc_shards": {"a.jsonl": ""},
    }
    form = papers.FORMATS["cl_scisumm"]
    for raw in records(form, "cl_scisumm", folder)[:MOST]:
        paper = form.parse(raw)
        texts = [[] for _ in paper.sections]
        for sentence in paper.sentences:
            texts[sentence.section].append(sentence.text)
        name, sections = (
            Path(raw.path).stem,
            [(section.title, " ".join(text)) for section, text in zip(paper.sections, texts, strict=True)],
        )
        body = [{"section": title, "text": text} for title, text in sections]
        written["plain_text"][f"{name}.txt"] = "\n\n".join(
            [f"# {paper.title}", *(f"## {title}\n{text}" for title, text in sections)]
        )
        written["science_parse"][f"{name}.json"] = json.dumps(
            {"title": paper.title, "sections": [{"heading": title, "text": text} for title, text in sections]}
        )
        line = {"paper_id": name, "title": paper.title, "body_text": body}
        written["s2orc_shards"]["a.jsonl"] += json.dumps(line) + "\n"
    for kind, files in written.items():
        with tempfile.TemporaryDirectory() as place:
            for name, content in files.items():
                Path(place, name).write_text(content, encoding="utf-8")
            measure_papers(kind, Path(place))


def _spent_on(form: Any, source: Source, folder: Path, most: int, bounded: bool) -> float:
    """Return the processor seconds for finding and parsing records, with or without the child."""
    reader = form if bounded or not isinstance(form, BoundedFormat) else form.form
    here = nullcontext() if bounded else patch.object(lines, "_by_child", _called_here)
    begun = _spent()
    with here:
        found = list(islice(form.split(folder, source), most))
        for raw in found:
            _reads(reader, raw)
    return _spent() - begun


def _called_here(some: Any, failed: object, function: Callable[..., Any], *more: Any) -> Any:
    return function(some, *more)


def _spent() -> float:
    """Return the processor seconds used by the main threads of this process and of its children."""
    process = psutil.Process()
    pids = (one.pid for one in (process, *process.children(recursive=True)))
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9


def _reads(reader: Any, raw: Raw) -> bool:
    try:
        reader.parse(raw)
    except ParseError:
        return False
    return True


def measure_pdf(folder: Path, peer: str | None) -> None:
    """Print F1 and speed on papers rendered as PDF in two columns."""
    form = papers.FORMATS["cl_scisumm"]
    known, files = [], []
    for raw in records(form, "cl_scisumm", folder)[:PDFS]:
        paper = form.parse(raw)
        sections = [
            (section.title, [one.text for one in paper.sentences if one.section == index])
            for index, section in enumerate(paper.sections)
        ]
        files.append(printed(paper.title, sections))
        words = [paper.title, *(f"{title} {' '.join(texts)}" for title, texts in sections)]
        known.append(" ".join(words).encode("cp1252", "replace").decode("cp1252"))
    begun = time.process_time()
    read = [papers.FORMATS["pdf"].form.parse(Raw("a.pdf", "a", content)) for content in files]  # type: ignore[attr-defined]
    took = time.process_time() - begun
    texts = [
        " ".join(
            [paper.title, *(one.title for one in paper.sections), *(one.text for one in paper.sentences)]
        )
        for paper in read
    ]
    report("PDF, ours", took, texts, known)
    with tempfile.TemporaryDirectory() as place:
        paths = [str(Path(place, f"{number}.pdf")) for number in range(len(files))]
        for path, content in zip(paths, files, strict=True):
            Path(path).write_bytes(content)
        measure_papers("pdf", Path(place))
        if peer:
            report("PDF, pdfminer.six", *run(peer, PDF_PEER, paths), known)


def measure_web(folder: Path, peer: str | None) -> None:
    """Print F1 and speed on web pages with known main text."""
    places = sorted(place for place in folder.iterdir() if (place / "expected.html").is_file())
    pages = [(place / "source.html").read_bytes() for place in places]
    known = [visible((place / "expected.html").read_text(encoding="utf-8")) for place in places]
    begun = time.process_time()
    texts = [_main_text(page) for page in pages]
    report("web pages, ours", time.process_time() - begun, texts, known)
    pages_alone = _source("html").model_copy(update={"files": "*source.html"})
    _measure(web.FORMATS["html"], pages_alone, folder, MOST)
    if peer:
        paths = [str(place / "source.html") for place in places]
        report("web pages, trafilatura", *run(peer, WEB_PEER, paths), known)


def _main_text(page: bytes) -> str:
    return "\n".join(found.text for found in page_of(page).paragraphs if found.boilerplate < BOILERPLATE)


def visible(page: str) -> str:
    """Return the text of HTML, with everything outside of tags."""
    page = re.sub(r"(?s)<(script|style).*?</\1>|<!--.*?-->", " ", page)
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def measure_articles(folder: Path) -> None:
    """Print articles per second against mwparserfromhell, and the memory for a long dump."""
    found = [raw for raw in records(Dump(), "mediawiki_dump", folder) if b"<redirect" not in raw.content]
    begun = time.process_time()
    for raw in found:
        _reads(Dump(), raw)
    ours = time.process_time() - begun
    begun = time.process_time()
    for raw in found:
        text = descend(root_of(raw.content, "page"), "revision", "text")
        mwparserfromhell.parse(text.text or "" if text is not None else "").strip_code()
    theirs = time.process_time() - begun
    print(
        f"articles: ours {len(found) / ours:.0f} per second, mwparserfromhell alone {len(found) / theirs:.0f}"
    )
    _measure(wikipedia.FORMATS["mediawiki_dump"], _source("mediawiki_dump"), folder, MOST)
    sample = Path(__file__).resolve().parents[1] / "data" / "sample" / "articles" / "island.xml"
    head, page, tail = _parted(sample.read_bytes())
    for copies in (1, COPIES):
        with tempfile.TemporaryDirectory() as place:
            pages = b"".join(page * 200 for _ in range(copies))
            Path(place, "long.xml.bz2").write_bytes(bz2.compress(head + pages + tail))
            child_of(Bounds(seconds=10)).close()
            peak = _peak(Path(place))
            print(f"  a dump of {len(pages) / 1e6:.1f} MB: peak memory {peak:.0f} MB, child included")


def _parted(dump: bytes) -> tuple[bytes, bytes, bytes]:
    start, end = dump.index(b"<page>"), dump.index(b"</page>") + len(b"</page>")
    return dump[:start], dump[start:end], b"</mediawiki>"


def _peak(folder: Path) -> float:
    """Return the increase of peak memory, in MB, while parsing every page of a dump."""
    process = psutil.Process()

    def used() -> int:
        return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))

    form, peak = wikipedia.FORMATS["mediawiki_dump"], 0
    source = _source("mediawiki_dump")
    for number, raw in enumerate(_unlike(form.split(folder, source))):
        _reads(form, raw)
        if number % 50 == 0:
            peak = max(peak, used())
    return peak / 1e6


def _unlike(raws: Iterator[Raw]) -> Iterator[Raw]:
    """Yield records without the error about duplicate names."""
    return (Raw(raw.path, raw.document, raw.content, raw.row) for raw in raws)


def run(python: str, program: str, paths: Sequence[str]) -> tuple[float, list[str]]:
    """Run a peer; return its seconds and texts."""
    done = subprocess.run(
        [python, "-c", program], input=json.dumps(paths), stdout=subprocess.PIPE, text=True, check=True
    )
    seconds, texts = json.loads(done.stdout)
    return seconds, texts


def report(name: str, seconds: float, texts: Sequence[str], known: Sequence[str]) -> None:
    """Print the F1 and the speed of a reader on known texts."""
    scores = [f1(text, due) for text, due in zip(texts, known, strict=True)]
    print(f"{name:24} {len(texts):4} files: F1 {mean(scores):.4f}, {len(texts) / seconds:6.1f} per second")


def f1(text: str, due: str) -> float:
    """Return the F1 of the words of a text."""
    found, expected = (Counter(re.findall(r"\w+", one.lower())) for one in (text, due))
    total = found.total() + expected.total()
    return 2 * (found & expected).total() / total if total else 1.0


if __name__ == "__main__":
    main()
