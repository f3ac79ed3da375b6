"""Poison: input that must not break any parser, next to good records of every format of every kind of source.

Belongs here: the formats with their good records, and the poison placed next to them. Not here: the expected
outcome (test_poison.py).
"""

import gzip
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from silverloom.ops.discofuse.sources import FUSION_PAIR_FORMATS as FUSION_PAIRS
from silverloom.ops.discofuse.sources import PROSE_FORMATS as PROSE
from silverloom.ops.discofuse.sources import parse_fusion_pairs, parse_prose
from silverloom.ops.evaluation.answers import FORMATS as RATINGS
from silverloom.ops.evaluation.answers import parse_answers
from silverloom.ops.parse.papers import FORMATS as PAPERS
from silverloom.ops.parse.papers import parse_papers
from silverloom.ops.talksumm.sources.gold import ALIGNMENT_FORMATS as GOLD_ALIGNMENTS
from silverloom.ops.talksumm.sources.gold import SUMMARY_FORMATS as SUMMARIES
from silverloom.ops.talksumm.sources.gold import parse_gold_alignments, parse_human_summaries
from silverloom.ops.talksumm.sources.talks import FORMATS as TALKS
from silverloom.ops.talksumm.sources.talks import parse_talks

DATED, OF_JUNE = {"field": "date"}, {"constant": "2018-06"}


@dataclass(frozen=True)
class Format:
    """A format: its reader, one good file of it, and where poison goes."""

    kind: str
    formats: Mapping
    parse: Callable
    good: bytes
    """The content of a good file; for files of lines, one good line."""
    ending: str
    month: Mapping[str, str] = field(default_factory=lambda: OF_JUNE)
    lines: bool = False
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """Required files that are not records themselves."""
    stem: str = ""
    """The prefix of file names."""


@dataclass(frozen=True)
class Poison:
    """What is placed next to the good records: files by name, or any change that `make` makes to the folder."""

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    make: Callable[[Path], object] | None = None
    long: bool = False
    """Whether it takes several seconds."""


SCIREX = {
    "doc_id": "good", "words": ["A", "Title", "section", ":", "Work", "We", "do", "it", "."], "sections": [[0, 2], [2, 9]],
    "sentences": [[0, 2], [2, 5], [5, 9]],
}  # fmt: skip
SCIENCE_PARSE = {
    "title": "A Title",
    "abstractText": "We do.",
    "sections": [{"heading": "1 Work", "text": "We do it."}],
}
PROSE_LINE = {
    "id": "good",
    "title": "A Title",
    "date": "2018-06",
    "licence": "MIT",
    "text": "It flows. It ends.",
}
TIMED = {"words": [{"word": "Hello", "start": 0.1, "end": 0.4}, {"word": "there.", "start": 0.5, "end": 0.9}]}
EXPORT = [
    {
        "data": {"questionnaire": "q", "rater": "", "row_id": "r", "text": "A text."},
        "annotations": [
            {
                "completed_by": {"email": "a@example.org"},
                "result": [{"from_name": "q", "value": {"choices": ["yes"]}}],
            }
        ],
    }
]
_CUE = "\n00:00:01.000 --> 00:00:02.000\nHello there.\n"
_ROW = "{0}{1},A Title,2018-06-01,https://example.org,MIT\n"


def _metadata(ending: str) -> Mapping[str, bytes]:
    names = ("good", "poison", "poison-2")
    rows = "".join(_ROW.format(name, ending) for name in names)
    return {"metadata.csv": f"file,title,date,url,licence\n{rows}".encode()}


def _talk(good: str | bytes, ending: str) -> Format:
    content = good if isinstance(good, bytes) else good.encode()
    return Format("transcripts", TALKS, parse_talks, content, ending, DATED, beside=_metadata(ending))


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


