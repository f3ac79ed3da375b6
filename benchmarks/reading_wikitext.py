"""Wikitext: wtf_wikipedia's tests, and what is left of markup in the sentences of a real dump.

Part of benchmarks/reading.py. The tests of wtf_wikipedia are JavaScript. A pair of wikitext and text is read
from them where they stand side by side: `t.equal(wtf("in").text(), "out")`, rows `["in", "out"]` of a test
that compares texts, and `{from: "in", to: "out"}`. A template alone is tried within a sentence. White space
does not count, and pairs whose text is a list are left out. A text with a hole counts as marked.

Some of the expected texts are not what Wikipedia shows (a date with df=yes, an emoji for a flag).
"""

from __future__ import annotations

import bz2
import html
import re
import tarfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.reading_rows import Row, ask_peer
from silverloom.ops.parse.wikitext import article
from silverloom.ops.text.holes import HOLE, closed, holes_within
from silverloom.ops.text.sentences import sentence_spans

_STRING = r"""(`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_BLOCK = re.compile(r"^test\(", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_STEPS = re.compile(
    rf"(?P<name>\w+) = (?:wtf\()?(?P<assigned>{_STRING})\)?"
    r"|(?P<alias>\w+) = wtf\((?P<of>\w+)\)(?:\.(?:plain)?text\(\))?\s*$"
    rf"|t\.equal\((?:wtf\((?P<inline>{_STRING}|\w+)\)|(?P<variable>\w+))\.(?:plain)?text\(\), "
    rf"(?P<gold>{_STRING}|\w+)",
    re.MULTILINE,
)
_ROW = re.compile(rf"\[\s*{_STRING},\s*{_STRING}\s*,?\s*\]")
_FROM_TO = re.compile(rf"from: {_STRING},\s*to: {_STRING}")
_COMPARES_ROWS = re.compile(r"wtf\(a\[0\]\)\.(?:plain)?text\(\)")

#: What is left of markup, and where something is missing that nobody marked.
DEBRIS = re.compile(
    r"\{\||\|\}|\{\{|\}\}|\[\[|\]\]|\|\||</?[a-zA-Z]+[ >/]|&[a-z]+;|''|__[A-Z]+__|style=|align=|\|[a-z_]+="
    r"|\( *[,;:)]|[,;] *\)|, *,|\b(?:the|its) ?[.;)](?:\s|\Z)|\$ ?\(|\A[,;.)] "
)
_PEERS = {
    "mwparserfromhell": (
        "import json, sys, mwparserfromhell as m\n"
        "print(json.dumps([str(m.parse(text).strip_code()) for text in json.load(sys.stdin)]))"
    ),
    "wikiextractor": (
        "import json, sys\n"
        "from wikiextractor.extract import Extractor\n"
        "def text(wikitext):\n"
        "    page = Extractor('1', '1', '', 'A', wikitext)\n"
        "    return '\\n'.join(page.clean_text(wikitext, html_safe=False))\n"
        "print(json.dumps([text(wikitext) for wikitext in json.load(sys.stdin)]))"
    ),
}


class Pair(NamedTuple):
    """A test: wikitext and its text."""

    wikitext: str
    gold: str


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield the rows of the table."""
    archive = data / "reading" / "wtf_wikipedia_tests.tar.gz"
    pairs = list(pairs_of(archive)) if archive.exists() else []
    markup = [pair for pair in pairs if "{{" not in pair.wikitext]
    templates = [_in_text(pair) for pair in pairs if "{{" in pair.wikitext]
    yield replace(_compared("wtf_wikipedia's tests: markup", markup, peer), wanted="≥ 97 %")
    row = _compared("wtf_wikipedia's tests: templates in text", templates, peer)
    yield replace(row, wanted="≥ 76 % or marked")
    yield replace(_debris(list(pages_of(data / "wikipedia")), peer), wanted="≤ 1")


def pairs_of(archive: Path) -> Iterator[Pair]:
    """Yield the pairs of wtf_wikipedia's tests, each once."""
    known: set[Pair] = set()
    with tarfile.open(archive) as files:
        for member in files.getmembers():
            if not member.name.endswith(".js"):
                continue
            stream = files.extractfile(member)
            code = _COMMENT.sub("", stream.read().decode() if stream else "")
            for block in _BLOCK.split(code):
                for pair in _of_block(block):
                    if pair not in known and "\n *" not in pair.gold and pair.gold:
                        known.add(pair)
                        yield pair


