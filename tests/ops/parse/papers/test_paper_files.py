"""The files of a source's folder, and the table of papers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.identity import row_id
from silverloom.ops.parse.files import shown
from silverloom.ops.parse.papers import FORMATS, parse_papers
from silverloom.ops.parse.records import Record, record_id, record_place
from silverloom.ops.parse.source import MonthRule, Raw, Source


def source(kind: str = "plain_text", max_bytes: int = 1000) -> Source:
    return Source(kind=kind, path=".", month=MonthRule(constant="2018-06"), licence="x", max_bytes=max_bytes)


def split(folder, kind="plain_text", max_bytes=1000):
    return list(FORMATS[kind].split(folder, source(kind, max_bytes)))


def test_files_below_the_folder_are_found_in_order_without_hidden_ones(tmp_path):
    for name in ("b.txt", "a/c.md", "a/.hidden.txt", ".git/d.txt", "a.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(name)
    found = split(tmp_path)
    assert [(raw.path, raw.document, raw.content) for raw in found] == [
        ("a/c.md", "c", b"a/c.md"),
        ("a.txt", "a", b"a.txt"),
        ("b.txt", "b", b"b.txt"),
    ]


def test_an_unreadable_file_is_a_record_with_an_error(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "outside.txt").write_text("no")
    (home / "big.txt").write_bytes(b"x" * 1001)
    (home / "fits.txt").write_bytes(b"x" * 1000)
    (home / "paper.pdf").write_bytes(b"%PDF")
    (home / "leaves.txt").symlink_to("../outside.txt")
    (home / "nowhere.txt").symlink_to("gone.txt")
    (home / "loop.txt").symlink_to("loop.txt")
    (home / "folder.txt").symlink_to(tmp_path)
    (home / "inner").mkdir()
    (home / "inside").symlink_to("inner")
    os.mkfifo(home / "pipe.txt")
    (home / "device.txt").symlink_to("/dev/null")
    (home / "named.txt").mkdir()
    (home / "named.txt/in.txt").write_text("x")
    errors = {raw.path: (raw.error, raw.content) for raw in split(home)}
    assert errors.pop("fits.txt") == (None, b"x" * 1000)
    assert errors.pop("named.txt/in.txt") == (None, b"x")
    assert all(content == b"" for _, content in errors.values())
    assert {path: error for path, (error, _) in errors.items()} == {
        "big.txt": "larger than max_bytes = 1000; it was not read: raise max_bytes of its source in params.yaml",
        "paper.pdf": "not a file of this source: its name does not end in .txt or .text or .md",
        "leaves.txt": "a link that leads out of the source's folder; it is not followed",
        "folder.txt": "a link that leads out of the source's folder; it is not followed",
        "nowhere.txt": "a link that leads nowhere",
        "loop.txt": "a link that leads to itself",
        "device.txt": "a link that leads out of the source's folder; it is not followed",
        "named.txt": "a folder with the name of a file; what is in it is read",
        "inside": "a link to a folder; it is not followed",
        "pipe.txt": "not a file, but a pipe, a socket or a device",
    }


def test_a_link_into_dvcs_cache_is_read_and_no_other_link_out_of_the_folder(tmp_path):
    home, cache = tmp_path / "home", tmp_path / "cache/files/md5"
    (cache / "ab").mkdir(parents=True)
    home.mkdir()
    for name in ("c" * 30, "c" * 29, "not-an-md5"):
        (cache / "ab" / name).write_text(f"content of {name}")
        (home / f"{name}.txt").symlink_to(cache / "ab" / name)
    (home / "gone.txt").symlink_to(cache / "ab" / ("d" * 30))
    (home / "folder.txt").symlink_to(cache / "ab")
    out = ("a link that leads out of the source's folder; it is not followed", b"")
    assert {raw.path: (raw.error, raw.content) for raw in split(home)} == {
        f"{'c' * 30}.txt": (None, f"content of {'c' * 30}".encode()),
        f"{'c' * 29}.txt": out,
        "not-an-md5.txt": out,
        "folder.txt": out,
        "gone.txt": ("a link that leads nowhere", b""),
    }


@pytest.fixture
def closed():
    """A folder with an unreadable file and an unreadable folder, for a user without permission."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed.txt").touch(0o000)
        (folder / "inner").mkdir(0o000)
        (folder / "listed").mkdir()
        (folder / "listed/in.txt").touch()
        (folder / "listed").chmod(0o444)
        (folder / "open.txt").touch()
        user = os.geteuid()
        os.seteuid(user or 65534)
        yield folder
        os.seteuid(user)
        for inner in ("inner", "listed"):
            (folder / inner).chmod(0o755)


def test_a_file_without_read_permission_is_a_record_with_an_error(closed):
    assert {raw.path: raw.error for raw in split(closed)} == {
        "closed.txt": "cannot be read: Permission denied",
        "inner": "a folder that cannot be read",
        "listed/in.txt": "cannot be read: Permission denied",
        "open.txt": None,
    }


