"""The journal of an unfinished crawl: damaged entries count as not written."""

import os

import pytest

from ops.crawl.journal import Journal, UrlOutcome
from tests.ops.crawl.crawling import crawled
from tests.ops.crawl.hostile import answering, reply

LINES, RECORDS = "journal.jsonl", "records.warc"
CLOCK = "2018-08-15T00:00:00Z"


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def damaged_line(folder):
    """A title with another letter is still valid JSON."""
    flip(folder / LINES, (folder / LINES).read_bytes().index(b"text/html"))


def damaged_record(folder):
    flip(folder / RECORDS, (folder / RECORDS).read_bytes().index(b"<p>1"))


def damaged_length(folder):
    """A range of this length cannot even be requested."""
    lines = (folder / LINES).read_bytes()
    (folder / LINES).write_bytes(lines.replace(b'"length":', b'"length":99999999999999', 1))


def torn_line(folder):
    lines = (folder / LINES).read_bytes()
    (folder / LINES).write_bytes(lines[:-20])


def torn_records(folder):
    records = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(records[:-1])


def zeros(folder):
    """Zeros, which some file systems leave after a power cut in place of lines that were not yet on disk."""
    lines = (folder / LINES).read_bytes().splitlines(keepends=True)
    (folder / LINES).write_bytes(b"".join(lines[:-1]) + bytes(len(lines[-1])))


@pytest.mark.parametrize(
    "damage", [damaged_line, damaged_length, damaged_record, torn_line, torn_records, zeros]
)
def test_only_damaged_entries_are_requested_again(tmp_path, damage):
    pages = {f"/{number}": reply(body=b"<p>%d" % number) for number in range(4)}
    with answering(pages) as (site, asked):
        urls = [f"{site}/{number}" for number in range(4)]
        one = crawled(tmp_path, urls, clock=CLOCK)
        asked.clear()
        damage(tmp_path / "working/web")
        two = crawled(tmp_path, urls, clock=CLOCK)
        again = asked.paths()
        three = crawled(tmp_path, urls, clock=CLOCK)
    assert len(again) == 1
    assert (two.files, two.kept) == (three.files, three.kept) == (one.files, one.kept)
    assert asked.paths() == again


def test_a_line_is_on_disk_after_its_record(tmp_path, monkeypatch):
    synced = []
    write = os.fsync

    def fsync(file):
        synced.append((os.path.basename(os.readlink(f"/proc/self/fd/{file}")), os.fstat(file).st_size))  # noqa: PTH115, PTH119
        write(file)

    monkeypatch.setattr(os, "fsync", fsync)
    journal = Journal(tmp_path, "options")
    journal.add(UrlOutcome(url="http://a.example/", fate="fetched"), b"record")
    journal.close()
    assert synced[-2:] == [(name, (tmp_path / name).stat().st_size) for name in (RECORDS, LINES)]
    assert synced[-2][1] == len(b"record")