def pages_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield title and wikitext of every article in the dumps of a folder."""
    for file in sorted(folder.glob("*.bz2")):
        text = bz2.decompress(file.read_bytes()).decode()
        for page in re.findall(r"<page>(.*?)</page>", text, re.DOTALL):
            found = re.search(r"<text[^>]*>(.*?)</text>", page, re.DOTALL)
            title = re.search(r"<title>(.*?)</title>", page)
            if found and title and "<ns>0</ns>" in page and "<redirect" not in page:
                yield html.unescape(title[1]), html.unescape(found[1])


def _of_block(block: str) -> Iterator[Pair]:
    names: dict[str, str] = {}
    for step in _STEPS.finditer(block):
        if step["name"]:
            names[step["name"]] = _value(step["assigned"], names)
        elif step["alias"]:
            names[step["alias"]] = names.get(step["of"], "")
        else:
            wikitext = _value(step["inline"] or step["variable"], names)
            gold = _value(step["gold"], names)
            if wikitext:
                yield Pair(wikitext, gold)
    for row in _ROW.findall(block) if _COMPARES_ROWS.search(block) else _FROM_TO.findall(block):
        yield Pair(_value(row[0], {}), _value(row[1], {}))


def _value(token: str, names: dict[str, str]) -> str:
    """Return the value of a string or of a variable."""
    if token[0] not in "`'\"":
        return names.get(token, "")
    escapes = {"n": "\n", "t": "\t"}
    return re.sub(r"\\(.)", lambda sign: escapes.get(sign[1], sign[1]), token[1:-1], flags=re.DOTALL)


def _in_text(pair: Pair) -> Pair:
    """Return a test of a template alone as one of a template within a sentence."""
    if "\n" in pair.wikitext or not re.fullmatch(r"\{\{.*\}\}", pair.wikitext):
        return pair
    return Pair(f"It is {pair.wikitext} here", f"It is {pair.gold} here")


def _folded(text: str) -> str:
    return "".join(text.replace(HOLE, "").split())


def _text(wikitext: str) -> str:
    sections = article("A", "", wikitext).sections
    return "\n".join(part for section in sections for part in (section.title, *section.paragraphs))


def _compared(name: str, pairs: list[Pair], peer: str | None) -> Row:
    """Compare the texts of tests."""
    if not pairs:
        return Row(name, "text as it should be", None)
    texts = [_text(pair.wikitext) for pair in pairs]
    wrong = [text for text, pair in zip(texts, pairs, strict=True) if _folded(text) != _folded(pair.gold)]
    right, marked = len(pairs) - len(wrong), sum(HOLE in text for text in wrong)
    peers: dict[str, str | None] = {}
    for package, program in _PEERS.items():
        answers = ask_peer(peer, program, [pair.wikitext for pair in pairs])
        count = answers and sum(_folded(a) == _folded(p.gold) for a, p in zip(answers, pairs, strict=True))
        peers[package] = None if answers is None else f"{count} of {len(pairs)}"
    return Row(name, "text as it should be", f"{right} and {marked} marked, of {len(pairs)}", peers)


def _debris(pages: list[tuple[str, str]], peer: str | None) -> Row:
    """Count sentences with debris or a gap that no hole marks."""
    name, measure = "real dump", "sentences with debris or a gap, of a thousand"
    if not pages:
        return Row(name, measure, None)
    start = time.process_time()
    texts = [_text(wikitext) for _, wikitext in pages]
    speed = len(pages) / (time.process_time() - start)
    sentences, bad, marked = _counted(texts)
    peers: dict[str, str | None] = {}
    for package, program in _PEERS.items():
        answers = ask_peer(peer, program, [wikitext for _, wikitext in pages])
        if answers is None:
            peers[package] = None
        else:
            count, worse, _ = _counted(answers)
            peers[package] = f"{1000 * worse / count:.1f}"
    here = f"{1000 * bad / sentences:.1f} ({marked} of {sentences} marked; {speed:.0f} articles/s)"
    return Row(name, measure, here, peers)


def _counted(texts: list[str]) -> tuple[int, int, int]:
    """Return the numbers of sentences, of those with debris, and of those with a hole."""
    sentences = bad = marked = 0
    for text in texts:
        for line in text.split("\n"):
            plain, holes = closed(line)
            for start, end in sentence_spans(plain):
                sentences += 1
                if holes_within(holes, start, end):
                    marked += 1
                elif DEBRIS.search(plain, start, end):
                    bad += 1
    return sentences, bad, marked
