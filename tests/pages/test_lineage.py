"""Lineage: from any row back to its file and on to its uses, within bounds."""

import json
import re

import pytest

from silverloom.assets.declare.params_file import settings
from silverloom.assets.rows.ancestry import opened
from silverloom.assets.rows.origins import raw_file
from silverloom.pages import lineage
from silverloom.pages.sampling import sample
from tests.rows_corpus import JUNE, row, talk, write

PAPERS = "sources/papers"


def page(everything, name):
    with opened(everything, lineage.NAMED) as ancestry:
        ((_, content),) = lineage.pages(ancestry, {name: sample(ancestry, name)})
    text = re.search(r'<script id="data" type="application/json">(.*?)</script>', content.decode(), re.S)
    data = json.loads(text.group(1))
    return data, {node["id"]: node for node in data["nodes"]}


def ids(data, numbers):
    return [data["nodes"][number]["id"] for number in numbers]


def test_a_row_is_traced_to_its_files_and_to_its_uses(tmp_path):
    data, nodes = page(talk(tmp_path), "talksumm/alignments")
    assert ids(data, nodes["state-0"]["origins"]) == ["pair-1", "sentence-0"]
    assert ids(data, nodes["pair-1"]["origins"]) == ["talk-1", "paper-1"]
    assert ids(data, nodes["paper-1"]["origins"]) == ["text/a.txt"]
    assert ids(data, nodes["state-0"]["users"]) == ["summary-1"]
    assert ids(data, nodes["summary-1"]["users"]) == ["example-1"]
    assert [file for file, *_ in nodes["state-0"]["places"]] == [0]
    assert nodes["state-0"]["spoken"] == ["spoken at characters 15-25 of the transcript: we count"]
    (_, _, place, _), = nodes["sentence-0"]["places"]  # fmt: skip
    assert place == "line 0, characters 0-5"


def test_a_dropped_row_shows_its_reason(tmp_path):
    data, nodes = page(talk(tmp_path), "sources/sentences")
    (number, index, _, values), = nodes["sentence-9"]["places"]  # fmt: skip
    file = data["files"][number]
    told = dict(zip(file["columns"], values, strict=True))
    assert (file["table"], index, told["reason"], told["score"]) == ("dropped", 0, "short", 2.0)
    assert ids(data, nodes["sentence-9"]["origins"]) == ["paper-1"] and nodes["sentence-9"]["users"] == []


def test_a_rejected_record_is_a_file_and_its_bytes_are_text(tmp_path):
    data, nodes = page(talk(tmp_path), PAPERS)
    node = nodes["text/bad.txt"]
    told = dict(zip(data["files"][node["places"][0][0]]["columns"], node["places"][0][3], strict=True))
    assert told["content"] == "caf� <b>" and told["error"] == "text/bad.txt: not UTF-8"
    assert node["file"] == raw_file("text/bad.txt", "papers") == "file data/sample/papers/text/bad.txt"


def test_a_record_is_searched_in_the_sources_of_its_own_kind(monkeypatch):
    kinds = settings().sources
    source = kinds["talks"]["talks"]
    monkeypatch.setitem(kinds["papers"], "talks", source.model_copy(update={"path": "elsewhere"}))
    assert raw_file("talks/a.json#3", "papers") == "file elsewhere/a.json, line 3"
    assert raw_file("talks/a.json#3", "talks") == "file data/sample/talks/a.json, line 3"
    assert raw_file("talks/a%25.json%231#3", "talks") == "file data/sample/talks/a%.json#1, line 3"


def test_a_record_of_a_deleted_source_says_so():
    assert raw_file("gone/a.txt", "papers") == "gone/a.txt (its source is not in params.yaml any more)"
    assert raw_file("paper-9", None) == "paper-9 (in no dataset any more)"


def test_a_page_is_bounded_and_every_row_still_reaches_its_file(tmp_path, monkeypatch):
    kept = [row(f"sentence-{at}", "paper-1", text="t", start=0, end=1, locator="l") for at in range(500)]
    everything = talk(tmp_path / "a")
    everything["sources/sentences"] = write(tmp_path / "b", "sources/sentences", JUNE, kept)[
        "sources/sentences"
    ]
    monkeypatch.setattr(lineage, "NAMED", 50)
    data, nodes = page(everything, PAPERS)
    assert nodes["paper-1"]["totals"] == [1, 501]
    assert len(nodes["paper-1"]["users"]) <= 50 and len(data["nodes"]) < 80
    with opened(everything, lineage.NAMED) as ancestry:
        roots = {"page": [place.id for place in sample(ancestry, "sources/sentences")]}
        ids = lineage.held(ancestry, roots, most=502)["page"]
    assert len(ids) == 502 and "text/a.txt" in ids


def test_the_bytes_are_the_same_every_time(tmp_path):
    everything = talk(tmp_path)
    first, again = (page(everything, "talksumm/summaries")[0] for _ in range(2))
    assert first == again and first["shown"] == 1


def test_a_broken_file_is_named(tmp_path):
    everything = talk(tmp_path)
    path = everything[PAPERS][JUNE] / "kept-00000.parquet"
    path.write_bytes(b"PAR1 no more")
    with pytest.raises(
        ValueError, match=r"sources/papers/2018-06/kept-00000\.parquet cannot be read as Parquet"
    ):
        page(everything, PAPERS)
