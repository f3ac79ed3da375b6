"""Rows that `explain` prints cannot control the terminal."""

from types import SimpleNamespace

from orchestration.cli import explain as explain
from orchestration.workspace.workspace import Workspace


def test_terminal_control_characters_are_escaped_in_a_lineage(monkeypatch, tmp_path):
    file = SimpleNamespace(
        name="talksumm/pairs",
        partition="2018-06",
        dataset=SimpleNamespace(crawl=False),
        address="data/talksumm/pairs",
    )
    lineage = SimpleNamespace(places=[SimpleNamespace(file=file)], raw=False, made_of=[], used_by=[])
    ancestry = SimpleNamespace(codes=lambda ids: [0], lineage=lambda code: lineage)
    row = {"id": "x", "title": "safe \x9b31m red"}
    monkeypatch.setattr(explain, "Ancestry", lambda files: ancestry)
    monkeypatch.setattr(explain, "rows", lambda places, whole=False: [row for _ in places])
    monkeypatch.setattr(
        explain,
        "read_manifest",
        lambda *_: SimpleNamespace(version="v", key={"params": {}, "code": {}}),
    )
    monkeypatch.setattr(explain.history, "made_by", lambda *_: "1")
    assert "  title: safe \\x9b31m red" in explain.explain(Workspace(tmp_path, {}), "x").split("\n")
