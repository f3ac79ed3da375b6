"""Captions: the words of the tests of vtt.js and pysubs2, for benchmarks/reading.py.

The gold of vtt.js is the JSON that its tests expect; tags in it are removed as the standard does. That of
pysubs2 is what it reads itself from each text with cue times in its tests. A file is right if all words are,
in order, and none is added; signs without a letter or digit are no words.
"""

from __future__ import annotations

import ast
import html
import json
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.reading_rows import Row, ask_peer
from silverloom.ops.parse.source import ParseError
from silverloom.ops.talksumm.sources.captions import read_srt, read_webvtt
from silverloom.ops.talksumm.sources.transcripts import Word, decoded_transcript, read_timed

_PAIR = re.compile(r'^(?!\s*//).*test\.jsonEqual\w*\("([^"]+\.vtt)",\s*"([^"]+\.json)"', re.MULTILINE)
_TAG = re.compile(r"<[^>]*(?:>|\Z)")

#: Reads a list of paths or texts from standard input and writes the words of each, or null for an error.
WEBVTT = """
import json, sys, webvtt
def words(path):
    try:
        return [word for cue in webvtt.read(path) for word in cue.text.split()]
    except Exception:
        return None
print(json.dumps([words(path) for path in json.load(sys.stdin)]))
"""
PYSRT = """
import json, sys, pysrt
def words(text):
    try:
        return [word for cue in pysrt.from_string(text) for word in cue.text_without_tags.split()]
    except Exception:
        return None
print(json.dumps([words(text) for text in json.load(sys.stdin)]))
"""
PYSUBS2 = """
import json, sys, pysubs2
def words(text):
    if text.lstrip().startswith("{"):
        cues = pysubs2.load_from_whisper(json.loads(text))
    else:
        cues = pysubs2.SSAFile.from_string(text)
    return [word for cue in cues for word in cue.plaintext.split()]
def tried(text):
    try:
        return words(text)
    except Exception:
        return None
print(json.dumps([tried(text) for text in json.load(sys.stdin)]))
"""


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield a row for each of the two projects' tests."""
    with tempfile.TemporaryDirectory() as folder:
        yield _vttjs(_unpacked(data / "reading" / "vttjs_tests.tar.gz", Path(folder) / "vttjs"), peer)
        yield _pysubs2(_unpacked(data / "reading" / "pysubs2_tests.tar.gz", Path(folder) / "pysubs2"), peer)


def _unpacked(archive: Path, folder: Path) -> Path | None:
    if not archive.exists():
        return None
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "tests"


def _vttjs(folder: Path | None, peer: str | None) -> Row:
    row = Row("vtt.js", "files with all words right", None, {"webvtt-py": None}, "≥ 97.5 %")
    if folder is None:
        return row
    pairs = [pair for test in sorted(folder.rglob("test.js")) for pair in _PAIR.findall(test.read_text())]
    gold = [_words_of_json(folder / expected) for _, expected in pairs]
    row.here = _score(gold, [_words(read_webvtt, (folder / file).read_bytes()) for file, _ in pairs])
    if (answers := ask_peer(peer, WEBVTT, [str(folder / file) for file, _ in pairs])) is not None:
        cleaned = [answer and " ".join(answer).split() for answer in answers]
        row.peers["webvtt-py"] = _score(gold, cleaned)
    return row


def _words_of_json(path: Path) -> list[str]:
    read = json.loads(path.read_text())
    texts = (html.unescape(_TAG.sub("", cue["text"])) for cue in read.get("cues", ()))
    return [word for text in texts for word in text.split()]


def _pysubs2(folder: Path | None, peer: str | None) -> Row:
    row = Row("pysubs2", "texts with all words right", None, {"pysrt": None}, "≥ 95.7 %")
    if folder is None or peer is None:
        return row
    texts = [text for test in sorted(folder.rglob("test_*.py")) for text in _literals(test)]
    gold = ask_peer(peer, PYSUBS2, texts)
    if gold is None:
        return row
    row.here = _score(gold, [_words(_reader(text), text.encode()) for text in texts])
    if (answers := ask_peer(peer, PYSRT, texts)) is not None:
        row.peers["pysrt"] = _score(gold, answers)
    return row


def _literals(test: Path) -> Iterator[str]:
    """Yield the texts with cue times of a test, and the results of Whisper as JSON."""
    for node in ast.walk(ast.parse(test.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "-->" in node.value:
            lines = node.value.splitlines()
            least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            yield "\n".join(line[least:] for line in lines)
        elif isinstance(node, ast.Dict) and any(getattr(key, "value", "") == "segments" for key in node.keys):
            yield json.dumps(ast.literal_eval(node))


def _reader(text: str) -> Callable[[str], Sequence[Word]]:
    if text.lstrip().startswith("{"):
        return read_timed
    return read_webvtt if text.startswith("WEBVTT") else read_srt


def _words(read: Callable[[str], Sequence[Word]], content: bytes) -> list[str] | None:
    """Return the words, none for a file that is refused."""
    try:
        return [word.text for word in read(decoded_transcript(content))]
    except ParseError:
        return None


def _score(gold: Sequence[list[str] | None], answers: Sequence[list[str] | None]) -> str:
    pairs = zip(gold, answers, strict=True)
    right = sum(_said(expected) == _said(answer) for expected, answer in pairs)
    return f"{right} of {len(gold)}"


def _said(words: list[str] | None) -> list[str]:
    return [word for word in words or () if any(map(str.isalnum, word))]