FORMATS = {
    "papers, plain text": Format(
        "plain_text",
        PAPERS,
        parse_papers,
        b"# A Title\ndate: 2018-06\n\n## Work\n\nWe do it.\n",
        ".txt",
        DATED,
    ),
    "papers, CL-SciSumm": Format(
        "cl_scisumm",
        PAPERS,
        parse_papers,
        b'<PAPER><S sid="0">A Title</S><SECTION title="Work"><S sid="1">We do it.</S></SECTION></PAPER>',
        ".xml",
    ),
    "papers, ScienceParse": Format("science_parse", PAPERS, parse_papers, _json(SCIENCE_PARSE), ".json"),
    "papers, SciREX": Format("scirex", PAPERS, parse_papers, _json(SCIREX), ".jsonl", lines=True),
    "talks, plain text": _talk("Hello there.\n", ".txt"),
    "talks, SubRip": _talk(f"1{_CUE}", ".srt"),
    "talks, WebVTT": _talk(f"WEBVTT\n{_CUE}", ".vtt"),
    "talks, JSON": _talk(_json(TIMED), ".json"),
    "gold alignments": Format(
        "word_runs",
        GOLD_ALIGNMENTS,
        parse_gold_alignments,
        b"first_word,last_word,sentence\n0,3,We do\n4,9,\n",
        ".csv",
    ),
    "summaries, running text": Format(
        "cl_scisumm_summaries", SUMMARIES, parse_human_summaries, b"They do it. It works.\n", ".human.txt"
    ),
    "summaries, elements": Format(
        "cl_scisumm_summaries",
        SUMMARIES,
        parse_human_summaries,
        b'<S sid="1">They do it.</S>\n',
        ".community.txt",
    ),
    "prose, plain text": Format(
        "plain_prose", PROSE, parse_prose, b"# A Title\ndate: 2018-06\n\nIt flows. It ends.\n", ".txt", DATED
    ),
    "prose, JSONL": Format("jsonl_prose", PROSE, parse_prose, _json(PROSE_LINE), ".jsonl", DATED, lines=True),
    "fusion pairs": Format(
        "split_and_rephrase",
        FUSION_PAIRS,
        parse_fusion_pairs,
        b"It flows and ends .\tIt flows . <::::> It ends .",
        ".tsv",
        lines=True,
        stem="train-",
    ),
    "rating sheets, CSV": Format(
        "rating_sheets",
        RATINGS,
        parse_answers,
        b"questionnaire,rater,row_id,text,answer: q\nq,ann,r,A text.,yes\n",
        ".csv",
    ),
    "rating sheets, Label Studio": Format("rating_sheets", RATINGS, parse_answers, _json(EXPORT), ".json"),
}

#: The formats whose records are JSON, each with a good record.
OBJECTS = {
    "papers, ScienceParse": SCIENCE_PARSE,
    "papers, SciREX": SCIREX,
    "talks, JSON": TIMED,
    "prose, JSONL": PROSE_LINE,
    "rating sheets, Label Studio": EXPORT,
}


