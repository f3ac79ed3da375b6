"""What the card of a release says about its sources, and about silverloom."""

import json
from importlib import metadata
from types import SimpleNamespace

import pytest

from silverloom.ops.parse.source import Source
from silverloom.orchestration.release.contents import Contents
from silverloom.orchestration.release.write import software


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
        citation="Author, A. (2024). Abstracts.",
        url="https://example.org",
    )
    settings = SimpleNamespace(sources={"prose": {"texts": source}, "papers": {"mine": source}})
    contents = OfProse(SimpleNamespace(settings=settings), None, None, None, None, None)
    ((name, credit),) = contents.sources
    assert name == "prose.texts"
    assert credit == (
        "title: Abstracts; attribution: A. Author and others; citation: Author, A. (2024). Abstracts.; "
        "url: https://example.org; kind: table; licence: CC-BY-4.0"
    )


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        (
            {"url": "https://me:secret@code.example/silverloom", "vcs_info": {"commit_id": "abc"}},
            "silverloom 1.2.3 (<https://code.example/silverloom>, commit `abc`)",
        ),
        ({"url": "file:///srv/silverloom", "vcs_info": {"commit_id": "abc"}}, "silverloom 1.2.3"),
        ({"url": "file:///srv/silverloom", "dir_info": {}}, "silverloom 1.2.3"),
        (None, "silverloom 1.2.3"),
    ],
)
def test_the_card_names_the_repository_that_silverloom_was_installed_from(monkeypatch, origin, told):
    installed = SimpleNamespace(version="1.2.3", read_text=lambda name: origin and json.dumps(origin))
    monkeypatch.setattr(metadata, "distribution", lambda name: installed)
    assert software() == told
