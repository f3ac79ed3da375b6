"""Rows that `explain` prints cannot control the terminal."""

from contextlib import nullcontext
from types import SimpleNamespace

from silverloom.orchestration.cli import explain as explain
from silverloom.orchestration.workspace.workspace import Workspace


def test_terminal_control_characters_are_escaped_in_a_lineage(monkeypatch, tmp_path):
    file = SimpleNamespace(
        name="talksumm/pairs",
        partition="2018-06",
        table="kept",
        dataset=SimpleNamespace(name="talksumm/pairs", crawl=False),
        address="data/talksumm/pairs",
    )
    places = [SimpleNamespace(file=file)]
    lineage = SimpleNamespace(id="x", places=places, raw=False, made_of=[], used_by=[])
    ancestry = SimpleNamespace(
        matching=lambda name: [name],
        look_up=list,
        places=lambda ids: dict.fromkeys(ids, places),
        lineage=lambda id: lineage,
    )
    row = {"id": "x", "title": "safe \x9b31m red"}
    monkeypatch.setattr(explain, "opened", lambda files: nullcontext(ancestry))
    monkeypatch.setattr(explain, "rows", lambda places, whole=False: [row for _ in places])
    monkeypatch.setattr(
        explain,
        "read_manifest",
        lambda *_: SimpleNamespace(version="v", key={"params": {}, "code": {}}),
    )
    monkeypatch.setattr(explain, "made_by", lambda *_: "1")
    assert "  title: safe \\x9b31m red" in explain.explain(Workspace(tmp_path, {}), "x").split("\n")
