"""The local state of an unfinished crawl: whatever the damage, the crawl recovers and finishes."""

import os
import re
import shutil

import pytest

from orchestration.partition.crawl import crawl_place
from orchestration.workspace.workspace import Workspace
from tests.end_to_end.crawling import CRAWLS, crawling, rows
from tests.faults.damage import damage
from tests.ops.crawl.crawling import MONTH, crawled
from tests.ops.crawl.hostile import answering, reply
from tests.projects import ROOT

pytestmark = pytest.mark.usefixtures("warm")

STATE = f".silverloom/crawls/{CRAWLS}/{MONTH}"
WEB = f"{STATE}/web"
SAID = re.compile(r"^warning: (\S+) is damaged: .*; set aside as (\S+), ", re.MULTILINE)

#: The files of an unfinished crawl, and how often the two pages are fetched again if each is not a file.
FILES = {
    ".silverloom/crawls/.asking": 0,
    f"{WEB}/plan.json": 0,
    f"{WEB}/recrawl": 0,
    f"{WEB}/journal.db": 2,
    f"{WEB}/options": 2,
    f"{WEB}/former/options": 0,
    f"{WEB}/former/journal.db": 0,
    f"{STATE}/ask-again": 0,
}


@pytest.fixture
def damaged_crawl(tmp_path, capfd, tally):
    """Crawl two pages, damage a file of the state, and crawl once more."""
    shutil.copy(ROOT / "params.yaml", tmp_path)
    workspace = Workspace(tmp_path)

    def make(place, how):
        with answering({"/a": reply(body=b"a"), "/b": reply(body=b"b")}) as (site, asked):

            def crawl():
                handed = crawl_place(workspace, workspace.datasets[CRAWLS], MONTH)
                return crawled(tmp_path, [f"{site}/a", f"{site}/b"], handed=handed)

            crawl()
            asked.clear()
            capfd.readouterr()
            tally.attempt()
            damage(tmp_path / place, how)
            found = crawl()
            said = SAID.findall(capfd.readouterr().err)
            assert [row["url"] for row in found.kept] == [f"{site}/a", f"{site}/b"] and not found.rejected
            assert all(os.path.lexists(tmp_path / aside) for _, aside in said)
            again = asked.paths()
            crawl()
            assert not SAID.findall(capfd.readouterr().err) and asked.paths() == again
        tally.survive()
        return [name for name, _ in said], len(again)

    return make


@pytest.mark.parametrize("place", [place for place in FILES if place != f"{STATE}/ask-again"])
def test_a_folder_in_place_of_a_file_of_a_crawl_is_set_aside_and_recreated(damaged_crawl, place):
    """A folder is in the place of a file of an unfinished crawl."""
    said, asked = damaged_crawl(place, "a folder")
    assert said == [place.removesuffix("/options") if place.endswith("options") else place]
    assert asked == FILES[place]


def test_a_crawl_with_unreadable_options_starts_over(damaged_crawl):
    """The options of an unfinished crawl are damaged."""
    assert damaged_crawl(f"{WEB}/options", "random bytes") == ([WEB], 2)


@pytest.mark.long
def test_a_file_in_place_of_a_folder_of_a_crawl_is_set_aside(damaged_crawl):
    """A file is in the place of a folder of an unfinished crawl."""
    assert damaged_crawl(WEB, "emptied") == ([WEB], 2)


def test_a_folder_in_place_of_the_recrawl_mark_fetches_nothing_again(damaged_crawl):
    """A folder is in the place of the mark that requests a recrawl."""
    assert damaged_crawl(f"{STATE}/ask-again", "a folder") == ([], 0)


@pytest.mark.long
def test_a_run_resumes_from_a_damaged_crawl(fresh):
    """The options of a crawl are random bytes, and its journal is a folder, when a run starts."""
    with answering({"/": reply(body=b"a")}) as (site, _):
        crawling(fresh, site, constant=MONTH)
        damage(fresh.root / f"{WEB}/options", "random bytes")
        damage(fresh.root / ".silverloom/crawls/.asking", "a folder")
        said = SAID.findall(fresh.silverloom("run", "--select", CRAWLS))
        assert [name for name, _ in said] == [".silverloom/crawls/.asking", WEB]
    assert list(rows(fresh, MONTH)) == [""]
