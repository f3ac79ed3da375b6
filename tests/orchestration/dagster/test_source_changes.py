"""What the sensor asks for, look by look, with sources that come and change and files that do."""

import json
from dataclasses import replace

import pytest
import yaml

from assets.declare.settings import document, read_again
from ops.parse.source import Source
from orchestration.catalogue import workspace
from orchestration.dagster import source_changes
from orchestration.state import corpora
from orchestration.state.freshness import EXPECTATIONS, Status
from orchestration.state.plan import Step
from orchestration.state.records import PartitionRecord
from orchestration.workspace.workspace import Workspace

PAPERS, SENTENCES = (workspace().datasets[name] for name in ("sources/papers", "sources/sentences"))
TEXT = "# A Title\ndate: {month}-15\n\n## Abstract\nWe study {thing} here.\n"


class World:
    """Papers in folders, what was made of them, and a sensor that looks."""

    def __init__(self, root, monkeypatch):
        self.root, self.sources, self.made, self.reasons = root, {}, {}, {}
        self.cursor = ""
        self.workspace = Workspace(root, {item.key: item for item in (PAPERS, SENTENCES)})
        monkeypatch.setattr(source_changes, "corpus", lambda *_: self.corpus())
        monkeypatch.setattr(source_changes, "View", lambda _: self)
        monkeypatch.setattr(source_changes, "plan", lambda view: self.plan())
        monkeypatch.setattr(source_changes, "read_record", lambda _, item, month: self.known(item, month))

    def source(self, name, **other):
        self.sources[name] = Source(
            **{"kind": "plain_text", "path": name, "month": {"field": "date"}, "licence": "CC0-1.0", **other}
        )

    def write_params(self):
        sources = {name: source.model_dump(mode="json") for name, source in self.sources.items()}
        params = document() | {"sources": {"papers": sources}}
        (self.root / "params.yaml").write_text(yaml.safe_dump(params))
        read_again()

    def file(self, path, month, thing="words"):
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_text(TEXT.format(month=month, thing=thing))

    def corpus(self):
        return replace(corpora.corpus(Workspace.here(), "papers"), sources=dict(self.sources), root=self.root)

    def make(self):
        """Make all papers of what lies there."""
        self.made = {month: self.corpus().version(month) for month in PAPERS.made_months}

    def look(self):
        found = self.look_with(self.cursor)
        self.cursor = source_changes.keep(self.workspace, found.memory, self.cursor)
        return [f"{one.dataset} {one.month}" for one in found.requests]

    def look_with(self, cursor):
        self.write_params()
        return source_changes.look(self.workspace, cursor)

    # what a View tells

    def key(self, item, month):
        return {"inputs": self.record_versions(item, month)}

    def record_versions(self, item, month):
        return {"records": {month: self.corpus().version(month)}} if item is PAPERS else {}

    def known(self, item, month):
        if item is PAPERS and month in self.made:
            inputs = {"records": {month: self.made[month]}}
            return PartitionRecord({"inputs": inputs}, {}, {}, "run", 1.0)
        return None

    def status(self, item, month):
        reasons = self.reasons.get((item.name, month), ())
        if item is PAPERS and self.made.get(month) != self.corpus().version(month):
            reasons = (*reasons, "input records changed")
        return Status(None, reasons)

    def plan(self):
        steps, stale = [], set()
        for item in (PAPERS, SENTENCES):
            for month in item.made_months:
                upstream = tuple(place for place in stale if item is SENTENCES and place[1] == month)
                reasons = self.status(item, month).reasons
                if reasons or upstream:
                    stale.add((item.name, month))
                    steps.append(Step(item, month, reasons, bool(reasons), upstream))
        return steps


@pytest.fixture
def world(tmp_path, monkeypatch):
    world = World(tmp_path, monkeypatch)
    world.source("text")
    world.file("text/a.txt", "2018-06")
    world.file("text/b.txt", "2018-07")
    world.make()
    assert world.look() == []
    return world


def test_a_file_that_is_edited_while_sources_change_is_asked_for(world):
    world.file("text/a.txt", "2018-06", "other words")
    world.file("more/c.txt", "2018-08")
    world.source("more")
    assert world.look() == ["sources/papers 2018-06", "sources/papers 2018-08"]
    world.make()
    assert world.look() == []


def test_of_a_new_source_what_is_fresh_already_is_not_asked_for(world):
    world.file("more/c.txt", "2018-07")
    world.file("more/d.txt", "2018-08")
    world.source("more")
    world.made["2018-07"] = world.corpus().version("2018-07")
    assert world.look() == ["sources/papers 2018-08"]


def test_a_source_that_moves_is_looked_at_anew_and_one_that_goes_is_left_alone(world):
    world.file("elsewhere/a.txt", "2018-06", "other words")
    world.file("elsewhere/b.txt", "2018-07")
    world.source("text", path="elsewhere")
    assert world.look() == ["sources/papers 2018-06"]
    world.make()
    world.source("other", path="text")
    world.make()
    assert world.look() == []
    del world.sources["text"]
    assert world.look() == []


def test_a_cursor_is_short_and_what_it_stands_for_is_kept_for_this_look_and_the_former_one(world):
    cursors = [world.cursor]
    for number in range(3):
        world.file("text/a.txt", "2018-06", f"{number} words")
        world.look()
        cursors.append(world.cursor)
    assert len(set(cursors)) == 4 and {len(cursor) for cursor in cursors} == {32}
    kept = {path.stem for path in (world.root / ".silverloom/source_changes").iterdir()}
    assert kept == set(cursors[-2:])
    world.file("text/b.txt", "2018-07", "other words")
    for cursor in cursors[-2:]:
        changed = world.look_with(cursor).reason
        assert "changed: " in changed and "sources/papers 2018-07" in changed


def test_a_cursor_that_did_not_tell_sources_apart_is_a_first_look(world):
    world.cursor = json.dumps({"rules": "md5", "seen": {"papers": {}}, "touched": [], "asked": {}})
    world.file("text/a.txt", "2018-06", "other words")
    assert world.look() == ["sources/papers 2018-06"]


@pytest.mark.parametrize("reason", [EXPECTATIONS, "code changed", "param a: 1 -> 2"])
def test_what_is_stale_by_nothing_but_what_people_changed_is_left_alone(world, reason):
    world.file("text/a.txt", "2018-06", "other words")
    world.made["2018-06"] = world.corpus().version("2018-06")  # made by hand before the sensor looks
    world.reasons = {("sources/papers", "2018-06"): (reason,)}
    assert world.look() == [], "nor sentences, which are as they were"
