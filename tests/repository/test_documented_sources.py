"""Every kind of source is documented, and the documented example files can be read."""

import re

import pytest

from silverloom.assets.declare.project import checkout
from silverloom.ops.parse.source import MonthRule, Source, folder_formats
from silverloom.orchestration.definitions import workspace

KINDS = {kind: form for item in workspace().datasets.values() for kind, form in item.formats.items()}
#: A kind with the text about it, up to the next kind or heading.
ABOUT_KIND = re.compile(r"\*\*`(\w+)`\*\*(.*?)(?=\*\*`\w+`\*\*|^## [A-Z])", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"File `([^`]+)`[^`]*(?:`\w+`[^`]*)?:\n\n```\w+\n(.*?)```", re.DOTALL)
#: For these kinds, a single file is not a record, shows nothing readable, or has the format of another kind.
NOT_SHOWN = {
    "transcripts",
    "cl_scisumm_summaries",
    "rating_sheets",
    "pdf",
    "recordings",
    "warc",
    "s2orc_shards",
    "paraphrase_lines",
}


def formats():
    """The reference pages on formats, one after the other."""
    return "\n".join(
        path.read_text() for path in sorted((checkout() / "docs/reference/formats").glob("*.md"))
    )


EXAMPLES = [
    (kind, *example)
    for kind, about in ABOUT_KIND.findall(formats())
    if kind not in NOT_SHOWN
    for example in FILE.findall(about)
]


def test_every_kind_is_documented():
    how_to = checkout() / "docs/how-to"
    pages = formats() + (how_to / "crawl.md").read_text() + (how_to / "collections.md").read_text()
    folders = folder_formats(KINDS)
    assert [kind for kind in folders if f"`{kind}`" not in pages and f"kind: {kind}\n" not in pages] == []
    described = {kind for kind, _ in ABOUT_KIND.findall(pages)}
    assert described - NOT_SHOWN == {kind for kind, *_ in EXAMPLES}


@pytest.mark.parametrize(("kind", "name", "content"), EXAMPLES, ids=[kind for kind, *_ in EXAMPLES])
def test_a_documented_file_is_read(kind, name, content, tmp_path):
    (tmp_path / name).write_text(content)
    source = Source(kind=kind, path="x", month=MonthRule(constant="2018-06"), licence="CC0-1.0")
    records = list(KINDS[kind].split(tmp_path, source))
    assert records and not any(record.error for record in records)
    for record in records:
        assert KINDS[kind].parse(record)
