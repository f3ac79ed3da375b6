"""The section `filters` of params.yaml."""

import pytest

from silverloom.assets.declare.params_file import ParamsError
from silverloom.assets.filters import filter_documents
from silverloom.ops.filters.params import ProseBoundParams, ProseScoreParams
from silverloom.ops.parse.schemas import WEB_PAGES


@pytest.mark.parametrize("section", [["prose"], "prose", 3])
def test_a_section_that_names_no_sources_is_refused(monkeypatch, section):
    monkeypatch.setattr("silverloom.assets.filters.document", lambda: {"filters": section})
    with pytest.raises(ParamsError, match="filters: names of sources are expected, found"):
        filter_documents("prose", WEB_PAGES, ProseScoreParams, ProseBoundParams)


def test_a_bound_without_its_score_is_refused_before_anything_is_made(monkeypatch):
    content = {"filters": {"prose": {"bounds": {"quality": "published"}}}}
    monkeypatch.setattr("silverloom.assets.filters.document", lambda: content)
    monkeypatch.setattr("silverloom.assets.declare.params_file.document", lambda root=None: content)
    with pytest.raises(
        ValueError, match=r"prose\.bounds\.quality is set, but .*prose\.scores\.quality is off"
    ):
        filter_documents("prose", WEB_PAGES, ProseScoreParams, ProseBoundParams)
