"""What the card of a release says about its sources."""

from types import SimpleNamespace

from silverloom.ops.parse.source import Source
from silverloom.orchestration.release.contents import Contents


class OfProse(Contents):
    """The contents of a release that is made from prose alone."""

    ancestors = (SimpleNamespace(records="prose"),)


def test_a_source_is_credited_and_its_path_stays_private():
    source = Source(
        kind="table",
        path="../private",
        licence="CC-BY-4.0",
        title="Abstracts",
        attribution="A. Author and others",
        url="https://example.org",
    )
    settings = SimpleNamespace(sources={"prose": {"texts": source}, "papers": {"mine": source}})
    contents = OfProse(SimpleNamespace(settings=settings), None, None, None, None, None)
    ((name, credit),) = contents.sources
    assert name == "prose.texts"
    assert credit == (
        "title Abstracts, attribution A. Author and others, url https://example.org, kind table, "
        "licence CC-BY-4.0"
    )
