"""Papers in JATS against the gold sentences of CRAFT.

Belongs here: how many gold sentences of the body are read exactly. Not here: boundaries in the plain text of
the same papers (reading_sentences.py). A gold sentence is counted if its letters occur in the `body` without
figures, tables, notes and headings. The gold is plain text in which 10^6 has become 106, so the sign of an
exponent does not count; the score with it is in brackets. The peer gives paragraphs, which nupunkt splits.
"""

from __future__ import annotations

import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from benchmarks.reading_rows import Row, ask_peer
from benchmarks.reading_sentences import craft
from silverloom.ops.parse.papers.jats import Jats
from silverloom.ops.parse.source import Raw

#: Labels of the treebank that are no running text.
_NOT_BODY = frozenset({"TITLE", "HEADING", "CAPTION"})
_OUTSIDE = ("fig", "table-wrap", "supplementary-material", "fn", "title", "label")
_PEER = """
import json, sys, tempfile, os, nupunkt, pubmed_parser
def read(content):
    with tempfile.NamedTemporaryFile("w", suffix=".nxml", delete=False, encoding="utf-8") as file:
        file.write(content)
    paragraphs = pubmed_parser.parse_pubmed_paragraph(file.name, all_paragraph=True)
    abstract = pubmed_parser.parse_pubmed_xml(file.name)["abstract"]
    os.unlink(file.name)
    texts = [abstract, *(paragraph["text"] for paragraph in paragraphs)]
    return [sentence for text in texts for sentence in nupunkt.sent_tokenize(text)]
print(json.dumps([read(content) for content in json.load(sys.stdin)]))
"""


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield one row."""
    gold = {paper["id"]: paper for paper in craft(data)}
    files = dict(_files(data / "reading" / "craft_nxml.tar.gz")) if gold else {}
    papers = {name: content for name, content in files.items() if name in gold}
    here = [_sentences(name, content) for name, content in papers.items()]
    peers = ask_peer(peer, _PEER, [content.decode() for content in papers.values()]) if papers else None
    wanted = [gold_of_body(gold[name], content) for name, content in papers.items()]
    scores = {"pubmed_parser": _exact(wanted, peers) if peers else None}
    title = f"CRAFT, {len(papers) or 'no'} papers"
    plain = [[text.replace("^", "") for text in sentences] for sentences in here]
    score = (
        f"{_exact(wanted, plain)} ({_exact(wanted, here)} with the signs of exponents)" if papers else None
    )
    yield Row(title, "body sentences read exactly", score, scores, "≥ 99.5 %")


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.exists():
        with tarfile.open(path) as archive:
            for member in archive:
                if file := archive.extractfile(member):
                    yield Path(member.name).stem, file.read()


def gold_of_body(paper: dict[str, Any], content: bytes) -> list[str]:
    """Return the gold sentences of a paper that are in its body."""
    body = etree.fromstring(content, etree.XMLParser(load_dtd=False, no_network=True)).find("body")
    etree.strip_elements(body, *_OUTSIDE, with_tail=False)
    letters = _letters("".join(body.itertext()))
    sentences = [
        paper["text"][start:end] for start, end, label in paper["sentences"] if label not in _NOT_BODY
    ]
    return [sentence for sentence in sentences if _letters(sentence) in letters]


def _sentences(name: str, content: bytes) -> list[str]:
    paper = Jats().parse(Raw(f"{name}.nxml", name, content))
    return [paper.text[sentence.start : sentence.end] for sentence in paper.sentences]


def _exact(gold: Iterable[list[str]], read: Iterable[list[str]]) -> str:
    right = total = 0
    for expected, sentences in zip(gold, read, strict=True):
        wanted, found = Counter(map(_letters, expected)), Counter(map(_letters, sentences))
        right, total = right + (wanted & found).total(), total + wanted.total()
    return f"{100 * right / total:.2f} %"


def _letters(text: str) -> str:
    return re.sub(r"\s+", "", text)