def test_the_second_file_of_a_document_id_has_an_error(tmp_path):
    for name in ("a.txt", "b/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    first, second = split(tmp_path)
    assert (first.path, first.error) == ("a.txt", None)
    assert (second.path, second.error) == ("b/a.txt", "its document id 'a' is already that of a.txt")


def test_cl_scisumm_skips_the_other_files_of_its_corpus(tmp_path):
    for name in ("W00-1.xml", "citing_sentences.json", "W00-1.gold.txt"):
        (tmp_path / name).write_text("x")
    assert [raw.path for raw in split(tmp_path, "cl_scisumm")] == ["W00-1.xml"]


@pytest.mark.parametrize(
    ("name", "path", "error"),
    [
        (b"caf\xe9.txt", "caf\\xe9.txt", "its name is not UTF-8"),
        (b"caf\\xe9.txt", "caf\\\\xe9.txt", None),
        (b"a\x1b\n.txt", "a\\x1b\\x0a.txt", "its name holds a line break or a control character"),
        (
            "p\u009b31m\x7f.txt".encode(),
            "p\\x9b31m\\x7f.txt",
            "its name holds a line break or a control character",
        ),
        (b"back\\slash.txt", "back\\slash.txt", None),
        ("caf\u00e9 %23#1.txt".encode(), "caf\u00e9 %23#1.txt", None),
    ],
)
def test_a_name_with_control_characters_is_escaped_and_stays_unique(tmp_path, name, path, error):
    (tmp_path / os.fsdecode(name)).write_text("x")
    (raw,) = split(tmp_path)
    assert (raw.path, raw.error) == (path, error)


@given(st.lists(st.text(alphabet="a\\x1bu\x1b\udce9#%2035", min_size=1), unique=True))
def test_different_paths_have_different_displayed_names_and_ids(paths):
    assert len({shown(path) for path in paths}) == len(paths)
    raws = [Raw(shown(path), path, b"", row) for path in paths for row in (None, 3, 31)]
    assert len({record_id("src", raw) for raw in raws}) == len(raws)
    assert [record_place(record_id("src", raw)) for raw in raws] == [
        ("src", raw.path, str(raw.row or "")) for raw in raws
    ]


def test_an_ordinary_path_is_its_own_id():
    assert record_id("src", Raw("a b/c-d_\u00e9.txt", "c", b"")) == "src/a b/c-d_\u00e9.txt"
    assert record_id("src", Raw("a.jsonl", "x", b"", 3)) == "src/a.jsonl#3"
    assert record_id("src", Raw("a.jsonl#3", "x", b"")) == "src/a.jsonl%233"


def test_a_missing_folder_is_a_configuration_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder: gone"):
        split(tmp_path / "gone")


def record(name: str, content: bytes, month: str | None = "2018-06", **raw: object) -> Record:
    found = Raw(name, name.partition(".")[0], content, **raw)
    return Record(record_id("src", found), "src", "plain_text", "CC-BY-4.0", month, found)


def test_papers_are_kept_and_the_rest_rejected_whole_with_file_and_cause():
    good = record("a.txt", b"Title\n\nAbstract\n\nWe go. We go.\n")
    bad = [
        record("b.txt", b"T\n\nA\x00b."),
        record("c.txt", b"T", error="too large"),
        record("d.txt", b"T\n\nWe go.", month=None),
        record("e.jsonl", b"", row=3),
    ]
    outcome = parse_papers([good, *bad])
    assert outcome.units.to_pylist() == ["src/a.txt", "src/b.txt", "src/c.txt", "src/d.txt", "src/e.jsonl#3"]
    (paper,) = outcome.kept.to_pylist()
    assert paper["id"] == row_id("paper", "src", "a")
    assert paper["source_ids"] == ["src/a.txt"]
    assert (paper["licence"], paper["month"], paper["title"]) == ("CC-BY-4.0", "2018-06", "Title")
    assert paper["sections"] == [{"title": "Abstract", "role": "abstract"}]
    first, second = paper["sentences"]
    assert first["id"] == row_id("sentence", paper["id"], "We go.", "0")
    assert second["id"] == row_id("sentence", paper["id"], "We go.", "1")
    assert (second["position"], second["start"], second["end"], second["locator"]) == (1, 24, 30, "line 5")
    assert outcome.rejected.select(["id", "content", "error"]).to_pylist() == [
        {
            "id": "src/b.txt",
            "content": b"T\n\nA\x00b.",
            "error": "src/b.txt: the text holds the character U+0000, which is no text (line 3, column 2)",
        },
        {"id": "src/c.txt", "content": b"T", "error": "src/c.txt: too large"},
        {
            "id": "src/d.txt",
            "content": b"T\n\nWe go.",
            "error": "src/d.txt: its month of publication is unknown",
        },
        {"id": "src/e.jsonl#3", "content": b"", "error": "src/e.jsonl, line 3: the file is empty"},
    ]
    assert outcome.dropped.num_rows == 0


def test_parsing_the_same_records_twice_gives_the_same_tables():
    records = [record(f"{name}.txt", b"Title\n\nAbstract\n\nWe go on.\n") for name in "ab"]
    assert parse_papers(records).kept.equals(parse_papers(records).kept)
