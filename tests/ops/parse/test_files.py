"""The files of a source's folder."""

import pytest

from silverloom.ops.parse.files import find
from silverloom.ops.parse.source import MonthRule, Source


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", [("a/expected.html", True), ("a/notes.txt", False), ("a/source.html", True), ("b.html", True)]),
        ("*/source.html", [("a/source.html", True)]),
        ("*.txt", [("a/notes.txt", False)]),
        ("nothing", []),
    ],
)
def test_a_pattern_selects_the_files_of_a_source_and_others_are_skipped(tmp_path, pattern, found):
    (tmp_path / "a").mkdir()
    for name in ("a/source.html", "a/expected.html", "a/notes.txt", "b.html"):
        (tmp_path / name).write_text("x")
    month = MonthRule(constant="2018-06")
    source = Source(kind="html", path="pages", month=month, licence="CC0-1.0", files=pattern)
    assert [(file.path, file.error is None) for file in find(tmp_path, source, (".html",))] == found
