"""The journal of an unfinished crawl: what cannot be read counts as not written."""

import os
import sqlite3

import pytest

from silverloom.ops.crawl.journal import Journal, UrlOutcome, has_outcomes
from tests.ops.crawl.crawling import crawled
from tests.ops.crawl.hostile import answering, reply

CLOCK = "2018-08-15T00:00:00Z"
URLS = [f"http://a.example/{number}" for number in range(3)]


def entries(journal):
    return [(url, entry.status, journal.record(entry)) for url, entry in journal.entries.items()]


def test_outcomes_are_read_back_in_order_with_their_records(tmp_path):
    journal = Journal(tmp_path, "options")
    assert not has_outcomes(tmp_path / "journal.db")
    for number, url in enumerate(URLS):
        journal.add(UrlOutcome(url=url, fate="fetched", status=number), b"record %d" % number)
    journal.add(UrlOutcome(url=URLS[0], fate="fetched", status=9), b"another")
    wanted = [(URLS[0], 9, b"another"), (URLS[1], 1, b"record 1"), (URLS[2], 2, b"record 2")]
    assert entries(journal) == wanted
    journal.close()
    assert has_outcomes(tmp_path / "journal.db")
    again = Journal(tmp_path, "options")
    assert entries(again) == wanted and len(again.entries) == 3
    assert again.entries[URLS[0]].length == len(b"another")
    assert "http://a.example/" not in again.entries
    again.close()


def test_a_journal_with_other_options_starts_empty(tmp_path):
    for options in ("one", "two"):
        journal = Journal(tmp_path, options)
        assert not journal.entries
        journal.add(UrlOutcome(url=URLS[0], fate="fetched"))
        journal.close()


def test_a_journal_that_cannot_be_opened_is_an_error_of_the_system(tmp_path):
    Journal(tmp_path, "options").close()
    (tmp_path / "journal.db").unlink()
    (tmp_path / "journal.db").mkdir()
    with pytest.raises(OSError, match="unable to open database file"):
        Journal(tmp_path, "options")


def damaged_table(folder):
    with sqlite3.connect(folder / "journal.db") as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE type = 'table'").fetchone()
    content = bytearray((folder / "journal.db").read_bytes())
    content[4096 * (page - 1) : 4096 * page] = os.urandom(4096)
    (folder / "journal.db").write_bytes(content)


def torn(folder):
    os.truncate(folder / "journal.db", 4096)


def alien(folder):
    (folder / "journal.db").write_bytes(os.urandom(5_000))


def other_options(folder):
    (folder / "options").write_bytes(os.urandom(32))


@pytest.mark.parametrize("damage", [damaged_table, torn, alien, other_options])
def test_pages_of_a_damaged_journal_are_requested_again(tmp_path, damage):
    pages = {f"/{number}": reply(body=b"<p>%d" % number) for number in range(4)}
    with answering(pages) as (site, asked):
        urls = [f"{site}/{number}" for number in range(4)]
        one = crawled(tmp_path, urls, clock=CLOCK)
        asked.clear()
        damage(tmp_path / "working/web")
        two = crawled(tmp_path, urls, clock=CLOCK)
        again = asked.paths()
        three = crawled(tmp_path, urls, clock=CLOCK)
    assert len(again) == 4
    assert (two.files, two.kept) == (three.files, three.kept) == (one.files, one.kept)
    assert asked.paths() == again