def _within(good: bytes, odd: bytes) -> bytes:
    """Insert something into the middle of a good file, after the first word there."""
    place = good.find(b" ", len(good) // 3)
    return good[:place] + odd + good[place:]


def contents(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield possible faults in the bytes of any file."""
    yield from {
        "blank lines": b"\n \n\t\n",
        "every byte": bytes(range(256)),
        "a packed file": gzip.compress(good),
        "UTF-16 without a mark": good.decode().encode("utf-16-le"),
        "UTF-32": good.decode().encode("utf-32"),
        "overlong UTF-8": _within(good, b"\xc0\x80"),
        "a byte order mark": b"\xef\xbb\xbf" + good,
        "two byte order marks": b"\xef\xbb\xbf" * 2 + good,
        "ESC": _within(good, b"\x1b[31m"),
        "a vertical tab": _within(good, b"\x0b"),
        "a form feed": _within(good, b"\x0c"),
        "no characters": _within(good, "\ufffe\uffff".encode()),
        "combining marks": _within(good, "e\u0301".encode() * 10_000),
        "line separators": _within(good, "\u2028\u0085\u2029".encode()),
        "CRLF": good.replace(b"\n", b"\r\n"),
        "CR": good.replace(b"\n", b"\r"),
        "a word of 1 MB": _within(good, b"x" * 2**20),
        "more than the bound": _within(good, b" x" * 2**20),
        "without its end": good[:-3],
        "twice in one file": good * 2,
        "100,000 objects": b'{"a":' * 100_000,
        "100,000 quotes": b'"' * 100_001,
        "an entity bomb": b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><PAPER><S sid="1">&c;</S></PAPER>',
        "an external entity": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><PAPER><S sid="1">&b;</S></PAPER>',
        "a reference of many digits": _within(good, b" &#" + b"9" * 10_000 + b"; "),
        "a merge conflict": b"<<<<<<< HEAD\n" + good + b"\n=======\n" + good + b"\n>>>>>>> other\n",
    }.items()


#: Values of unexpected types; halves of surrogate pairs are written as JSON escapes.
VALUES = [
    None, True, 0, -1, 10**30, -0.5, float("nan"), float("inf"), "", " ", "x", "\ud800", "a\udfff", "\x00", "\x1b",
    "0000", "0000-01", "9999-12-31", "2018-13", "2018-06-99", "yesterday", "\u0662\u0660\u0661\u0668", "x" * 100_000,
    [], {}, [[]], [None], [{}], {"a": []}, ["\ud800"], {"\ud800": "\ud800"},
]  # fmt: skip


def replaced(value: object) -> Iterator[tuple[str, object]]:
    """Yield a JSON value with each of its fields, at any depth, replaced by each odd value, and removed."""
    lists = list(enumerate(value))[:2] if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else lists:
        for odd in VALUES:
            copy = value.copy()
            copy[key] = odd
            yield f"{key} = {odd!r:.20}", copy
        copy = value.copy()
        del copy[key]
        yield f"no {key}", copy
        for name, changed in replaced(inner):
            copy = value.copy()
            copy[key] = changed
            yield f"{key}, {name}", copy


def _placed(format: Format, name: str, content: bytes) -> Poison:
    """Put content into a file of its own; in files of lines, also between two good lines."""
    if not format.lines:
        return Poison(name, {f"poison{format.ending}": content})
    around = [
        format.good.replace(b'"good"', b'"before"'),
        content,
        format.good.replace(b'"good"', b'"behind"'),
    ]
    return Poison(name, {f"{format.stem}poison{format.ending}": b"\n".join(around)})


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        former = Path.cwd()
        os.chdir(place.parent)  # names of sockets are short
        try:
            server.bind(place.name)
        finally:
            os.chdir(former)


def files(format: Format) -> Iterator[Poison]:
    """Yield directory entries that are not files, or have odd names."""
    name = f"{format.stem}poison{format.ending}"
    good = f"{format.stem}good{format.ending}"
    stray = format.good.replace(b'"good"', b'"stray"')

    def link(target: str) -> Callable[[Path], object]:
        return lambda folder: (folder / name).symlink_to(target)

    def folder_with(path: str, content: bytes) -> Callable[[Path], object]:
        def make(folder: Path) -> None:
            (folder / path).parent.mkdir(parents=True)
            (folder / path).write_bytes(content)

        return make

    yield Poison("a pipe", make=lambda folder: os.mkfifo(folder / name))
    yield Poison("a socket", make=lambda folder: _socket(folder / name))
    yield Poison("a device", make=link("/dev/zero"))
    yield Poison("a link that leads nowhere", make=link("gone"))
    yield Poison("a link to itself", make=link(name))
    yield Poison("a link out of the folder", make=link("/etc/passwd"))
    yield Poison("a link to the folder", make=link("."))
    yield Poison("a link to the folder above", make=link(".."))
    yield Poison("a link to the good file", make=link(good))
    yield Poison("an empty folder with the name of a file", make=lambda folder: (folder / name).mkdir())
    yield Poison("a folder with the name of a file", make=folder_with(f"{name}/{name}", stray))
    yield Poison("a file of the same name in a folder", make=folder_with(f"more/{good}", stray))
    yield Poison("a file named like a line", {f"{good}#1": stray})
    yield Poison("a file named like a line of itself", {f"{good}#1{format.ending}": stray})
    yield Poison("a file named like an escape", {f"{good}%231": stray, f"{good}#1": stray})
    yield Poison("a file of metadata named like a row", {"metadata.csv#2": stray})
    yield Poison("a name of 250 characters", {("x" * 240 + format.ending)[-250:]: stray})
    yield Poison("a name that is not UTF-8", {os.fsdecode(b"caf\xe9") + format.ending: stray})
    yield Poison("a name that looks like an escape", {f"caf\\xe9{format.ending}": stray})
    yield Poison("a name of two lines", {f"a\nb{format.ending}": stray})
    yield Poison("a name with ESC", {f"a\x1b[31m{format.ending}": stray})
    yield Poison("a name in capitals", {f"{format.stem}POISON{format.ending.upper()}": stray})
    yield Poison("a name that is an ending alone", {f"x/..{format.ending}": stray})


def lines(format: Format) -> Iterator[Poison]:
    """Yield possible faults in files of lines."""
    good = f"{format.stem}good{format.ending}"
    other = format.good.replace(b'"good"', b'"other"')
    named = [
        format.good.replace(b'"good"', json.dumps(text).encode())
        for text in (f"{good}#1", f"poison{format.ending}#3")
    ]
    yield Poison(
        "ids that are those of lines", {f"{format.stem}poison{format.ending}": b"\n".join([*named, other])}
    )
    yield Poison("the same id twice", {f"{format.stem}poison{format.ending}": b"\n".join([other, other])})
    yield Poison("the id of the good line", {f"{format.stem}poison{format.ending}": format.good})
    yield Poison(
        "an id of 100,000 characters",
        {f"{format.stem}poison{format.ending}": format.good.replace(b"good", b"x" * 100_000)},
    )
    packed = f"{format.stem}poison{format.ending}.gz"
    yield Poison("a packed file that is cut off", {packed: gzip.compress(other * 100)[:-20]})
    yield Poison("a packed file that is not packed", {packed: other})
    yield Poison("a packed file with rubbish behind", {packed: gzip.compress(other) + b"rubbish"})
    yield Poison("a packed file of blank lines", {packed: gzip.compress(b"\n" * 2**23)}, long=True)
    yield Poison("a packed file of one line", {packed: gzip.compress(b" " * 2**26)})


def rows(format: Format) -> Iterator[Poison]:
    """Yield possible faults in the metadata table of talks."""
    head = format.beside["metadata.csv"].decode()
    for name, row in {
        "a NUL in a title": "poison{0},A\0B,2018-06,,\n",
        "ESC in a title": "poison{0},A\x1bB,2018-06,,\n",
        "a title of 100,000 characters": "poison{0}," + "x" * 100_000 + ",2018-06,,\n",
        "a title over the bound of CSV": "poison{0}," + "x" * 200_000 + ",2018-06,,\n",
        "an open quote": 'poison{0},"A,2018-06,,\n',
        "a broken quote": 'poison{0},"A"B,2018-06,,\n',
        "the year 0": "poison{0},A,0000-01-01,,\n",
        "the year 9999": "poison{0},A,9999-12-31,,\n",
        "no date": "poison{0},A,yesterday,,\n",
        "a date in other digits": "poison{0},A,\u0662\u0660\u0661\u0668-06,,\n",
        "a date of 100,000 characters": "poison{0},A," + "9" * 100_000 + ",,\n",
        "too few cells": "poison{0}\n",
        "100,000 cells": "poison{0}" + "," * 100_000 + "\n",
        "a file outside": "../poison{0},A,2018-06,,\n",
        "an absolute path": "/etc/passwd,A,2018-06,,\n",
        "the table itself": "metadata.csv,A,2018-06,,\n",
        "a file with a NUL in its name": "poi\0son{0},A,2018-06,,\n",
        "no file": ",A,2018-06,,\n",
        "many rows for one file": "poison{0},A,2018-06,,\n" * 3000,
    }.items():  # fmt: skip
        text = "".join(line for line in head.splitlines(keepends=True) if not line.startswith("poison"))
        files = {
            "metadata.csv": (text + row.format(format.ending)).encode(),
            f"poison{format.ending}": format.good,
        }
        yield Poison(f"metadata: {name}", files)
    latin = head.encode().replace(b"A Title", b"Caf\xe9").replace(b"Caf\xe9", b"A Title", 1)
    yield Poison("metadata: Latin-1 in a title", {"metadata.csv": latin})


def dates(format: Format) -> Iterator[Poison]:
    """Yield invalid dates, in formats whose records have one."""
    for date in (
        "0000",
        "0000-01",
        "9999-12",
        "2018-00",
        "2018-13-01",
        "20180601",
        "-1",
        "June",
        "9" * 10_000,
        "",
    ):
        content = format.good.replace(b"2018-06", date.encode())
        yield _placed(format, f"the date {date:.12}", content.replace(b'"good"', b'"poison"'))


def _bytes(name: str) -> Iterator[Poison]:
    format = FORMATS[name]
    for what, content in contents(format.good.replace(b'"good"', b'"poison"')):
        yield _placed(format, what, content)


def _values(name: str) -> Iterator[Poison]:
    for what, value in replaced(OBJECTS[name]):
        yield _placed(FORMATS[name], what, _json(value))


#: The kinds of poison: what makes it, and the formats that meet it.
KINDS: tuple[tuple[Callable[[str], Iterator[Poison]], list[str]], ...] = (
    (_bytes, [*FORMATS]),
    (lambda name: files(FORMATS[name]), [*FORMATS]),
    (lambda name: lines(FORMATS[name]), [name for name in FORMATS if FORMATS[name].lines]),
    (lambda name: rows(FORMATS[name]), [name for name in FORMATS if FORMATS[name].beside]),
    (
        lambda name: dates(FORMATS[name]),
        [name for name in FORMATS if FORMATS[name].month == DATED and not FORMATS[name].beside],
    ),
    (_values, [*OBJECTS]),
)


def poisons(name: str) -> Iterator[Poison]:
    """Yield all poison for a format."""
    for make, names in KINDS:
        if name in names:
            yield from make(name)


def share(name: str) -> Iterator[Poison]:
    """Yield a format's share of each kind of poison: the formats of a kind take turns."""
    for make, names in KINDS:
        if name in names:
            quick = (poison for poison in make(name) if not poison.long)
            yield from islice(quick, names.index(name), None, len(names))


def write(folder: Path, format: Format, poison: Poison) -> None:
    """Write the good records of a format, and the poison next to them."""
    good = {f"{format.stem}good{format.ending}": format.good}
    for path, content in {**good, **format.beside, **poison.files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    if poison.make:
        poison.make(folder)


#: Repeated pieces that have made regular expressions, splitters and parsers slow.
REPEATED = (
    "a", "a ", "a. ", "Fig. ", "...", "?", "\u2026", '"', "'", "(", "[", "[1, ", "<", "<a", "</S", "<S>", "&", "&amp;", "-",
    "a-", "a-\n", "a\u2010", "\n", "\n\n", "\r", "\f", " ", "\u2028", "a\n\n", "## a\n\n", "1.1 ", "2The ", "*the ", "http://",
    "{\\", "key: v\n", "U.S.", "\u201c", "-->", _CUE, "a,", ",answer: ", "\t", "<::::>", '{"a":', "3https:", ".)\" ",
)  # fmt: skip


def grown(name: str, piece: str, size: int) -> bytes:
    """Return a file of a format in which a piece is repeated in place of the text, up to a size."""
    format, many = FORMATS[name], piece * (size // len(piece))
    if name not in OBJECTS:
        return _within(format.good, many.encode())
    places = {
        "papers, ScienceParse": lambda: {**SCIENCE_PARSE, "abstractText": many, "sections": [{"heading": many[:99], "text": many}]},
        "papers, SciREX": lambda: {**SCIREX, "words": [*SCIREX["words"][:8], many]},
        "talks, JSON": lambda: [{"word": many, "start": 0, "end": 1}],
        "prose, JSONL": lambda: {**PROSE_LINE, "text": many},
        "rating sheets, Label Studio": lambda: [{**EXPORT[0], "data": {"text": many}}],
    }  # fmt: skip
    return _json(places[name]())
