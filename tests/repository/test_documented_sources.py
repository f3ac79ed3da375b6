"""Every kind of source is documented, and what the documents show as a file of it can be read."""

import re

import pytest

from assets.declare.settings import checkout
from ops.parse.source import MonthRule, Source, folder_formats
from orchestration.definitions import workspace

KINDS = {kind: form for item in workspace().datasets.values() for kind, form in item.formats.items()}
#: A kind with what follows it, up to the next one or a heading.
ABOUT_KIND = re.compile(r"\*\*`(\w+)`\*\*(.*?)(?=\*\*`\w+`\*\*|^## [A-Z])", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"File `([^`]+)`[^`]*(?:`\w+`[^`]*)?:\n\n```\w+\n(.*?)```", re.DOTALL)
#: Of these kinds a file alone is no record, shows nothing that can be read, or is that of another kind.
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
def test_a_file_that_the_documents_show_is_read(kind, name, content, tmp_path):
    (tmp_path / name).write_text(content)
    source = Source(kind=kind, path="x", month=MonthRule(constant="2018-06"), licence="CC0-1.0")
    records = list(KINDS[kind].split(tmp_path, source))
    assert records and not any(record.error for record in records)
    for record in records:
        assert KINDS[kind].parse(record)
