"""Good records next to poison are kept, and every record is accounted for."""

import resource
import shutil
import traceback
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import ParseError, Raw, Source
from tests.faults import poison
from tests.parts import OneProcess

MONTHS = ("2018-06", "2018-07")


def fate(folder, format, exhausting=False):
    """What is wrong with the fates of the records of a folder, or "". No record may exhaust the memory."""
    source = Source(
        kind=format.kind, path=folder.name, month=format.month, licence="MIT", max_bytes=2**20 + 2**10
    )
    corpus = Corpus("corpus", {"source": source}, format.formats, folder.parent, *MONTHS, 3, OneProcess())
    outcomes = [outcome for month in MONTHS for outcome in corpus.records(month).map(format.parse)]
    due = [record for month in MONTHS for record in corpus.ids(month)]
    if len(due) + sum(corpus.outside().values()) != sum(
        month.records for month in corpus.index.months.values()
    ):
        return "a record belongs to no month"
    fates = Counter()
    kept = set()
    for outcome in outcomes:
        units = set(outcome.units.to_pylist())
        used = units & {unit for row in outcome.kept.to_pylist() for unit in row["source_ids"]}
        kept |= used
        fates.update([*used, *outcome.dropped["id"].to_pylist(), *outcome.rejected["id"].to_pylist()])
        for error in outcome.rejected["error"].to_pylist():
            if not error.isprintable() or len(error) > 1000 or ("memory" in error and not exhausting):
                return f"not a line for people: {error[:200]!r}"
    if fates != Counter(due):
        return f"units and fates differ: {(fates - Counter(due)) + (Counter(due) - fates)}"
    good = f"source/{format.stem}good{format.ending}" + ("#1" if format.lines else "")
    return "" if good in kept else f"{good} is lost: {[o.rejected['error'].to_pylist() for o in outcomes]}"


@pytest.fixture(autouse=True)
def bounded_memory():
    """Allow one gigabyte more than the process has: input of a megabyte may not need more."""
    pa.array(["a"])  # Arrow reserves its own room first
    former = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + 2**30, former[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, former)


def survived(name, items, tally, tmp_path):
    failures = {}
    for dataset in items:
        tally.attempt()
        folder = tmp_path / "source"
        folder.mkdir()
        try:
            poison.write(folder, poison.FORMATS[name], dataset)
            wrong = fate(folder, poison.FORMATS[name])
        except Exception:
            wrong = traceback.format_exc(limit=-3)
        shutil.rmtree(folder)
        if wrong:
            failures[dataset.name] = wrong
        else:
            tally.survive()
    assert not failures, "\n".join(f"{what}: {wrong}" for what, wrong in failures.items())


@pytest.mark.parametrize("name", poison.FORMATS)
def test_good_records_next_to_poison_are_kept(name, tally, tmp_path):
    """Unreadable files and lines of 16 formats next to good ones: each format has its share."""
    survived(name, poison.share(name), tally, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", poison.FORMATS)
def test_good_records_next_to_all_poison_are_kept(name, tally, tmp_path):
    """Unreadable files and lines of 16 formats next to good ones."""
    survived(name, poison.poisons(name), tally, tmp_path)


def takes_too_long(name, piece):
    """Say whether the child reaches its limit, half a minute of the processor, on one file."""
    format = poison.FORMATS[name]
    content = poison.grown(name, piece, 2**16)
    row = dict.fromkeys(("title", "date", "url", "licence"), "x") if format.beside else {}
    try:
        format.formats[format.kind].parse(Raw(f"{format.stem}a{format.ending}", "a", content, companions=row))
    except ParseError as error:
        return "of the processor" in str(error)
    return False


#: In quick tests, each parser meets every eighth piece.
EIGHTHS = {name: poison.REPEATED[at % 8 :: 8] for at, name in enumerate(poison.FORMATS)}


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        *EIGHTHS.items(),
        *(pytest.param(name, poison.REPEATED, marks=pytest.mark.long) for name in EIGHTHS),
    ],
)
def test_no_repeated_text_keeps_a_parser_busy(name, pieces, tally):
    """Repeated text, on which quadratic work takes a minute."""
    slow = []
    for piece in pieces:
        tally.attempt()
        if takes_too_long(name, piece):
            slow.append(piece)
        else:
            tally.survive()
    assert not slow


def _nested(depth):
    return b"<PAPER>" + b"<S>a" * depth + b"</S>" * depth + b"</PAPER>"


def test_nested_sentences_are_refused_where_the_second_begins(tally):
    """XML sentences nested in sentences, each of which used to be read again with all around it."""
    parser = poison.FORMATS["papers, CL-SciSumm"].formats["cl_scisumm"]
    for depth in (2, 100, 10_000, 100_000):
        tally.attempt()
        with pytest.raises(ParseError, match=r"an element <S> inside of <S> \(line 1\)|Excessive depth"):
            parser.parse(Raw("a.xml", "a", _nested(depth)))
        tally.survive()


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_an_excessive_record_affects_no_other(error, tally, tmp_path, monkeypatch):
    """A parser that runs out of stack or memory at one record."""
    format = poison.FORMATS["prose, plain text"]
    reader = type(format.formats[format.kind])
    for method in ("parse", "fields"):
        sound = getattr(reader, method)

        def exhausted(self, raw, sound=sound):
            if raw.document == "poison":
                raise error
            return sound(self, raw)

        tally.attempt()
        folder = tmp_path / method / "source"
        folder.mkdir(parents=True)
        poison.write(folder, format, poison.Poison("", {"poison.txt": format.good}))
        with monkeypatch.context() as patch:
            patch.setattr(reader, method, exhausted)
            assert fate(folder, format, exhausting=True) == ""
        tally.survive()
